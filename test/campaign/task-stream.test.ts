// Streams of tasks: told as they end, errors as results, lost ones tried again; and nothing is kept of them.

import { describe, expect, it } from 'vitest';
import { LostWorkerError } from '../../src/campaign/lost-worker.js';
import { RunPool } from '../../src/campaign/run-pool.js';
import { mostTries, TaskStream } from '../../src/campaign/task-stream.js';

function streamOf(count: number, told: unknown[], perform: (place: number) => unknown = (place) => place) {
  return new TaskStream<unknown>({
    count,
    places: Array.from({ length: count }, (_, i) => 10 * i).values(),
    task: (place) => ({
      name: `task ${place}`,
      here: () => Promise.resolve().then(() => perform(place)),
      input: () => place,
    }),
    onResult: (place, result) => {
      told.push([place, result]);
    },
    onError: (place, error) => {
      told.push([place, (error as Error).message]);
    },
    onLost: (place, error) => {
      told.push([place, 'lost', error.how]);
    },
  });
}

const killed = new LostWorkerError('task', 'ended with signal SIGKILL');

describe('a stream of tasks', () => {
  it('goes on after an error, which is told in its place', async () => {
    const told: unknown[] = [];
    const stream = streamOf(3, told, (place) => {
      if (place === 10) throw new Error('no good');
      return -place;
    });
    const pool = new RunPool({ processes: 1, module: new URL('file:///none') });
    await pool.work(stream);
    await pool.close();
    expect(told).toEqual([
      [0, -0],
      [10, 'no good'],
      [20, -20],
    ]);
    expect(stream.isSettled).toBe(true);
  });

  it(`takes a task that was lost again before any other, and tells it as lost after ${mostTries}`, () => {
    const told: unknown[] = [];
    const stream = streamOf(2, told);
    for (let tries = 1; tries <= mostTries; tries++) {
      expect(stream.take()).toBe(0);
      expect(stream.isSettled).toBe(false);
      stream.lose(0, killed);
    }
    expect(told).toEqual([[0, 'lost', 'ended with signal SIGKILL']]);
    expect(stream.take()).toBe(10);
    expect(stream.take()).toBeNull();
    stream.settle(10, { result: 'ten' });
    expect(stream.isSettled).toBe(true);
    expect(told).toHaveLength(2);
  });

  it('counts a task that was lost as left, and not once it is closed', () => {
    const stream = streamOf(1, []);
    expect([stream.left, stream.take(), stream.left]).toEqual([1, 0, 0]);
    stream.lose(0, killed);
    expect([stream.left, stream.isSettled]).toEqual([1, false]);
    stream.close();
    expect([stream.left, stream.isSettled, stream.take()]).toEqual([0, true, null]);
  });

  it('gives a task that was given back to the next who asks, without a death', () => {
    const told: unknown[] = [];
    const stream = streamOf(2, told);
    for (let tries = 0; tries < 2 * mostTries; tries++) {
      expect(stream.take()).toBe(0);
      stream.giveBack(0);
      expect([stream.left, stream.isSettled]).toEqual([2, false]);
    }
    stream.take();
    stream.take();
    stream.giveBack(10);
    stream.close();
    stream.settle(0, { result: 'nought' });
    expect([stream.isSettled, told]).toEqual([true, [[0, 'nought']]]);
  });

  it('ends when nobody can take what it tells, and says so', () => {
    const full = new Error('disk full');
    const stream = new TaskStream<number>({
      count: 5,
      places: [0, 1, 2, 3, 4].values(),
      task: () => ({ name: '', here: () => Promise.resolve(0), input: () => 0 }),
      onResult: () => {
        throw full;
      },
      onError: () => {},
      onLost: () => {},
    });
    stream.take();
    stream.take();
    stream.settle(0, { result: 1 });
    expect([stream.left, stream.isSettled]).toEqual([0, false]);
    stream.settle(1, { result: 1 });
    expect(stream.isSettled).toBe(true);
    expect(() => {
      stream.throwIfFailed();
    }).toThrow(full);
  });
});

// Pools of worker processes: results and errors are those of one process, nothing outlives a pool, and small work begins
// no process.

import { describe, expect, it } from 'vitest';
import { LostWorkerError } from '../../src/campaign/lost-worker.js';
import { type PoolOptions, RunPool } from '../../src/campaign/run-pool.js';
import { resultsInOrder, type TaskListener } from '../../src/campaign/task-queue.js';
import type { PooledTask } from '../../src/campaign/task-source.js';
import { TaskMemory, type TaskTools } from '../../src/campaign/worker-messages.js';
import { TaskStream } from '../../src/campaign/task-stream.js';
import { InputError } from '../../src/base/diagnostics.js';
import { toolsWithin } from '../../src/campaign/task-reach.js';
import { describeFailure } from '../../src/cli/failures.js';

interface Came {
  readonly sum: number;
  readonly pid: number;
  readonly stopped: boolean;
}

const module = new URL('../support/pool-task.mjs', import.meta.url);
const { default: perform } = (await import(module.href)) as {
  default: (shared: number, input: unknown, tools: TaskTools) => Promise<Came>;
};
const shared = 100;

function task(word: string, value: unknown): PooledTask<Came> {
  return { name: word, here: (tools) => perform(shared, { word, value }, tools), input: () => ({ word, value }) };
}

/** A task that this process leaves to a worker: it ends here once the pool is told to stop. */
function onlyThere(word: string, value: unknown): PooledTask<Came> {
  return { ...task(word, value), here: (tools) => perform(shared, { word: 'forever', value: 0 }, tools) };
}

async function pooled(
  tasks: readonly PooledTask<Came>[],
  options: Partial<PoolOptions> = {},
  listener: TaskListener<Came> | ((pool: RunPool) => TaskListener<Came>) = {},
): Promise<(Came | null)[]> {
  const pool = new RunPool({ processes: 3, module, shared: () => shared, worthMs: 0, ...options });
  try {
    return await resultsInOrder(pool, tasks, typeof listener === 'function' ? listener(pool) : listener);
  } finally {
    await pool.close();
  }
}

/** What the user reads; of a bug without its stack, whose lines name places in the other process. */
function shown(error: unknown): string {
  return describeFailure(error, [])
    .text.replaceAll(/\n +at .*/g, '')
    .replaceAll(/(src|dist)\//g, '');
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const sums = Array.from({ length: 60 }, (_, i) => task('sum', i));

describe('a pool', () => {
  it('has the results of one process, in order, and leaves no process behind', async () => {
    const told: number[] = [];
    const ended: number[] = [];
    const results = await pooled(
      sums,
      {},
      { onResult: (place) => told.push(place), onEnd: (place) => ended.push(place) },
    );
    const alone = await pooled(sums, { processes: 1 });
    expect(results.map((result) => result!.sum)).toEqual(alone.map((result) => result!.sum));
    expect(told).toEqual(sums.map((_, i) => i));
    expect([...ended].sort((a, b) => a - b)).toEqual(told);
    const pids = new Set(results.map((result) => result!.pid));
    expect(pids.size).toBe(3);
    expect([...pids].filter(isAlive)).toEqual([process.pid]);
    expect(new Set(alone.map((result) => result!.pid))).toEqual(new Set([process.pid]));
  });

  it('begins no process for what is done soon', async () => {
    const results = await pooled(sums.slice(0, 12), { worthMs: 3000 });
    expect(new Set(results.map((result) => result!.pid))).toEqual(new Set([process.pid]));
  });

  it('keeps its workers from one call to the next', async () => {
    const pool = new RunPool({ processes: 2, module, shared: () => shared, worthMs: 0 });
    try {
      const first = await resultsInOrder(pool, sums);
      const second = await resultsInOrder(pool, sums);
      const others = (results: (Came | null)[]) => [...new Set(results.map((result) => result!.pid))].sort();
      expect(others(second)).toEqual(others(first));
      expect(others(first)).toHaveLength(2);
    } finally {
      await pool.close();
    }
  });

  it('tells how far tasks in workers are', async () => {
    const reported = new Map<number, number[]>();
    const results = await pooled(
      sums,
      {},
      { onProgress: (place, waited) => reported.set(place, [...(reported.get(place) ?? []), waited as number]) },
    );
    const elsewhere = results.flatMap((result, i) => (result!.pid === process.pid ? [] : [i]));
    expect(elsewhere.length).toBeGreaterThan(0);
    for (const place of elsewhere) expect(reported.get(place)![0]).toBe(0);
  });
});

describe('errors of workers', () => {
  it.each([
    ['input', 'found'],
    ['file', 'missing.yaml'],
    ['output', 'out/fct.txt'],
    ['invariant', 'two and two'],
    ['error', 'a bug'],
  ])('of the kind %s are told as those of this process', async (word, value) => {
    const here = await perform(
      shared,
      { word, value },
      { report: () => {}, stopRequested: () => false, keep: new TaskMemory().keep, ...toolsWithin({}) },
    ).catch((error: unknown) => error);
    const there = await pooled([onlyThere('sum', 0), onlyThere(word, value)], { processes: 2 }).catch(
      (error: unknown) => error,
    );
    expect(shown(there)).toBe(shown(here));
    expect(describeFailure(there, []).exitCode).toBe(describeFailure(here, []).exitCode);
    expect((there as Error).constructor.name).toBe(word === 'error' ? 'Error' : (here as Error).constructor.name);
  });

  it('of several the first in order is thrown, and nothing begins after one', async () => {
    const tasks = [onlyThere('sum', 0), task('sum', 1), task('input', 'first'), task('sum', 2), task('input', 'last')];
    let begun = 0;
    const counted = tasks.map(({ name, here, input }) => ({ name, here, input: () => (begun++, input()) }));
    const error = await pooled(counted, { processes: 2 }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InputError);
    expect((error as InputError).diagnostics).toMatchObject([{ line: 3, column: 7, got: 'first' }]);
    expect(begun).toBe(2);
  });

  it('a worker that is killed is named with its task', async () => {
    const error = await pooled([onlyThere('sum', 0), onlyThere('die', 0)], { processes: 2 }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(LostWorkerError);
    expect(describeFailure(error, [])).toEqual({
      text: 'error: die: its process ended with signal SIGKILL; if memory was short, run fewer at once: --workers 1\n',
      exitCode: 1,
    });
  });
});

describe('a stop', () => {
  it('leaves out tasks that still read their files, here and in a worker', async () => {
    const underWay = new Set<number>();
    const results = await pooled([task('read', 0), task('read', 1)], { processes: 2 }, (pool) => ({
      onProgress: (place) => {
        if (underWay.add(place).size === 2) pool.stop();
      },
    }));
    expect(results).toEqual([null, null]);
  });

  it('keeps what is finished, ends what is under way and begins nothing', async () => {
    const tasks = [onlyThere('sum', 0), task('sum', 1), task('forever', 2), task('sum', 3)];
    const told: number[] = [];
    const results = await pooled(tasks, { processes: 2 }, (pool) => ({
      onProgress: (place) => {
        if (place === 2) pool.stop();
      },
      onResult: (place) => told.push(place),
    }));
    expect(results.map((result) => result?.stopped ?? null)).toEqual([true, false, true, null]);
    expect(results[1]!.sum).toBe(101);
    expect(told).toEqual([0, 1, 2]);
  });

  it('before the first task leaves everything out', async () => {
    const pool = new RunPool({ processes: 2, module, shared: () => shared });
    pool.stop();
    expect(await resultsInOrder(pool, sums.slice(0, 2))).toEqual([null, null]);
    await pool.close();
  });
});

/**
 * @param die places at which the process of a worker is killed, so many times each
 * @param mayGoOn what this process waits for in its first task; left out: a worker has carried one out
 */
async function streamed(
  count: number,
  die: ReadonlyMap<number, number>,
  mayGoOn = (told: ReadonlyMap<number, unknown>): boolean => told.size > 0,
): Promise<ReadonlyMap<number, unknown>> {
  const told = new Map<number, unknown>();
  const deaths = new Map(die);
  const pool = new RunPool({ processes: 2, leavesToWorkers: true, module, shared: () => shared, worthMs: 0 });
  const stream = new TaskStream<Came>({
    count,
    places: Array.from({ length: count }, (_, i) => i).values(),
    task: (place) => ({
      ...task('sum', place),
      here: async (tools) => {
        while (!mayGoOn(told)) await new Promise((resolve) => setTimeout(resolve, 10));
        return perform(shared, { word: 'sum', value: place }, tools);
      },
      input: () => {
        const left = deaths.get(place) ?? 0;
        deaths.set(place, left - 1);
        return { word: left > 0 ? 'die' : 'sum', value: place };
      },
    }),
    onResult: (place, result) => {
      expect(told.has(place)).toBe(false);
      told.set(place, result);
    },
    onError: (place, error) => told.set(place, error),
    onLost: (place, { how }) => told.set(place, how),
  });
  try {
    await pool.work(stream);
  } finally {
    await pool.close();
  }
  return told;
}

describe('a stream of tasks', () => {
  it('is left to workers once they are ready, and those that die are replaced', async () => {
    const places = Array.from({ length: 60 }, (_, i) => i);
    const told = await streamed(places.length, new Map([10, 11, 30, 31].map((place) => [place, 1])));
    expect([...told].map(([place, came]) => (came as Came).sum - place)).toEqual(places.map(() => shared));
    expect([...told.keys()].sort((a, b) => a - b)).toEqual(places);
    expect(places.filter((place) => (told.get(place) as Came).pid === process.pid)).toEqual([0]);
    const pids = new Set(places.slice(1).map((place) => (told.get(place) as Came).pid));
    expect(pids.size).toBeGreaterThan(2);
  });

  it('tells a task as lost that three workers died over', async () => {
    // while a worker is replaced this process would take the task itself, and not die over it
    const told = await streamed(30, new Map([[10, Infinity]]), (so) => so.has(10));
    expect(told.size).toBe(30);
    // a worker that dies is noticed by its end, or by a message that does not reach it, whichever comes first
    expect([...told].filter(([, came]) => typeof came === 'string')).toEqual([
      [10, expect.stringMatching(/^(?:ended with signal SIGKILL|could not be reached)$/)],
    ]);
  });

  it('begins nothing after a stop of what waits in a worker behind its task', async () => {
    const pool = new RunPool({ processes: 2, leavesToWorkers: true, module, shared: () => shared, worthMs: 0 });
    const told: Came[] = [];
    let sent = 0;
    const stream = new TaskStream<Came>({
      count: 1000,
      places: Array.from({ length: 1000 }, (_, i) => i).values(),
      // those after the first 20 are under way until the stop: none of them can end before it
      task: (place) => {
        const word = place < 20 ? 'sum' : 'forever';
        return { ...task(word, place), input: () => (sent++, { word, value: place }) };
      },
      onResult: (_place, result) => {
        told.push(result);
        if (told.length === 20) pool.stop();
      },
      onError: (_place, error) => {
        throw error;
      },
      onLost: (_place, error) => {
        throw error;
      },
    });
    await pool.work(stream);
    await pool.close();
    stream.throwIfFailed();
    expect(stream.isSettled).toBe(true);
    const inWorkers = told.filter(({ pid }) => pid !== process.pid).length;
    // each worker had at most one task ahead: that came back; what was under way, one each, ended
    expect(sent - inWorkers).toBeLessThanOrEqual(2);
    expect(told.length).toBeLessThanOrEqual(22);
  });
});

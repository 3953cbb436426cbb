// Processes in turns: each comes to its own end, in whatever order, and none is left behind stopped.

import { describe, expect, it } from 'vitest';
import { inTurns } from '../../bench/turns.js';
import { type Ended, type Running, startChild } from '../../validation/commits/child.js';

function node(script: string, signal = new AbortController().signal): Running {
  return startChild(process.execPath, ['-e', script], { folder: process.cwd(), signal });
}

/** Works for so many milliseconds of CPU time, then prints a word. */
const work = (milliseconds: number, word: string): string =>
  `while (process.cpuUsage().user < ${milliseconds * 1000}); console.log('${word}')`;

describe('processes in turns', () => {
  it('all end, with what they printed in the order of their turns', async () => {
    const ended = await inTurns([node(work(300, 'long')), node(work(10, 'short')), node('process.exit(3)')]);
    expect(ended.map(({ status, stdout }) => [status, stdout])).toEqual([
      [0, 'long\n'],
      [0, 'short\n'],
      [3, ''],
    ]);
  });

  it('run one at a time, in order, until each has ended', async () => {
    // processes by hand: a turn does one piece of the work of whoever runs
    const events: string[] = [];
    const runs = new Set<string>();
    const pieces = new Map([
      ['a', 3],
      ['b', 1],
      ['c', 2],
    ]);
    const ends = new Map<string, (ended: Ended) => void>();
    const processes = [...pieces.keys()].map((name): Running => {
      runs.add(name);
      return {
        ended: new Promise((resolve) => ends.set(name, resolve)),
        pause: () => void runs.delete(name),
        goOn: () => void runs.add(name),
      };
    });
    const turn = (): Promise<void> => {
      events.push([...runs].join(' and '));
      for (const name of runs) {
        const left = pieces.get(name)! - 1;
        pieces.set(name, left);
        if (left === 0) ends.get(name)!({ status: 0, stdout: name, stderr: '' });
      }
      return Promise.resolve();
    };
    const ended = await inTurns(processes, turn);
    expect(ended.map(({ stdout }) => stdout)).toEqual(['a', 'b', 'c']);
    expect(events).toEqual(['a', 'b', 'c', 'a', 'c', 'a']);
  });

  it('end with the reason of an interruption, those that are stopped too', async () => {
    const controller = new AbortController();
    const processes = [1, 2, 3].map(() => node(work(60_000, 'never'), controller.signal));
    const turns = inTurns(processes);
    controller.abort(new Error('enough'));
    await expect(turns).rejects.toThrow('enough');
    const all = await Promise.allSettled(processes.map(({ ended }) => ended));
    expect(all.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  });

  it('reject if one cannot be started, and let the others go on', async () => {
    const good = node(work(10, 'good'));
    const bad = startChild('/nowhere/program', [], { folder: process.cwd(), signal: new AbortController().signal });
    await expect(inTurns([good, bad])).rejects.toThrow('ENOENT');
    expect((await good.ended).stdout).toBe('good\n');
  });
});

// Processes in turns: each comes to its own end, in whatever order, and none is left behind stopped.

import { describe, expect, it } from 'vitest';
import { inTurns } from '../../bench/turns.js';
import { type Running, startChild } from '../../validation/commits/child.js';

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

  it('run one at a time: what one does, none does meanwhile', async () => {
    // each says every millisecond of CPU time what time it is; runs of one process are told from its stamps
    const script = `let last = 0; while (process.cpuUsage().user < 150e3) {
      const now = process.cpuUsage().user; if (now - last > 1000) { last = now; console.log(Date.now()); } }`;
    const ended = await inTurns([node(script), node(script)]);
    const stamps = ended.flatMap(({ stdout }, owner) =>
      stdout
        .split('\n')
        .slice(0, -1)
        .map((line) => ({ owner, at: Number(line) })),
    );
    stamps.sort((a, b) => a.at - b.at);
    const changes = stamps.filter(({ owner }, i) => i > 0 && stamps[i - 1]!.owner !== owner).length;
    expect(stamps.length).toBeGreaterThan(50);
    // side by side they would change owners at every other stamp
    expect(changes).toBeLessThan(stamps.length / 8);
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

// CollNet beside published bandwidths: 64 H100 with SHARP, 8 GiB: 387 to 480 GB/s (trials of November 2026).

import { expect } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import { runProgram } from '../../src/cli/program.js';
import { scriptedContext } from './command-context.js';

/** An allreduce over 64 H100 by CollNet is as fast as with SHARP, and faster than without it. */
export async function expectSharpBandwidth(backend: string): Promise<void> {
  const busbw = async (more: string): Promise<number> => {
    const world = scriptedContext({ simulate });
    const line = `collective allreduce --fabric spectrum-x --gpus 64 --sizes 8GiB --backend ${backend} --json${more}`;
    expect(await runProgram(line.split(' '), world), world.stderr.text).toBe(0);
    const { rows } = JSON.parse(world.stdout.text) as { rows: { algorithm: string; busbwGBps: number }[] };
    expect(rows[0]!.algorithm.startsWith('collnet')).toBe(more !== '');
    return rows[0]!.busbwGBps;
  };
  const summed = await busbw(' --collnet');
  expect(summed).toBeGreaterThan(387);
  expect(summed).toBeLessThan(480);
  expect(summed).toBeGreaterThan(await busbw(''));
}

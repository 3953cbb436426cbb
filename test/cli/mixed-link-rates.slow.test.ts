// A ring over links of different rates: one slow link sets the pace, on every backend, where moves over a connection
// follow each other (profiles nccl and document).
// By hand: six GPUs on a star, 50,000,017 B by one ring; every link carries 2 x 5 blocks of a sixth, and the one of 25
// Gb/s has it in and out at once: 10 x 8,333,337 B x 8 / 25e9 = 26.67 ms, 27.2 with 82 B of headers to each 4,096 B of
// data.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import { runProgram } from '../../src/cli/program.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { scriptedContext } from '../support/command-context.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-mixed-rates-'));
  const rates = [100, 100, 25, 100, 400, 100];
  const links = rates.map((rate, gpu) => `${gpu} 6 ${rate}Gbps 0.0005ms 0\n`).join('');
  await writeFile(join(folder, 'star.topo'), `7 1 0 1 6 H100\n6\n${links}`);
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function timeMs(profile: string, backend: string): Promise<number> {
  const context = scriptedContext({ makePlan, simulate });
  const choice = ['--algorithm', 'ring', '--protocol', 'simple', '--channels', '1', '--sizes', '50000017B'];
  const words = ['collective', 'allreduce', '--fabric', join(folder, 'star.topo'), ...choice, '--json', '--quiet'];
  expect(await runProgram([...words, '--profile', profile, '--backend', backend], context)).toBe(0);
  const { rows } = JSON.parse(context.stdout.text) as { rows: { timeUs: number }[] };
  return rows[0]!.timeUs / 1000;
}

it.each(
  ['nccl', 'document'].flatMap((profile) => ['analytical', 'fluid', 'packet'].map((one) => [profile, one] as const)),
)('profile %s, backend %s: as long as the slow link needs, to 5 percent', async (profile, backend) => {
  const ms = await timeMs(profile, backend);
  expect(ms).toBeGreaterThan((10 * 8_333_336 * 8) / 25e6);
  expect(Math.abs(ms / 27.2 - 1)).toBeLessThan(0.05);
});

it('profile simai shares the slow link among moves that are all late: docs/models/simai.md says why', async () => {
  expect(await timeMs('simai', 'fluid')).toBeGreaterThan(1.3 * 27.2);
  expect(await timeMs('simai', 'packet')).toBeGreaterThan(1.5 * 27.2);
});

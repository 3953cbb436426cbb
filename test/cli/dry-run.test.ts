// `weft run --dry-run`: what would run and what it would take, without running or writing anything.

import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { dryRun } from '../../src/cli/run/dry-run.js';
import type { RunRequest } from '../../src/cli/run/run-plan.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { scriptedContext } from '../support/command-context.js';

const scenario = fileURLToPath(new URL('../../examples/two-jobs/two-jobs.yaml', import.meta.url));
const request = (changes: Partial<RunRequest> = {}): RunRequest => ({
  scenario,
  set: [],
  json: false,
  quiet: true,
  ...changes,
});
const context = () =>
  scriptedContext({ makePlan, simulate: () => Promise.reject(new Error('a dry run simulates nothing')) });

it('says what would run and what it would take, in 80 columns, and writes nothing', async () => {
  const { stdout, ...rest } = context();
  const out = join(tmpdir(), `weft-dry-run-${process.pid}`);
  expect(await dryRun(request({ out }), { stdout, ...rest })).toBe(0);
  for (const line of stdout.text.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  // two rings of eight, three allreduces each of 2 x 7 steps of 8 chunks, over four links; 64 KiB and more per chunk
  expect(stdout.text).toContain(
    '  job          odd: 8 ranks, 3 iterations\n  job          even: 8 ranks, 3 iterations\n',
  );
  expect(stdout.text).toContain(`  flows        ${2 * 3 * 2 * 7 * 8} flows, `);
  expect(stdout.text).toMatch(/\n {2}time {9}about [\d.]+ m?s of CPU/);
  expect(stdout.text).toMatch(/\n {2}memory {7}about \d+ MB\n/);
  expect(stdout.text).toMatch(/of CPU on this machine,\s+[\d.]+ times as (?:fast|slow) as\s+that/);
  expect(stdout.text).toContain('  settings     given, where they differ from their defaults:\n');
  expect(stdout.text).toContain('    collectives.algorithm: ring\n');
  expect([out, `${out}.partial`].map((path) => existsSync(path))).toEqual([false, false]);
});

it('has a JSON object for each backend', async () => {
  const one = context();
  await dryRun(request({ json: true, backends: ['fluid'] }), one);
  expect(JSON.parse(one.stdout.text)).toMatchObject({ dryRun: true, backend: 'fluid', flows: 672, packetHops: null });
  const all = context();
  await dryRun(request({ json: true, backends: ['analytical', 'fluid', 'packet'] }), all);
  const objects = JSON.parse(all.stdout.text) as { backend: string; flows: number; cpuSeconds: number }[];
  expect(objects.map(({ backend, flows }) => `${backend} ${flows}`)).toEqual([
    'analytical 0',
    'fluid 672',
    'packet 672',
  ]);
  for (const { cpuSeconds } of objects) expect(cpuSeconds).toBeGreaterThan(0);
});

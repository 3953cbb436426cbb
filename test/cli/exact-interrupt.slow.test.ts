// Ctrl-C during the exact algorithms: whatever is there is written, tables lead everywhere, and the process ends with
// 130. The signal is sent to this process when the command says that it searches.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runProgram } from '../../src/cli/program.js';
import { KeptStream, scriptedContext } from '../support/command-context.js';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-exact-'));
  const code = await runProgram(
    [
      'topology',
      'generate',
      'fat-tree',
      '--pods',
      '4',
      '--edges-per-pod',
      '4',
      '--hosts-per-edge',
      '8',
      '--aggregation-per-pod',
      '4',
      '--cores',
      '8',
      '--format',
      'ibnetdiscover',
      '--out',
      join(folder, 'f.net'),
      '--json',
    ],
    scriptedContext(),
  );
  expect(code).toBe(0);
});
afterAll(() => rm(folder, { recursive: true }));

it.each(['basic-mcf', 'partitioned-binary', 'combined'])('%s', async (algorithm) => {
  let ended = 0;
  const stderr = new KeptStream(true);
  // too large to be solved in that time
  const words = [
    'route',
    'compute',
    '--fabric',
    join(folder, 'f.net'),
    '--traffic',
    'bs-random-shuffle-noise',
    '--algorithm',
    algorithm,
    '--time',
    '1min',
    '--out',
    join(folder, `${algorithm}.lfts`),
    '--json',
  ];
  const context = scriptedContext({
    endWith: (code) => {
      ended = code;
    },
  });
  const timer = setTimeout(() => {
    process.kill(process.pid, 'SIGINT');
  }, 1500);
  const code = await runProgram(words, Object.assign(context, { stderr }));
  clearTimeout(timer);
  expect(code || ended).toBe(130);
  const result = JSON.parse(context.stdout.text) as { interrupted: boolean; maxLoad: number; lowerBound: number };
  expect(result).toMatchObject({ interrupted: true, validity: { valid: true }, omittedEntries: 0 });
  expect(result.maxLoad).toBeGreaterThanOrEqual(result.lowerBound * (1 - 1e-9));
  expect(
    await runProgram(
      ['route', 'evaluate', '--fabric', join(folder, 'f.net'), '--tables', join(folder, `${algorithm}.lfts`), '--json'],
      scriptedContext(),
    ),
  ).toBe(0);
});

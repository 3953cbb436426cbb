// weft route repair on a tree that lost links: what changed is told, written, and leads everywhere.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CommandResult, runCommand } from '../support/run-command.js';

let folder = '';
const shape = [
  '--pods',
  '3',
  '--edges-per-pod',
  '3',
  '--hosts-per-edge',
  '3',
  '--aggregation-per-pod',
  '3',
  '--cores',
  '9',
];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-repair-'));
  await weft('topology', 'generate', 'fat-tree', ...shape, '--format', 'ibnetdiscover', '--out', '@whole.net');
  await weft('route', 'compute', '--fabric', '@whole.net', '--algorithm', 'ftree', '--out', '@now.lfts');
  // the second spine has gone: its record, and the ports that led to it
  const text = await readFile(join(folder, 'whole.net'), 'utf8');
  const name = /^Switch\s+\d+ ("\S+")\s+# "spine0*1"/m.exec(text)![1]!;
  const left = text
    .split('\n\n')
    .filter((record) => !new RegExp(`^Switch\\s+\\d+ ${name}`, 'm').test(record))
    .map((record) =>
      record
        .split('\n')
        .filter((line) => !line.includes(`${name}[`))
        .join('\n'),
    );
  await writeFile(join(folder, 'broken.net'), left.join('\n\n'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const weft = (...words: string[]): Promise<CommandResult> => runCommand(folder, words);

it('a switch has gone: what it carried has other ways, and nothing else changed', async () => {
  const made = await weft(
    'route',
    'repair',
    '--fabric',
    '@broken.net',
    '--current',
    '@now.lfts',
    '--out',
    '@new.lfts',
    '--json',
  );
  expect(made.code).toBe(0);
  const told = JSON.parse(made.stdout) as {
    changedEntries: number;
    changedSwitches: { switch: string; entries: number }[];
    cpu: Record<string, number>;
  };
  expect(told).toMatchObject({ validity: { valid: true }, deadlockFree: true });
  expect(Object.keys(told.cpu)).toEqual(['readSeconds', 'repairSeconds', 'checkSeconds', 'writeSeconds']);
  expect(told.changedEntries).toBe(told.changedSwitches.reduce((sum, { entries }) => sum + entries, 0));
  expect(told.changedEntries).toBeGreaterThan(0);
  const judged = await weft(
    'route',
    'evaluate',
    '--fabric',
    '@broken.net',
    '--tables',
    '@new.lfts',
    '--current',
    '@now.lfts',
    '--json',
  );
  expect(JSON.parse(judged.stdout)).toMatchObject({ validity: { valid: true }, changedEntries: told.changedEntries });
  // for people
  const text = (await weft('route', 'repair', '--fabric', '@broken.net', '--current', '@now.lfts')).stdout;
  expect(text).toMatch(/changed {8}\d+ entries of \d+ switches against/);
  expect(text).toContain('s repairing');
});

it('tables with which nothing is wrong stay as they are; without --current it says what is missing', async () => {
  const made = await weft('route', 'repair', '--fabric', '@whole.net', '--current', '@now.lfts', '--json');
  expect(JSON.parse(made.stdout)).toMatchObject({ changedEntries: 0, changedSwitches: [] });
  const without = await weft('route', 'repair', '--fabric', '@whole.net');
  expect(without.code).toBe(2);
  expect(without.stderr).toContain('--current');
});

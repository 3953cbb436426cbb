// Lanes of routes as files: written by compute, read by evaluate, compare, transition and export. On a torus dfsssp's
// ways deadlock on one lane and not on its own; that is told only to those who are given the lanes.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CommandResult, runCommand } from '../support/run-command.js';

let folder = '';
let lanes = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-lanes-'));
  const generated = ['--width', '4', '--height', '4', '--hosts-per-switch', '1', '--format', 'ibnetdiscover'];
  expect(await weft('topology', 'generate', 'torus', ...generated, '--out', '@t.net')).toMatchObject({ code: 0 });
  const compute = ['route', 'compute', '--fabric', '@t.net', '--algorithm'];
  const made = await json(...compute, 'dfsssp', '--out', '@d.lfts', '--lanes-out', '@d.lanes');
  expect(made).toMatchObject({ deadlockFree: true, lanesOut: join(folder, 'd.lanes') });
  lanes = made['lanes'] as number;
  expect(lanes).toBeGreaterThan(1);
  const root = /switchguid=(0x[0-9a-f]+)/.exec(await readFile(join(folder, 't.net'), 'utf8'))![1]!;
  await writeFile(join(folder, 'roots'), `${root}\n`);
  await json(...compute, 'updn', '--roots', '@roots', '--out', '@u.lfts', '--lanes-out', '@u.lanes');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const weft = (...words: string[]): Promise<CommandResult> => runCommand(folder, words);

async function json(...words: string[]): Promise<Record<string, unknown>> {
  const { stdout, stderr } = await weft(...words, '--json');
  expect(stderr).toBe('');
  return JSON.parse(stdout) as Record<string, unknown>;
}

/** SL2VL tables of all switches. */
async function sl2vl(lane: (level: number) => number): Promise<void> {
  const net = await readFile(join(folder, 't.net'), 'utf8');
  const row = Array.from({ length: 16 }, (_, level) => lane(level)).join(' ');
  const tables = Array.from(net.matchAll(/switchguid=(0x[0-9a-f]+)/g), ([, guid]) => {
    const rows = [0, 1, 2, 3, 4, 5].flatMap((port) => [1, 2, 3, 4, 5].map((out) => `${port}   ${out}   : ${row}\n`));
    return `Switch ${guid!.replace('0x', '0x').padStart(18, '0')}, base LID 2, "leaf"\n${rows.join('')}`;
  });
  await writeFile(join(folder, 'sl2vl'), tables.join(''));
}

it('evaluate: free of deadlock on the lanes of the file, not on one, nor if switches put all levels on one', async () => {
  const words = ['route', 'evaluate', '--fabric', '@t.net', '--tables', '@d.lfts'];
  expect(await json(...words)).toMatchObject({ lanes: 1, deadlockFree: false });
  expect(await json(...words, '--lanes', '@d.lanes')).toMatchObject({ lanes, deadlockFree: true, deadlock: null });
  await sl2vl((level) => level % 8);
  const given = [...words, '--lanes', '@d.lanes', '--sl2vl', '@sl2vl'];
  expect(await json(...given)).toMatchObject({ lanes, deadlockFree: true });
  await sl2vl(() => 0);
  expect(await json(...given)).toMatchObject({ lanes: 1, deadlockFree: false });
  // the lanes in another order are lanes as well
  await sl2vl((level) => 7 - (level % 8));
  expect(await json(...given)).toMatchObject({ deadlockFree: true });
  await sl2vl((level) => (level === 1 ? 15 : 0));
  expect(await weft(...given)).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/service level 1 is in use and dropped/) as string,
  });
});

it('compare: a file of lanes for each of the tables', async () => {
  const words = ['route', 'compare', '--fabric', '@t.net', '--traffic', 'all-to-all', '--tables', '@d.lfts', '@u.lfts'];
  const { tables } = (await json(...words, '--lanes', '@d.lanes', '-')) as { tables: Record<string, unknown>[] };
  expect(tables.map(({ lanes: own, deadlockFree }) => [own, deadlockFree])).toEqual([
    [lanes, true],
    [1, true],
  ]);
  expect(await weft(...words, '--lanes', '@d.lanes')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/found: +1 for 2/) as string,
  });
});

it('export: refused on one lane and where lanes are dealt out to fewer, written on enough', async () => {
  const words = ['route', 'export', '--fabric', '@t.net', '--tables', '@d.lfts', '--out', '@exported', '--force'];
  expect(await weft(...words)).toMatchObject({ code: 1 });
  expect(await weft(...words, '--lanes', '@d.lanes', '--virtual-lanes', '1')).toMatchObject({ code: 1 });
  expect(await weft(...words, '--lanes', '@d.lanes', '--virtual-lanes', '8')).toMatchObject({ code: 0 });
});

/** When links may wait in a circle. */
const kinds = (told: Record<string, unknown>): unknown[] =>
  (told['violations'] as { kind: string; during?: string }[])
    .filter(({ kind }) => kind === 'deadlock')
    .map(({ during }) => during);

it('transition: with lanes the old tables may stay, without they may deadlock', async () => {
  const words = ['route', 'transition', '@d.lfts', '@u.lfts', '--fabric', '@t.net'];
  const blind = await json(...words);
  expect(blind).toMatchObject({ lanes: 1, safe: false });
  expect(kinds(blind)).toContain('old');
  const seeing = await json(...words, '--lanes', '@d.lanes', '--new-lanes', '@u.lanes');
  expect(seeing).toMatchObject({ lanes });
  expect(kinds(seeing)).not.toContain('old');
  expect(kinds(seeing)).not.toContain('new');
  expect(
    await json('route', 'transition', '@d.lfts', '@d.lfts', '--fabric', '@t.net', '--lanes', '@d.lanes'),
  ).toMatchObject({
    safe: true,
    lanes,
    violations: [],
  });
  expect(await weft(...words, '--new-lanes', '@u.lanes')).toMatchObject({ code: 2 });
});

it('files in each other’s place, and lanes of nothing, are refused by name', async () => {
  const words = ['route', 'evaluate', '--fabric', '@t.net', '--tables', '@d.lfts'];
  const refusals: [string[], RegExp][] = [
    [['--lanes', '@d.lfts'], /belongs to --tables/],
    [['--sl2vl', '@sl2vl'], /add --lanes FILE/],
    [['--lanes', '@d.lanes', '--sl2vl', '@d.lanes'], /belongs to --lanes/],
  ];
  for (const [more, message] of refusals)
    expect(await weft(...words, ...more)).toMatchObject({ code: 2, stderr: expect.stringMatching(message) as string });
});

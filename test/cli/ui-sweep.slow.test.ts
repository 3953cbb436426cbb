// A sweep as `weft ui` reads it: its rows, what is best, and the folders of runs that were kept; in words where it cannot.

import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { NamedPlaces } from '../../src/cli/ui/named-places.js';
import performUiTask, { type KeptSweep } from '../../src/cli/ui/ui-task.js';
import { csvRows } from '../support/csv-rows.js';

const program = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
// two senders share the one link between the leaves, or have 200 Gbps there
const scenario = `fabric: { generate: leaf-spine, leaves: 2, spines: 1, hostsPerLeaf: 2, hostRate: 100Gbps, spineRate: 100Gbps }
traffic: { transfers: [{ source: 0, destination: 2, size: 1MB }, { source: 1, destination: 3, size: 1MB }] }
`;
let home = '';
let folder = '';

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'weft-ui-sweep-'));
  mkdirSync(join(home, 'named'));
  folder = join(home, 'named/rates.sweep');
  writeFileSync(join(home, 's.yaml'), scenario);
  const words = ['sweep', 's.yaml', '--set', 'fabric.spineRate=100Gbps,200Gbps', '--seeds', '1..2', '--keep-runs'];
  execFileSync(process.execPath, [program, ...words, '--out', folder, '--quiet'], { cwd: home, stdio: 'ignore' });
  rmSync(join(folder, 'runs/3'), { recursive: true });
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

async function opened(path: string, folders = [join(home, 'named')]): Promise<KeptSweep> {
  const tools = { report: () => {}, stopRequested: () => false } as unknown as Parameters<typeof performUiTask>[2];
  const result = await performUiTask(null, { kind: 'sweep', folders, path }, tools);
  if (!('sweep' in result)) throw new Error('it is none');
  return result.sweep;
}

it('has the rows of the table, what is best, and the runs that were kept', async () => {
  const { view, folders } = await opened(folder);
  const rows = csvRows(readFileSync(join(folder, 'runs.csv'), 'utf8'));
  expect(view.runs.map(({ run, seed, values: [rate] }) => [`${run}`, `${seed}`, rate])).toEqual(
    rows.map((row) => [row['run'], row['seed'], row['set.fabric.spineRate']]),
  );
  expect([view.ended, view.planned, view.settings]).toEqual([4, 4, ['fabric.spineRate']]);
  expect(view.verdict).toContain('200Gbps');
  // over 100 Gbps two megabytes take 160 us at least, over 200 Gbps half of that
  const figure = view.figureNames.findIndex((name) => name.includes('99'));
  const [slow, , fast] = view.runs.map(({ figures }) => figures[figure]!.value);
  expect(slow! / fast!).toBeGreaterThan(1.7);
  expect(view.charts.length).toBeGreaterThan(0);
  expect(folders).toEqual([0, 1, 2].map((run) => join(folder, `runs/${run}`)).concat([null as never]));
});

it('is among the places that were named, before its runs', async () => {
  const places = await NamedPlaces.of([join(home, 'named')]);
  const kinds = (await places.list()).places.map(({ kind, path }) => [kind, path]);
  expect(kinds).toEqual([['sweep', folder]]);
  const own = await NamedPlaces.of([folder]);
  expect((await own.list()).places.map(({ kind }) => kind)).toEqual(['sweep', 'run', 'run', 'run']);
});

it('is refused in words where it leads out, or is damaged', async () => {
  mkdirSync(join(home, 'other'));
  cpSync(folder, join(home, 'other/rates.sweep'), { recursive: true });
  symlinkSync(join(home, 'other/rates.sweep'), join(home, 'named/led'));
  await expect(opened(join(home, 'named/led'))).rejects.toThrow(/lies outside/);
  cpSync(folder, join(home, 'named/linked'), { recursive: true });
  rmSync(join(home, 'named/linked/journal.jsonl'));
  symlinkSync(join(home, 'other/rates.sweep/journal.jsonl'), join(home, 'named/linked/journal.jsonl'));
  await expect(opened(join(home, 'named/linked'))).rejects.toThrow(/lies outside/);
  cpSync(folder, join(home, 'named/cut'), { recursive: true });
  truncateSync(join(home, 'named/cut/sweep.json'), 100);
  await expect(opened(join(home, 'named/cut'))).rejects.toThrow(/sweep/);
});

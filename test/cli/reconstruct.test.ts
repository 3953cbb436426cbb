// weft reconstruct: counters of a run on tables of a fabric tell who sent; requests that cannot be are refused.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { type CommandResult, runCommand } from '../support/run-command.js';

let folder = '';
const weft = (...words: string[]): Promise<CommandResult> => runCommand(folder, words, { makePlan, simulate });
const sent = [
  [0, 17, 4_000_000],
  [3, 9, 1_000_000],
  [20, 4, 2_000_000],
] as const;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-reconstruct-'));
  const shape = '--pods 3 --edges-per-pod 3 --hosts-per-edge 3 --aggregation-per-pod 3 --cores 9'.split(' ');
  await weft('topology', 'generate', 'fat-tree', ...shape, '--format', 'ibnetdiscover', '--out', '@a.net');
  await weft('route', 'compute', '--fabric', '@a.net', '--algorithm', 'ftree', '--out', '@a.lfts');
  await writeFile(
    join(folder, 'scenario.yaml'),
    `backend: credit
fabric: { file: a.net }
routing: { algorithm: tables, tables: a.lfts }
polling: { interval: 1ms }
traffic:
  transfers: [${sent.map(([source, destination, size]) => `{ source: ${source}, destination: ${destination}, size: ${size}B }`).join(', ')}]
`,
  );
  await weft('run', '@scenario.yaml', '--out', '@run');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const common = ['--fabric', '@a.net', '--tables', '@a.lfts'];

it('finds in the counters of a run what its transfers were, with their headers', async () => {
  const { code, stdout } = await weft(
    'reconstruct',
    ...common,
    '--counters',
    '@run/perfquery.txt',
    '--dictionary',
    'i',
    '--out',
    '@matrix.csv',
    '--json',
  );
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ ranks: 6, pairs: 30, lanes: 1, foundPairs: 3, relativeError: null });
  const [header, ...rows] = (await readFile(join(folder, 'matrix.csv'), 'utf8')).trimEnd().split('\n');
  expect(header).toBe('source,destination,bytes');
  const found = new Map(
    rows.map((row) => row.split(',').map(Number)).map(([from, to, bytes]) => [`${from} ${to}`, bytes!]),
  );
  expect([...found.keys()].sort()).toEqual(sent.map(([from, to]) => `${from} ${to}`).sort());
  for (const [from, to, size] of sent) {
    // packets of 4 KiB have less than 100 bytes of headers
    expect(found.get(`${from} ${to}`)! / size).toBeGreaterThan(1);
    expect(found.get(`${from} ${to}`)! / size).toBeLessThan(1 + 100 / 4096);
  }
});

it('compares what it finds with traffic that is given', async () => {
  await writeFile(
    join(folder, 'sent.csv'),
    `source,destination,bytes\n${sent.map((row) => row.join(',')).join('\n')}\n`,
  );
  const { stdout } = await weft('reconstruct', ...common, '--traffic', '@sent.csv', '--lanes', '2', '--json');
  const told = JSON.parse(stdout) as { relativeError: number; leafError: number; end: string; lanes: number };
  expect(told).toMatchObject({ lanes: 2, end: 'settled' });
  expect(told.relativeError).toBeLessThan(1e-6);
  expect(told.leafError).toBeLessThan(1e-6);
});

it('says so where counters and tables do not fit, and does not search for ever', async () => {
  // one port of a way counted twice as much as the others
  const text = await readFile(join(folder, 'run', 'perfquery.txt'), 'utf8');
  const counted = [...text.matchAll(/PortXmitData:\.+(\d{6,})/g)].at(-1)!;
  const behind = counted.index + counted[0].length;
  const odd = `${text.slice(0, behind - counted[1]!.length)}${2 * Number(counted[1])}${text.slice(behind)}`;
  await writeFile(join(folder, 'odd.txt'), odd);
  const { code, stdout } = await weft('reconstruct', ...common, '--counters', '@odd.txt', '--json');
  const { end, warnings } = JSON.parse(stdout) as { end: string; warnings: { code: string }[] };
  expect({ code, end, codes: warnings.map((own) => own.code) }).toEqual({
    code: 0,
    end: 'nothing came nearer for long',
    codes: ['counters-not-met'],
  });
});

describe('refuses, and says what is wanted', () => {
  it.each([
    [[], 'there are no counters'],
    [['--counters', '@run/perfquery.txt', '--traffic', 'stencil'], 'there are counters, and traffic'],
    [['--traffic', 'stencil', '--dictionary', 'fourier'], 'there is no such basis'],
    [['--traffic', 'stencil', '--dictionary', 'cs'], 'CS is for a power of two of hosts'],
    [['--counters', '@run/perfquery.txt', '--lanes', '2'], 'counters of files are of whole ports'],
    [['--traffic', 'stencil', '--before', '@run/perfquery.txt'], 'the counters from afterwards are missing'],
  ])('%j', async (words, message) => {
    const { code, stderr } = await weft('reconstruct', ...common, ...words);
    expect({ code, isSaid: stderr.includes(message) }).toEqual({ code: 2, isSaid: true });
  });
});

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
polling: { interval: 1ms, lanes: true }
credit: { lanes: 2, sl2vl: random }
traffic:
  transfers: [${sent.map(([source, destination, size]) => `{ source: ${source}, destination: ${destination}, size: ${size}B }`).join(', ')}]
`,
  );
  await writeFile(
    join(folder, 'sent.csv'),
    `source,destination,bytes\n${sent.map((row) => row.join(',')).join('\n')}\n`,
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

/** Pairs of a matrix that was written, with their amounts. */
async function written(file: string): Promise<ReadonlyMap<string, number>> {
  const [, ...rows] = (await readFile(join(folder, file), 'utf8')).trimEnd().split('\n');
  return new Map(rows.map((row) => row.split(',').map(Number)).map(([from, to, own]) => [`${from} ${to}`, own!]));
}

it('finds the same in counters by lane, by the map that the run drew, and says what port totals give', async () => {
  const lanes = ['--counters', '@run/perfquery-lanes.txt', '--lanes', '2', '--dictionary', 'i'];
  const { code, stdout } = await weft(
    'reconstruct',
    ...common,
    ...lanes,
    '--port-totals',
    '--out',
    '@lanes.csv',
    '--json',
  );
  expect({ code, ...(JSON.parse(stdout) as object) }).toMatchObject({
    code: 0,
    lanes: 2,
    foundPairs: 3,
    end: 'settled',
    portTotals: { end: 'settled', relativeError: null },
    warnings: [],
  });
  expect([...(await written('lanes.csv')).keys()].sort()).toEqual(sent.map(([from, to]) => `${from} ${to}`).sort());
  // by the map of another seed the transfers touch lanes that counted nothing
  const other = await weft('reconstruct', ...common, ...lanes, '--seed', '2', '--json');
  expect(other).toMatchObject({ code: 2, stdout: '' });
  expect(other.stderr).toMatch(/of what was counted is on the way of no pair[^]*found: [^]*of one moment/);
});

/** What pairs sent, counted so. */
async function countedBy(mix: string): Promise<ReadonlyMap<string, number>> {
  const counters = ['--counters', '@run/perfquery.txt', '--dictionary', 'i', '--mix', mix];
  await weft('reconstruct', ...common, ...counters, '--out', `@${mix}.csv`);
  return written(`${mix}.csv`);
}

it('finds the same by the levels and lanes of files, which route export writes', async () => {
  const exported = ['--virtual-lanes', '2', '--lane-map', 'random', '--out', '@exported'];
  expect(await weft('route', 'export', ...common, ...exported)).toMatchObject({ code: 0 });
  const maps = ['--path-records', '@exported/weft.levels', '--sl2vl', '@exported/weft.sl2vl'];
  const counters = ['--counters', '@run/perfquery-lanes.txt', '--lanes', '2', '--dictionary', 'i'];
  const { stdout } = await weft('reconstruct', ...common, ...counters, ...maps, '--json');
  expect(JSON.parse(stdout)).toMatchObject({ strategy: 'listed', foundPairs: 3, end: 'settled', warnings: [] });
  expect(await weft('route', 'export', ...common, '--lane-map', 'random', '--out', '@other')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('over how many lanes?') as string,
  });
});

it('counts packets, or packets and bytes, where that is asked for', async () => {
  const [bytes, packets, mixed] = [await countedBy('bytes'), await countedBy('packets'), await countedBy('mixed')];
  for (const [from, to, size] of sent) {
    const pair = `${from} ${to}`;
    expect(packets.get(pair)).toBeCloseTo(Math.ceil(size / 4096), 6);
    expect(mixed.get(pair)! / ((4096 * packets.get(pair)! + bytes.get(pair)!) / 2)).toBeCloseTo(1, 8);
  }
});

it('leaves out pairs that tables do not lead, of the counters and of the truth', async () => {
  // node003 hangs on leaf01, which no longer leads to node009
  const [head, leaf, ...rest] = (await readFile(join(folder, 'a.lfts'), 'utf8')).split(/^(?=.*\('leaf01'\))/m);
  const cut = leaf!.replace(/^.*'node009 HCA-1'\n/m, '');
  await writeFile(join(folder, 'cut.lfts'), [head, cut, ...rest].join(''));
  const traffic = ['--fabric', '@a.net', '--tables', '@cut.lfts', '--traffic', '@sent.csv', '--dictionary', 'i'];
  const { stdout } = await weft('reconstruct', ...traffic, '--json');
  const told = JSON.parse(stdout) as { relativeError: number; warnings: { code: string }[] };
  expect(told.relativeError).toBeLessThan(1e-6);
  expect(told.warnings.find(({ code }) => code === 'unrouted-pairs')).toMatchObject({
    message: '1 of 3 pairs that send have no way by the tables: they are left out',
    got: 'node003 HCA-1 to node009 HCA-1',
  });
});

/** What is found in counters with management in them. */
const foundManaged = async (...more: string[]): Promise<unknown> =>
  JSON.parse(
    (await weft('reconstruct', ...common, '--counters', '@managed.txt', '--work', '2000', '--json', ...more)).stdout,
  );

it('takes what management sent by every port for nothing, where that is asked for', async () => {
  // 2 KB more of every port, as on a fabric whose subnet manager looks at it
  const text = await readFile(join(folder, 'run', 'perfquery.txt'), 'utf8');
  const last = text.split(/^(?=# Time )/m).at(-1)!;
  const managed = last.replaceAll(
    /((?:Xmit|Rcv)Data:\.+)(\d+)/g,
    (_, name: string, words) => name + (Number(words) + 500),
  );
  await writeFile(join(folder, 'managed.txt'), managed);
  // all 27 hosts seem to take part; those of the transfers are six
  expect(await foundManaged()).toMatchObject({ ranks: 27, variables: 27 * 26 });
  expect(await foundManaged('--floor', '4KB')).toMatchObject({ ranks: 6, foundPairs: 3, warnings: [] });
});

it('compares what it finds with traffic that is given', async () => {
  const { stdout } = await weft('reconstruct', ...common, '--traffic', '@sent.csv', '--lanes', '2', '--json');
  const told = JSON.parse(stdout) as { relativeError: number; leafError: number; end: string; lanes: number };
  expect(told).toMatchObject({ lanes: 2, end: 'settled' });
  expect(told.relativeError).toBeLessThan(1e-6);
  expect(told.leafError).toBeLessThan(1e-6);
});

it('looks within jobs alone where they are known, and tells the error of each', async () => {
  const jobs = [
    ['7', 'node000,node017'],
    ['8', 'node003,node009,node001'],
    ['9', 'node004,node020'],
  ] as const;
  await writeFile(
    join(folder, 'jobs.txt'),
    `JOBID ST NODELIST\n${jobs.map(([id, nodes]) => `${id} R ${nodes}\n`).join('')}`,
  );
  const made = ['--traffic', '@sent.csv', '--jobs', '@jobs.txt'];
  const { stdout } = await weft('reconstruct', ...common, ...made, '--json');
  const told = JSON.parse(stdout) as Record<'ranks' | 'pairs', number> & {
    jobs: { name: string; ranks: number; foundPairs: number; relativeError: number }[];
  };
  // hosts of jobs, and pairs within them: 2 + 3 x 2 + 2
  expect([told.ranks, told.pairs]).toEqual([7, 10]);
  expect(told.jobs.map(({ name, ranks, foundPairs }) => [name, ranks, foundPairs])).toEqual([
    ['7', 2, 1],
    ['8', 3, 1],
    ['9', 2, 1],
  ]);
  for (const { relativeError } of told.jobs) expect(relativeError).toBeLessThan(1e-6);
});

it('tells classes of service apart by the lanes that their levels have', async () => {
  // the same pair in both classes; each class has a level of its own, and each level a lane
  await writeFile(
    join(folder, 'classes.csv'),
    'source,destination,bytes,phase\n0,17,4000000,bulk\n3,9,5000,bulk\n0,17,1000,urgent\n20,4,2000,urgent\n',
  );
  const made = ['--traffic', '@classes.csv', '--classes', '2', '--service-levels', '1', '--lanes', '2'];
  const ways = ['--strategy', 'steady', '--dictionary', 'i', '--out', '@both.csv', '--json'];
  const { stdout } = await weft('reconstruct', ...common, ...made, ...ways);
  const told = JSON.parse(stdout) as Record<'pairs' | 'serviceLevels' | 'foundPairs', number> & {
    classes: { name: string; foundPairs: number; relativeError: number }[];
  };
  // six hosts took part: 30 pairs in each class
  expect([told.serviceLevels, told.pairs, told.foundPairs]).toEqual([2, 60, 4]);
  expect(told.classes.map(({ name, foundPairs }) => [name, foundPairs])).toEqual([
    ['class 0', 2],
    ['class 1', 2],
  ]);
  for (const { relativeError } of told.classes) expect(relativeError).toBeLessThan(1e-6);
  const rows = (await readFile(join(folder, 'both.csv'), 'utf8')).trimEnd().split('\n').slice(1);
  const amounts = rows
    .map((row) => row.split(','))
    .map(([from, to, bytes, phase]) => `${phase} ${from} ${to} ${Math.round(Number(bytes))}`);
  expect(amounts.sort()).toEqual([
    'class 0 0 17 4000000',
    'class 0 3 9 5000',
    'class 1 0 17 1000',
    'class 1 20 4 2000',
  ]);
});

it.each(['switches', 'hosts'])('counters of %s alone tell the two ends of their links', async (ports) => {
  const counters = ['--counters', '@run/perfquery.txt', '--dictionary', 'i', '--ports', ports];
  const { code, stdout } = await weft('reconstruct', ...common, ...counters, '--json');
  // hosts alone know who sent and who received; switches know the ways as well, and so what went from whom to whom
  const told = JSON.parse(stdout) as { ranks: number; foundPairs: number; residual: number };
  expect({ code, ranks: told.ranks }).toEqual({ code: 0, ranks: 6 });
  expect(told.residual).toBeLessThan(1e-6);
  if (ports === 'switches') expect(told.foundPairs).toBe(3);
});

it('compares counters that are read with a truth, says what they prove alone, and draws both', async () => {
  await writeFile(
    join(folder, 'sent.csv'),
    `source,destination,bytes\n${sent.map((row) => row.join(',')).join('\n')}\n`,
  );
  const given = [
    '--counters',
    '@run/perfquery.txt',
    '--truth',
    '@sent.csv',
    '--figure',
    '@matrix.svg',
    '--draw-bases',
    '--json',
  ];
  const { code, stdout } = await weft('reconstruct', ...common, ...given);
  expect(code).toBe(0);
  const told = JSON.parse(stdout) as { relativeError: number; provenShare: number; provenPairs: number };
  // headers are counted, and not in the truth
  expect(told.relativeError).toBeGreaterThan(0);
  expect(told.relativeError).toBeLessThan(100 / 4096);
  // every sender has one receiver
  expect(told).toMatchObject({ provenPairs: 3 });
  expect(told.provenShare).toBeGreaterThan(0.999);
  expect(await readFile(join(folder, 'matrix.svg'), 'utf8')).toMatch(
    /found - sent[^]*told by scd[^]*entries in scd[^]*told by s,/,
  );
});

it('draws as PNG, twice as many pixels a side as the SVG has, and refuses formats it has not', async () => {
  const given = ['--counters', '@run/perfquery.txt', '--work', '20'];
  const { code } = await weft('reconstruct', ...common, ...given, '--figure', '@matrix.PNG');
  expect(code).toBe(0);
  const bytes = await readFile(join(folder, 'matrix.PNG'));
  // signature, and the first block: its name, width and height (PNG specification, 5.2 and 11.2.1)
  expect(bytes.toString('latin1', 1, 4)).toBe('PNG');
  // one panel of 384 between gaps of 36; a head of 62, the panel, 46 below
  expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([2 * 456, 2 * 492]);
  const refused = await weft('reconstruct', ...common, ...given, '--figure', '@matrix.pdf');
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('figures are written as SVG or PNG');
  expect(refused.stderr).toContain('a file such as loads.svg or loads.png');
});

it('begins with a matrix of a time before, as much of it as counters say, unless they are of other traffic', async () => {
  // headers of packets are in counters alone: every amount is the same share larger
  const counters = ['--counters', '@run/perfquery.txt', '--truth', '@sent.csv', '--work', '20', '--json'];
  type Told = { relativeError: number; start: string | null; steps: number; warnings: { code: string }[] };
  const error = async (...more: string[]): Promise<Told> =>
    JSON.parse((await weft('reconstruct', ...common, ...counters, ...more)).stdout) as Told;
  const without = await error();
  expect(without).toMatchObject({ start: null, steps: 20 });
  const half = sent.map(([from, to, size]) => `${from},${to},${size / 2}`).join('\n');
  await writeFile(join(folder, 'half.csv'), `source,destination,bytes\n${half}\n`);
  const begun = await error('--start', '@half.csv');
  // but for headers it is the truth
  expect(begun.relativeError).toBeLessThan(100 / 4096);
  expect(without.relativeError).toBeGreaterThan(100 / 4096);
  await writeFile(join(folder, 'other.csv'), 'source,destination,bytes\n1,2,1000\n');
  const other = await error('--start', '@other.csv');
  expect(other.warnings.map(({ code }) => code)).toContain('start-not-used');
  expect(other.relativeError).toBe(without.relativeError);
});

interface Told {
  readonly steps: number;
  readonly residual: number;
  readonly relativeError: number;
  readonly trace: Readonly<Record<'cpuSeconds' | 'steps' | 'residual', number[]>> & { relativeError: number[] | null };
}

it.each([
  ['one class', []],
  ['classes that are added up', ['--classes', '2', '--service-levels', '1', '--lanes', '2', '--strategy', 'steady']],
  ['jobs that leave a pair out', ['--jobs', '@apart.txt']],
])('records how the search went, and draws it: %s', async (_, more) => {
  await writeFile(
    join(folder, 'phases.csv'),
    'source,destination,bytes,phase\n0,17,4000,a\n0,9,2000,a\n3,17,100,a\n3,9,500,a\n0,17,300,b\n20,4,200,b\n4,17,90,b\n',
  );
  // node004 sends to a host of the other job
  const jobs = 'JOBID ST NODELIST\n1 R node[000,003,009,017]\n2 R node[004,020]\n';
  await writeFile(join(folder, 'apart.txt'), jobs);
  const told = async (...limits: string[]): Promise<Told> => {
    const given = ['--traffic', '@phases.csv', '--dictionary', 's', ...more, ...limits, '--json'];
    return JSON.parse((await weft('reconstruct', ...common, ...given)).stdout) as Told;
  };
  const whole = await told('--work', '400', '--trace-figure', '@trace.svg', '--force');
  const { cpuSeconds, steps, residual, relativeError } = whole.trace;
  // by step and a tenth: every 20 steps up to 200, and less often then
  expect(steps.slice(0, 3)).toEqual([20, 40, 60]);
  expect(steps.length).toBeLessThan(20);
  expect([cpuSeconds.length, residual.length, relativeError!.length]).toEqual(
    steps.map(() => steps.length).slice(0, 3),
  );
  expect(cpuSeconds).toEqual([...cpuSeconds].sort((one, other) => one - other));
  expect(steps.at(-1)).toBe(whole.steps);
  // a search that ends there compares matrices of all hosts
  const early = await told('--work', '40');
  expect(relativeError![1]! / early.relativeError).toBeCloseTo(1, 6);
  expect(early.relativeError).toBeGreaterThan(1e-4);
  const drawn = await readFile(join(folder, 'trace.svg'), 'utf8');
  for (const text of ['error by pairs of hosts', 'counters not met', 'CPU seconds']) expect(drawn).toContain(text);
});

it('records the residual alone where the truth is not known', async () => {
  const given = ['--counters', '@run/perfquery.txt', '--json', '--trace-figure', '@blind.svg'];
  const told = JSON.parse((await weft('reconstruct', ...common, ...given)).stdout) as Told;
  expect(told.trace.relativeError).toBeNull();
  expect(told.trace.residual.at(-1)).toBe(told.residual);
  expect(await readFile(join(folder, 'blind.svg'), 'utf8')).not.toContain('error by pairs');
});

it('solves the programme exactly, and says how', async () => {
  const given = ['--counters', '@run/perfquery.txt', '--dictionary', 'scd'];
  const told = async (...more: string[]): Promise<unknown> =>
    JSON.parse((await weft('reconstruct', ...common, ...given, ...more, '--json')).stdout) as unknown;
  const exact = {
    method: 'exact',
    steps: 0,
    end: 'settled',
    reweighted: 1,
    memoryBytes: null,
    foundPairs: 3,
    trace: null,
  };
  expect(await told('--method', 'exact', '--reweight', '1')).toMatchObject(exact);
  expect(await told()).toMatchObject({ method: 'first-order', reweighted: 0, foundPairs: 3 });
  const { stdout } = await weft('reconstruct', ...common, ...given, '--method', 'exact', '--reweight', '1');
  expect(stdout).toMatch(/search +exact, weighed anew 1 time, settled/);
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
    // its two ends say so, and no traffic explains it
    codes: ['contradicting-ends', 'counters-not-met'],
  });
  // read the other way round, that port counted less than before
  const less = await weft('reconstruct', ...common, '--counters', '@run/perfquery.txt', '--before', '@odd.txt');
  expect(less.code).toBe(2);
  expect(less.stderr).toMatch(/perfquery\.txt: error: PortXmitData of \S+.*\[\d+\] went down/);
  expect(less.stderr).toContain(`found:  ${4 * Number(counted[1])} after ${8 * Number(counted[1])}`);
});

it('refuses lanes that counted and that there are said not to be', async () => {
  const text = await readFile(join(folder, 'run', 'perfquery-lanes.txt'), 'utf8');
  await writeFile(join(folder, 'beyond.txt'), text.replaceAll('PortVLXmitData1:', 'PortVLXmitData4:'));
  const { code, stderr } = await weft('reconstruct', ...common, '--counters', '@beyond.txt', '--lanes', '2');
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('lane 4 counted') as string });
});

describe('refuses, and says what is wanted', () => {
  it.each([
    [[], 'there are no counters'],
    [['--counters', '@run/perfquery.txt', '--traffic', 'stencil'], 'there are counters, and traffic'],
    [['--traffic', 'stencil', '--dictionary', 'fourier'], 'there is no such basis'],
    [['--traffic', 'stencil', '--dictionary', 'cs'], 'CS is for a power of two of hosts'],
    [['--counters', '@run/perfquery.txt', '--lanes', '2'], 'the file has no counters by lane'],
    [['--counters', '@run/perfquery-lanes.txt', '--lanes', '1', '--sl2vl', '@a.lfts'], 'how many lanes'],
    [['--counters', '@run/perfquery.txt', '--missing', '10%'], 'it disturbs counters that are made'],
    [['--traffic', 'stencil', '--classes', '2'], 'on one lane counters do not tell classes apart'],
    [['--traffic', 'stencil', '--mix', 'packets'], 'they make no packets'],
    [['--traffic', 'stencil', '--truth', 'stencil'], 'traffic that is given is the truth'],
    [['--counters', '@run/perfquery.txt', '--truth', 'stencil'], 'counters have bytes, and this has weights alone'],
    [['--traffic', 'stencil', '--method', 'exact', '--noise', '2%'], 'within their noise counters are met by first'],
    [['--traffic', 'stencil', '--method', 'exact', '--start', '@sent.csv'], 'an exact search begins anywhere'],
    [['--traffic', 'stencil', '--method', 'exact', '--work', '100'], 'an exact search has no steps'],
    [['--traffic', 'stencil', '--method', 'exact', '--trace-figure', '@t.svg'], 'an exact search has no steps to draw'],
    [['--traffic', 'stencil', '--draw-bases'], 'there is no picture'],
    [
      ['--traffic', 'stencil', '--lanes', '2', '--classes', '2', '--draw-bases', '--figure', '@b.svg'],
      'each class of service would need pictures of its own',
    ],
    [
      ['--traffic', 'stencil', '--method', 'exact', '--draw-bases', '--figure', '@b.svg'],
      'a solver tells the sum of all bases alone',
    ],
    [['--traffic', 'stencil', '--floor', '4KB'], 'have nothing of management'],
    [['--traffic', 'stencil', '--before', '@run/perfquery.txt'], 'the counters from afterwards are missing'],
  ])('%j', async (words, message) => {
    const { code, stderr } = await weft('reconstruct', ...common, ...words);
    expect({ code, isSaid: stderr.includes(message) }).toEqual({ code: 2, isSaid: true });
  });
});

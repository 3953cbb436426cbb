// The loop of `weft adapt` on the experiments of chapter 5 of Taffet's dissertation (docs/SOURCES.md), beside its Tables
// 5.1 to 5.5, and on random traffic: the tables of docs/models/adapt.md. Commands run as a reader would.

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { TrafficColumn } from '#weft/flows/traffic/matrix.js';
import { pathOf } from '../figures/pages.js';
import { bullyRoundBytes, bullySizes, modifiedAllocation, randomAllocation, type Allocation } from './bully-jobs.js';
import { scenarioText } from './bully-table.js';
import { tiesMarkdown } from './bully-ties.js';
import { wholeBullyMarkdown } from './bully-whole.js';
import { tableText } from './gap-tables.js';
import { fatTreeOf, trafficOf } from './measure-routes.js';
import { laneCostMarkdown, qualityMarkdown } from './quality-table.js';

/** What is used of a row of `weft adapt --json`. */
interface ToldEpoch {
  readonly totalNs: number;
  readonly maxLoad: number;
  readonly adaptiveBound: number;
  readonly arGap: number;
  readonly changedEntries: number;
  readonly jobs: readonly { readonly name: string; readonly totalNs: number }[];
  readonly reconstruction: { readonly relativeError: number; readonly leafError: number } | null;
}
interface ToldLoop {
  readonly epochs: readonly ToldEpoch[];
  readonly keptEpoch: number;
}
type RunLoop = (scenario: string, ...words: readonly string[]) => Promise<ToldLoop>;
type Part = (loop: RunLoop, folder: string, say: (text: string) => void) => Promise<string>;

const run = promisify(execFile);
/** Hosts of BoxLib CNS in the source: from the eleventh on (4.7). */
const firstHost = 10;
const bytesPerUnit = 1024;
/** Rounds of the bully that outlast the barrier, and what a pair sends in one. */
const bullyRounds = 15;
const draws = 20;

/** The tables by name. */
export const adaptParts: Readonly<Record<string, Part>> = {
  'adapt-bisection': bisection,
  'adapt-stencil': stencil,
  'adapt-bully': bully,
  'adapt-ties': (_, folder, say) => tiesMarkdown(folder, say),
  'adapt-bully-whole': (_, folder, say) => wholeBullyMarkdown(folder, say),
  'adapt-irregular': irregular,
  'adapt-draws': randomDraws,
  'adapt-quality': (_, folder, say) => Promise.resolve(qualityMarkdown(folder, say)),
  'adapt-lanes': (_, folder, say) => Promise.resolve(laneCostMarkdown(folder, say)),
};

/** A table in Markdown. @param say told what is being done */
export async function adaptMarkdown(name: string, say: (text: string) => void): Promise<string> {
  const folder = mkdtempSync(path.join(tmpdir(), 'weft-adapt-'));
  const loop: RunLoop = async (scenario, ...words) => {
    say(`weft adapt ${path.basename(scenario)} ${words.join(' ')} …`);
    const { stdout } = await run(
      process.execPath,
      [pathOf('dist/cli/main.js'), 'adapt', scenario, ...words, '--json'],
      {
        maxBuffer: 2 ** 26,
      },
    );
    return JSON.parse(stdout) as ToldLoop;
  };
  try {
    return await adaptParts[name]!(loop, folder, say);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const set = (...settings: readonly string[]): string[] => settings.flatMap((one) => ['--set', one]);
const msText = (ns: number): string => (ns / 1e6).toFixed(3);
const percent = (share: number, digits = 2): string => `${(100 * share).toFixed(digits)} %`;
const errorText = ({ reconstruction }: ToldEpoch): string =>
  reconstruction === null ? '' : percent(reconstruction.relativeError, 4);
const jobNs = (jobs: ToldEpoch['jobs'], wanted: string): number => jobs.find(({ name }) => name === wanted)!.totalNs;
const mean = (values: readonly number[]): number => values.reduce((sum, own) => sum + own, 0) / values.length;
const keptOf = ({ epochs, keptEpoch }: ToldLoop): ToldEpoch => epochs[keptEpoch]!;

/** Table 5.1: a bisection of quartz1. */
async function bisection(loop: RunLoop): Promise<string> {
  const file = pathOf('examples/adaptive-routing/bisection.yaml');
  const rows: string[][] = [];
  for (const [pairing, ftree, adapted] of [
    ['shift', '1.688', '1.691'],
    ['shuffle', '6.715', '1.691'],
  ] as const) {
    const told = await loop(file, '--epochs', '1', ...set(`workload.pairing=${pairing}`));
    const [before] = told.epochs;
    const kept = keptOf(told);
    rows.push([
      pairing,
      msText(before!.totalNs),
      ftree,
      msText(kept.totalNs),
      adapted,
      errorText(before!),
      percent(kept.arGap),
    ]);
  }
  return tableText(['pairs', '`ftree`, ms', 'source', 'after one epoch, ms', 'source', 'error', 'AR gap'], rows);
}

/** Table 5.2: a cyclic stencil on half of quartz1. */
async function stencil(loop: RunLoop): Promise<string> {
  const file = pathOf('examples/adaptive-routing/stencil.yaml');
  const small = set(
    'workload.messageSize=2KiB',
    'workload.messages=256',
    'workload.sendQueue=128',
    'packet.payload=2KiB',
  );
  const rows: string[][] = [];
  for (const [messages, settings, phases, source] of [
    ['large', [], 1, '2.392'],
    ['large', [], 8, ''],
    ['small', small, 1, '1.016'],
  ] as const) {
    const told = await loop(file, '--epochs', '2', '--phases', String(phases), ...settings);
    const [before, first] = told.epochs;
    const kept = keptOf(told);
    rows.push([
      messages,
      String(phases),
      msText(before!.totalNs),
      msText(first!.totalNs),
      source,
      msText(kept.totalNs),
      errorText(before!),
    ]);
  }
  return tableText(['messages', 'phases', '`ftree`, ms', 'after one epoch, ms', 'source', 'kept, ms', 'error'], rows);
}

/**
 * Tables 5.3 and 5.4: a barrier beside a bully, on half of quartz1. Of 5.3 by counters of bytes, for the smallest largest
 * load and for the fewest links above 150 units of the source, of which a pair of the bully sends 100; of 5.4 by
 * counters of bytes alone and of packets and bytes.
 */
async function bully(loop: RunLoop, folder: string): Promise<string> {
  const size = bullySizes[0]!;
  const drawn = randomAllocation(size);
  const file = path.join(folder, 'bully.yaml');
  const epochsOf = async (own: Allocation, ...words: readonly string[]): Promise<readonly ToldEpoch[]> => {
    writeFileSync(file, scenarioText(size, own, bullyRounds));
    const { epochs } = await loop(file, '--epochs', '1', ...words, ...set('routing.algorithm=ftree'));
    for (const { jobs } of epochs)
      if (jobs.length > 1 && jobNs(jobs, 'barrier') >= jobNs(jobs, 'bully'))
        throw new Error('the barrier has to end before the bully');
    return epochs;
  };
  const alone = jobNs((await epochsOf({ ...drawn, bully: [] }))[0]!.jobs, 'barrier');
  const rows: string[][] = [['', 'no bully', msText(alone), '1.00', '4.19', '1.00', '']];
  const row = (table: string, name: string, { jobs }: ToldEpoch, source: number, error: string): void => {
    const own = jobNs(jobs, 'barrier');
    rows.push([
      table,
      name,
      msText(own),
      (own / alone).toFixed(2),
      source.toFixed(2),
      (source / 4.19).toFixed(2),
      error,
    ]);
  };
  const modified = modifiedAllocation(size, drawn);
  const fewest = `fewest-above:${(150 / 100) * bullyRounds * bullyRoundBytes}`;
  for (const [table, allocation, ftree, loops] of [
    [
      '5.3',
      drawn,
      30.81,
      [
        ['largest load', 7.89, []],
        ['fewest links above 150 units', 6.33, ['--objective', fewest]],
      ],
    ],
    [
      '5.4',
      modified,
      29.78,
      [
        ['bytes', 4.78, ['--mix', 'bytes']],
        ['packets and bytes', 4.46, ['--mix', 'mixed']],
      ],
    ],
  ] as const)
    for (const [name, source, words] of loops) {
      const [before, after] = await epochsOf(allocation, ...words);
      if (name === loops[0][0]) row(table, '`ftree`', before!, ftree, '');
      row(table, `after one epoch, ${name}`, after!, source, errorText(before!));
    }
  return tableText(['table', 'routes', 'barrier, ms', 'times alone', 'source, ms', 'times alone', 'error'], rows);
}

/** Table 5.5: BoxLib CNS, whose matrix is not found. */
async function irregular(loop: RunLoop, folder: string, say: (text: string) => void): Promise<string> {
  const fabric = fatTreeOf('quartz1', 'quartz1');
  const whole = (await trafficOf(fabric, 'boxlib-cns', undefined, 'contiguous')).phases[0]!.matrix;
  const column = new TrafficColumn(whole.hostCount);
  const lines = ['timestamp_ns,src,dst,size_bytes'];
  // the first of three instances that fill the machine
  for (let to = 0; to < 1024; to++) {
    whole.toDestination(to, column);
    for (let i = 0; i < column.length; i++) {
      const bytes = Math.round(column.weights[i]! * bytesPerUnit);
      lines.push(`0,${firstHost + column.sources[i]!},${firstHost + to},${bytes}`);
    }
  }
  writeFileSync(path.join(folder, 'cns.csv'), `${lines.join('\n')}\n`);
  const file = path.join(folder, 'cns.yaml');
  const latencies = { hostLatency: '0ns', aggregationLatency: '0ns', coreLatency: '0ns' };
  const scenario = {
    fabric: { generate: 'quartz1', ...latencies },
    traffic: { trace: 'cns.csv' },
    routing: { algorithm: 'ftree' },
    backend: 'credit',
    packet: { payload: '4KiB', header: '0B', gap: '0B' },
    credit: { switching: 'store-and-forward', acceptance: 'output-buffer', buffer: '64KiB', returnLatency: '0.64ns' },
  };
  writeFileSync(file, JSON.stringify(scenario));
  const perfect = await loop(file, '--epochs', '1', '--knowledge', 'perfect', '--time', '10s');
  const told = await loop(file, '--epochs', '2');
  say('random routes …');
  const random = await loop(
    file,
    '--epochs',
    '1',
    '--most-changes',
    '0',
    '--time',
    '1s',
    ...set('routing.algorithm=random'),
  );
  const row = (name: string, { arGap, totalNs }: ToldEpoch, source: string): string[] => [
    name,
    percent(arGap),
    source,
    msText(totalNs),
  ];
  const { relativeError, leafError } = told.epochs[0]!.reconstruction!;
  return tableText(
    ['routes', 'AR gap', 'source', 'ms'],
    [
      row('perfect knowledge', keptOf(perfect), '0.04 %'),
      row(
        `one epoch (error ${percent(relativeError, 0)}, by leaf and host ${percent(leafError, 0)})`,
        told.epochs[1]!,
        '69.13 %',
      ),
      row('kept after two', keptOf(told), ''),
      row('`ftree`', told.epochs[0]!, '105.94 %'),
      row('`random`', random.epochs[0]!, '84.16 %'),
    ],
  );
}

/** Random pairs of 128 hosts, drawn anew each time: what is kept beside ftree. */
async function randomDraws(loop: RunLoop, folder: string, say: (text: string) => void): Promise<string> {
  const file = path.join(folder, 'draws.yaml');
  const shape = { pods: 4, edgesPerPod: 4, hostsPerEdge: 8, aggregationPerPod: 4, cores: 8, coreGroups: 2 };
  writeFileSync(
    file,
    JSON.stringify({
      fabric: { generate: 'fat-tree', ...shape },
      workload: { program: 'bisection', pairing: 'shuffle', messageSize: '1MiB', messages: 1, eagerLimit: '2MiB' },
      routing: { algorithm: 'ftree' },
      backend: 'fluid',
    }),
  );
  const rows: string[][] = [];
  for (const lanes of ['5', '1']) {
    const ratios: number[] = [];
    const gaps: number[] = [];
    for (let seed = 1; seed <= draws; seed++) {
      say(`random traffic, ${lanes} lanes, ${seed} of ${draws} …`);
      const told = await loop(file, '--epochs', '1', '--lanes', lanes, '--time', '1s', ...set(`seed=${seed}`));
      ratios.push(keptOf(told).maxLoad / told.epochs[0]!.maxLoad);
      gaps.push(keptOf(told).arGap);
    }
    rows.push([
      lanes,
      mean(ratios).toFixed(3),
      Math.max(...ratios).toFixed(3),
      percent(mean(gaps)),
      percent(Math.max(...gaps)),
    ]);
  }
  return tableText(['lanes', 'load beside `ftree`, mean', 'worst', 'AR gap, mean', 'worst'], rows);
}

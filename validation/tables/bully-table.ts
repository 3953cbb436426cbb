// A barrier beside a bully under static and adaptive routes: Tables 5.3 and 5.4 of Taffet's dissertation
// (docs/SOURCES.md) beside ours, for docs/models/credit.md. A run ends when its barrier does.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { random } from '#weft/app/routes/algorithms/random.js';
import { simulate } from '#weft/app/simulate.js';
import type { RoutedFabric } from '#weft/fabric/routed-fabric.js';
import type { Traffic } from '#weft/flows/traffic/matrix.js';
import { lftTexts } from '#weft/formats/opensm-lfts-writer.js';
import { interSwitchPorts } from '#weft/optimization/table-loads.js';
import { barrierBytes } from '#weft/programs/machine.js';
import { FlowColumn, flowTable } from '#weft/records/flow-records.js';
import type { RecordSink } from '#weft/records/schema.js';
import { makePlan } from '#weft/scenario/make-plan.js';
import { nodeHost } from '#weft/storage/node-host.js';
import {
  barrierMessages,
  bullyTraffic,
  modifiedAllocation,
  randomAllocation,
  runSeed,
  weights,
  type Allocation,
  type BullySize,
  type Weights,
} from './bully-jobs.js';
import { tableText } from './gap-tables.js';
import { fatTreeOf, measure, measured, measurePartitioned, type Measured } from './measure-routes.js';
import { worstLinkRoutes } from './worst-link-routes.js';

/** What a row of the source's tables is here. */
interface Case {
  readonly name: string;
  readonly table: '5.3' | '5.4';
  /** milliseconds of the source's barrier, and its links that carry 200 units or more */
  readonly source: { readonly ms: number; readonly links?: number };
  /** the routes: made from traffic, or what a scenario says */
  readonly routes: MakeRoutes | readonly string[];
  readonly weighting?: Weights;
}

type MakeRoutes = (site: RouteSite) => Measured | Promise<Measured>;

interface RouteSite {
  readonly fabric: RoutedFabric;
  readonly traffic: Traffic;
  readonly size: BullySize;
  readonly say: (text: string) => void;
}

/** A row, measured. */
export interface BullyRow {
  readonly name: string;
  readonly table: '5.3' | '5.4' | 'alone';
  readonly source: Case['source'];
  readonly barrierMs: number;
  /** of the routes under 5.4.1's stylised traffic; null: not made from it, or packets choose */
  readonly loads: {
    readonly largest: number;
    readonly links: number;
    readonly adaptiveBound: number;
    readonly lowerBound: number;
  } | null;
}

const [twoFlows, oneAndAHalf] = [200, 150];
const ftree = ['routing.algorithm=ftree'];
const adaptive = ['routing.algorithm=ecmp', 'routing.balancing=adaptive', 'credit.adaptiveRule=lowest-port'];
const routesBy: Readonly<Record<'combined' | 'worst' | 'special' | 'anyStart' | 'weft', MakeRoutes>> = {
  combined: ({ size, fabric, traffic, say }) =>
    size.isSolved ? measurePartitioned(fabric, traffic, say) : measure('weft', fabric, traffic, say),
  worst: ({ fabric, traffic }) =>
    measured(fabric, traffic, () => worstLinkRoutes(fabric, traffic.phases[0]!.matrix, twoFlows + 1, 1)),
  /** fewest links above 150 units */
  special: ({ fabric, traffic, say }) => measure('weft', fabric, traffic, say, { fewestAbove: oneAndAHalf }),
  /** what carries nothing is routed at random */
  anyStart: ({ fabric, traffic, say }) =>
    measure('weft', fabric, traffic, say, { begin: random.make(fabric, 1).tables[0]! }),
  weft: ({ fabric, traffic, say }) => measure('weft', fabric, traffic, say),
};
const { stylised, bytes, mixed } = weights;
const cases: readonly Case[] = [
  { table: '5.3', name: '`ftree`', source: { ms: 30.81 }, routes: ftree },
  { table: '5.3', name: '`adaptive` by `lowest-port`', source: { ms: 60.29 }, routes: adaptive },
  { table: '5.3', name: 'combined', source: { ms: 7.89, links: 15 }, routes: routesBy.combined, weighting: stylised },
  {
    table: '5.3',
    name: 'worst link alone',
    source: { ms: 21.07, links: 114 },
    routes: routesBy.worst,
    weighting: stylised,
  },
  { table: '5.3', name: 'special', source: { ms: 6.33, links: 4 }, routes: routesBy.special, weighting: stylised },
  { table: '5.4', name: '`ftree`', source: { ms: 29.78 }, routes: ftree },
  { table: '5.4', name: '`adaptive` by `lowest-port`', source: { ms: 9.26 }, routes: adaptive },
  { table: '5.4', name: 'bytes alone', source: { ms: 4.78 }, routes: routesBy.anyStart, weighting: bytes },
  { table: '5.4', name: 'packets and bytes', source: { ms: 4.46 }, routes: routesBy.weft, weighting: mixed },
];

/** Titles of rows, as `--rows` names them: table and routes. */
export const bullyTitles: readonly string[] = cases.map(titleOf);

function titleOf({ table, name }: Pick<Case, 'table' | 'name'>): string {
  return `${table} ${name.replaceAll('`', '')}`;
}

/**
 * Runs the barrier alone, and beside the bully under routes.
 * @param say told what is being done @param titles of the rows that are run
 * @param keep takes what is known so far after each row: who is interrupted has it
 */
export async function bullyRows(
  size: BullySize,
  say: (text: string) => void,
  titles: readonly string[] = bullyTitles,
  keep: (rows: readonly BullyRow[]) => void = () => {},
): Promise<BullyRow[]> {
  const fabric = fatTreeOf(size.name, 'fat-tree', size.shape);
  const drawn = randomAllocation(size);
  const allocations = { '5.3': drawn, '5.4': modifiedAllocation(size, drawn) };
  const folder = mkdtempSync(path.join(tmpdir(), 'weft-bully-'));
  try {
    const alone = await barrierMs(folder, size, { ...drawn, bully: [] }, ftree);
    const rows: BullyRow[] = [
      { name: 'no bully', table: 'alone', source: { ms: 4.19 }, barrierMs: alone, loads: null },
    ];
    for (const { name, table, source, routes, weighting = stylised } of cases) {
      if (!titles.includes(titleOf({ name, table }))) continue;
      say(`barrier and bully, table ${table}, ${name} …`);
      const traffic = bullyTraffic(size, allocations[table], weighting);
      const made = typeof routes === 'function' ? await routes({ fabric, traffic, size, say }) : null;
      rows.push({
        name,
        table,
        source,
        barrierMs:
          made === null
            ? await barrierMs(folder, size, allocations[table], routes as readonly string[])
            : await barrierMsBy(folder, size, allocations[table], fabric, made),
        loads: made === null || weighting !== stylised ? null : loadsOf(fabric, made),
      });
      keep(rows);
    }
    return rows;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Tables 5.3 and 5.4 in Markdown. @param before the table as it was: rows that are not among these stand */
export function bullyMarkdown(rows: readonly BullyRow[], before: string): string {
  const [alone] = rows;
  const kept = before.split('\n').map((line) => line.slice(2, -2).split(' | '));
  const cells = [alone!, ...cases].map(({ table, name, source }) => {
    const first = [table === 'alone' ? '' : table, name];
    const row = rows.find((own) => own.table === table && own.name === name);
    const old = kept.find((own) => own[0]!.trim() === first[0] && own[1] === name);
    if (row === undefined && old !== undefined) return old;
    return first.concat(
      row === undefined ? ['not run', ''] : [row.barrierMs.toFixed(2), (row.barrierMs / alone!.barrierMs).toFixed(2)],
      [source.ms.toFixed(2), (source.ms / alone!.source.ms).toFixed(2)],
      [`${row?.loads?.largest ?? ''}`, `${row?.loads?.links ?? ''}`, `${source.links ?? ''}`],
    );
  });
  const head = ['table', 'routes', 'barrier, ms', 'times alone', 'source, ms', 'times alone'];
  return tableText([...head, 'largest load', 'links of 200 or more', 'source'], cells);
}

function loadsOf(fabric: RoutedFabric, made: Measured): NonNullable<BullyRow['loads']> {
  const { maxLoad: largest, adaptiveBound, lowerBound } = made.evaluation;
  return { largest, links: linksOf(fabric, made, twoFlows), adaptiveBound, lowerBound };
}

/** Links between switches that carry a load or more. */
export function linksOf({ tree }: RoutedFabric, { evaluation }: Measured, least: number): number {
  const between = interSwitchPorts(tree);
  return evaluation.collapsed.load.filter((load, port) => between[port] === 1 && load >= least).length;
}

/** How long the barrier takes under tables, in milliseconds. @param folder for these and the scenario */
export function barrierMsBy(
  folder: string,
  size: BullySize,
  allocation: Allocation,
  fabric: RoutedFabric,
  { tables }: Measured,
): Promise<number> {
  const file = path.join(folder, 'tables.lfts');
  writeFileSync(file, [...lftTexts(fabric, [tables])].join(''));
  return barrierMs(folder, size, allocation, ['routing.algorithm=tables', `routing.tables=${file}`]);
}

/** The scenario: the allocation's jobs on the fabric of a size. @param bullyRounds of 100 messages a host */
export function scenarioText(
  { shape, grid: [x, y], barrierRounds }: BullySize,
  { barrier, bully }: Allocation,
  bullyRounds = 40,
): string {
  const latencies = { hostLatency: '0ns', aggregationLatency: '0ns', coreLatency: '0ns' };
  const overheads = { sendOverhead: '370ns', receiveOverhead: '370ns' };
  const barriers = { name: 'barrier', program: 'barriers', x, y, rounds: barrierRounds, ...overheads };
  return JSON.stringify({
    fabric: { generate: 'fat-tree', ...shape, ...latencies },
    jobs: [
      { ...barriers, nodes: barrier.join(',') },
      ...(bully.length === 0 ? [] : [{ name: 'bully', program: 'bully', rounds: bullyRounds, nodes: bully.join(',') }]),
    ],
    seed: runSeed,
    backend: 'credit',
    packet: { payload: '4KiB', header: '0B', gap: '0B' },
    credit: { switching: 'store-and-forward', acceptance: 'output-buffer', buffer: '64KiB', returnLatency: '0.64ns' },
  });
}

/** How long the barrier takes, in milliseconds; the bully goes on longer, or the run throws. */
async function barrierMs(
  folder: string,
  size: BullySize,
  allocation: Allocation,
  set: readonly string[],
): Promise<number> {
  const host = nodeHost();
  const file = path.join(folder, 'barrier-and-bully.yaml');
  writeFileSync(file, scenarioText(size, allocation));
  const plan = await makePlan(file, { host, overrides: [...set] });
  let left = barrierMessages(size);
  const sink: RecordSink = {
    full: false,
    put: ({ schema, rows, columns }) => {
      if (schema !== flowTable) return;
      for (let row = 0; row < rows; row++) if (columns[FlowColumn.size]![row] === barrierBytes) left--;
    },
    drain: () => Promise.resolve(),
  };
  const { programs, verdicts } = await simulate(plan, { host, sink, stopRequested: () => left === 0 });
  const [barrier, bully] = programs;
  const failed = verdicts.filter(({ ok }) => !ok).map(({ name }) => name);
  if (barrier?.isFinished !== true || bully?.isFinished === true || failed.length > 0)
    throw new Error(`the barrier has to end before the bully: ${set.join(' ')} ${failed.join()}`);
  return barrier.totalPs / 1e9;
}

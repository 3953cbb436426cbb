// Traffic of a run by phase: who sent what in which part of a program, or for which kind of group. Routes that know
// phases beat those that see all at once, on loads by hand.

import { describe, expect, it } from 'vitest';
import { computeRoutes } from '../../src/app/routes/compute-routes.js';
import { generatedFabric, routedFabric } from '../../src/app/routes/fabric-input.js';
import { runPhases } from '../../src/app/routes/run-phases.js';
import { loadTraffic } from '../../src/app/routes/traffic-input.js';
import { TrafficColumn, type TrafficMatrix } from '../../src/flows/traffic/matrix.js';
import { trafficCsv } from '../../src/formats/traffic-matrix.js';
import { writeTopology } from '../../src/formats/simai-topology-text.js';
import { tableLoads } from '../../src/optimization/table-loads.js';
import { flowTable } from '../../src/records/flow-records.js';
import { collectiveTable } from '../../src/records/job-records.js';
import { messageTable } from '../../src/records/message-records.js';
import { TablePiece, type RunTables, type TableSource } from '../../src/records/run-tables.js';
import type { TableSchema } from '../../src/records/schema.js';
import { memoryHost } from '../memory-host.js';

// hosts 0 to 15, four on each leaf, two spines
const shape = { leaves: 4, spines: 2, hostsPerLeaf: 4 };
const given = generatedFabric('leaf-spine', shape)!;
const source = routedFabric(given);

type Row = Readonly<Record<string, number | string>>;

function table(schema: TableSchema, rows: readonly Row[]): [string, TableSource] {
  const column = (name: string): Float64Array | string[] =>
    typeof rows[0]?.[name] === 'string'
      ? rows.map((row) => String(row[name]))
      : Float64Array.from(rows, (row) => Number(row[name] ?? 0));
  return [
    schema.name,
    {
      schema,
      rows: rows.length,
      file: `${schema.name}.parquet`,
      pieces: async function* (columns) {
        await Promise.resolve();
        yield new TablePiece(schema, rows.length, new Map(columns.map((name) => [name, column(name)])));
      },
    },
  ];
}

/** A flow: between hosts, with its bytes and when it began. */
const flow = (flowId: number, from: number, to: number, sizeBytes: number, startPs = flowId): Row => ({
  flowId,
  source: source.fabric.hosts[from]!,
  destination: source.fabric.hosts[to]!,
  sizeBytes,
  startPs,
});

function hostOf(tables: readonly (readonly [string, TableSource])[], summary: RunTables['summary'] = null) {
  const files = { 'r/fabric.topo': writeTopology(given.fabric), 'r/manifest.json': '{}' };
  return {
    ...memoryHost(files),
    openRun: async (shown: string) => ({ shown, manifest: null, summary, tables: new Map(tables) }),
  };
}

function pairs(matrix: TrafficMatrix): string[] {
  const column = new TrafficColumn(matrix.hostCount);
  const found: string[] = [];
  for (let to = 0; to < matrix.hostCount; to++) {
    matrix.toDestination(to, column);
    for (let i = 0; i < column.length; i++) found.push(`${column.sources[i]}>${to}:${column.weights[i]}`);
  }
  return found.sort();
}

/** A run of one part of a program. @param own between which hosts, behind how many waits, and how much */
const runOf = (own: readonly (readonly [from: number, to: number, waits: number, sizeBytes?: number])[]) =>
  hostOf([
    table(
      flowTable,
      own.map(([from, to, , sizeBytes = 2], id) => flow(id, from, to, sizeBytes)),
    ),
    table(
      messageTable,
      own.map(([, , waits], id) => ({ flow: id, job: 0, phase: 0, waits })),
    ),
  ]);

const phasesOf = async (host: ReturnType<typeof hostOf>, phases?: 'together'): Promise<[string, string[]][]> => {
  const request = { traffic: 'r', ...(phases === undefined ? {} : { phases }) };
  const { traffic } = await loadTraffic(host, request, source);
  return traffic.phases.map(({ name, matrix }) => [name, pairs(matrix)]);
};

/**
 * A stencil of which the first leaf sends two faces of 2 in +x to the second one, and faces of 3 and 1 in +y to the
 * third. Two spines carry 2 + 2 and 3 + 1 if all is sent at once, for no other division of 8 is even.
 */
const stencil = [flow(0, 0, 4, 2), flow(1, 1, 5, 2), flow(2, 2, 8, 3), flow(3, 3, 9, 1)] as const;
const stencilRun = hostOf(
  [
    table(flowTable, stencil),
    table(
      messageTable,
      [0, 0, 1, 1].map((phase, id) => ({ flow: id, job: 0, phase })),
    ),
  ],
  { workload: { program: 'stencil', ranks: 4, phases: ['+x', '+y'] } },
);

/** Largest load in each phase of the stencil, of routes for it. */
async function worst(phases: 'apart' | 'together'): Promise<number[]> {
  const { traffic } = await loadTraffic(stencilRun, { traffic: 'r' }, source);
  const fabric = { family: 'leaf-spine', parameters: shape } as const;
  const csv = [...trafficCsv(traffic)].join('');
  const { made } = await computeRoutes({ fabric, traffic: { csv }, phases, algorithm: 'weft', mostWork: 1e6 });
  return traffic.phases.map(({ matrix }) =>
    tableLoads(source.tree, made.tables[0]!, matrix).load.reduce((most, load) => Math.max(most, load), 0),
  );
}

describe('traffic of a run', () => {
  it('has a phase for each part of a program', async () => {
    expect(await phasesOf(stencilRun)).toEqual([
      ['+x', ['0>4:2', '1>5:2']],
      ['+y', ['2>8:3', '3>9:1']],
    ]);
    expect(await phasesOf(stencilRun, 'together')).toEqual([['all', ['0>4:2', '1>5:2', '2>8:3', '3>9:1']]]);
  });

  it('cuts the parts of a program at each wait, and puts what comes again together', async () => {
    // one part: a rank sends to the second leaf, waits, to the third, waits, and both again; another rank likewise
    const sends = [
      [0, 4, 0],
      [1, 5, 0],
      [0, 8, 1],
      [1, 9, 1],
      [0, 4, 2],
      [1, 5, 2],
      [0, 8, 3],
    ] as const;
    // the last cut sends less than the second
    expect(await phasesOf(runOf(sends))).toEqual([
      ['phase 0 1 of 3', ['0>4:4', '1>5:4']],
      ['phase 0 2 of 3', ['0>8:2', '1>9:2']],
      ['phase 0 3 of 3', ['0>8:2']],
    ]);
    // the same over and over again is one phase, and so are more different ones than anybody routes for
    const rankOf = new Int32Array(source.fabric.nodeCount).fill(-1);
    source.fabric.hosts.forEach((node, rank) => (rankOf[node] = rank));
    const cutsOf = async (own: Parameters<typeof runOf>[0]): Promise<number | undefined> =>
      (await runPhases(await runOf(own).openRun('r'), rankOf, 16))?.length;
    const again = Array.from({ length: 80 }, (_, waits) => [0, 4, waits] as const);
    const many = again.map(([from, to, waits]) => [from, to, waits, waits + 1] as const);
    expect([await cutsOf(again), await cutsOf(many.slice(0, 64)), await cutsOf(many)]).toEqual([
      undefined,
      64,
      undefined,
    ]);
  });

  it('has one for each kind of group of a training job, those of several jobs together, and one for the rest', async () => {
    const flows = [
      flow(0, 0, 1, 5),
      flow(1, 1, 0, 5, 900),
      flow(2, 0, 4, 7, 500),
      flow(3, 8, 9, 11, 800),
      flow(4, 9, 8, 13, 100),
      flow(5, 12, 13, 1),
    ];
    const collectives = [
      { job: 0, group: 'DP', firstFlow: 2, flows: 1 },
      { job: 0, group: 'TP', firstFlow: 0, flows: 2 },
      { job: 1, group: 'PP', firstFlow: 3, flows: 1 },
      { job: 1, group: 'EP', firstFlow: 4, flows: 1 },
    ];
    expect(await phasesOf(hostOf([table(flowTable, flows), table(collectiveTable, collectives)]))).toEqual([
      ['TP, EP', ['0>1:5', '1>0:5', '9>8:13']],
      ['DP, PP', ['0>4:7', '8>9:11']],
      ['no phase', ['12>13:1']],
    ]);
  });
});

describe('routes', () => {
  it('that know the phases of a small stencil beat those that see all at once', async () => {
    // both faces of 2 over one spine, those of 3 and 1 over the other: 4 units of time, and 4
    expect(await worst('together')).toEqual([4, 4]);
    // a face of 2 each, then 3 beside 1
    expect(await worst('apart')).toEqual([2, 3]);
  });
});

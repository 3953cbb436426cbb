// Ranks on their logical grid and matrices between ranks: by hand on a fabric of two leaves. A cell is a node where its
// ranks are a block of the grid; it has the shade of its own links and of its own program's packets.

import { describe, expect, it } from 'vitest';
import { generateFabric } from '../../../src/fabric/generators/catalogue.js';
import { interfaceIndex } from '../../../src/fabric/fabric.js';
import { FlowColumn, flowTable } from '../../../src/records/flow-records.js';
import { MessageColumn, messageTable } from '../../../src/records/message-records.js';
import { TableWriter, type TableSchema } from '../../../src/records/schema.js';
import { figureCsv } from '../../../src/report/page/figure-csv.js';
import type { MatrixFigure } from '../../../src/report/page/figures.js';
import { logicalGrid } from '../../../src/report/page/logical-grid.js';
import { logicalPlots } from '../../../src/report/page/logical-plots.js';
import { rankMatrices } from '../../../src/report/page/rank-matrices.js';
import type { ReportRun } from '../../../src/report/page/report-run.js';
import { RunRecords } from '../../../src/report/page/run-records.js';
import { LinkSampleColumn, linkSampleTable } from '../../../src/sampling/sample-records.js';

// hosts 0..3, leaves 4 and 5, spines 6 and 7
const fabric = generateFabric('leaf-spine', { leaves: 2, spines: 2, hostsPerLeaf: 2 });
const portTo = (node: number, peer: number): number => {
  for (let port = fabric.portOffset[node]!; port < fabric.portOffset[node + 1]!; port++)
    if (fabric.portNode[fabric.portPeer[port]!] === peer) return port;
  throw new Error(`no link from ${node} to ${peer}`);
};

/** Ranks 4 x 2, blocks of 2 x 1 on a node. */
const hostOf = (rank: number): number => ((rank % 4) >> 1) + 2 * (rank >> 2);

interface Message {
  readonly from: number;
  readonly to: number;
  readonly bytes: number;
  readonly phase?: number;
  readonly part?: number;
}

interface Sample {
  readonly link: readonly [from: number, to: number];
  readonly packets: number;
  readonly congested: number;
  readonly ranks?: readonly [source: number, destination: number];
  readonly tag?: number;
  readonly job?: number;
}

function runOf(messages: readonly Message[], samples: readonly Sample[], own: object = {}): ReportRun {
  const records = new RunRecords(fabric, []);
  const put = (schema: TableSchema, rows: readonly (readonly (readonly [column: number, value: number])[])[]): void => {
    const writer = new TableWriter(schema, {
      full: false,
      put: (batch) => records.put(batch),
      drain: () => Promise.resolve(),
    });
    for (const row of rows) {
      for (const column of writer.columns) column[writer.rows] = 0;
      for (const [column, value] of row) writer.columns[column]![writer.rows] = value;
      writer.commit();
    }
    writer.flush();
  };
  put(
    flowTable,
    messages.map(({ from, to, bytes }, flow) => [
      [FlowColumn.flow, flow],
      [FlowColumn.source, hostOf(from)],
      [FlowColumn.destination, hostOf(to)],
      [FlowColumn.size, bytes],
      [FlowColumn.finish, 1e6],
    ]),
  );
  put(
    messageTable,
    messages.map(({ from, to, phase = 0, part = 0 }, flow) => [
      [MessageColumn.flow, flow],
      [MessageColumn.phase, phase],
      [MessageColumn.part, part],
      [MessageColumn.sourceRank, from],
      [MessageColumn.destinationRank, to],
    ]),
  );
  const at = LinkSampleColumn;
  put(
    linkSampleTable,
    samples.map(({ link, packets, congested, ranks = [0, 0], tag = 1, job = 0 }) => [
      [at.time, 1e6],
      [at.window, 1e6],
      [at.job, job],
      [at.tag, tag],
      [at.sourceRank, ranks[0]],
      [at.destinationRank, ranks[1]],
      [at.classRanks, 2],
      [at.node, link[0]],
      [at.interface, interfaceIndex(fabric, portTo(...link))],
      [at.traffic, packets],
      [at.congested, congested],
    ]),
  );
  records.end();
  const workload = { name: 'stencil', program: 'stencil', ranks: 8, phases: ['+y', '-y'], grid: [4, 2, 1], ...own };
  return { label: 'run', manifest: null, summary: { workload }, records };
}

const around: readonly Message[] = [
  { from: 0, to: 4, bytes: 100 },
  { from: 4, to: 0, bytes: 30, phase: 1 },
  { from: 1, to: 5, bytes: 50, phase: 1 },
  { from: 2, to: 6, bytes: 7 },
  { from: 2, to: 7, bytes: 9, part: 1 },
];

/** Shades by mark. */
function shades(svg: string): string[] {
  const marks: string[] = [];
  for (const [, mark, shade] of svg.matchAll(/data-mark="(\d+)" class="(\w+)"/g)) marks[Number(mark)] = shade!;
  return marks;
}

function named(figures: ReturnType<typeof rankMatrices>, id: string): MatrixFigure {
  return figures.find((figure) => figure.id === id) as MatrixFigure;
}

/** The grid of 6 x 4 x 2 ranks. */
function gridOf(host: (x: number, y: number, z: number) => number): ReturnType<typeof logicalGrid> {
  return logicalGrid([6, 4, 2], (rank) => host(rank % 6, Math.floor(rank / 6) % 4, Math.floor(rank / 24)));
}

describe('the logical grid', () => {
  const samples: readonly Sample[] = [
    // to host 2, which has ranks 4 and 5: cell x 0, y 1
    { link: [5, 2], packets: 100, congested: 70, tag: 1 },
    { link: [5, 2], packets: 100, congested: 10, tag: 2 },
    { link: [0, 4], packets: 100, congested: 100, tag: 1 },
    // of a program that is not on the grid
    { link: [5, 3], packets: 500, congested: 500, job: 1 },
    // between switches
    { link: [4, 6], packets: 100, congested: 100, tag: 1 },
  ];

  it('has a cell for each node, in the shade of what it receives and sends', () => {
    const [plot, ...more] = logicalPlots([runOf(around, samples)]);
    expect(more).toEqual([]);
    // marks: what cells 0 to 3 send and receive; host 0 sends all its packets into congestion, host 2 gets 80 of 200
    expect(shades(plot!.svg)).toEqual(['b10', 'none', 'none', 'none', 'none', 'b4', 'none', 'none']);
    expect(plot!.desk.links.map(({ low }) => low)).toEqual([
      'host[0] at x 0, y 0',
      'host[1] at x 1, y 0',
      'host[2] at x 0, y 1',
      'host[3] at x 1, y 1',
    ]);
    expect(plot!.note).toBe('A cell is 2 x 1 x 1 ranks, which share a node.');
    expect(plot!.desk.slices.map(({ name, frames }) => [name, frames[0]!.traffic[5], frames[0]!.percent[5]])).toEqual([
      ['all of its traffic', 200, 40],
      ['tag 1', 100, 70],
      ['tag 2', 100, 10],
    ]);
    expect(plot!.files.map(({ name }) => name)).toEqual(['logical-grid', 'logical-grid-tag-1', 'logical-grid-tag-2']);
    expect(shades(plot!.files[1]!.svg)[5]).toBe('b7');
  });

  it('is not drawn without samples, a grid or messages', () => {
    expect(logicalPlots([runOf(around, [])])).toEqual([]);
    expect(logicalPlots([runOf(around, samples, { grid: null })])).toEqual([]);
    expect(logicalPlots([runOf(around, samples, { grid: [4, 4, 1] })])).toEqual([]);
    expect(logicalPlots([runOf([], samples)])).toEqual([]);
  });

  it('finds the block of ranks of a node, whoever of them is silent', () => {
    // 3 x 2 x 2 ranks a node, of which those inside send nothing
    const tiled = gridOf((x, y) => (x % 3 === 1 ? -1 : Math.floor(x / 3) + 2 * Math.floor(y / 2)));
    expect([tiled.block, tiled.sides, tiled.nodes]).toEqual([
      [3, 2, 2],
      [2, 2, 1],
      [[0], [1], [2], [3]],
    ]);
    // one after the other: no block has one node
    const cyclic = gridOf((x, y, z) => (x + 6 * y + 24 * z) % 5);
    expect([cyclic.block, cyclic.nodeBlock]).toEqual([[1, 1, 1], null]);
    // a node each
    expect(gridOf((x, y, z) => x + 6 * y + 24 * z).nodeBlock).toEqual([1, 1, 1]);
  });

  it('of 10,000 ranks has as many cells as can be told apart, and loses no rank', () => {
    const { sides, block, nodes } = logicalGrid([25, 20, 20], (rank) => rank);
    expect(nodes.length).toBeLessThanOrEqual(5000);
    // x is halved: 13 x 20 x 20 = 5,200 are too many; then y
    expect([sides, block]).toEqual([
      [13, 10, 20],
      [2, 2, 1],
    ]);
    expect(nodes.flat().sort((a, b) => a - b)).toEqual(Array.from({ length: 10_000 }, (_, rank) => rank));
    const row = logicalGrid([10_000, 1, 1], (rank) => rank);
    expect(row.sides[0]).toBeLessThanOrEqual(250);
    expect(row.nodes.flat()).toHaveLength(10_000);
  });
});

describe('matrices between ranks', () => {
  it('have payload in the colours of its phases, handshakes left out', () => {
    const figures = rankMatrices([runOf(around, [{ link: [5, 2], packets: 1, congested: 0 }])]);
    const { values, kinds } = named(figures, 'rank-traffic');
    const sent = values.flatMap((value, cell) =>
      value === null ? [] : [[Math.floor(cell / 8), cell % 8, value, kinds!.names[kinds!.of[cell]!]]],
    );
    expect(sent).toEqual([
      [0, 4, 100, '+y'],
      [1, 5, 50, '-y'],
      [2, 6, 7, '+y'],
      [4, 0, 30, '-y'],
    ]);
    expect(figureCsv(named(figures, 'rank-traffic')).split('\n')[2]).toBe("1,5,50,'-y");
  });

  it('have the congested fraction of all links between classes of ranks', () => {
    const figures = rankMatrices([
      runOf(around, [
        { link: [0, 4], packets: 60, congested: 0, ranks: [0, 4] },
        { link: [5, 2], packets: 60, congested: 30, ranks: [0, 4] },
        { link: [5, 2], packets: 10, congested: 10, ranks: [6, 4] },
        { link: [5, 2], packets: 99, congested: 99, ranks: [6, 4], job: 1 },
      ]),
    ]);
    const { values, rows } = named(figures, 'rank-congestion');
    expect(rows.names).toEqual(['0-1', '2-3', '4-5', '6-7']);
    expect(values.flatMap((value, cell) => (value === null ? [] : [[cell >> 2, cell & 3, value]]))).toEqual([
      [0, 2, 25],
      [3, 2, 100],
    ]);
  });
});

// Forwarding by tables: the ways of a run are those of the tables, whoever brings them; what is wrong with a file is told
// with its place.

import { describe, expect, it } from 'vitest';
import { InputError } from '../../src/base/diagnostics.js';
import { NodeKind, type Fabric } from '../../src/fabric/fabric.js';
import { recogniseFatTree } from '../../src/fabric/fat-tree.js';
import { withColdStartLids, withLmc } from '../../src/fabric/identity.js';
import { levelIdentity } from '../../src/fabric/level-identity.js';

import { routeRandom } from '../../src/routing/random-minimal.js';
import { lftTexts } from '../../src/formats/opensm-lfts-writer.js';
import { writeIbnetdiscover } from '../../src/formats/ibnetdiscover-writer.js';
import { HopColumn, hopTable } from '../../src/records/flow-records.js';
import { routeDmodK } from '../../src/routing/d-mod-k.js';
import { ForwardingTables } from '../../src/routing/forwarding-tables.js';
import { lidOfPair } from '../../src/routing/lid-offsets.js';
import { TableRoutes } from '../../src/routing/table-routes.js';
import { walkTables } from '../../src/routing/table-walk.js';
import { PathTracer } from '../../src/routing/path.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { memoryHost } from '../memory-host.js';
import { scenarioRun } from '../support/scenario-run.js';

const family = 'generate: fat-tree, k: 4';
const text = (fabric: string): string => `fabric: { ${fabric} }
routing: { algorithm: tables, tables: t.lfts }
backend: fluid
traffic: { transfers: [ { source: 0, destination: 5, size: 1MB }, { source: 2, destination: 15, size: 1MB }, { source: 9, destination: 1, size: 1MB } ] }
`;

async function generated() {
  const plan = await makePlan('s.yaml', {
    host: memoryHost({ 's.yaml': text(family) }),
    overrides: ['routing={ algorithm: ecmp }'],
  });
  const { fabric } = plan;
  const tree = recogniseFatTree(fabric).tree!;
  const identity = withColdStartLids(fabric, levelIdentity(fabric, 'fat-tree', tree))!;
  return { fabric, tree, identity };
}

/** The switches from a host to another one by tables. */
function wayOf(fabric: Fabric, tables: ForwardingTables, source: number, destination: number): number[] {
  const way: number[] = [];
  for (let node = leafOf(fabric, source); node !== destination; node = peerOf(fabric, tables.port(node, destination)))
    way.push(node);
  return way;
}

async function mistakes(files: Record<string, string>, set: readonly string[] = []): Promise<string[]> {
  const made = await makePlan('s.yaml', {
    host: memoryHost({ 's.yaml': text(family), ...files }),
    overrides: [...set],
  }).catch((error: unknown) => error);
  if (!(made instanceof InputError)) throw made instanceof Error ? made : new Error('no error was found');
  return made.diagnostics.map(
    ({ file, line, column, code, message }) => `${file}:${line}:${column} ${code} ${message}`,
  );
}

/** Tables of d-mod-k after a change, as a file. */
async function changed(change: (tables: ForwardingTables, fabric: Fabric) => void): Promise<string> {
  const { fabric, tree, identity } = await generated();
  const tables = routeDmodK(tree);
  change(tables, fabric);
  return [...lftTexts({ fabric, identity }, [tables])].join('');
}

/** A port of a switch to a switch that is no way to anybody below it: its first one up. */
const peerOf = (fabric: Fabric, port: number): number => fabric.portNode[fabric.portPeer[port]!]!;
const leafOf = (fabric: Fabric, host: number): number => peerOf(fabric, fabric.portOffset[host]!);
function uplink(fabric: Fabric, leaf: number): number {
  for (let port = fabric.portOffset[leaf]!; port < fabric.portOffset[leaf + 1]!; port++)
    if (fabric.nodeKind[peerOf(fabric, port)] !== NodeKind.host) return port;
  throw new Error('no uplink');
}

const pairs = [
  [0, 5],
  [0, 5],
  [0, 5],
  [2, 15],
  [2, 15],
];

/** A run by tables of two LIDs between hosts of different pods, where d-mod-k and random ways differ: which are taken. */
async function severalLids(set: readonly string[]) {
  const { fabric: given, tree, identity } = await generated();
  const several = withColdStartLids(given, withLmc(given, identity, 1))!;
  const transfers = pairs.map(([from, to]) => `{ source: ${from}, destination: ${to}, size: 20kB }`).join(', ');
  const scenario = text('file: f.net').replace(/transfers: .*/, `transfers: [ ${transfers} ] }`);
  const both = [routeDmodK(tree), routeRandom(tree, 3)];
  const files = {
    't.lfts': [...lftTexts({ fabric: given, identity: several }, both)].join(''),
    'f.net': [...writeIbnetdiscover({ fabric: given, identity: several })].join(''),
  };
  const { sink, warnings, summary } = await scenarioRun(scenario, set, files);
  const plan = await makePlan('s.yaml', { host: memoryHost({ 's.yaml': scenario, ...files }), overrides: [] });
  const { fabric } = plan;
  const tables = plan.routing.tables!;
  expect(tables).toHaveLength(2);
  const [flowOf, nodeOf] = [sink.column(hopTable, HopColumn.flow), sink.column(hopTable, HopColumn.node)];
  /** By flow: the tables whose way it took. */
  const taken = pairs.map(([source, destination], flow) => {
    const way = [...nodeOf].filter((_, row) => flowOf[row] === flow).join(' ');
    return tables.findIndex((own) => wayOf(fabric, own, source!, destination!).join(' ') === way);
  });
  return { taken, warnings, finished: summary.finished };
}

describe('tables', () => {
  it('of a file lead as those by name do, on a generated fabric and on one from a file', async () => {
    const { fabric, tree, identity } = await generated();
    const lfts = [...lftTexts({ fabric, identity }, [routeDmodK(tree)])].join('');
    const named = await scenarioRun(text(family), ['routing={ algorithm: dmodk }']);
    const own = await scenarioRun(text(family), [], { 't.lfts': lfts });
    expect(own.summary.digest).toBe(named.summary.digest);
    const net = [...writeIbnetdiscover({ fabric, identity })].join('');
    const read = await scenarioRun(text('file: f.net'), [], { 't.lfts': lfts, 'f.net': net });
    expect(read.summary.finished).toBe(3);
    expect(read.warnings).toEqual([]);
  });

  it.each(['fluid', 'credit', 'packet'])(
    'of hosts with several LIDs are all taken, in turn by each pair: %s',
    async (backend) => {
      const { taken, warnings, finished } = await severalLids([`backend=${backend}`]);
      expect({ taken, warnings, finished }).toEqual({ taken: [0, 1, 0, 0, 1], warnings: [], finished: 5 });
    },
  );

  it('of hosts with several LIDs are taken by a hash of the pair, or those of the first alone', async () => {
    const { taken } = await severalLids(['backend=credit', 'routing.lidOffset=hash']);
    // as weft route evaluate --lid-offset hash has it, by ranks
    const [first, second] = [lidOfPair(0, 5, 2), lidOfPair(2, 15, 2)];
    expect(taken).toEqual([first, first, first, second, second]);
    expect((await severalLids(['routing.lidOffset=first'])).taken).toEqual([0, 0, 0, 0, 0]);
    const adaptive = await severalLids(['backend=credit', 'routing.balancing=adaptive']);
    expect(adaptive.taken).toEqual([0, 0, 0, 0, 0]);
    expect(adaptive.warnings).toContain('hosts have 2 LIDs each, and runs send to the first');
  });

  it('are the ways that flows take', async () => {
    const { tree, fabric } = await generated();
    const tables = routeDmodK(tree);
    const { sink } = await scenarioRun(text(family), ['routing={ algorithm: dmodk }']);
    const nodes = sink.column(hopTable, HopColumn.node);
    const flows = sink.column(hopTable, HopColumn.flow);
    const ends = [
      [0, 5],
      [2, 15],
      [9, 1],
    ] as const;
    ends.forEach(([source, destination], flow) => {
      expect(Array.from(nodes).filter((_, row) => flows[row] === flow)).toEqual(
        wayOf(fabric, tables, source, destination),
      );
    });
  });

  it('that lack an entry, lead astray or go round are refused with the place', async () => {
    const missing = await changed((tables, fabric) => {
      const leaf = leafOf(fabric, 0);
      tables.entries[tables.rowOf[leaf]! * tables.columns + 15] = 255;
    });
    const [lacks] = await mistakes({ 't.lfts': missing });
    expect(lacks).toMatch(/^t\.lfts:\d+:1 tables-missing \S+ has no way to node/);
    expect(Number(lacks!.split(':')[1])).toBeGreaterThan(0);
    const astray = await changed((tables, fabric) => {
      const leaf = leafOf(fabric, 15);
      tables.setPort(leaf, 15, fabric.portPeer[fabric.portOffset[14]!]!);
    });
    expect((await mistakes({ 't.lfts': astray }))[0]).toMatch(/^t\.lfts:\d+:1 tables-astray .* to another host$/);
    const loop = await changed((tables, fabric) => {
      const leaf = leafOf(fabric, 15);
      const up = uplink(fabric, leaf);
      tables.setPort(leaf, 15, up);
      tables.setPort(peerOf(fabric, up), 15, fabric.portPeer[up]!);
    });
    const [round] = await mistakes({ 't.lfts': loop });
    expect(round).toMatch(/^t\.lfts:\d+:1 tables-loop .* circles$/);
    const line = loop.split('\n')[Number(round!.split(':')[1]) - 1]!;
    expect(line).toMatch(/^0x/);
  });

  it('of another fabric, none at all, and ways that something else chooses are mistakes', async () => {
    const lfts = await changed(() => {});
    expect(
      (
        await mistakes({ 't.lfts': lfts }, ['fabric={ generate: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 8 }'])
      )[0],
    ).toMatch(/^t\.lfts:\d+/);
    expect((await mistakes({ 't.lfts': 'nothing\n' }))[0]).toMatch(/no-tables/);
    expect(await mistakes({}, ['routing={ algorithm: tables }'])).toEqual([
      expect.stringMatching(/tables there are no tables to route by$/),
    ]);
    expect((await mistakes({ 't.lfts': lfts }, ['controller.enabled=true', 'backend=packet']))[0]).toMatch(
      /source ports/,
    );
    expect((await mistakes({}, ['routing={ algorithm: ftree }', 'fabric={ generate: dcn+, gpus: 16 }']))[0]).toMatch(
      /ftree does not route this fabric/,
    );
  });

  it('stay as they are when a link fails, so that what led over it waits', async () => {
    const { fabric, tree } = await generated();
    const tables = routeDmodK(tree);
    const routes = new TableRoutes(fabric, [tables], { nextHopOrder: 'descending-node-id', withinServers: 'nvlink' });
    const tracer = new PathTracer(routes);
    const out = new Int32Array(tracer.maxLength);
    const length = tracer.trace(0, 15, 1, 1, out);
    expect(length).toBe(6);
    expect(walkTables(tables)).toEqual({ longest: 5, fault: null });
    const isUp = new Uint8Array(fabric.linkCount).fill(1);
    isUp[fabric.portLink[out[1]!]!] = 0;
    tracer.use(routes.knowing({ isUp, mostLinks: 6 }));
    expect(tracer.trace(0, 15, 1, 1, out)).toBe(0);
    expect(tracer.trace(0, 1, 1, 1, out)).toBe(2);
  });
});

// htsim's topologies and connection matrices: what comes of them, and what is refused where.

import { describe, expect, it } from 'vitest';
import { Diagnostics } from '../../src/base/diagnostics.js';
import { RandomStream } from '../../src/base/random.js';
import { type Fabric, NodeKind } from '../../src/fabric/fabric.js';
import { unreachablePair } from '../../src/fabric/connectivity.js';
import { flowFileForm, noFlowFileFacts } from '../../src/formats/flow-file.js';
import { isHtsimTopology, readHtsimTopology } from '../../src/formats/htsim-topology.js';
import { scanTrace } from '../../src/formats/trace-source.js';
import { FlowColumn, flowTable } from '../../src/records/flow-records.js';
import { linkEnds } from '../support/fabric-links.js';
import { scenarioRun } from '../support/scenario-run.js';
import { seed } from '../support/seed.js';

const tier = (down: number, up: number, latency = 1000, more = ''): string =>
  `Downlink_speed_Gbps 100\nRadix_Down ${down}\n${up === 0 ? '' : `Radix_Up ${up}\n`}Downlink_Latency_ns ${latency}\n${more}`;
const tiny = `# two tiers\nNodes 32\nTiers 2\nPodsize 32\n\nTier 0\n${tier(8, 2, 1000, 'Switch_Latency_ns 300\nOversubscribed 4\n')}\nTier 1\n${tier(4, 0)}`;

function read(text: string): { fabric: Fabric | null; found: string[] } {
  const diagnostics = new Diagnostics();
  const fabric = readHtsimTopology(text, 't.topo', diagnostics);
  return { fabric, found: diagnostics.list.map(({ line, column, message }) => `${line}:${column} ${message}`) };
}

/** Hosts, switches, links, and links between two switches at most. */
function shape(text: string): number[] {
  const { fabric, found } = read(text);
  expect(found).toEqual([]);
  expect(unreachablePair(fabric!)).toBeNull();
  const beside = new Map<string, number>();
  for (const ends of linkEnds(fabric!)) beside.set(String(ends), (beside.get(String(ends)) ?? 0) + 1);
  const switches = fabric!.nodeKind.filter((kind) => kind === NodeKind.switch).length;
  return [fabric!.hosts.length, switches, fabric!.linkCount, Math.max(...beside.values())];
}

describe('a topology', () => {
  it('of two tiers has leaves and spines', () => {
    expect(isHtsimTopology(tiny)).toBe(true);
    // 4 leaves of 8 hosts, 2 spines, every leaf to every spine
    expect(shape(tiny)).toEqual([32, 6, 40, 1]);
    const { fabric } = read(tiny);
    expect(linkEnds(fabric!).slice(32)).toEqual(
      [32, 33, 34, 35].flatMap((leaf) => [
        [leaf, 36],
        [leaf, 37],
      ]),
    );
    // half of the 300 ns of a leaf on each of its links
    expect([...new Set(fabric!.linkLatencyPs)]).toEqual([1_150_000]);
  });

  it('of three tiers has pods and cores: the 1,024 hosts and the bundles that htsim ships', () => {
    const three = `Nodes 1024\nTiers 3\nPodsize 64\nTier 0\n${tier(8, 8)}Tier 1\n${tier(8, 8, 1000, 'Bundle 1\n')}Tier 2\n${tier(16, 0, 1000, 'Bundle 1\n')}`;
    expect(shape(three)).toEqual([1024, 128 + 128 + 64, 1024 + 1024 + 1024, 1]);
    const zones = `Nodes 432\nTiers 3\nPodsize 36\nTier 0\n${tier(6, 6)}Tier 1\n${tier(6, 6)}Tier 2\n${tier(36, 0, 600_000, 'Bundle 3\n')}`;
    expect(shape(zones)).toEqual([432, 72 + 72 + 12, 432 + 432 + 432, 3]);
  });

  it('numbers its cores as htsim does: uplink l of the p-th of h switches of a pod goes to core l h + p', () => {
    const text = `Nodes 16\nTiers 3\nPodsize 4\nTier 0\n${tier(2, 2)}Tier 1\n${tier(2, 2)}Tier 2\n${tier(4, 0)}`;
    const { fabric } = read(text);
    // hosts 0 to 15, leaves 16 to 23, two switches of tier 1 a pod from 24 on, cores from 32 on
    expect(linkEnds(fabric!).slice(16 + 16, 16 + 16 + 4)).toEqual([
      [24, 32],
      [24, 34],
      [25, 33],
      [25, 35],
    ]);
  });

  it('is read whatever the case of its names, as htsim reads it', () => {
    expect(isHtsimTopology(tiny.toLowerCase())).toBe(true);
    expect(shape(tiny.toLowerCase())).toEqual(shape(tiny));
    expect(shape(tiny.toUpperCase())).toEqual(shape(tiny));
  });

  it(`has the radices that it announces and hangs together, or is refused (WEFT_SEED=${seed})`, () => {
    const random = new RandomStream(seed, 'htsim topologies');
    const whole = (most: number): number => 1 + random.nextBelow(most);
    let built = 0;
    for (let n = 0; n < 400; n++) {
      // bundles that do not divide radices come up often
      const [pods, leaves, hosts, bundle1, bundle2] = [whole(4), whole(4), whole(3), whole(3), whole(3)] as const;
      const [up0, down1, up1, down2] = [whole(6), whole(8), whole(6), whole(12)] as const;
      const nodes = pods * leaves * hosts;
      const text = `Nodes ${nodes}\nTiers 3\nPodsize ${leaves * hosts}\nTier 0\n${tier(hosts, up0)}Tier 1\n${tier(down1, up1, 1000, `Bundle ${bundle1}\n`)}Tier 2\n${tier(down2, 0, 1000, `Bundle ${bundle2}\n`)}`;
      const { fabric, found } = read(text);
      if (fabric === null) {
        expect(found, text).not.toEqual([]);
        continue;
      }
      built++;
      const degree = Array.from(fabric.nodeKind, () => 0);
      for (const ends of linkEnds(fabric)) for (const end of ends) degree[end]!++;
      const middles = (pods * leaves * up0) / down1;
      const wanted = degree.map((_, node) =>
        node < nodes
          ? 1
          : node < nodes + pods * leaves
            ? hosts + up0
            : node < nodes + pods * leaves + middles
              ? down1 + up1
              : down2,
      );
      expect(degree, text).toEqual(wanted);
      expect(unreachablePair(fabric), text).toBeNull();
    }
    expect(built).toBeGreaterThan(0);
  });

  it.each([
    [
      `Nodes 16\nTiers 3\nPodsize 4\nTier 0\n${tier(2, 2)}Tier 1\n${tier(2, 3)}Tier 2\n${tier(8, 0, 1000, 'Bundle 2\n')}`,
      '1:1 Radix_Up of tier 1 (3) is no multiple of Bundle of tier 2 (2)',
    ],
    [
      'Nodes 30\nTiers 2\nTier 0\n' + tier(8, 2) + 'Tier 1\n' + tier(4, 0),
      '1:1 Podsize (30) is no multiple of Radix_Down of tier 0 (8)',
    ],
    ['Nodes 32\nTiers 3\nTier 0\n' + tier(8, 2) + 'Tier 1\n' + tier(4, 0), '2:1 the file has 2 tiers and announces 3'],
    ['Nodes 32\nTiers 2\nTier 1\n', '3:1 the line is not a name and its number'],
    ['Nodes 32\nTiers 2\n  __proto__ 1\n', '3:3 the line is not a name and its number'],
    ['Nodes 32\nNodes 32\n', '2:1 Nodes stands twice'],
    ['Nodes 99999999999\nTiers 2\nTier 0\nTier 1\n', '1:1 Nodes is no usable number'],
    ['Nodes 8\nTiers 2\nTier 0\nRadix_Down 8\nTier 1\nRadix_Down 1\n', '1:1 Radix_Up is missing'],
  ])('with a mistake: %j', (text, message) => {
    expect(read(text).found).toContain(message);
  });
});

describe('a connection matrix', () => {
  const base = `fabric: { file: t.topo }\ntraffic: { file: m.cm }\npfc: { enabled: false }\n`;

  it('runs on its topology', async () => {
    const { sink, warnings } = await scenarioRun(base, [], {
      't.topo': tiny,
      'm.cm': 'Nodes 32\nConnections 2\n\n1->0 id 1 start 2000000.4 size 2000\n2->31 start 0 size 5 prio 3\n',
    });
    expect(Array.from(sink.column(flowTable, FlowColumn.size)).sort()).toEqual([2000, 5]);
    expect(Math.max(...sink.column(flowTable, FlowColumn.start))).toBe(2_000_000);
    expect(warnings).toEqual([
      'priorities of connections are not kept: all flows of a run have queuePair.priority',
      'a transfer starts before the one above it; the flow file is sorted in memory',
    ]);
  });

  const { fabric } = read(tiny);
  it.each([
    ['Nodes 33\nConnections 0\n', '1:7 connection-matrix-nodes'],
    ['Nodes 2\nConnections 2\n0->1 start 0 size 1\n', '1:1 connection-matrix-count'],
    ['Nodes 2\n0->1 start 0 size 1\n', '1:1 connection-matrix-count'],
    ['Connections 1\n0->32 start 0 size 1\n', '2:1 connection-matrix-ends'],
    ['Connections 1\n0->0 start 0 size 1\n', '2:1 connection-matrix-ends'],
    ['Connections 1\n0->1 start 0 size 0\n', '2:1 connection-matrix-size'],
    ['Connections 1\n0->1 size 5\n', '2:1 connection-matrix-start'],
    ['Connections 1\n0->1 start 0 size\n', '2:14 connection-matrix-row'],
    ['Connections 1\n0->1 start 0 size -1\n', '2:19 connection-matrix-row'],
    ['Connections 1\n0->1 start 99999999999999999999 size 1\n', '2:12 connection-matrix-row'],
    ['Connections 1\n0->1 __proto__ 0\n', '2:6 connection-matrix-row'],
    ['Connections 1\n0->1 trigger 3 size 5\n', '2:6 connection-matrix-trigger'],
    ['Connections 0\nTriggers 1\n', '2:10 connection-matrix-trigger'],
    ['Connections 0\nfailure switch_type TOR\n', '2:1 connection-matrix-failure'],
  ])('with a mistake: %j', async (text, expected) => {
    const diagnostics = new Diagnostics();
    async function* bytes(): AsyncGenerator<Uint8Array> {
      yield new TextEncoder().encode(text);
    }
    const form = flowFileForm(noFlowFileFacts());
    await scanTrace(bytes(), 'm.cm', fabric!, diagnostics, undefined, undefined, form);
    expect(diagnostics.list.map(({ code, line, column }) => `${line}:${column} ${code}`)).toContain(expected);
  });
});

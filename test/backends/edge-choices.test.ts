// Balancers that choose whole ways at the sender's edge: what ways there are, LetFlow's draws, CONGA's estimators and
// what it avoids, ConWeave's order at the receiver.

import { describe, expect, it } from 'vitest';
import { EdgeWays, mostWays } from '../../src/backends/packet/balancing/edge-ways.js';
import { RateEstimators } from '../../src/backends/packet/balancing/rate-estimators.js';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import type { Fabric } from '../../src/fabric/fabric.js';
import { HopColumn, hopTable } from '../../src/records/flow-records.js';
import { EqualCostRoutes } from '../../src/routing/equal-cost.js';
import { PathTracer } from '../../src/routing/path.js';
import { SwitchRoutes } from '../../src/routing/switch-routes.js';
import { runWith } from '../seams/run.js';
import { chiSquare, onceInAMillion } from '../support/chi-square.js';
import { seed } from '../support/seed.js';

const tracerOf = (fabric: Fabric): PathTracer => new PathTracer(new EqualCostRoutes(fabric, 'descending-node-id'));
const edgeOf = ({ portNode, portPeer, portOffset }: Fabric, host: number): number =>
  portNode[portPeer[portOffset[host]!]!]!;

/** The ways of a row: their numbers and where they end. */
function waysOf(ways: EdgeWays, row: number): { numbers: Int32Array; last: Int32Array; latenciesPs: Float64Array } {
  const place = ways.placeOf(row);
  const end = place + ways.counts.values[row - ways.firstRow]!;
  return {
    numbers: ways.numbers.values.slice(place, end),
    last: ways.lastSwitches.values.slice(place, end),
    latenciesPs: ways.latenciesPs.values.slice(place, end),
  };
}

describe('ways from the edge', () => {
  it('of a leaf-spine fabric are its spines', () => {
    const fabric = generateFabric('leaf-spine', { leaves: 2, spines: 8, hostsPerLeaf: 2 });
    const ways = new EdgeWays(tracerOf(fabric), seed);
    const row = ways.rowOf(edgeOf(fabric, 0), 2);
    const { numbers, last, latenciesPs } = waysOf(ways, row);
    expect(Array.from(numbers).sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(new Set(last)).toEqual(new Set([edgeOf(fabric, 2)]));
    // two links of 1 us
    expect(new Set(latenciesPs)).toEqual(new Set([2e6]));
    // hosts of one leaf share it
    expect(ways.rowOf(edgeOf(fabric, 0), 3)).toBe(row);
  });

  it('of a fat tree of three levels are its cores, and of two hosts of a pod its aggregation switches', () => {
    const fabric = generateFabric('fat-tree', { k: 8 });
    const ways = new EdgeWays(tracerOf(fabric), seed);
    expect(waysOf(ways, ways.rowOf(edgeOf(fabric, 0), 127)).numbers).toHaveLength(16);
    expect(waysOf(ways, ways.rowOf(edgeOf(fabric, 0), 15)).numbers).toHaveLength(4);
  });

  it('are a sample of different ones where they are many', () => {
    const fabric = generateFabric('leaf-spine', { leaves: 2, spines: 20, linksPerSpine: 6, hostsPerLeaf: 1 });
    const ways = new EdgeWays(tracerOf(fabric), seed);
    // 120 links up, and 6 down from every spine
    expect(waysOf(ways, ways.rowOf(edgeOf(fabric, 0), 1)).numbers).toHaveLength(mostWays);
  });

  it('are those that are left when a link fails, and rows before it are told from later ones', () => {
    const fabric = generateFabric('leaf-spine', { leaves: 2, spines: 4, hostsPerLeaf: 1 });
    const tracer = tracerOf(fabric);
    const ways = new EdgeWays(tracer, seed);
    const before = ways.rowOf(edgeOf(fabric, 0), 1);
    const isUp = new Uint8Array(fabric.linkCount).fill(1);
    isUp[fabric.portLink[fabric.portOffset[edgeOf(fabric, 1)]! + 2]!] = 0;
    tracer.use(new EqualCostRoutes(fabric, 'descending-node-id', { isUp, mostLinks: 4 }));
    expect(ways.isNew()).toBe(true);
    const after = ways.rowOf(edgeOf(fabric, 0), 1);
    expect(waysOf(ways, after).numbers).toHaveLength(3);
    expect([ways.placeOf(before), after > before]).toEqual([-1, true]);
  });
});

describe('routes to switches', () => {
  it('are shortest ones, and avoid failed links', () => {
    const fabric = generateFabric('leaf-spine', { leaves: 2, spines: 2, hostsPerLeaf: 1 });
    const tracer = tracerOf(fabric);
    const routes = new SwitchRoutes(tracer);
    const [from, to] = [edgeOf(fabric, 0), edgeOf(fabric, 1)];
    const spineOf = (): number => fabric.portNode[fabric.portPeer[routes.nextPort(from, to)]!]!;
    const first = spineOf();
    expect(fabric.portNode[fabric.portPeer[routes.nextPort(first, to)]!]!).toBe(to);
    const isUp = new Uint8Array(fabric.linkCount).fill(1);
    isUp[fabric.portLink[routes.nextPort(first, to)]!] = 0;
    tracer.use(new EqualCostRoutes(fabric, 'descending-node-id', { isUp, mostLinks: 4 }));
    expect(spineOf()).not.toBe(first);
    isUp.fill(0);
    tracer.use(new EqualCostRoutes(fabric, 'descending-node-id', { isUp, mostLinks: 4 }));
    expect(routes.nextPort(from, to)).toBe(-1);
  });
});

describe("CONGA's estimators", () => {
  it('settle at the share of its rate at which a port sends, and fade', () => {
    const clock = { nowPs: 0 };
    const estimators = new RateEstimators(clock, Float64Array.of(100e9), { intervalPs: 50e6, gain: 0.2, bits: 3 });
    // half of 100 Gb/s: 6,250 bytes in a microsecond
    for (let us = 0; us < 3000; us++) {
      clock.nowPs = us * 1e6;
      estimators.add(0, 6250);
    }
    clock.nowPs = 3000e6;
    // just behind a tick X = half of the scale x (1 - gain): 0.4 of 8 levels
    expect(estimators.level(0)).toBe(3);
    clock.nowPs = 2999e6;
    for (let us = 0; us < 3000; us++) {
      clock.nowPs += 1e6;
      estimators.add(0, 12_500);
    }
    expect(estimators.level(0)).toBe(7);
    clock.nowPs += 50e6 * 20;
    // 0.8^20 = 0.01
    expect(estimators.level(0)).toBe(0);
  });
});

const flows = 320;
const leafSpine = (balancing: string, more = ''): string => `
fabric: { generate: leaf-spine, leaves: 2, spines: 8, hostsPerLeaf: 4 }
routing: { balancing: ${balancing} }
seed: ${seed % 1000}
queuePair: { acknowledgementPriority: 0 }
ecn: { thresholds: [ { rate: 100Gbps, minimum: 100kB, maximum: 400kB, probability: 0.2 } ] }
${more}`;

describe(`choices of flowlets (WEFT_SEED=${seed})`, () => {
  it('LetFlow gives every spine its share of flowlets', async () => {
    const transfers = Array.from(
      { length: flows },
      (_, i) => `    - { source: ${i % 4}, destination: ${4 + (i % 4)}, size: 1kB, start: ${i * 10}us }\n`,
    );
    const { sink, broken } = await runWith({}, leafSpine('letflow', `traffic:\n  transfers:\n${transfers.join('')}`));
    expect(broken).toEqual([]);
    const node = sink.column(hopTable, HopColumn.node);
    const counts = Array.from({ length: 8 }, (_, spine) => node.filter((id) => id === 10 + spine).length);
    expect(counts.reduce((sum, count) => sum + count)).toBe(flows);
    expect(chiSquare(counts)).toBeLessThan(onceInAMillion(8));
  });

  it('CONGA keeps flowlets off a spine that another leaf keeps busy, once it is fed back', async () => {
    // hosts 0 to 3 on leaf 12, 4 to 7 on 13, 8 to 11 on 14; spines 15 to 18. A long flow of leaf 14 to leaf 13 keeps one
    // spine busy; later there are short flows of leaf 12 to leaf 13, whose own ports are idle, and back
    const short = Array.from(
      { length: 200 },
      (_, i) =>
        `    - { source: ${i % 4}, destination: ${4 + (i % 4)}, size: 1kB, start: ${300 + i * 2}us }\n    - { source: ${4 + (i % 4)}, destination: ${i % 4}, size: 1kB, start: ${301 + i * 2}us }\n`,
    );
    const { sink, broken } = await runWith(
      {},
      leafSpine(
        'conga',
        `traffic:\n  transfers:\n    - { source: 8, destination: 4, size: 10MB }\n${short.join('')}`,
      ).replace('leaves: 2, spines: 8', 'leaves: 3, spines: 4'),
    );
    expect(broken).toEqual([]);
    const [node, flow] = [sink.column(hopTable, HopColumn.node), sink.column(hopTable, HopColumn.flow)];
    const busy = node[flow.findIndex((number, i) => number === 0 && node[i]! >= 15)]!;
    const counts = [15, 16, 17, 18].map((spine) => node.filter((id, i) => id === spine && flow[i]! % 2 === 1).length);
    expect(counts.reduce((sum, count) => sum + count)).toBe(200);
    // 50 without feedback; as many go there as it takes until one comes back with the news
    expect(counts[busy - 15]).toBeLessThan(25);
    expect(counts[busy - 15]).toBeGreaterThan(0);
  });

  it('ConWeave moves queue pairs, and as long as no queue runs out of time the receiver sees everything in order', async () => {
    const transfers = Array.from(
      { length: 16 },
      (_, i) => `    - { source: ${i % 4}, destination: ${4 + (i % 4)}, size: 2MB, start: ${i * 5}us }\n`,
    );
    const { summary, broken } = await runWith(
      {},
      leafSpine('conweave', `conweave: { tailTime: 1ms }\ntraffic:\n  transfers:\n${transfers.join('')}`).replace(
        'spines: 8',
        'spines: 2',
      ),
    );
    expect(broken).toEqual([]);
    expect(summary.counters['reroutes']).toBeGreaterThan(0);
    expect(summary.counters['reorderedAtSwitches']).toBeGreaterThan(0);
    // go-back-N would say so
    expect(summary.counters['retransmittedBytes']! > 0).toBe(false);
    expect(summary.verdicts.map(({ name }) => name)).toContain('reorder queues bounded, and empty at the end');
  });

  it('ConWeave without queues lets packets pass out of order, and says how often', async () => {
    const transfers = Array.from(
      { length: 16 },
      (_, i) => `    - { source: ${i % 4}, destination: ${4 + (i % 4)}, size: 2MB, start: ${i * 5}us }\n`,
    );
    const { summary, broken } = await runWith(
      {},
      leafSpine('conweave', `conweave: { reorderQueues: 0 }\ntraffic:\n  transfers:\n${transfers.join('')}`).replace(
        'spines: 8',
        'spines: 2',
      ),
    );
    expect(broken).toEqual([]);
    expect(summary.counters['reorderedAtSwitches']).toBe(0);
    expect(summary.counters['reorderSwitchOverflows']).toBeGreaterThan(0);
    expect(summary.counters['retransmittedBytes']).toBeGreaterThan(0);
  });
});

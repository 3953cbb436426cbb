// Collisions against a count over all pairs of flows and their intervals.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NodeKind, type Fabric } from '../../src/fabric/fabric.js';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import { CollisionCounter } from '../../src/measurement/collisions.js';
import { EqualCostRoutes } from '../../src/routing/equal-cost.js';
import { PathTracer } from '../../src/routing/path.js';
import { engineRun, settingsWith } from '../support/engine-run.js';
import { transferRecipe, transfersIn } from '../support/random-fabric.js';
import { rounds } from '../support/rounds.js';
import { seed } from '../support/seed.js';

interface Interval {
  /** turns at which it starts and finishes; all different */
  readonly start: number;
  readonly finish: number;
  readonly ports: readonly number[];
}

/** All pairs, one by one: links between switches that both use while both are under way. */
function bruteForce(fabric: Fabric, flows: readonly Interval[]): { links: number; flowPairs: number } {
  const links = new Set<number>();
  let flowPairs = 0;
  for (const [i, a] of flows.entries()) {
    for (const b of flows.slice(i + 1)) {
      if (a.finish <= b.start || b.finish <= a.start) continue;
      const shared = a.ports.filter(
        (port) =>
          b.ports.includes(port) &&
          [fabric.portNode[port]!, fabric.portNode[fabric.portPeer[port]!]!].every(
            (node) => fabric.nodeKind[node] !== NodeKind.host,
          ),
      );
      if (shared.length > 0) flowPairs++;
      for (const port of shared) links.add(port);
    }
  }
  return { links: links.size, flowPairs };
}

describe('collisions', () => {
  it(`are those of all pairs of intervals, slots being recycled (WEFT_SEED=${seed})`, () => {
    const fabric = generateFabric('leaf-spine', { leaves: 3, spines: 2, hostsPerLeaf: 3 });
    const tracer = new PathTracer(new EqualCostRoutes(fabric, 'descending-node-id'));
    const turn = fc.tuple(fc.boolean(), fc.nat(1000), fc.nat(1000), fc.nat(65_535));
    fc.assert(
      fc.property(fc.array(turn, { maxLength: 80 }), (turns) => {
        const counter = new CollisionCounter(fabric);
        const flows: { start: number; finish: number; ports: number[]; slot: number }[] = [];
        const live: number[] = [];
        const freeSlots: number[] = [];
        const path = new Int32Array(tracer.maxLength);
        for (const [now, [starts, a, b, sourcePort]] of turns.entries()) {
          if (starts || live.length === 0) {
            const [source, destination] = transfersIn(fabric, [[a, b, 1, 0]])[0]!;
            const length = tracer.trace(source, destination, sourcePort, 100, path);
            const slot = freeSlots.pop() ?? flows.length;
            live.push(
              flows.push({ start: now, finish: Infinity, ports: Array.from(path.subarray(0, length)), slot }) - 1,
            );
            counter.flowStarted(slot, path, length);
          } else {
            const flow = flows[live.splice(a % live.length, 1)[0]!]!;
            flow.finish = now;
            counter.flowFinished(flow.slot);
            freeSlots.push(flow.slot);
          }
          expect(counter.count()).toEqual({ ...bruteForce(fabric, flows), exact: true });
        }
      }),
      { seed, numRuns: rounds(60) },
    );
  });

  it(`of a run are those of its records (WEFT_SEED=${seed})`, () => {
    const fabric = generateFabric('leaf-spine', { leaves: 4, spines: 2, hostsPerLeaf: 2 });
    fc.assert(
      fc.property(transferRecipe(fc.integer({ min: 1, max: 30_000 }), 40, fc.nat(20_000_000)), (list) => {
        const transfers = transfersIn(fabric, list);
        const run = engineRun(fabric, transfers, { settings: settingsWith({ packet: { payload: 1000 } }) });
        const times = new Set(run.flows.flatMap(({ startPs, finishPs }) => [startPs, finishPs]));
        // what starts as another finishes is a matter of order: leave such runs out
        fc.pre(times.size === 2 * run.flows.length);
        const flows = run.flows.map(({ flow, startPs, finishPs }): Interval => ({
          start: startPs,
          finish: finishPs,
          ports: run.hops
            .filter((row) => row.flow === flow)
            .map((row) => fabric.portOffset[row.node]! + row.interface - 1),
        }));
        expect(run.collisions.count()).toEqual({ ...bruteForce(fabric, flows), exact: true });
      }),
      { seed, numRuns: rounds(40) },
    );
  });
});

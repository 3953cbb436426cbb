// Properties of routes and paths on random fabrics: the next-hop sets are those of a plain breadth-first search written
// here, a traced path is what hashing those sets with an independent hash gives, and packets really take it, data and
// acknowledgements alike.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Kind } from '../../src/backends/packet/packets.js';
import { FabricBuilder, NodeKind, type Fabric } from '../../src/fabric/fabric.js';
import { EqualCostRoutes, type NextHopOrder } from '../../src/routing/equal-cost.js';
import { PathTracer } from '../../src/routing/path.js';
import { packetFacts } from '../support/engine-records.js';
import { engineRun, settingsWith, type Transfer } from '../support/engine-run.js';
import { distancesTo, plainDistances, plainNextHops, plainPath } from '../../validation/plain-routes.js';
import { buildFabric, fabricRecipe, transferRecipe, transfersIn } from '../support/random-fabric.js';
import { seed } from '../support/seed.js';

const recipes = fabricRecipe({
  ratesBps: [100e9, 400e9],
  latenciesPs: [1000, 500_000],
  mostSwitches: 9,
  mostExtraLinks: 16,
});

function traced(
  tracer: PathTracer,
  source: number,
  destination: number,
  sourcePort: number,
  destinationPort: number,
): number[] {
  const out = new Int32Array(tracer.maxLength);
  return Array.from(out.subarray(0, tracer.trace(source, destination, sourcePort, destinationPort, out)));
}

/** Compares every next-hop set of a fabric with the plain search. */
function expectPlainRoutes(fabric: Fabric, order: NextHopOrder): void {
  const routes = new EqualCostRoutes(fabric, order);
  const out = new Int32Array(fabric.portCount);
  for (const destination of fabric.hosts) {
    const distances = distancesTo(fabric, destination);
    const distance = distances.any;
    const longest = new Map([[destination, 0]]);
    const longestFrom = (node: number): number => {
      const known = longest.get(node);
      if (known !== undefined) return known;
      longest.set(node, Infinity);
      const lengths = plainNextHops(fabric, distances, node, destination, order).map(
        (port) => 1 + longestFrom(fabric.portNode[fabric.portPeer[port]!]!),
      );
      longest.set(node, Math.max(...lengths));
      return Math.max(...lengths);
    };
    for (let node = 0; node < fabric.nodeCount; node++) {
      if (node === destination) continue;
      const wanted = distance[node] === Infinity ? [] : plainNextHops(fabric, distances, node, destination, order);
      let got: number[];
      if (fabric.nodeKind[node] === NodeKind.host)
        got = Array.from(out.subarray(0, routes.sourcePorts(node, destination, out)));
      else {
        const set = routes.nextHopSet(node, destination);
        got = set < 0 ? [] : Array.from(routes.setPorts.subarray(routes.setOffset[set], routes.setOffset[set + 1]));
        expect(routes.distance(node, destination)).toBe(Math.min(distance[node]!, 255));
        if (fabric.nodeKind[node] === NodeKind.nvswitch)
          expect(routes.nvlinkDistance(node, destination)).toBe(Math.min(distances.nvlink[node]!, 255));
      }
      expect(got, `node ${node} to host ${destination}`).toEqual(wanted);
      // a loop would make it infinite
      if (distance[node] !== Infinity) expect(longestFrom(node)).toBeLessThanOrEqual(routes.longestPath);
    }
  }
}

/** Nodes of these kinds, and links between any two of them. */
function linked(nodes: readonly NodeKind[], links: readonly (readonly [number, number])[]): Fabric {
  const builder = new FabricBuilder(2);
  for (const kind of nodes) builder.addNode(kind);
  for (const [a, b] of links) {
    const first = a % nodes.length;
    builder.addLink(first, (first + 1 + (b % (nodes.length - 1))) % nodes.length, 1e9, 1000);
  }
  return builder.build();
}

const anyOrder = fc.constantFrom<NextHopOrder>('descending-node-id', 'ascending-node-id');

describe('routes', () => {
  it(`are all shortest paths, by NVLink wherever it leads, NVSwitches first, in the order named (WEFT_SEED=${seed})`, () => {
    fc.assert(
      fc.property(recipes, anyOrder, (recipe, order) => expectPlainRoutes(buildFabric(recipe), order)),
      { seed, numRuns: 150 },
    );
  });

  it(`are so on fabrics in pieces and with links between hosts (WEFT_SEED=${seed})`, () => {
    const kinds = fc.array(
      fc.constantFrom<NodeKind>(NodeKind.host, NodeKind.host, NodeKind.switch, NodeKind.nvswitch, NodeKind.nvswitch),
      { minLength: 2, maxLength: 14 },
    );
    fc.assert(
      fc.property(kinds, fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 24 }), anyOrder, (nodes, links, order) => {
        expectPlainRoutes(linked(nodes, links), order);
      }),
      { seed, numRuns: 300 },
    );
  });

  it(`keep to a limit of links, where failures set one, and lead to the end all the same (WEFT_SEED=${seed})`, () => {
    const kinds = fc.array(
      fc.constantFrom<NodeKind>(NodeKind.host, NodeKind.switch, NodeKind.nvswitch, NodeKind.nvswitch),
      { minLength: 4, maxLength: 14 },
    );
    let shortened = 0;
    fc.assert(
      fc.property(
        kinds,
        fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 24 }),
        fc.integer({ min: 2, max: 7 }),
        (nodes, links, mostLinks) => {
          const fabric = linked([NodeKind.host, NodeKind.host, ...nodes], links);
          const free = new PathTracer(new EqualCostRoutes(fabric, 'descending-node-id'));
          const limited = new PathTracer(
            new EqualCostRoutes(fabric, 'descending-node-id', {
              isUp: new Uint8Array(fabric.linkCount).fill(1),
              mostLinks,
            }),
            20,
          );
          for (const source of fabric.hosts) {
            for (const destination of fabric.hosts) {
              if (source === destination) continue;
              const path = traced(limited, source, destination, 10_000, 100);
              expect(path.length).toBeLessThanOrEqual(limited.routes.longestPath);
              if (path.length > 0) expect(fabric.portNode[fabric.portPeer[path[path.length - 1]!]!]).toBe(destination);
              // a host beyond the limit has no path, every other has one
              const shortest = plainDistances(fabric, destination)[source]!;
              expect(path.length > 0).toBe(shortest <= mostLinks);
              if (path.length < traced(free, source, destination, 10_000, 100).length) shortened++;
            }
          }
          expect(limited.routes.longestPath).toBeLessThanOrEqual(mostLinks);
        },
      ),
      { seed, numRuns: 400 },
    );
    expect(shortened).toBeGreaterThan(0);
  });
});

describe('a traced path', () => {
  it(`is what the independent hash chooses among the shortest (WEFT_SEED=${seed})`, () => {
    fc.assert(
      fc.property(
        recipes,
        anyOrder,
        fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat(65_535), fc.nat(65_535)), { minLength: 1, maxLength: 20 }),
        (recipe, order, headers) => {
          const fabric = buildFabric(recipe);
          const tracer = new PathTracer(new EqualCostRoutes(fabric, order));
          for (const [a, b, sourcePort, destinationPort] of headers) {
            const [source, destination] = transfersIn(fabric, [[a, b, 1, 0]])[0]!;
            expect(traced(tracer, source, destination, sourcePort, destinationPort)).toEqual(
              plainPath(fabric, source, destination, sourcePort, destinationPort, order),
            );
          }
        },
      ),
      { seed, numRuns: 100 },
    );
  });

  it(`is the one that every packet takes, and acknowledgements take that of their own header (WEFT_SEED=${seed})`, () => {
    let packets = 0;
    fc.assert(
      fc.property(
        recipes,
        anyOrder,
        transferRecipe(fc.integer({ min: 1, max: 6000 }), 12, fc.constant(0)),
        fc.array(fc.nat(65_535), { minLength: 12, maxLength: 12 }),
        (recipe, order, list, sourcePorts) => {
          const fabric = buildFabric(recipe);
          const transfers: readonly Transfer[] = transfersIn(fabric, list);
          // every transfer starts at 0 and none later, so queue pairs are numbered as the transfers are
          const walked = new Map<string, number[]>();
          const run = engineRun(fabric, transfers, {
            settings: settingsWith({ packet: { payload: 1000 } }),
            order,
            sourcePorts,
            onArrival: (packet, port, network) => {
              const { kind, pair, sequence } = packetFacts(network.parts, packet);
              const key = `${pair} ${kind === Kind.data ? 'data' : 'reply'} ${sequence}`;
              walked.set(key, [...(walked.get(key) ?? []), fabric.portPeer[port]!]);
            },
          });
          expect(run.state).toBe('finished');
          for (const [key, path] of walked) {
            const [pair, kind] = key.split(' ') as [string, string];
            const [source, destination] = transfers[Number(pair)]!;
            const port = sourcePorts[Number(pair)]!;
            const [from, to, fromPort, toPort] =
              kind === 'data' ? [source, destination, port, 100] : [destination, source, 100, port];
            expect(path, key).toEqual(plainPath(fabric, from, to, fromPort, toPort, order));
            expect(path, key).toEqual(traced(run.tracer, from, to, fromPort, toPort));
          }
          packets += walked.size;
          expect(walked.size).toBe(2 * transfers.reduce((sum, [, , size]) => sum + Math.ceil(size / 1000), 0));
        },
      ),
      { seed, numRuns: 60 },
    );
    expect(packets).toBeGreaterThan(1000);
  });
});

// What the one-bit variant adds up for each link, whatever routes come and go between packets: against a test of each
// packet for each link that the routes in force led it over, one by one.

import { expect, it } from 'vitest';
import { RandomStream } from '#weft/base/random.js';
import { generateFabric } from '#weft/fabric/generators/catalogue.js';
import { recogniseFatTree } from '#weft/fabric/fat-tree.js';
import { type EqualCostRoutes, equalCostRoutes } from '#weft/routing/equal-cost.js';
import { routeRandom } from '#weft/routing/random-minimal.js';
import { routesByRules } from '#weft/routing/table-routes.js';
import { ArrivedSamples } from '#weft/sampling/arrived-samples.js';
import { BitTests } from '#weft/sampling/bit-tests.js';
import { Carried } from '#weft/sampling/carried-sample.js';
import { IdentifierWords } from '#weft/sampling/identifier-words.js';
import { LinkTallies, Tally } from '#weft/sampling/link-tallies.js';
import { SampleLabels } from '#weft/sampling/sample-labels.js';
import { linkCountTable, linkSampleTable } from '#weft/sampling/sample-records.js';
import { scenarioRun } from '../support/scenario-run.js';
import { seed } from '../support/seed.js';
import { tableRows } from '../support/table-rows.js';

const rules = { nextHopOrder: 'descending-node-id', withinServers: 'nvlink' } as const;
const fabric = generateFabric('fat-tree', { k: 4 });

/** Bits that are 1, modulo 2, one by one. */
function oddBits(word: number): boolean {
  let isOdd = false;
  for (let bit = 0; bit < 32; bit++) if (((word >>> bit) & 1) === 1) isOdd = !isOdd;
  return isOdd;
}

/** All links of all ways between two hosts, and all ports of both ends, which are tested whatever the routes say. */
function linksBetween(routes: EqualCostRoutes, source: number, destination: number): Set<number> {
  const { portOffset, portPeer, portNeighbour } = routes.fabric;
  const links = new Set<number>();
  for (let port = portOffset[source]!; port < portOffset[source + 1]!; port++) links.add(port);
  for (let port = portOffset[destination]!; port < portOffset[destination + 1]!; port++) links.add(portPeer[port]!);
  const first = new Int32Array(routes.fabric.portCount);
  const count = routes.sourcePorts(source, destination, first);
  const walk = (node: number): void => {
    if (node === destination) return;
    const set = routes.nextHopSet(node, destination);
    for (let at = routes.setOffset[set]!; at < routes.setOffset[set + 1]!; at++) {
      links.add(routes.setPorts[at]!);
      walk(portNeighbour[routes.setPorts[at]!]!);
    }
  };
  for (const port of first.subarray(0, count)) walk(portNeighbour[port]!);
  return links;
}

/** Routes of the tree: all ways, those without a link between switches, and tables that lead to each host by one way. */
function someRoutes(random: RandomStream): EqualCostRoutes[] {
  const all = equalCostRoutes(fabric, rules);
  const isUp = new Uint8Array(fabric.linkCount).fill(1);
  const between = [...fabric.portLink.keys()].filter(
    (p) => Math.min(fabric.portNode[p]!, fabric.portNeighbour[p]!) >= 16,
  );
  isUp[fabric.portLink[between[random.nextBelow(between.length)]!]!] = 0;
  const { tree } = recogniseFatTree(fabric);
  const tables = [1, 2].map((n) => routesByRules(fabric, { ...rules, tables: [routeRandom(tree!, seed + n)] }));
  return [all, all.knowing({ isUp, mostLinks: 10 }), ...tables, all];
}

it(`tests packets for the links of the routes in force when they came (WEFT_SEED=${seed})`, () => {
  const random = new RandomStream(seed, 'arrivals');
  const labels = new SampleLabels(8);
  const tallies = new LinkTallies(fabric.portCount, labels);
  const label = labels.ofJob(-1);
  let inForce = equalCostRoutes(fabric, rules);
  const every = 3;
  const tests = new BitTests(fabric, () => inForce, tallies, 256, every);
  // packets bring words and hashes of their own
  const identifiers = new IdentifierWords(seed, fabric.portCount, 1, 32);
  const arrivals = new ArrivedSamples({ tests, identifiers });
  const width = Object.keys(Tally).length;
  const expected = new Float64Array(fabric.portCount * width);
  for (const routes of someRoutes(random)) {
    inForce = routes;
    const links = new Map<string, Set<number>>();
    const packets = 200 + random.nextBelow(2000);
    for (let packet = 0; packet < packets; packet++) {
      const source = random.nextBelow(4);
      const destination = 4 + random.nextBelow(12);
      const word = random.nextUint32() >>> 7;
      const hash = random.nextBelow(2);
      const isCongested = random.nextBelow(3) === 0;
      const hops = 4 + 2 * random.nextBelow(2);
      const carried =
        (word << Carried.valueShift) |
        Carried.isSampled |
        (isCongested ? Carried.metCongestion : 0) |
        (hash === 1 ? Carried.hash : 0);
      arrivals.add(source * 16 + destination, source, destination, label, hops, carried);
      const ends = `${source} ${destination}`;
      const between = links.get(ends) ?? linksBetween(routes, source, destination);
      links.set(ends, between);
      const weight = every * hops;
      for (const port of between) {
        const signed = oddBits(word & (port + 1)) === (hash === 1) ? weight : -weight;
        const at = port * width;
        expected[at + Tally.tested]! += 1;
        expected[at + Tally.traffic]! += signed;
        expected[at + Tally.squares]! += weight ** 2;
        expected[at + Tally.congested]! += isCongested ? signed : 0;
        expected[at + Tally.congestedSquares]! += isCongested ? weight ** 2 : 0;
      }
    }
  }
  arrivals.flush();
  const found = new Float64Array(expected.length);
  tallies.forEach((_, port, cell) => found.set(tallies.values.subarray(cell, cell + width), port * width));
  expect(found).toEqual(expected);
});

// a link comes back while nothing is sent; half of the messages are sent before, half after: more than are noted at a time
const text = `
seed: ${seed}
fabric: { generate: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 4 }
failures:
  convergenceTime: 0us
  events:
    - { at: 0us, until: 600us, link: "leaf[0]-spine[0]" }
traffic:
  transfers:
${Array.from({ length: 32 }, (_, i) => ({ start: i < 16 ? 0 : 700, host: i % 4 }))
  .map(({ start, host }) => `    - { source: ${host}, destination: ${4 + host}, size: 280kB, start: ${start}us }`)
  .join('\n')}
`;

it.each([
  ['a link that comes back', 'credit', []],
  ['a link that comes back', 'packet', ['pfc.enabled=true']],
  ['tables', 'credit', ['routing.algorithm=random', 'failures.events=[]']],
])(`with %s one-bit samples on %s find what ports counted (WEFT_SEED=${seed})`, async (_, backend, own) => {
  const set = [`backend=${backend}`, 'sampling.variant=one-bit', 'sampling.exact=true', ...own];
  const { sink } = await scenarioRun(text, set);
  const samples = new Map(tableRows(sink, linkSampleTable).map((row) => [`${row['node']} ${row['interface']}`, row]));
  let counted = 0;
  for (const { node, interface: number, packets } of tableRows(sink, linkCountTable)) {
    const sample = samples.get(`${node} ${number}`);
    expect(sample, `node ${node}`).toBeDefined();
    const error = Number(sample!['trafficError']);
    expect(Math.abs(Number(sample!['traffic']) - Number(packets)), `node ${node}`).toBeLessThan(6 * error);
    counted++;
  }
  // 8 links of hosts, and some of both leaves
  expect(counted).toBeGreaterThan(9);
});

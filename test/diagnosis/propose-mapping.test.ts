// Places for ranks: what the busiest link needs, by hand, and proposals beside it.

import { expect, it } from 'vitest';
import { RandomStream } from '../../src/base/random.js';
import { proposeMapping } from '../../src/diagnosis/propose-mapping.js';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import { seed } from '../support/seed.js';

/** hosts 0 to 7 below four leaves, one spine; a byte takes 1 ns */
const fabric = generateFabric('leaf-spine', {
  leaves: 4,
  spines: 1,
  hostsPerLeaf: 2,
  hostRate: '8Gbps',
  spineRate: '8Gbps',
});

function ring(ranks: number, bytes: number) {
  const from = Int32Array.from({ length: ranks }, (_, rank) => rank);
  return { from, to: from.map((rank) => (rank + 1) % ranks), bytes: new Float64Array(ranks).fill(bytes) };
}

it('counts the busiest link of a ring: two flows leave each leaf where neighbours alternate, one where they do not', () => {
  const alternating = Int32Array.of(0, 2, 4, 6, 1, 3, 5, 7);
  const { now, best } = proposeMapping(fabric, ring(8, 1000), alternating);
  expect(now).toEqual({ hostsPs: 1e6, switchesPs: 2e6 });
  expect([best.hostsPs, best.switchesPs]).toEqual([1e6, 1e6]);
});

it(`brings a ring in any order below as many crossings as it needs, and keeps the places (WEFT_SEED=${seed})`, () => {
  const random = new RandomStream(seed, 'mappings');
  for (let draw = 0; draw < 20; draw++) {
    const nodes = Array.from(fabric.hosts);
    for (let i = nodes.length - 1; i > 0; i--) {
      const j = random.nextBelow(i + 1);
      [nodes[i], nodes[j]] = [nodes[j]!, nodes[i]!];
    }
    const { best } = proposeMapping(fabric, ring(8, 1000), Int32Array.from(nodes));
    expect(best.switchesPs).toBe(1e6);
    expect(Array.from(best.nodes).sort((a, b) => a - b)).toEqual(Array.from(fabric.hosts));
  }
});

it('keeps pairs of ranks on one host where that has room for two', () => {
  // rank i talks to rank i + 4 alone; two ranks a host
  const from = Int32Array.of(0, 1, 2, 3);
  const traffic = { from, to: from.map((rank) => rank + 4), bytes: new Float64Array(4).fill(1000) };
  const { now, best } = proposeMapping(fabric, traffic, Int32Array.of(0, 0, 1, 1, 2, 2, 3, 3));
  expect(now.hostsPs).toBe(2e6);
  expect([best.hostsPs, best.switchesPs, best.name]).toEqual([0, 0, 'graph partition']);
});

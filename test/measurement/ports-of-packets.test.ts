// The ports that packets of a queue pair took, against maps: many queue pairs at once, whose slots are used again.

import { expect, it } from 'vitest';
import { RandomStream } from '../../src/base/random.js';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import { PortsOfPackets } from '../../src/measurement/ports-of-packets.js';
import { LinkLoads } from '../../src/measurement/link-loads.js';
import { seed } from '../support/seed.js';

const fabric = generateFabric('fat-tree', { k: 6 });

/** What one queue pair took: ports in their order, and the place of each node that they led to. */
interface Taken {
  readonly ports: number[];
  readonly placeOf: Map<number, number>;
}

it(`are read in their order, each at its place of the way (WEFT_SEED=${seed})`, () => {
  const random = new RandomStream(seed, 'ports');
  const taken = new PortsOfPackets(fabric);
  const known = new Map<number, Taken>();
  let [wrong, longest, read] = [0, 0, 0];
  for (let turn = 0; turn < 20_000; turn++) {
    const slot = random.nextBelow(6) + 300 * random.nextBelow(2);
    let own = known.get(slot);
    if (own === undefined) {
      own = { ports: [], placeOf: new Map([[random.nextBelow(54), 0]]) };
      known.set(slot, own);
    }
    // a port out of a node that was reached, and that was not taken yet
    const nodes = own.ports.length === 0 ? [...own.placeOf.keys()] : [...own.placeOf.keys()].filter((n) => n >= 54);
    const node = nodes[random.nextBelow(nodes.length)]!;
    const [from, end] = [fabric.portOffset[node]!, fabric.portOffset[node + 1]!];
    const port = from + random.nextBelow(end - from);
    if (!own.ports.includes(port)) {
      taken.add(slot, port);
      own.ports.push(port);
      const next = fabric.portNode[fabric.portPeer[port]!]!;
      if (!own.placeOf.has(next)) own.placeOf.set(next, own.placeOf.get(node)! + 1);
    }
    if (random.nextBelow(300) > 0) continue;
    known.delete(slot);
    read++;
    taken.read(slot);
    const places = own.ports.map((of) => own.placeOf.get(fabric.portNode[of]!)!);
    longest = Math.max(longest, own.ports.length);
    if (taken.ports.slice(0, taken.count).join() !== own.ports.join()) wrong++;
    if (taken.places.slice(0, taken.count).join() !== places.join()) wrong++;
    if (taken.lastPlace !== Math.max(...places)) wrong++;
    taken.read(slot);
    if (taken.count !== 0) wrong++;
  }
  expect(wrong).toBe(0);
  expect(read).toBeGreaterThan(20);
  expect(longest).toBeGreaterThan(100);
});

it('one to which none leads is a bug, and named', () => {
  const taken = new PortsOfPackets(fabric);
  taken.add(3, fabric.portOffset[0]!);
  taken.add(3, fabric.portOffset[54 + 17]!);
  expect(() => taken.read(3)).toThrow(/data of slot 3 takes output port \d+ of node 71, to which it took none/);
});

it('share the bytes of a queue pair equally at each place of the way', () => {
  const loads = new LinkLoads(fabric);
  const host = fabric.portOffset[0]!;
  const leaf = fabric.portNeighbour[host]!;
  const up = [0, 1, 2, 3, 4, 5]
    .map((i) => fabric.portOffset[leaf]! + i)
    .filter((port) => fabric.portNeighbour[port]! >= 54);
  expect(up).toHaveLength(3);
  loads.started(0, new Int32Array(6), 0, 1200, 0);
  for (const port of [host, ...up]) loads.took(0, port, 10);
  loads.finished(0, 100);
  expect([loads.bytesOf(host), ...up.map((port) => loads.bytesOf(port))]).toEqual([1200, 400, 400, 400]);
});

// ECMP in its two forms, paths in a table and ways in the packets: both take, port by port, what the independent search
// and hash say, there and back, and end where an NVSwitch is the end.

import { describe, expect, it } from 'vitest';
import { EcmpBalancing } from '../../src/backends/packet/balancing/ecmp.js';
import { SourceRoutedEcmp } from '../../src/backends/packet/balancing/ecmp-source-routes.js';
import { PacketWord } from '../../src/backends/packet/packets.js';
import { arrivedHere } from '../../src/backends/packet/plug-ins.js';
import { QueuePairs } from '../../src/backends/packet/queue-pairs.js';
import { EventRecords } from '../../src/engine/event-records.js';
import { type Fabric, FabricBuilder, NodeKind } from '../../src/fabric/fabric.js';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import { EqualCostRoutes } from '../../src/routing/equal-cost.js';
import { PathTracer } from '../../src/routing/path.js';
import { plainPath } from '../../validation/plain-routes.js';

const order = 'descending-node-id';

const tracerOf = (fabric: Fabric): PathTracer => new PathTracer(new EqualCostRoutes(fabric, order));

/** A row of switches, a host at one end and many at the other. */
function row(switches: number, hosts: number): Fabric {
  const builder = new FabricBuilder(1);
  const first = builder.addNodes(NodeKind.switch, switches);
  const from = builder.addNode(NodeKind.host);
  const to = builder.addNodes(NodeKind.host, hosts);
  for (let i = 1; i < switches; i++) builder.addLink(first + i - 1, first + i, 1e9, 1000);
  builder.addLink(from, first, 1e9, 1000);
  for (let i = 0; i < hosts; i++) builder.addLink(to + i, first + switches - 1, 1e9, 1000);
  return builder.build();
}

/** The ports that a packet of a queue pair takes, and whether its way said that it ends. */
function taken(
  balancing: EcmpBalancing | SourceRoutedEcmp,
  { fabric, records, isReply }: { fabric: Fabric; records: EventRecords; isReply: boolean },
  pair: number,
  end: number,
): [ports: number[], saysEnd: boolean] {
  const packet = 3;
  const ports = [balancing.depart(packet, pair, isReply)];
  for (;;) {
    const port = ports.at(-1)!;
    const node = fabric.portNode[fabric.portPeer[port]!]!;
    if (node === end && fabric.nodeKind[node] === NodeKind.host) return [ports, false];
    records.words[(packet << 3) + PacketWord.port] = port;
    const next = balancing.next(packet);
    if (next === arrivedHere) return [ports, true];
    ports.push(next);
  }
}

const fabrics: readonly (readonly [string, Fabric, (readonly [number, number])[]])[] = [
  [
    'a fat tree',
    generateFabric('fat-tree', { k: 8 }),
    [
      [0, 127],
      [5, 6],
      [17, 2],
      [100, 3],
      [1, 0],
    ],
  ],
  // 8 bits at each of four switches: the last port has the topmost bit of the word
  [
    'a row of four switches, the last with 130 ports',
    row(4, 129),
    [
      [4, 5],
      [4, 133],
      [133, 4],
      [100, 101],
    ],
  ],
  // GPUs 0 to 15, then the NVSwitches of two servers
  [
    'servers and their NVSwitches',
    generateFabric('spectrum-x', { gpus: 16 }),
    [
      [0, 7],
      [3, 12],
      [0, 16],
      [17, 9],
    ],
  ],
];

describe.each([EcmpBalancing, SourceRoutedEcmp])('%o', (Ecmp) => {
  it.each(fabrics)('takes the paths of the hash: %s', (_name, fabric, ends) => {
    const tracer = tracerOf(fabric);
    const records = new EventRecords();
    const pairs = new QueuePairs();
    for (let i = 0; i < 5; i++) records.allocate();
    const balancing = new Ecmp({ tracer, pairs, records });
    const all = Array.from({ length: 100 }, (_, n) => [...ends[n % ends.length]!, 10_000 + n] as const);
    // more queue pairs than there is room for at first, all connected before the first packet goes
    for (const [source, destination, port] of all) {
      const pair = pairs.allocate();
      pairs.source[pair] = source;
      pairs.destination[pair] = destination;
      pairs.sourcePort[pair] = port;
      pairs.destinationPort[pair] = 100;
      balancing.connect(pair);
    }
    all.forEach(([source, destination, port], pair) => {
      for (const isReply of [false, true]) {
        const [from, to] = isReply ? [destination, source] : [source, destination];
        const [ports, saysEnd] = taken(balancing, { fabric, records, isReply }, pair, to);
        const isOfNvswitch = [from, to].some((node) => fabric.nodeKind[node] === NodeKind.nvswitch);
        if (isOfNvswitch) {
          expect(ports.map((taking) => fabric.portNode[taking])).toEqual([from]);
          expect(fabric.portNode[fabric.portPeer[ports[0]!]!]).toBe(to);
        } else expect(ports).toEqual(plainPath(fabric, from, to, isReply ? 100 : port, isReply ? port : 100, order));
        expect(saysEnd).toBe(fabric.nodeKind[to] === NodeKind.nvswitch);
      }
    });
  });
});

describe('ways in the packets', () => {
  it('are for fabrics on which the longest fits the word', () => {
    // 130 and 255 ports are numbered by 8 bits, of which one number is the end; 256 by 9
    expect(SourceRoutedEcmp.fits(tracerOf(row(4, 129)))).toBe(true);
    expect(SourceRoutedEcmp.fits(tracerOf(row(4, 254)))).toBe(true);
    expect(SourceRoutedEcmp.fits(tracerOf(row(4, 255)))).toBe(false);
    expect(SourceRoutedEcmp.fits(tracerOf(row(5, 129)))).toBe(false);
  });
});

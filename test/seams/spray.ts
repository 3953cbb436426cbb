// A balancer that is none of Weft's: every packet, acknowledgements too, takes the next of the equal-cost ports of its connection in turn, by
// a number that it carries in place of its connection's source port.
// Invariant: a packet keeps its number, so each takes one way that ECMP could take.

import type { Mechanism } from '../../src/backends/packet/mechanism.js';
import { PacketWord } from '../../src/backends/packet/packets.js';
import type { PacketParts } from '../../src/backends/packet/parts.js';
import { arrivedHere, type Balancing, noRoute } from '../../src/backends/packet/plug-ins.js';
import { PairWord } from '../../src/backends/packet/queue-pairs.js';

const { pair: PAIR, place: PLACE, port: PORT } = PacketWord;
const ways = 256;

class Spray implements Balancing {
  readonly paths = 'per-packet';
  /** by queue pair: packets that have departed */
  private readonly departed;

  constructor(private readonly parts: PacketParts) {
    this.departed = parts.columns.byPair('uint32');
  }

  connect(pair: number): number {
    const { source, destination, sourcePort, destinationPort } = this.parts.pairs;
    return this.parts.tracer.firstPort(source[pair]!, destination[pair]!, sourcePort[pair]!, destinationPort[pair]!);
  }

  /** The place word: the number of the packet's way, and whether it goes back. */
  depart(packet: number, pair: number, isReply: boolean): number {
    const { pairs, records, tracer } = this.parts;
    const way = this.departed.values[pair]!++ % ways;
    records.words[(packet << 3) + PLACE] = (way << 1) | (isReply ? 1 : 0);
    if (!isReply) return pairs.words[(pair << 4) + PairWord.nicPort]!;
    return tracer.firstPort(pairs.destination[pair]!, pairs.source[pair]!, pairs.destinationPort[pair]!, way);
  }

  next(packet: number): number {
    const { pairs, records, tracer, fabric } = this.parts;
    const at = packet << 3;
    const node = fabric.portNode[fabric.portPeer[records.words[at + PORT]!]!]!;
    const pair = records.words[at + PAIR]!;
    const place = records.words[at + PLACE]!;
    const [from, to] = [pairs.source[pair]!, pairs.destination[pair]!];
    if (node === ((place & 1) === 0 ? to : from)) return arrivedHere;
    const way = place >> 1;
    const port =
      (place & 1) === 0
        ? tracer.nextPort(node, from, to, way, pairs.destinationPort[pair]!)
        : tracer.nextPort(node, to, from, pairs.destinationPort[pair]!, way);
    return port < 0 ? noRoute : port;
  }
}

export const spray: Mechanism<PacketParts, Balancing> = {
  description: 'every packet takes a way of its own',
  make: (parts) => new Spray(parts),
};

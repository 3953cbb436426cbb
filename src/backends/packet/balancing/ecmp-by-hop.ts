// Equal-cost multi-path routing where routes may change under way: every switch hashes each packet over the routes that
// are in force when it arrives there. With routes that never change it takes exactly the paths of ecmp.ts, at the cost
// of a hash per hop.
// Invariant: the choice at a switch is that of routing/path.ts. Not modelled: switches that learn of a change at
// different times.

import type { PathTracer } from '../../../routing/path.js';
import { type EventRecords } from '../../../engine/event-records.js';
import { PacketWord } from '../packets.js';
import type { EcmpParts } from './ecmp.js';
import { ConnectionEnds } from './connection-ends.js';
import { arrivedHere, noRoute, type Balancing } from '../plug-ins.js';
import { PairWord, type QueuePairs } from '../queue-pairs.js';

// constants of this module fold into the machine code, imported ones do not
const { place: PLACE, port: PORT, pair: PAIR } = PacketWord;
const { nicPort: NIC_PORT } = PairWord;

export class HopByHopEcmp implements Balancing {
  readonly paths = 'fixed';
  private readonly ends: ConnectionEnds;
  private readonly tracer: PathTracer;
  private readonly pairs: QueuePairs;
  private readonly records: EventRecords;

  constructor(parts: EcmpParts) {
    this.tracer = parts.tracer;
    this.pairs = parts.pairs;
    this.records = parts.records;
    this.ends = new ConnectionEnds(parts.tracer, parts.pairs);
  }

  connect(pair: number): number {
    return this.ends.connect(pair);
  }

  depart(packet: number, pair: number, isReply: boolean): number {
    this.records.words[(packet << 3) + PLACE] = isReply ? 1 : 0;
    return isReply ? this.ends.replyPort[pair]! : this.pairs.words[(pair << 4) + NIC_PORT]!;
  }

  next(packet: number): number {
    const { words } = this.records;
    const { source, destination, sourcePort, destinationPort } = this.pairs;
    const { portNode, portPeer } = this.tracer.fabric;
    const at = packet << 3;
    const node = portNode[portPeer[words[at + PORT]!]!]!;
    const pair = words[at + PAIR]!;
    if (node === (words[at + PLACE] === 0 ? destination : source)[pair]) return arrivedHere;
    const port =
      words[at + PLACE] === 0
        ? this.tracer.nextPort(node, source[pair]!, destination[pair]!, sourcePort[pair]!, destinationPort[pair]!)
        : this.tracer.nextPort(node, destination[pair]!, source[pair]!, destinationPort[pair]!, sourcePort[pair]!);
    return port < 0 ? noRoute : port;
  }
}

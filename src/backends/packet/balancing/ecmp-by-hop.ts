// Equal-cost multi-path routing where routes may change under way: every switch hashes each packet over the routes that
// are in force when it arrives there. With routes that never change it takes exactly the paths of ecmp.ts, at the cost
// of a hash per hop.
// Invariant: the choice at a switch is that of routing/path.ts. Not modelled: switches that learn of a change at
// different times.

import { grown } from '../../../base/columns.js';
import type { PathTracer } from '../../../routing/path.js';
import { type EventRecords } from '../../../engine/event-records.js';
import { PacketWord } from '../packets.js';
import type { EcmpParts } from './ecmp.js';
import { arrivedHere, noRoute, type Balancing } from '../plug-ins.js';
import { PairWord, type QueuePairs } from '../queue-pairs.js';

// constants of this module fold into the machine code, imported ones do not
const { place: PLACE, port: PORT, pair: PAIR } = PacketWord;
const { nicPort: NIC_PORT } = PairWord;

export class HopByHopEcmp implements Balancing {
  readonly paths = 'fixed';
  /** per pair: the port by which the receiver's acknowledgements leave */
  private replyPort = new Int32Array(0);

  private readonly tracer: PathTracer;
  private readonly pairs: QueuePairs;
  private readonly records: EventRecords;

  constructor(parts: EcmpParts) {
    this.tracer = parts.tracer;
    this.pairs = parts.pairs;
    this.records = parts.records;
    this.reserve(parts.pairs.capacity);
    parts.pairs.onGrow((capacity) => this.reserve(capacity));
  }

  connect(pair: number): number {
    const { source, destination, sourcePort, destinationPort } = this.pairs;
    const from = source[pair]!;
    const to = destination[pair]!;
    this.replyPort[pair] = this.tracer.firstPort(to, from, destinationPort[pair]!, sourcePort[pair]!);
    return this.tracer.firstPort(from, to, sourcePort[pair]!, destinationPort[pair]!);
  }

  depart(packet: number, pair: number, isReply: boolean): number {
    this.records.words[(packet << 3) + PLACE] = isReply ? 1 : 0;
    return isReply ? this.replyPort[pair]! : this.pairs.words[(pair << 4) + NIC_PORT]!;
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

  private reserve(capacity: number): void {
    this.replyPort = grown(this.replyPort, capacity);
  }
}

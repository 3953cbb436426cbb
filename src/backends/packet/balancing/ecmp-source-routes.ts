// Equal-cost multipath whose packets carry the rest of their way: per switch a number of its ports, packed in the
// packet's place word, so that a hop reads nothing but the packet and one table by port. For fabrics on which every way
// fits the word; ecmp.ts takes the same paths on all others.
// Invariants: the path is the one that routing/path.ts traces, at every switch; behind the last port of a way that ends
// at an NVSwitch stands the mark of its end. Source: source routing; measured in docs/models/engine.md.

import { fail } from '../../../base/fail.js';
import { grown } from '../../../base/columns.js';
import type { Fabric } from '../../../fabric/fabric.js';
import type { PathTracer } from '../../../routing/path.js';
import { type EventRecords } from '../../../engine/event-records.js';
import { PacketWord } from '../packets.js';
import { arrivedHere, type Balancing } from '../plug-ins.js';
import type { QueuePairs } from '../queue-pairs.js';
import type { EcmpParts } from './ecmp.js';

// constants of this module fold into the machine code, imported ones do not
const { place: PLACE, port: PORT } = PacketWord;
const ARRIVED_HERE = arrivedHere;

/** int32 words per queue pair: first port and packed rest of its way, and of the way of its acknowledgements */
const wordsPerPair = 4;
const placeBits = 32;

export class SourceRoutedEcmp implements Balancing {
  readonly paths = 'fixed';
  private ways = new Int32Array(0);
  /** by port: the first port of the node at the other end of its link */
  private readonly firstBeyond: Int32Array;
  /** bits of a number of a port; all of them set: the end of the way */
  private readonly bits: number;
  private readonly end: number;
  private readonly path: Int32Array;

  private readonly tracer: PathTracer;
  private readonly pairs: QueuePairs;
  private readonly records: EventRecords;

  /** True if the longest way fits the word. */
  static fits({ fabric, maxLength }: PathTracer): boolean {
    return bitsOf(fabric) * (maxLength - 1) <= placeBits;
  }

  constructor({ tracer, pairs, records }: EcmpParts) {
    const { portOffset, portNode, portPeer } = tracer.fabric;
    this.tracer = tracer;
    this.pairs = pairs;
    this.records = records;
    this.bits = bitsOf(tracer.fabric);
    this.end = (1 << this.bits) - 1;
    this.path = new Int32Array(tracer.maxLength);
    this.firstBeyond = portPeer.map((peer) => portOffset[portNode[peer]!]!);
    this.reserve(pairs.capacity);
    pairs.onGrow((capacity) => this.reserve(capacity));
  }

  connect(pair: number): number {
    const { source, destination, sourcePort, destinationPort } = this.pairs;
    const from = source[pair]!;
    const to = destination[pair]!;
    const at = pair * wordsPerPair;
    if (!this.walk(from, to, sourcePort[pair]!, destinationPort[pair]!, at)) return -1;
    if (!this.walk(to, from, destinationPort[pair]!, sourcePort[pair]!, at + 2))
      fail(`node ${to} has no route back to node ${from}`);
    return this.ways[at]!;
  }

  depart(packet: number, pair: number, isReply: boolean): number {
    const at = pair * wordsPerPair + (isReply ? 2 : 0);
    this.records.words[(packet << 3) + PLACE] = this.ways[at + 1]!;
    return this.ways[at]!;
  }

  next(packet: number): number {
    const { words } = this.records;
    const at = packet << 3;
    const way = words[at + PLACE]!;
    words[at + PLACE] = way >>> this.bits;
    const number = way & this.end;
    return number === this.end ? ARRIVED_HERE : this.firstBeyond[words[at + PORT]!]! + number;
  }

  private walk(from: number, to: number, sourcePort: number, destinationPort: number, at: number): boolean {
    const { tracer, path, bits, ways } = this;
    const { portOffset, portNode } = tracer.fabric;
    const length = tracer.trace(from, to, sourcePort, destinationPort, path);
    if (length === 0) return false;
    let way = length < path.length ? this.end : 0;
    for (let hop = length - 1; hop > 0; hop--) way = (way << bits) | (path[hop]! - portOffset[portNode[path[hop]!]!]!);
    ways[at] = path[0]!;
    ways[at + 1] = way;
    return true;
  }

  private reserve(capacity: number): void {
    this.ways = grown(this.ways, capacity * wordsPerPair);
  }
}

/** Bits that number the ports of any node and leave one number for the end of a way. */
function bitsOf({ portOffset, nodeCount }: Fabric): number {
  let most = 0;
  for (let node = 0; node < nodeCount; node++) most = Math.max(most, portOffset[node + 1]! - portOffset[node]!);
  return 32 - Math.clz32(most);
}

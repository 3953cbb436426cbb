// Equal-cost multipath: every packet of a connection takes the path that the switches' hash gives its header;
// acknowledgements hash on their own header. The hash of a connection never changes, so its two paths are walked once
// and packets count along them. The way to or from an NVSwitch that receives or sends itself has one link, and an end
// mark behind it.
// Invariant: the path is the one that routing/path.ts traces, at every switch. Source: SimAI
// (docs/models/simai.md#addresses-and-paths).

import { fail } from '../../../base/fail.js';
import { grown } from '../../../base/columns.js';
import type { PathTracer } from '../../../routing/path.js';
import { type EventRecords } from '../../../engine/event-records.js';
import { PacketWord } from '../packets.js';
import type { PacketParts } from '../parts.js';
import { arrivedHere, type Balancing } from '../plug-ins.js';
import type { QueuePairs } from '../queue-pairs.js';

// constants of this module fold into the machine code, imported ones do not
const { place: PLACE } = PacketWord;

/** What ECMP is made from. */
export type EcmpParts = Pick<PacketParts, 'tracer' | 'pairs' | 'records'>;

export class EcmpBalancing implements Balancing {
  readonly paths = 'fixed';
  /** two paths per queue pair, forward then reverse, each `stride` ports long at most */
  private ways = new Int32Array(0);
  private readonly stride: number;

  private readonly tracer: PathTracer;
  private readonly pairs: QueuePairs;
  private readonly records: EventRecords;

  constructor(parts: EcmpParts) {
    this.tracer = parts.tracer;
    this.pairs = parts.pairs;
    this.records = parts.records;
    this.stride = parts.tracer.maxLength;
    this.reserve(parts.pairs.capacity);
    parts.pairs.onGrow((capacity) => this.reserve(capacity));
  }

  connect(pair: number): number {
    const { source, destination, sourcePort, destinationPort } = this.pairs;
    const { stride } = this;
    const from = source[pair]!;
    const to = destination[pair]!;
    const base = pair * 2 * stride;
    if (!this.walk(from, to, sourcePort[pair]!, destinationPort[pair]!, base)) return -1;
    if (!this.walk(to, from, destinationPort[pair]!, sourcePort[pair]!, base + stride))
      fail(`node ${to} has no route back to node ${from}`);
    return this.ways[base]!;
  }

  depart(packet: number, pair: number, isReply: boolean): number {
    const place = (pair * 2 + (isReply ? 1 : 0)) * this.stride;
    this.records.words[(packet << 3) + PLACE] = place;
    return this.ways[place]!;
  }

  next(packet: number): number {
    const { words } = this.records;
    const at = (packet << 3) + PLACE;
    return this.ways[++words[at]!]!;
  }

  private walk(from: number, to: number, sourcePort: number, destinationPort: number, at: number): boolean {
    const length = this.tracer.trace(from, to, sourcePort, destinationPort, this.ways, at);
    if (length < this.stride) this.ways[at + length] = arrivedHere;
    return length > 0;
  }

  private reserve(capacity: number): void {
    this.ways = grown(this.ways, capacity * 2 * this.stride);
  }
}

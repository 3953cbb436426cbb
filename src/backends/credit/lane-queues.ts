// What waits at the output ports of switches: a list of packets for each lane of each port, first come first served.
// Invariant: a packet is in one list at most, and `bytes` is the sum of what is in each.

import type { EventRecords } from '../../engine/event-records.js';
import { ChunkWord } from './chunks.js';

const { next: NEXT, bytes: BYTES } = ChunkWord;

export class LaneQueues {
  /** by queue (port x lanes + lane): its first packet, -1 if there is none */
  readonly head: Int32Array;
  /** by queue: bytes that wait */
  readonly bytes: Float64Array;
  private readonly tail: Int32Array;

  constructor(
    private readonly records: EventRecords,
    queues: number,
  ) {
    this.head = new Int32Array(queues).fill(-1);
    this.tail = new Int32Array(queues).fill(-1);
    this.bytes = new Float64Array(queues);
  }

  add(queue: number, record: number): void {
    const { words } = this.records;
    const last = this.tail[queue]!;
    words[(record << 3) + NEXT] = -1;
    if (last < 0) this.head[queue] = record;
    else words[(last << 3) + NEXT] = record;
    this.tail[queue] = record;
    this.bytes[queue]! += words[(record << 3) + BYTES]!;
  }

  /** Takes the first packet out of a queue that has one. */
  take(queue: number): number {
    const { words } = this.records;
    const record = this.head[queue]!;
    const next = words[(record << 3) + NEXT]!;
    this.head[queue] = next;
    if (next < 0) this.tail[queue] = -1;
    this.bytes[queue]! -= words[(record << 3) + BYTES]!;
    return record;
  }

  /** Calls with every packet of a queue, the first first. */
  forEach(queue: number, visit: (record: number) => void): void {
    for (let record = this.head[queue]!; record >= 0; record = this.records.words[(record << 3) + NEXT]!) visit(record);
  }
}

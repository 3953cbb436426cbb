// What waits at the output ports of switches: a list of packets for each lane of each port, first come first served.
// Invariant: a packet is in one list at most, and `bytes` of a queue's record is the sum of what is in it.

import type { EventRecords } from '../../engine/event-records.js';
import { ChunkWord } from './chunks.js';
import { type LineRecords, QueueReal, QueueWord } from './line-records.js';
import type { QueueLoads } from './queue-loads.js';

const { next: NEXT, bytes: BYTES } = ChunkWord;
const { head: HEAD, tail: TAIL } = QueueWord;
const { bytes: QUEUE_BYTES } = QueueReal;

export class LaneQueues {
  /**
   * @param queues their records (port x lanes + lane), which are empty
   * @param loads what queues have to do, which is kept up; null: nobody asks
   */
  constructor(
    private readonly records: EventRecords,
    private readonly queues: LineRecords,
    private readonly loads: QueueLoads | null,
  ) {
    for (let queue = 0; queue < queues.count; queue++)
      queues.words[(queue << 4) + HEAD] = queues.words[(queue << 4) + TAIL] = -1;
  }

  add(queue: number, record: number): void {
    const { words } = this.records;
    const { words: own, reals } = this.queues;
    const at = queue << 4;
    const last = own[at + TAIL]!;
    words[(record << 3) + NEXT] = -1;
    if (last < 0) own[at + HEAD] = record;
    else words[(last << 3) + NEXT] = record;
    own[at + TAIL] = record;
    const bytes = words[(record << 3) + BYTES]!;
    reals[(queue << 3) + QUEUE_BYTES]! += bytes;
    if (this.loads !== null) this.loads.add(queue, bytes);
  }

  /** Takes the first packet out of a queue that has one. */
  take(queue: number): number {
    const { words } = this.records;
    const { words: own, reals } = this.queues;
    const at = queue << 4;
    const record = own[at + HEAD]!;
    const next = words[(record << 3) + NEXT]!;
    own[at + HEAD] = next;
    if (next < 0) own[at + TAIL] = -1;
    const bytes = words[(record << 3) + BYTES]!;
    reals[(queue << 3) + QUEUE_BYTES]! -= bytes;
    if (this.loads !== null) this.loads.add(queue, -bytes);
    return record;
  }

  /** Calls with every packet of a queue, the first first. */
  forEach(queue: number, visit: (record: number) => void): void {
    const { words } = this.records;
    let record = this.queues.words[(queue << 4) + HEAD]!;
    for (; record >= 0; record = words[(record << 3) + NEXT]!) visit(record);
  }
}

// What waits at the output ports of switches: a list of packets for each lane of each port, first come first served.
// Invariant: a packet is in one list at most, and where somebody asks for it, `waitingBytes` is the sum of what is in a list.

import { ChunkWord, type Chunks } from './chunks.js';
import { type QueueLines, QueueWord } from './queue-lines.js';
import type { QueueLoads } from './queue-loads.js';

const { next: NEXT } = ChunkWord;
const { head: HEAD, tail: TAIL } = QueueWord;

export class LaneQueues {
  /** by queue: bytes that wait; null: nobody asks */
  private readonly waitingBytes: Float64Array | null;

  /**
   * @param queues their records (port x lanes + lane), which are empty
   * @param loads what queues have to do, which is kept up; null: nobody asks
   * @param countsBytes whether somebody asks for what waits
   */
  constructor(
    private readonly chunks: Chunks,
    private readonly queues: QueueLines,
    private readonly loads: QueueLoads | null,
    countsBytes: boolean,
  ) {
    this.waitingBytes = countsBytes ? new Float64Array(queues.count) : null;
  }

  add(queue: number, record: number): void {
    const { words } = this.chunks.records;
    const own = this.queues.words;
    const at = queue << 4;
    const last = own[at + TAIL]!;
    words[(record << 3) + NEXT] = -1;
    if (last < 0) own[at + HEAD] = record;
    else words[(last << 3) + NEXT] = record;
    own[at + TAIL] = record;
    if (this.loads !== null) this.loads.add(queue, this.chunks.bytes(record));
    if (this.waitingBytes !== null) this.waitingBytes[queue]! += this.chunks.bytes(record);
  }

  /** Takes the first packet out of a queue that has one. */
  take(queue: number): number {
    const own = this.queues.words;
    const at = queue << 4;
    const record = own[at + HEAD]!;
    const next = this.chunks.records.words[(record << 3) + NEXT]!;
    own[at + HEAD] = next;
    if (next < 0) own[at + TAIL] = -1;
    if (this.loads !== null) this.loads.add(queue, -this.chunks.bytes(record));
    if (this.waitingBytes !== null) this.waitingBytes[queue]! -= this.chunks.bytes(record);
    return record;
  }

  /** Bytes that wait in a queue, where somebody asks for them; else 0. */
  bytesOf(queue: number): number {
    return this.waitingBytes === null ? 0 : this.waitingBytes[queue]!;
  }

  /** Calls with every packet of a queue, the first first. */
  forEach(queue: number, visit: (record: number) => void): void {
    const { words } = this.chunks.records;
    let record = this.queues.words[(queue << 4) + QueueWord.head]!;
    for (; record >= 0; record = words[(record << 3) + NEXT]!) visit(record);
  }
}

// What waits at the output ports of switches: a list of packets for each lane of each port, first come first served.
// Invariant: a packet is in one list at most.

import { ChunkWord, type Chunks } from './chunks.js';
import { type QueueLines, QueueReal, QueueWord } from './queue-lines.js';
import type { QueueLoads } from './queue-loads.js';

const { next: NEXT } = ChunkWord;
const { head: HEAD, tail: TAIL, unaccepted: UNACCEPTED } = QueueWord;
const { waitingBytes: WAITING } = QueueReal;

export class LaneQueues {
  /**
   * @param queues their records (port x lanes + lane), which are empty
   * @param loads what queues have to do, which is kept up; null: nobody asks
   * @param countsBytes whether somebody asks for what waits, and outputs, which count it themselves, do not accept
   */
  constructor(
    private readonly chunks: Chunks,
    private readonly queues: QueueLines,
    private readonly loads: QueueLoads | null,
    private readonly countsBytes: boolean,
  ) {}

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
    if (this.countsBytes) this.queues.reals[(queue << 3) + WAITING]! += this.chunks.bytes(record);
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
    if (this.countsBytes) this.queues.reals[(queue << 3) + WAITING]! -= this.chunks.bytes(record);
    return record;
  }

  /** Whether more than so many bytes wait in a queue: those that are counted, and those that wait for room. */
  holdsMore(queue: number, limitBytes: number): boolean {
    const { chunks } = this;
    const { words } = chunks.records;
    let restBytes = limitBytes - this.queues.reals[(queue << 3) + WAITING]!;
    let record = this.queues.words[(queue << 4) + UNACCEPTED]!;
    for (; record >= 0 && restBytes >= 0; record = words[(record << 3) + NEXT]!) restBytes -= chunks.bytes(record);
    return restBytes < 0;
  }

  /** Calls with every packet of a queue, the first first. */
  forEach(queue: number, visit: (record: number) => void): void {
    const { words } = this.chunks.records;
    let record = this.queues.words[(queue << 4) + QueueWord.head]!;
    for (; record >= 0; record = words[(record << 3) + NEXT]!) visit(record);
  }
}

// How credits go back: when its packet has left the buffer (input-buffer), or as soon as the port that it goes to has
// room for it. That is for what is accepted and waits (output-queue), or also for what it has sent and no credit is back
// for (output-buffer, the peer's). A queue that waits for credits or for room looks for them when they come.
// Invariants: packets that wait for room are accepted in the order in which they came; a queue that waits has a look
// at the time of the first of its credits under way, or before, or none is under way.

import type { Alarm } from '../../engine/alarms.js';
import { ChunkState, ChunkWord, type Chunks } from './chunks.js';
import type { CreditPools } from './credit-pools.js';
import type { PortRules } from './link-buffers.js';
import { type PortSpeeds, SpeedReal } from './port-speeds.js';
import { QueueFlag, type QueueLines, QueueReal, QueueWord } from './queue-lines.js';

const { port: PORT, state: STATE, next: NEXT } = ChunkWord;
const { holdsCredits: HOLDS, laneShift: LANE_SHIFT, laneMask: LANE_MASK } = ChunkState;
const { unaccepted: UNACCEPTED, flags: FLAGS } = QueueWord;
const { isStarved: IS_STARVED } = QueueFlag;
const { waitingBytes: ACCEPTED, atHandBytes: AT_HAND, looksPs: LOOKS_PS } = QueueReal;
const { returnPs: RETURN } = SpeedReal;

/** What credits go back by. */
export interface CreditReturnParts {
  readonly rules: PortRules;
  readonly chunks: Chunks;
  readonly lines: QueueLines;
  readonly speeds: PortSpeeds;
  readonly credits: CreditPools;
  /** rings when a queue looks */
  readonly looks: Alarm;
}

export class CreditReturns {
  private readonly chunks: Chunks;
  private readonly lines: QueueLines;
  private readonly speeds: PortSpeeds;
  private readonly credits: CreditPools;
  private readonly looks: Alarm;
  private readonly lanes: number;
  private readonly sharesBuffer: boolean;
  private readonly bufferBytes: Float64Array;

  constructor({ rules, chunks, lines, speeds, credits, looks }: CreditReturnParts) {
    this.chunks = chunks;
    this.lines = lines;
    this.speeds = speeds;
    this.credits = credits;
    this.looks = looks;
    this.lanes = rules.lanes;
    this.sharesBuffer = rules.sharesBuffer;
    this.bufferBytes = rules.bufferBytes;
  }

  /** Accepts packets of a queue in their order, as far as there is room. */
  accept(queue: number, nowPs: number): void {
    const { chunks, sharesBuffer } = this;
    const { words, reals } = this.lines;
    const accepted = (queue << 3) + ACCEPTED;
    const unaccepted = (queue << 4) + UNACCEPTED;
    const room = sharesBuffer
      ? this.credits.atHandBytes(queue, nowPs)
      : this.bufferBytes[Math.floor(queue / this.lanes)]!;
    for (let record = words[unaccepted]!; record >= 0; record = words[unaccepted]!) {
      // of a full port nobody has to look at the packet
      const bytes = reals[accepted]! >= room ? Infinity : chunks.bytes(record);
      if (reals[accepted]! + bytes > room) {
        if (sharesBuffer) this.lookAt(queue, this.credits.nextPs(queue));
        return;
      }
      reals[accepted]! += bytes;
      words[unaccepted] = chunks.records.words[(record << 3) + NEXT]!;
      this.giveBack(record, bytes, nowPs, nowPs);
    }
  }

  /** A queue, whose output accepts, sends so many bytes that were accepted. */
  sent(queue: number, bytes: number, nowPs: number): void {
    this.lines.reals[(queue << 3) + ACCEPTED]! -= bytes;
    if (!this.sharesBuffer) this.accept(queue, nowPs);
  }

  /** A queue is empty, whatever it had accepted. */
  forget(queue: number): void {
    this.lines.reals[(queue << 3) + ACCEPTED] = 0;
    this.lines.words[(queue << 4) + UNACCEPTED] = -1;
  }

  /** What a packet of so many bytes holds goes back to whoever sent it, from a time on. */
  giveBack(record: number, bytes: number, fromPs: number, nowPs: number): void {
    const { chunks, speeds, credits } = this;
    const { words } = chunks.records;
    const at = record << 3;
    const state = words[at + STATE]!;
    if ((state & HOLDS) === 0) return;
    words[at + STATE] = state & ~HOLDS;
    const port = words[at + PORT]!;
    const pool = port * this.lanes + ((state >>> LANE_SHIFT) & LANE_MASK);
    const atPs = fromPs + speeds.reals[speeds.at(port) + RETURN]!;
    credits.giveBack(pool, bytes, atPs, nowPs);
    const { words: own, reals } = this.lines;
    if ((own[(pool << 4) + FLAGS]! & IS_STARVED) !== 0) this.lookAt(pool, atPs);
    else if (this.sharesBuffer && own[(pool << 4) + UNACCEPTED]! >= 0) {
      if (reals[(pool << 3) + ACCEPTED]! < reals[(pool << 3) + AT_HAND]!) this.accept(pool, nowPs);
      else this.lookAt(pool, credits.nextPs(pool));
    }
  }

  /** A queue waits for credits. */
  starves(queue: number): void {
    this.lines.words[(queue << 4) + FLAGS]! |= IS_STARVED;
    this.lookAt(queue, this.credits.nextPs(queue));
  }

  /** A queue looks for what it waited for. */
  looked(queue: number, nowPs: number): void {
    const { words, reals } = this.lines;
    if (nowPs >= reals[(queue << 3) + LOOKS_PS]!) reals[(queue << 3) + LOOKS_PS] = Infinity;
    words[(queue << 4) + FLAGS]! &= ~IS_STARVED;
  }

  /** A queue that waits looks at a time, if it would not have earlier. */
  private lookAt(queue: number, atPs: number): void {
    const { reals } = this.lines;
    if (atPs >= reals[(queue << 3) + LOOKS_PS]!) return;
    reals[(queue << 3) + LOOKS_PS] = atPs;
    this.looks.at(atPs, queue);
  }
}

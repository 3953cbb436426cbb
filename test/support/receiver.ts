// A receiver of go-back-N on its own: packets of one queue pair go in at given times, answers and timers come out.

import { EventRecords } from '../../src/backends/packet/event-records.js';
import { Kind, markBit, PacketPool } from '../../src/backends/packet/packets.js';
import { PairWord, QueuePairs } from '../../src/backends/packet/queue-pairs.js';
import { GoBackN } from '../../src/backends/packet/transport/go-back-n.js';
import { Word } from '../../src/backends/packet/event-records.js';
import { packetFacts, writePacket, type PacketFacts } from './engine-records.js';
import { settingsWith, type SettingChanges } from './engine-run.js';

/** An answer of the receiver; `record` is the packet that it is made from. */
export interface Answer extends PacketFacts {
  readonly record: number;
  readonly timePs: number;
}

const names = new Map<number, string>([
  [Kind.ack, 'ack'],
  [Kind.nack, 'nack'],
  [Kind.notification, 'cnp'],
]);

export class Receiver {
  readonly clock = { nowPs: 0 };
  readonly records = new EventRecords();
  readonly packets = new PacketPool(this.records);
  readonly pairs = new QueuePairs(() => {});
  readonly pair = this.pairs.allocate();
  readonly answers: Answer[] = [];
  readonly transport: GoBackN;
  private readonly timers: { readonly timePs: number; readonly call: () => void }[] = [];

  /** @param packetCount packets of the flow, of 1,000 B of payload */
  constructor(changes: SettingChanges['queuePair'], packetCount: number) {
    this.pairs.words[(this.pair << 4) + PairWord.packetCount] = packetCount;
    const congestion = {
      start: () => {},
      acknowledged: () => {},
      notified: () => {},
      decreaseDue: () => {},
      increaseDue: () => {},
      reserve: () => {},
    };
    const later = (timePs: number, call: () => void): void => {
      this.pairs.reference(this.pair);
      this.timers.push({ timePs, call });
    };
    const host = {
      reply: (packet: number) =>
        void this.answers.push({
          ...packetFacts({ records: this.records }, packet),
          record: packet,
          timePs: this.clock.nowPs,
        }),
      canSendAgain: () => {},
      finished: () => {},
      lookAt: () => {},
      acknowledgeAt: (pair: number, timePs: number) => later(timePs, () => this.transport.acknowledgementDue(pair)),
      notifyAt: (pair: number, timePs: number) => later(timePs, () => this.transport.notificationDue(pair)),
    };
    this.transport = new GoBackN(
      settingsWith({ packet: { profile: 'simai', payload: 1000 }, queuePair: changes ?? {} }),
      this.pairs,
      this.packets,
      this.records,
      congestion,
      host,
      this.clock,
    );
    this.transport.reserve(this.pairs.capacity);
  }

  /** Timers that have not come yet. */
  get timersPending(): number {
    return this.timers.length;
  }

  /** References to the queue pair, by packets and timers. */
  get references(): number {
    return this.pairs.words[(this.pair << 4) + PairWord.references]!;
  }

  /** Time passes, with all timers that are due. */
  advance(toPs: number): void {
    for (;;) {
      this.timers.sort((a, b) => a.timePs - b.timePs);
      const next = this.timers[0];
      if (next === undefined || next.timePs > toPs) break;
      this.timers.shift();
      this.clock.nowPs = next.timePs;
      next.call();
      this.pairs.unreference(this.pair);
    }
    this.clock.nowPs = toPs;
  }

  /** A packet arrives. @returns the answers to it at once, such as `ack 3` or `ack 3 marked` */
  receive(sequence: number, atPs = this.clock.nowPs, isMarked = false): string[] {
    this.advance(atPs);
    const packet = this.packets.allocate();
    this.pairs.reference(this.pair);
    writePacket(this.records, packet, 3, 1052, sequence);
    this.records.words[(packet << 3) + Word.pair] = this.pair;
    if (isMarked) this.records.words[(packet << 3) + Word.head]! |= markBit;
    const before = this.answers.length;
    this.transport.receiveData(packet, this.pair);
    return this.answers.slice(before).map(answerText);
  }

  /** All answers so far with their times. */
  log(): string[] {
    return this.answers.map((answer) => `${answer.timePs}: ${answerText(answer)}`);
  }
}

function answerText({ kind, sequence, marked }: Answer): string {
  return `${names.get(kind)!} ${sequence}${marked ? ' marked' : ''}`;
}

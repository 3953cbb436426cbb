// A receiver of go-back-N on its own: packets of one queue pair go in at given times, answers and timers come out.

import { FabricBuilder } from '../../src/fabric/fabric.js';
import { EventLoop } from '../../src/engine/event-loop.js';
import { EventWheel } from '../../src/engine/event-wheel.js';
import { PairAlarms } from '../../src/backends/packet/pair-alarms.js';
import { Kind, markBit, PacketPool, PacketWord } from '../../src/backends/packet/packets.js';
import { PairWord, QueuePairs } from '../../src/backends/packet/queue-pairs.js';
import { GoBackN } from '../../src/backends/packet/transport/go-back-n.js';
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
  readonly wheel = new EventWheel();
  readonly records = this.wheel.records;
  readonly packets = new PacketPool(this.records);
  readonly pairs = new QueuePairs();
  readonly pair = this.pairs.allocate();
  readonly answers: Answer[] = [];
  readonly transport: GoBackN;
  private readonly loop = new EventLoop(this.wheel);

  /** @param packetCount packets of the flow, of 1,000 B of payload */
  constructor(changes: SettingChanges['queuePair'], packetCount: number) {
    this.pairs.words[(this.pair << 4) + PairWord.packetCount] = packetCount;
    const congestion = { start: () => {}, acknowledged: () => {}, notified: () => {} };
    const nic = {
      reply: (packet: number) =>
        void this.answers.push({ ...packetFacts(this, packet), record: packet, timePs: this.wheel.nowPs }),
      canSendAgain: () => {},
      finished: () => {},
    };
    const { pairs, packets, records, wheel } = this;
    const { alarms } = this.loop;
    this.transport = new GoBackN({
      fabric: new FabricBuilder().build(),
      largestRttPs: () => 0,
      mayLosePackets: true,
      settings: settingsWith({ packet: { profile: 'simai', payload: 1000 }, queuePair: changes ?? {} }),
      pairs,
      packets,
      records,
      congestion,
      nic,
      clock: wheel,
      alarms,
      pairAlarms: new PairAlarms(alarms, pairs),
    });
  }

  /** Timers that have not come yet. */
  get timersPending(): number {
    return this.wheel.size;
  }

  /** References to the queue pair, by packets and timers. */
  get references(): number {
    return this.pairs.words[(this.pair << 4) + PairWord.references]!;
  }

  /** Time passes, with all timers that are due. */
  advance(toPs: number): void {
    this.loop.runUntil(toPs);
  }

  /** A packet arrives. @returns the answers to it at once, such as `ack 3` or `ack 3 marked` */
  receive(sequence: number, atPs = this.wheel.nowPs, isMarked = false): string[] {
    this.advance(atPs);
    const packet = this.packets.allocate();
    this.pairs.reference(this.pair);
    writePacket(this.records, packet, 3, 1052, sequence);
    this.records.words[(packet << 3) + PacketWord.pair] = this.pair;
    if (isMarked) this.records.words[(packet << 3) + PacketWord.head]! |= markBit;
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

// IRN: the receiver keeps what comes out of order. It acknowledges cumulatively, and answers a packet behind a gap with
// a NACK that names that packet, too. The sender remembers what is there, and sends again what its loss recovery finds
// missing (irn-recovery.ts). Its window is the bandwidth-delay product (queuePair.window; BDP-FC in the paper).
// Invariants: every packet counts once; a flow ends only when its sender knows of every packet that it is there.
// Source: Mittal et al., "Revisiting Network Support for RDMA", SIGCOMM 2018, section 3 (loss recovery, BDP-FC,
// timeouts). Timeouts: sender-timers.ts. The recovery `rewind` is that of the simulator that the OmniDMA authors
// compare with (docs/models/transports.md).
// Not modelled: what a NIC needs for messages out of order (WQE numbers, read responses: section 5 of the paper), NACKs
// for errors, coalesced ACKs.

import { choice, count, type SettingValues, time } from '../../../base/settings.js';
import { HeadBits, Kind, PacketWord } from '../packets.js';
import type { TransportParts } from '../parts.js';
import type { Transport } from '../plug-ins.js';
import { PairWord } from '../queue-pairs.js';
import type { SideColumn } from '../side-columns.js';
import { type LossRecovery, RewindRecovery, SelectiveRecovery } from './irn-recovery.js';
import { Notifications } from './notifications.js';
import { ReceivedPackets } from './received-packets.js';
import { SenderTimers } from './sender-timers.js';
import { TransportCore } from './transport-core.js';

// constants of this module fold into the machine code, imported ones do not
const { head: HEAD, sequence: SEQUENCE } = PacketWord;
const { packetCount: PACKET_COUNT, firstUnacknowledged: FIRST_UNACKNOWLEDGED } = PairWord;
const { slot: SLOT } = PairWord;
const { nack: NACK } = Kind;
const { bytesShift, kindMask, markBit, queueShift } = HeadBits;

/** IRN's own settings. */
export const irnSettings = {
  recovery: choice(
    ['selective', 'rewind'],
    'selective',
    'what is sent again after a loss: packets that the receiver misses below the highest it named (the paper), ' +
      'or all from the first missing one on that it has not named yet (the simulator of ConWeave and OmniDMA)',
  ),
  nackThreshold: count(1, 'NACKs for one gap before recovery begins; more than 1 lets packets overtake each other', {
    minimum: 1,
    maximum: 100_000,
  }),
  lowTimeout: time(
    'auto',
    'retransmission timeout of a sender with few packets in flight (RTO_low); auto: four times the largest ' +
      'round trip, at least 100 us, and no longer than that of the others, which is ' +
      'queuePair.retransmissionTimeout (RTO_high)',
    { orAuto: true, positive: true },
  ),
  fewPackets: count(3, 'a sender with fewer packets in flight than this waits for lowTimeout only', {
    minimum: 0,
    maximum: 1000,
  }),
} as const;

export type IrnSettings = SettingValues<typeof irnSettings>;

export class Irn extends TransportCore implements Transport {
  private readonly ackHead: number;
  private readonly nackHead: number;
  private readonly isRewinding: boolean;
  private readonly nackIntervalPs: number;
  /** what the receivers have, what the senders know of it */
  private readonly received: ReceivedPackets;
  private readonly known: ReceivedPackets;
  /** by packet: the packet that a NACK names */
  private readonly named: SideColumn<'int32'>;
  private readonly recovery: LossRecovery;
  private readonly timers: SenderTimers;
  private readonly notifications: Notifications;

  constructor(parts: TransportParts, own: IrnSettings) {
    super(parts);
    const { pairs, settings } = parts;
    const { packet, queuePair } = settings;
    const rest = (queuePair.acknowledgementPriority << queueShift) | (packet.acknowledgement << bytesShift);
    this.ackHead = Kind.ack | rest;
    this.nackHead = Kind.nack | rest;
    this.nackIntervalPs = queuePair.nackInterval;
    this.received = new ReceivedPackets(pairs, PairWord.expectedPacket);
    this.known = new ReceivedPackets(pairs, FIRST_UNACKNOWLEDGED);
    this.named = parts.columns.byPacket('int32');
    this.isRewinding = own.recovery === 'rewind';
    this.recovery = this.isRewinding
      ? new RewindRecovery(pairs, parts.columns, this.known)
      : new SelectiveRecovery(pairs, parts.columns, this.known, own.nackThreshold);
    this.timers = new SenderTimers(parts, own, this.counters, {
      inFlight: (pair) => this.recovery.inFlight(pair),
      timedOut: (pair) => {
        this.recovery.timedOut(pair);
        this.nic.canSendAgain(pair);
      },
    });
    this.notifications = new Notifications(parts, this.counters);
  }

  get gaveUp(): number {
    return this.timers.gaveUp;
  }

  canSend(pair: number): boolean {
    return this.recovery.next(pair) >= 0;
  }

  fill(pair: number, packet: number): void {
    const { recovery } = this;
    const sequence = recovery.next(pair);
    const isFirst = recovery.inFlight(pair) === 0;
    const isRepeated = recovery.sent(pair, sequence);
    const bytes = this.writeData(pair, packet, sequence);
    if (isRepeated) this.countRepeated(bytes);
    this.timers.sent(pair, isFirst || this.isRewinding);
  }

  receiveData(packet: number, pair: number): void {
    const { received } = this;
    const sequence = this.records.words[(packet << 3) + SEQUENCE]!;
    const isNew = received.record(pair, sequence);
    this.counters.dataPacketsDelivered++;
    this.countArrival(packet, isNew);
    if (!this.isRewinding) this.reply(packet, pair, sequence, sequence > received.firstMissing(pair));
    else if (!received.hasGap(pair)) this.reply(packet, pair, sequence, false);
    else if (isNew || this.clock.nowPs - this.pairs.nackPs[pair]! >= this.nackIntervalPs) {
      this.pairs.nackPs[pair] = this.clock.nowPs;
      this.reply(packet, pair, sequence, true);
    } else this.discard(packet, pair);
  }

  receiveAcknowledgement(packet: number, pair: number): void {
    const { words } = this.pairs;
    const at = pair << 4;
    this.counters.acknowledgementsDelivered++;
    if (words[at + SLOT]! >= 0) {
      const head = this.records.words[(packet << 3) + HEAD]!;
      const kind = head & kindMask;
      if (kind <= NACK) {
        const before = words[at + FIRST_UNACKNOWLEDGED]!;
        this.known.advanceTo(pair, this.records.words[(packet << 3) + SEQUENCE]!);
        if (kind === NACK) this.known.record(pair, this.named.values[packet]!);
        const first = words[at + FIRST_UNACKNOWLEDGED]!;
        if (first === words[at + PACKET_COUNT]) {
          this.notifications.forget(pair);
          this.nic.finished(pair);
        } else {
          if (first > before) this.timers.progressed(pair);
          const isBeginning = this.recovery.acknowledged(pair, kind === NACK, first > before);
          if (isBeginning || this.isRewinding) this.timers.restarted(pair);
          this.timers.shortened(pair);
          this.congestion.acknowledged(pair, head & markBit, packet);
          this.nic.canSendAgain(pair);
        }
      } else {
        this.congestion.notified(pair);
        this.nic.canSendAgain(pair);
      }
    }
    this.discard(packet, pair);
  }

  /**
   * Turns a data packet into its answer: next expected packet, the packet itself if there is a gap, the mark echoed.
   */
  private reply(packet: number, pair: number, sequence: number, hasGap: boolean): void {
    const head = hasGap ? this.nackHead : this.ackHead;
    this.writeAnswer(packet, pair, head | this.notifications.markFor(packet, pair));
    this.named.values[packet] = sequence;
    this.nic.reply(packet, pair);
  }
}

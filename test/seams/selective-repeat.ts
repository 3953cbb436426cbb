// A transport that Weft does not have, added from outside: selective repeat with a timer of its own. The receiver keeps
// what comes out of order and says what came; the sender repeats what three later packets have overtaken, or what its
// timer finds missing.

import { type Mechanism, ownSettings } from '../../src/backends/packet/mechanism.js';
import { bytesShift, Kind, markBit, PacketWord, queueShift } from '../../src/backends/packet/packets.js';
import type { TransportParts } from '../../src/backends/packet/parts.js';
import type { Transport } from '../../src/backends/packet/plug-ins.js';
import { newTransportCounters } from '../../src/backends/packet/transport/transport-counters.js';
import { PairWord } from '../../src/backends/packet/queue-pairs.js';

const { head: HEAD, sequence: SEQUENCE } = PacketWord;
const { nextPacket, firstUnacknowledged, packetCount, windowPackets, lastBytes, priority, expectedPacket } = PairWord;
const settings = {
  timeout: { kind: 'time', default: '200us', description: 'without progress all is sent again' },
} as const;
const overtakenBy = 3;

class SelectiveRepeat implements Transport {
  readonly counters = newTransportCounters();
  readonly gaveUp = 0;
  /** by queue pair: packets that arrived, that are known to have, that are to be sent again, that were */
  private readonly state: { came: Set<number>; known: Set<number>; again: number[]; repeated: Set<number> }[] = [];
  private readonly came;
  private readonly seen;
  private readonly isTimed;
  private readonly timer;
  private readonly timeoutPs: number;

  constructor(private readonly parts: TransportParts) {
    const { columns, pairs, pairAlarms } = parts;
    this.came = columns.byPacket('int32');
    this.seen = columns.byPair('int32', -1);
    this.isTimed = columns.byPair('uint8');
    this.timer = pairAlarms.register('selective repeat', (pair) => this.timeout(pair));
    this.timeoutPs = ownSettings(parts.settings, 'selectiveRepeat', settings).timeout;
    pairs.onAllocate((pair) => {
      this.state[pair] = { came: new Set(), known: new Set(), again: [], repeated: new Set() };
    });
  }

  canSend(pair: number): boolean {
    const { words } = this.parts.pairs;
    const at = pair << 4;
    const next = words[at + nextPacket]!;
    const hasNew =
      next < words[at + packetCount]! && next - words[at + firstUnacknowledged]! < words[at + windowPackets]!;
    return this.state[pair]!.again.length > 0 || hasNew;
  }

  fill(pair: number, packet: number): void {
    const { pairs, records } = this.parts;
    const at = pair << 4;
    const repeated = this.state[pair]!.again.shift();
    const sequence = repeated ?? pairs.words[at + nextPacket]!++;
    const bytes = this.bytesOf(pair, sequence);
    records.words[(packet << 3) + HEAD] =
      Kind.data | (pairs.words[at + priority]! << queueShift) | (bytes << bytesShift);
    records.words[(packet << 3) + SEQUENCE] = sequence;
    this.counters.dataPacketsSent++;
    if (repeated !== undefined) this.counters.retransmittedPackets++;
    if (repeated !== undefined) this.counters.retransmittedBytes += bytes - this.parts.settings.packet.header;
    if (this.isTimed.values[pair] === 0) this.time(pair);
  }

  receiveData(packet: number, pair: number): void {
    const {
      pairs,
      records,
      settings: { packet: sizes, queuePair },
      nic,
    } = this.parts;
    const { came } = this.state[pair]!;
    const sequence = records.words[(packet << 3) + SEQUENCE]!;
    this.counters.dataPacketsDelivered++;
    if (came.has(sequence)) this.counters.duplicatePackets++;
    else this.counters.payloadBytesDelivered += this.bytesOf(pair, sequence) - sizes.header;
    came.add(sequence);
    const at = (pair << 4) + expectedPacket;
    while (came.has(pairs.words[at]!)) pairs.words[at]!++;
    const mark = records.words[(packet << 3) + HEAD]! & markBit;
    this.came.values[packet] = sequence;
    records.words[(packet << 3) + HEAD] =
      Kind.ack | mark | (queuePair.acknowledgementPriority << queueShift) | (sizes.acknowledgement << bytesShift);
    records.words[(packet << 3) + SEQUENCE] = pairs.words[at]!;
    this.counters.acknowledgementsSent++;
    nic.reply(packet, pair);
  }

  receiveAcknowledgement(packet: number, pair: number): void {
    const { pairs, records, packets, nic, congestion } = this.parts;
    this.counters.acknowledgementsDelivered++;
    if (pairs.slotOf(pair) >= 0) {
      const { known, again, repeated } = this.state[pair]!;
      const at = (pair << 4) + firstUnacknowledged;
      const came = this.came.values[packet]!;
      known.add(came);
      pairs.words[at] = Math.max(pairs.words[at]!, records.words[(packet << 3) + SEQUENCE]!);
      if (pairs.words[at] === pairs.words[(pair << 4) + packetCount]) nic.finished(pair);
      else {
        for (let hole = pairs.words[at]!; hole <= came - overtakenBy; hole++)
          if (!known.has(hole) && !repeated.has(hole)) {
            again.push(hole);
            repeated.add(hole);
          }
        congestion.acknowledged(pair, records.words[(packet << 3) + HEAD]! & markBit, packet);
        nic.canSendAgain(pair);
      }
    }
    packets.release(packet);
    pairs.unreference(pair);
  }

  private timeout(pair: number): void {
    const { pairs, nic } = this.parts;
    this.isTimed.values[pair] = 0;
    if (pairs.slotOf(pair) < 0) return;
    const first = pairs.words[(pair << 4) + firstUnacknowledged]!;
    const { known, again, repeated } = this.state[pair]!;
    if (this.seen.values[pair] === first) {
      this.counters.timeouts++;
      repeated.clear();
      again.length = 0;
      for (let i = first; i < pairs.words[(pair << 4) + nextPacket]!; i++) if (!known.has(i)) again.push(i);
    }
    this.seen.values[pair] = first;
    this.time(pair);
    nic.canSendAgain(pair);
  }

  private time(pair: number): void {
    this.isTimed.values[pair] = 1;
    this.timer.at(this.parts.clock.nowPs + this.timeoutPs, pair);
  }

  private bytesOf(pair: number, sequence: number): number {
    const {
      pairs: { words },
      settings: { packet },
    } = this.parts;
    return sequence + 1 === words[(pair << 4) + packetCount]
      ? words[(pair << 4) + lastBytes]!
      : packet.payload + packet.header;
  }
}

export const selectiveRepeat: Mechanism<TransportParts, Transport> = {
  description: 'only what is missing is sent again',
  settings: { selectiveRepeat: settings },
  make: (parts) => new SelectiveRepeat(parts),
};

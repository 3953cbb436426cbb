// What all transports do alike: data packets are written and counted, and become their own answers or are released.
// Invariant: every packet is counted where it is sent and where it arrives, so that nothing gets lost between the two.

import type { EventRecords } from '../../../engine/event-records.js';
import type { Clock } from '../../../engine/event-wheel.js';
import type { TransportHost } from '../nic/nic.js';
import { HeadBits, Kind, type PacketPool, PacketWord } from '../packets.js';
import type { TransportParts } from '../parts.js';
import type { CongestionControl } from '../plug-ins.js';
import { PairWord, type QueuePairs } from '../queue-pairs.js';
import { newTransportCounters } from './transport-counters.js';

// constants of this module fold into the machine code, imported ones do not
const { head: HEAD, sequence: SEQUENCE } = PacketWord;
const { packetCount: PACKET_COUNT, lastBytes: LAST_BYTES } = PairWord;
const { priority: PRIORITY, expectedPacket: EXPECTED_PACKET } = PairWord;
const DATA = Kind.data;
const { bytesShift, queueShift } = HeadBits;

/** What every transport is made from. */
export type CoreParts = Pick<TransportParts, 'settings' | 'pairs' | 'packets' | 'records' | 'congestion' | 'clock'> & {
  readonly nic: TransportHost;
};

export abstract class TransportCore {
  readonly counters = newTransportCounters();
  /** of a data packet that is not the last, and of its header */
  protected readonly fullBytes: number;
  protected readonly headerBytes: number;
  protected readonly pairs: QueuePairs;
  protected readonly packets: PacketPool;
  protected readonly records: EventRecords;
  protected readonly congestion: CongestionControl;
  protected readonly nic: TransportHost;
  protected readonly clock: Clock;

  constructor(parts: CoreParts) {
    const { packet } = parts.settings;
    this.pairs = parts.pairs;
    this.packets = parts.packets;
    this.records = parts.records;
    this.congestion = parts.congestion;
    this.nic = parts.nic;
    this.clock = parts.clock;
    this.fullBytes = packet.payload + packet.header;
    this.headerBytes = packet.header;
  }

  /** Writes a data packet of a queue pair. @returns its bytes, header included */
  protected writeData(pair: number, packet: number, sequence: number): number {
    const { words } = this.pairs;
    const own = pair << 4;
    const bytes = sequence + 1 === words[own + PACKET_COUNT] ? words[own + LAST_BYTES]! : this.fullBytes;
    const at = packet << 3;
    const packetWords = this.records.words;
    packetWords[at + HEAD] = DATA | (words[own + PRIORITY]! << queueShift) | (bytes << bytesShift);
    packetWords[at + SEQUENCE] = sequence;
    this.counters.dataPacketsSent++;
    return bytes;
  }

  /** A data packet of so many bytes is sent again. */
  protected countRepeated(bytes: number): void {
    this.counters.retransmittedPackets++;
    this.counters.retransmittedBytes += bytes - this.headerBytes;
  }

  /** A data packet has come whole. @param isNew it had not come before */
  protected countArrival(packet: number, isNew: boolean): void {
    if (isNew)
      this.counters.payloadBytesDelivered +=
        (this.records.words[(packet << 3) + HEAD]! >> bytesShift) - this.headerBytes;
    else this.counters.duplicatePackets++;
  }

  /** Turns a data packet into an answer that names the next packet expected. @param head of the answer */
  protected writeAnswer(packet: number, pair: number, head: number): void {
    const at = packet << 3;
    const { words } = this.records;
    words[at + HEAD] = head;
    words[at + SEQUENCE] = this.pairs.words[(pair << 4) + EXPECTED_PACKET]!;
    this.counters.acknowledgementsSent++;
  }

  /** A packet has come to its end. */
  protected discard(packet: number, pair: number): void {
    this.packets.release(packet);
    this.pairs.unreference(pair);
  }
}

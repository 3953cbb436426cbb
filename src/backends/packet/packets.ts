// Packets: which event records are packets, what stands in them, what kinds there are, and how many exist.

import { type EventRecords } from '../../engine/event-records.js';

/**
 * int32 words of a packet's record (engine/event-records.ts): index `packet << 3 | word` of EventRecords.words. What a
 * mechanism wants to know of a packet besides stands in side columns of its own (side-columns.ts).
 */
export const PacketWord = {
  /** next packet in a port's queue */
  next: 2,
  /**
   * in transit, the port it was sent from; queued, the port it came in by; queued where it begins, the port it leaves
   * by; below 0 the record is no packet but an alarm
   */
  port: 3,
  /** its queue pair; of a frame or a control packet the complement of the number of the flow control it belongs to */
  pair: 4,
  /** its place on its way, kept by balancing; of a PFC frame the queue; of a control packet the node it goes to */
  place: 5,
  /** kind | queue << 3 | mark << 6 | bytes << 7, headers included */
  head: 6,
  /** number of a data packet in its flow, next expected packet of an acknowledgement, number of a pause */
  sequence: 7,
} as const;

/**
 * kinds of packets: below control they belong to a queue pair; a control packet is routed and belongs to a flow
 * control; from pause on they are frames of a flow control, which cross one link; none: no packet any more, or one that
 * waits for its ACK to be sent
 */
export const Kind = { data: 0, ack: 1, nack: 2, notification: 3, control: 4, pause: 5, resume: 6, none: 7 } as const;

/** parts of the head word; markBit: ECN congestion-experienced on data, its echo on an acknowledgement */
export const HeadBits = { kindMask: 7, queueShift: 3, markBit: 64, bytesShift: 7 } as const;
export const { kindMask, queueShift, markBit, bytesShift } = HeadBits;

export class PacketPool {
  live = 0;
  peak = 0;

  constructor(private readonly records: EventRecords) {}

  /** A packet whose words are unspecified. */
  allocate(): number {
    if (++this.live > this.peak) this.peak = this.live;
    return this.records.allocate();
  }

  release(packet: number): void {
    this.live--;
    this.records.words[(packet << 3) + PacketWord.head] = Kind.none;
    this.records.release(packet);
  }

  /** How many packets of a kind exist: a walk over all records, for the checks at the end. */
  countOfKind(kind: number): number {
    const { words, top } = this.records;
    let count = 0;
    for (let record = 0; record < top; record++)
      if (words[(record << 3) + PacketWord.port]! >= 0 && (words[(record << 3) + PacketWord.head]! & kindMask) === kind)
        count++;
    return count;
  }
}

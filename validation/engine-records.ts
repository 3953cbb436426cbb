// How tests read the engine's records: the one place that knows their layout (event-records.ts, packets.ts,
// queue-pairs.ts).

import type { EventWheel } from '#weft/engine/event-wheel.js';
import { type EventRecords } from '#weft/engine/event-records.js';
import { bytesShift, Kind, kindMask, markBit, queueShift, PacketWord } from '#weft/backends/packet/packets.js';

/** The code with which an event was pushed, from the record that pop returned. */
export function eventCode(wheel: EventWheel, record: number): number {
  return ~wheel.records.words[(record << 3) + PacketWord.port]!;
}

/** What a packet is. */
export interface PacketFacts {
  /** Kind of packets.ts */
  readonly kind: number;
  /** queue that it waits in */
  readonly queue: number;
  readonly marked: boolean;
  readonly wireBytes: number;
  readonly sequence: number;
  readonly pair: number;
}

/** Reads a packet's record. */
export function packetFacts(network: { readonly records: EventRecords }, packet: number): PacketFacts {
  const { words } = network.records;
  const head = words[(packet << 3) + PacketWord.head]!;
  return {
    kind: head & kindMask,
    queue: (head >> queueShift) & 7,
    marked: (head & markBit) !== 0,
    wireBytes: head >> bytesShift,
    sequence: words[(packet << 3) + PacketWord.sequence]!,
    pair: words[(packet << 3) + PacketWord.pair]!,
  };
}

/** Makes an allocated packet a data packet of a queue and a size. */
export function writePacket(
  records: EventRecords,
  packet: number,
  queue: number,
  wireBytes: number,
  sequence = 0,
): void {
  records.words[(packet << 3) + PacketWord.head] = Kind.data | (queue << queueShift) | (wireBytes << bytesShift);
  records.words[(packet << 3) + PacketWord.sequence] = sequence;
}

// Packet trimming: a lossy switch that has no room for a data packet sends its header on, in the queue of the highest
// priority, so that the receiver learns of the loss a round trip sooner than any timer. A data packet in queue 0 is a
// trimmed one: data never begin there.
// Invariant: a trimmed packet is a data packet still, and counts as one that is under way; nothing is trimmed twice.
// Source: Handley et al., "Re-architecting datacenter networks and stacks for low latency and high performance" (NDP),
// SIGCOMM 2017, 3.1; Hoefler et al., arXiv:2508.08906 (trimming as an option of Ultra Ethernet, headers in another
// traffic class). Not modelled: a limit of the headers' queue, a last-hop mark, trimming by packets that would not be
// sent in time.

import type { EventRecords } from '../../../engine/event-records.js';
import { bytesShift, Kind, kindMask, markBit, PacketWord, queueShift } from '../packets.js';

const { head: HEAD } = PacketWord;

/** True for the head word of a data packet that has lost its payload. */
export function isTrimmed(head: number): boolean {
  return (head & (kindMask | (7 << queueShift))) === Kind.data;
}

export class Trimming {
  /** packets trimmed */
  trimmed = 0;

  /** @param bytes of a trimmed packet, headers and all */
  constructor(
    private readonly records: EventRecords,
    private readonly bytes: number,
  ) {}

  /** Trims a packet, if it is one of data and has more to lose. @returns true if it did */
  trims(packet: number): boolean {
    const { words } = this.records;
    const at = (packet << 3) + HEAD;
    const head = words[at]!;
    if ((head & kindMask) !== Kind.data || head >> bytesShift <= this.bytes) return false;
    words[at] = Kind.data | (head & markBit) | (this.bytes << bytesShift);
    this.trimmed++;
    return true;
  }
}

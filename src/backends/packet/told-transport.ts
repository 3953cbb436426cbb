// A transport around which stands whoever tells the balancing what becomes of packets. It is there only where a
// balancing asks for it. Invariant: it changes nothing of what the transport does.

import type { EventRecords } from '../../engine/event-records.js';
import { PacketWord } from './packets.js';
import type { PathFeedback, Transport, TransportCounters } from './plug-ins.js';
import { isTrimmed } from './switch/trimming.js';

export class ToldTransport implements Transport {
  constructor(
    private readonly records: EventRecords,
    private readonly inner: Transport,
    private readonly paths: PathFeedback,
  ) {}

  get counters(): TransportCounters {
    return this.inner.counters;
  }

  get gaveUp(): number {
    return this.inner.gaveUp;
  }

  canSend(pair: number): boolean {
    return this.inner.canSend(pair);
  }

  fill(pair: number, packet: number): void {
    this.inner.fill(pair, packet);
  }

  receiveData(packet: number, pair: number): void {
    this.paths.arriving(packet, isTrimmed(this.records.words[(packet << 3) + PacketWord.head]!));
    this.inner.receiveData(packet, pair);
    this.paths.answered();
  }

  receiveAcknowledgement(packet: number, pair: number): void {
    this.paths.returned(packet, pair);
    this.inner.receiveAcknowledgement(packet, pair);
  }
}

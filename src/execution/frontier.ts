// The flows that are alive: columns indexed by a slot that is recycled when its flow has finished. Memory grows with flows in flight,
// never with flows in the trace.

import { grown } from '../base/columns.js';

export class Frontier {
  /** number of the transfer in its source */
  id = new Float64Array(256);
  source = new Int32Array(256);
  destination = new Int32Array(256);
  sourcePort = new Uint16Array(256);
  destinationPort = new Uint16Array(256);
  sizeBytes = new Float64Array(256);
  startPs = new Float64Array(256);
  /** 1 while a flow owns the slot */
  isLive = new Uint8Array(256);

  live = 0;
  private top = 0;
  private free = new Int32Array(256);
  private freeCount = 0;

  /** Slots ever used at the same time: every slot is below it. */
  get slotCount(): number {
    return this.top;
  }

  allocate(): number {
    this.live++;
    if (this.freeCount === 0 && this.top === this.id.length) this.grow(this.top * 2);
    const slot = this.freeCount > 0 ? this.free[--this.freeCount]! : this.top++;
    this.isLive[slot] = 1;
    return slot;
  }

  release(slot: number): void {
    this.live--;
    this.isLive[slot] = 0;
    this.free[this.freeCount++] = slot;
  }

  private grow(capacity: number): void {
    this.id = grown(this.id, capacity);
    this.source = grown(this.source, capacity);
    this.destination = grown(this.destination, capacity);
    this.sourcePort = grown(this.sourcePort, capacity);
    this.destinationPort = grown(this.destinationPort, capacity);
    this.sizeBytes = grown(this.sizeBytes, capacity);
    this.startPs = grown(this.startPs, capacity);
    this.isLive = grown(this.isLive, capacity);
    this.free = grown(this.free, capacity);
  }
}

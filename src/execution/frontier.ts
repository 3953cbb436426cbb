// The queue pairs of the flows that are alive: columns indexed by a slot that is recycled when it is no longer needed.
// Memory grows with flows in flight, never with flows in the trace.
// Invariant: the slot of a flow's first queue pair stands for the flow, and lives until its last queue pair has
// finished.

import { grown } from '../base/columns.js';

/**
 * asked: admission is being asked · answered: it has a source port, while admission is asked for others of its flow ·
 * held: it waits to be let in · admitted: it waits for its start · underWay: the network has it · over: it has finished
 */
export const Stage = { asked: 0, held: 1, admitted: 2, underWay: 3, over: 4, answered: 5 } as const;

export class Frontier {
  /** number of the transfer in its source */
  id = new Float64Array(256);
  source = new Int32Array(256);
  destination = new Int32Array(256);
  sourcePort = new Uint16Array(256);
  destinationPort = new Uint16Array(256);
  /** payload of the queue pair */
  sizeBytes = new Float64Array(256);
  startPs = new Float64Array(256);
  /** slot of the first queue pair of its flow */
  first = new Int32Array(256);
  /** of a first queue pair: payload of the flow, and queue pairs that have not finished */
  flowBytes = new Float64Array(256);
  unfinished = new Uint8Array(256);
  /** of a first queue pair: queue pairs whose bytes have not all left; of each, 1 once they have */
  unsent = new Uint8Array(256);
  hasSent = new Uint8Array(256);
  /**
   * the connection of its transfer and the connection's queue pair that carries it (open-connections.ts), from 0; -1:
   * it is a queue pair of this transfer alone. Slots with the same queue pair are that one, which has one source port
   */
  connection = new Int32Array(256);
  queuePair = new Int32Array(256);
  /** traffic class of the flow; 0: any path will do */
  trafficClass = new Uint8Array(256);
  /** 1 while a queue pair or its flow owns the slot */
  isLive = new Uint8Array(256);
  /** Stage of each queue pair */
  stage = new Uint8Array(256);

  live = 0;
  private top = 0;
  private free = new Int32Array(256);
  private freeCount = 0;

  /** Flows that are alive: a walk over all slots, for checks. */
  get liveFlows(): number {
    let count = 0;
    for (let slot = 0; slot < this.top; slot++) if (this.isLive[slot] === 1 && this.first[slot] === slot) count++;
    return count;
  }

  /** Slots ever used at the same time: every slot is below it. */
  get slotCount(): number {
    return this.top;
  }

  allocate(): number {
    this.live++;
    if (this.freeCount === 0 && this.top === this.id.length) this.grow(this.top * 2);
    const slot = this.freeCount > 0 ? this.free[--this.freeCount]! : this.top++;
    this.isLive[slot] = 1;
    this.stage[slot] = Stage.asked;
    this.hasSent[slot] = 0;
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
    this.first = grown(this.first, capacity);
    this.flowBytes = grown(this.flowBytes, capacity);
    this.unfinished = grown(this.unfinished, capacity);
    this.unsent = grown(this.unsent, capacity);
    this.hasSent = grown(this.hasSent, capacity);
    this.connection = grown(this.connection, capacity);
    this.queuePair = grown(this.queuePair, capacity);
    this.trafficClass = grown(this.trafficClass, capacity);
    this.isLive = grown(this.isLive, capacity);
    this.stage = grown(this.stage, capacity);
    this.free = grown(this.free, capacity);
  }
}

// Which queue pair carries which of the executor's flows, and what the executor is told of them: their ends, and the
// ports that they take where that is decided packet by packet.
// Invariant: a slot has at most one queue pair; the driver is called only from inside the network's advance().

import { grown } from '../../base/columns.js';
import type { Clock } from '../../engine/event-wheel.js';
import type { Frontier } from '../../execution/frontier.js';
import type { Driver } from '../../execution/network.js';
import type { PathWatcher } from './balancing/taken-paths.js';
import type { FlowEnds } from './parts.js';
import { PairWord, type QueuePairs } from './queue-pairs.js';

/** Is told of a flow that is about to end; its queue pair and slot are still its own. */
export interface FlowWatcher {
  flowFinished(pair: number): void;
}

export interface FlowTableParts {
  readonly pairs: QueuePairs;
  readonly clock: Clock;
}

export class FlowTable implements FlowEnds, PathWatcher {
  driver!: Driver;
  frontier!: Frontier;
  tellsSent = false;
  /** flows that ended at their sender before their receiver had every packet */
  finishedEarly = 0;
  private watcher: FlowWatcher | null = null;
  /** by slot */
  private pairs = new Int32Array(256);

  constructor(private readonly parts: FlowTableParts) {}

  /** Probes look at flows, and flows tell probes: this closes the circle once. */
  watch(watcher: FlowWatcher | null): void {
    this.watcher = watcher;
  }

  /** Whoever drives the network, and the flows that it starts. */
  attach(driver: Driver, frontier: Frontier): void {
    this.driver = driver;
    this.tellsSent = driver.sent !== undefined;
    this.frontier = frontier;
  }

  /** A queue pair for the flow in a slot, with its ends and ports. */
  open(slot: number): number {
    const { pairs } = this.parts;
    const { frontier } = this;
    const pair = pairs.allocate();
    pairs.words[(pair << 4) + PairWord.slot] = slot;
    pairs.source[pair] = frontier.source[slot]!;
    pairs.destination[pair] = frontier.destination[slot]!;
    pairs.sourcePort[pair] = frontier.sourcePort[slot]!;
    pairs.destinationPort[pair] = frontier.destinationPort[slot]!;
    if (slot >= this.pairs.length) this.pairs = grown(this.pairs, 2 * slot);
    this.pairs[slot] = pair;
    return pair;
  }

  /** The queue pair of the flow in a slot; -1 if it has not started. */
  pairOf(slot: number): number {
    if (slot >= this.pairs.length) return -1;
    const pair = this.pairs[slot]!;
    return pair < this.parts.pairs.count && this.parts.pairs.slotOf(pair) === slot ? pair : -1;
  }

  /** The number of the transfer that a queue pair carries; -1 once it has finished. */
  idOf(pair: number): number {
    const slot = this.parts.pairs.slotOf(pair);
    return slot < 0 ? -1 : this.frontier.id[this.frontier.first[slot]!]!;
  }

  /** Calls with every queue pair whose flow is under way. */
  forEach(visit: (pair: number) => void): void {
    const { pairs } = this.parts;
    for (let pair = 0; pair < pairs.count; pair++) if (pairs.slotOf(pair) >= 0) visit(pair);
  }

  flowFinished(pair: number): void {
    const { pairs, clock } = this.parts;
    const { words } = pairs;
    const at = pair << 4;
    if (words[at + PairWord.expectedPacket] !== words[at + PairWord.packetCount]) this.finishedEarly++;
    const slot = words[at + PairWord.slot]!;
    if (this.watcher !== null) this.watcher.flowFinished(pair);
    pairs.finish(pair);
    this.driver.finished(slot, clock.nowPs);
  }

  flowSent(pair: number): void {
    this.driver.sent!(this.parts.pairs.slotOf(pair), this.parts.clock.nowPs);
  }

  took(pair: number, port: number): void {
    this.driver.took(this.parts.pairs.slotOf(pair), port);
  }
}

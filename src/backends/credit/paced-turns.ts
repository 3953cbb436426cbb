// Senders with a rate of their own (execution/sender-paces.ts): a queue pair that has sent a packet leaves the ring of
// its port until it may send the next one. There only if a transfer has such a rate.
// Invariant: a queue pair has its share of its flow's rate and bursts, by its bytes.

import { grown } from '../../base/columns.js';
import type { Alarm, Alarms } from '../../engine/alarms.js';
import type { Frontier } from '../../execution/frontier.js';
import type { SenderPaces } from '../../execution/sender-paces.js';

/** Who is told that a queue pair may send again. */
export interface Resumption {
  begin(slot: number): void;
}

export class PacedTurns {
  private readonly due: Alarm;
  private frontier!: Frontier;
  private rateBps = new Float64Array(0);
  private gapPs = new Float64Array(0);
  /** by slot: packets of a burst, and those that are left of it */
  private burstPackets = new Float64Array(0);
  private leftPackets = new Float64Array(0);

  private resumption!: Resumption;

  /** @param payloadBytes of a full packet */
  constructor(
    private readonly paces: SenderPaces,
    private readonly payloadBytes: number,
    alarms: Alarms,
  ) {
    this.due = alarms.register('a sender may send again', (slot) => this.resumption.begin(slot));
  }

  attach(frontier: Frontier, resumption: Resumption): void {
    this.frontier = frontier;
    this.resumption = resumption;
  }

  open(slot: number): void {
    this.reserve(slot);
    const { id, first: firsts, sizeBytes, flowBytes } = this.frontier;
    const first = firsts[slot]!;
    const pace = this.paces.of(id[first]!);
    const share = sizeBytes[slot]! / flowBytes[first]!;
    this.rateBps[slot] = pace.rateBps * share;
    this.gapPs[slot] = pace.gapPs;
    this.burstPackets[slot] = Math.max(1, Math.ceil((pace.burstBytes * share) / this.payloadBytes));
    this.leftPackets[slot] = this.burstPackets[slot]!;
  }

  /**
   * A queue pair has begun to send a packet and has more.
   * @param bytes on the link @returns whether it rests now: it begins again when it may
   */
  rests(slot: number, bytes: number, nowPs: number, endPs: number): boolean {
    const rateBps = this.rateBps[slot]!;
    const endsBurst = --this.leftPackets[slot]! === 0;
    if (endsBurst) this.leftPackets[slot] = this.burstPackets[slot]!;
    const ownPs = rateBps === Infinity ? 0 : Math.floor((bytes * 8e12) / rateBps + 0.5);
    const nextPs = Math.max(nowPs + ownPs, endPs) + (endsBurst ? this.gapPs[slot]! : 0);
    if (nextPs <= endPs) return false;
    this.due.at(nextPs, slot);
    return true;
  }

  private reserve(slot: number): void {
    if (slot < this.rateBps.length) return;
    const slots = Math.max(256, 2 * (slot + 1));
    this.rateBps = grown(this.rateBps, slots);
    this.gapPs = grown(this.gapPs, slots);
    this.burstPackets = grown(this.burstPackets, slots);
    this.leftPackets = grown(this.leftPackets, slots);
  }
}

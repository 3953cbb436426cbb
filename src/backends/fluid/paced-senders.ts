// Senders with a rate of their own among fluid flows. A rate is a link more at the end of the path, of that rate; of a
// flow in several parts each has a link of its share, as each queue pair is paced by itself: the fair shares need no
// other rule. Bursts are streams one after the other with gaps between them.
// Invariant: a part of a transfer with a rate has one such link; links of the fabric keep their numbers.

import { grown } from '../../base/columns.js';
import { TimeHeap } from '../../base/time-heap.js';
import type { Frontier } from '../../execution/frontier.js';
import type { SenderPaces } from '../../execution/sender-paces.js';

const none = -1;

export class PacedSenders {
  /** by transfer: the link of its next part */
  private readonly links = new Map<number, number>();
  private readonly ratesBps: number[] = [];
  /** slots that rest between two bursts, by the time at which they go on */
  private readonly resting = new TimeHeap();
  /** by slot: bits that are left after the burst under way; of a burst; the gap after it */
  private leftBits = new Float64Array(0);
  private bitsOfBurst = new Float64Array(0);
  private gapPs = new Float64Array(0);
  /** by slot: the link of its rate, or -1 */
  private linkOf = new Float64Array(0);

  /** @param ports links of the fabric; mostParts: most queue pairs of a flow */
  constructor(
    private readonly paces: SenderPaces,
    ports: number,
    mostParts: number,
  ) {
    for (const transfer of paces.paced) {
      const { rateBps } = paces.of(transfer);
      if (rateBps === Infinity) continue;
      this.links.set(transfer, ports + this.ratesBps.length);
      for (let part = 0; part < mostParts; part++) this.ratesBps.push(rateBps);
    }
  }

  /** The rates of all links: those of the fabric, and those of senders. */
  withRates(ratesBps: Float64Array): Float64Array {
    const all = new Float64Array(ratesBps.length + this.ratesBps.length);
    all.set(ratesBps);
    all.set(this.ratesBps, ratesBps.length);
    return all;
  }

  /** When the first sender that rests goes on; Infinity: none rests. */
  get firstPs(): number {
    return this.resting.firstPs;
  }

  /**
   * A queue pair begins.
   * @param bits all that it has to send @param setCapacity changes what a link carries, in bit/s
   * @returns the bits of its first burst
   */
  begin(
    slot: number,
    bits: number,
    frontier: Frontier,
    payloadBytes: number,
    setCapacity: (link: number, capacityBps: number) => void,
  ): number {
    if (slot >= this.leftBits.length)
      for (const name of ['leftBits', 'bitsOfBurst', 'gapPs', 'linkOf'] as const)
        this[name] = grown(this[name], Math.max(256, 2 * slot));
    const first = frontier.first[slot]!;
    const transfer = frontier.id[first]!;
    const { rateBps, burstBytes, gapPs } = this.paces.of(transfer);
    const sizeBytes = frontier.sizeBytes[slot]!;
    const share = sizeBytes / frontier.flowBytes[first]!;
    const link = this.links.get(transfer) ?? none;
    this.linkOf[slot] = link;
    if (link !== none) {
      this.links.set(transfer, link + 1);
      if (share < 1) setCapacity(link, rateBps * share);
    }
    const packets = Math.ceil((burstBytes * share) / payloadBytes);
    const isWhole = gapPs === 0 || packets * payloadBytes >= sizeBytes;
    this.bitsOfBurst[slot] = isWhole ? bits : (bits * packets) / (sizeBytes / payloadBytes);
    this.gapPs[slot] = gapPs;
    this.leftBits[slot] = bits;
    return this.burstBits(slot);
  }

  /** The bits of the next burst of a slot, which are then under way. */
  burstBits(slot: number): number {
    const left = this.leftBits[slot]!;
    const burst = this.bitsOfBurst[slot]!;
    // what rounding leaves over is no burst
    const bits = left - burst < 1 ? left : burst;
    this.leftBits[slot] = left - bits;
    return bits;
  }

  /** A burst has drained. @returns true if another one follows, after its gap */
  rests(slot: number, nowPs: number): boolean {
    if (this.leftBits[slot]! <= 0) return false;
    this.resting.set(slot, nowPs + this.gapPs[slot]!);
    return true;
  }

  /** Bits of the bursts of a slot that come after the one under way, or after its rest. */
  bitsBehind(slot: number): number {
    return this.leftBits[slot]!;
  }

  /** The sender that goes on first. */
  take(): number {
    return this.resting.pop();
  }

  /** Adds the link of a slot's rate to its path, if it has one. @returns the path's length, 0 without a route */
  lengthen(path: Int32Array, length: number, slot: number): number {
    const link = this.linkOf[slot]!;
    if (link === none || length === 0) return length;
    path[length] = link;
    return length + 1;
  }
}

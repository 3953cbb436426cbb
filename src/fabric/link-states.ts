// What the links are like right now. The fabric stays as built; a run may take links down, bring them back and degrade
// them.
// Invariant: a link is up exactly while nothing that took it down still holds (its own failure, that of its switch,
// that of its plane).

import type { Fabric } from './fabric.js';

/** What can happen to a link. */
export const LinkChangeKind = { down: 0, up: 1, rate: 2, errorRate: 3 } as const;

/** What happens to which link and when, in columns sorted by time. */
export interface LinkChanges {
  readonly count: number;
  readonly timePs: Float64Array;
  readonly link: Int32Array;
  /** LinkChangeKind of each change */
  readonly kind: Uint8Array;
  /** the new rate in bit/s or the new error rate; 0 for down and up */
  readonly value: Float64Array;
}

export class LinkStates {
  readonly isUp: Uint8Array;
  readonly rateBps: Float64Array;
  /** probability that a packet is lost on the link, per packet and direction */
  readonly errorRate: Float64Array;
  /** when each link was last down, in picoseconds: Infinity while it is, -Infinity if it never was */
  readonly lastDownPs: Float64Array;
  private gotFaster = false;
  private readonly causes: Uint16Array;

  constructor(readonly fabric: Fabric) {
    const { linkCount, linkRateBps, linkErrorRate } = fabric;
    this.isUp = new Uint8Array(linkCount).fill(1);
    this.rateBps = linkRateBps.slice();
    this.errorRate = linkErrorRate.slice();
    this.lastDownPs = new Float64Array(linkCount).fill(-Infinity);
    this.causes = new Uint16Array(linkCount);
  }

  /**
   * Why a buffer may overrun its headroom by right; null: for no reason of the links. A link that comes back finds buffers
   * behind it full. What is sent at the higher rate of a link comes while a pause waits behind a packet of the lower one.
   */
  get overrunExcuse(): string | null {
    if (this.lastDownPs.some((downPs) => downPs !== -Infinity)) return 'links failed';
    return this.gotFaster ? 'links got faster, and pauses had waited at the slower rate' : null;
  }

  /**
   * Lets one change happen.
   * @param i index of the change @param nowPs when it happens, in picoseconds
   * @returns true if the link is now up and was not, or the other way round
   */
  apply(changes: LinkChanges, i: number, nowPs: number): boolean {
    const link = changes.link[i]!;
    switch (changes.kind[i]) {
      case LinkChangeKind.down:
        this.lastDownPs[link] = Infinity;
        this.isUp[link] = 0;
        return this.causes[link]!++ === 0;
      case LinkChangeKind.up:
        if (--this.causes[link]! > 0) return false;
        this.lastDownPs[link] = nowPs;
        this.isUp[link] = 1;
        return true;
      case LinkChangeKind.rate:
        if (changes.value[i]! > this.rateBps[link]!) this.gotFaster = true;
        this.rateBps[link] = changes.value[i]!;
        return false;
      default:
        this.errorRate[link] = changes.value[i]!;
        return false;
    }
  }
}

// What one basis tells of the traffic, and its half of a step of the search (restarted-pdhg.ts).
// Invariant: places that rest have sent nothing: x, its anchor and 2 T(x) - x are 0 there, and z is that of its anchor.

import type { BasisShape, PairGrid, PlaceLinks } from './pair-grid.js';

/** What a place does: nothing; the dual of its difference to the place before follows; its pairs may send. */
export const resting = 0;
export const following = 1;
export const moving = 2;

/** How a step is taken. */
export interface StepTerms {
  /** of primal against dual steps */
  readonly weight: number;
  /** how much of the anchor is in where the step leads, and how far it goes: 2, reflected, or 1 */
  readonly share: number;
  readonly reach: number;
  readonly isLook: boolean;
}

/** More counters and entries of a basis than a pair touches. */
const mostTerms = 128;

export class BasisPart {
  /** share of the traffic by pair */
  readonly x: Float64Array;
  /** dual of what the basis makes of it */
  readonly z: Float64Array;
  /** distance of the step from its begin, squared, since {@link step} was asked for it */
  gap = 0;
  /** 2 T(x) - x, where T is the step without reflection: what the dual steps look at */
  private readonly bar: Float64Array;
  private readonly anchor: Float64Array;
  private readonly zAnchor: Float64Array;
  private readonly before: Int32Array;
  private readonly behind: Int32Array;
  /** 1 / n */
  private readonly inverse = Float64Array.from({ length: mostTerms }, (_, n) => (n === 0 ? 0 : 1 / n));
  /** by pair: how many counters and entries of the basis it touches; 0: it has sent nothing */
  private readonly terms: Uint8Array;
  private readonly perEntry: number;

  constructor({ isSymmetric }: BasisShape, links: PlaceLinks | null, grid: PairGrid) {
    const pairs = 2 * grid.places;
    const none = links === null ? new Int32Array(grid.places).fill(-1) : null;
    this.before = links?.before ?? none!;
    this.behind = links?.behind ?? none!;
    this.x = new Float64Array(pairs);
    this.bar = new Float64Array(pairs);
    this.anchor = new Float64Array(pairs);
    this.z = new Float64Array(pairs);
    this.zAnchor = new Float64Array(pairs);
    this.perEntry = isSymmetric ? 2 : 1;
    this.terms = new Uint8Array(pairs);
    for (let pair = 0; pair < pairs; pair++) {
      const rows = grid.rowStart[pair + 1]! - grid.rowStart[pair]!;
      if (rows > 0) this.terms[pair] = rows + this.perEntry * (this.behind[pair >> 1] === -1 ? 1 : 2);
    }
  }

  /**
   * Steps with some places, which ascend from call to call of a step.
   * @param places those that do not rest, from `begin` up to `end` of the list
   * @param back R' y of both pairs of each @param forward what pairs send, to which the share of this basis is added
   */
  step(
    places: Int32Array,
    begin: number,
    end: number,
    does: Uint8Array,
    back: Float64Array,
    forward: Float64Array,
    { weight, share, reach, isLook }: StepTerms,
  ): void {
    const { x, bar, anchor, z, zAnchor, before, behind, perEntry, inverse, terms } = this;
    const isSymmetric = perEntry === 2;
    const keep = 1 - share;
    const perWeight = 1 / weight;
    const wide = weight / perEntry;
    let gap = 0;
    for (let i = begin, k = 0; i < end; i++, k += 2) {
      const place = places[i]!;
      const pair = 2 * place;
      const next = behind[place]!;
      const last = before[place]!;
      const zOne = z[pair]!;
      const zOther = z[pair + 1]!;
      let barOne = 0;
      let barOther = 0;
      if (does[place] === moving) {
        let one = zOne;
        let other = zOther;
        if (next !== -1) {
          one -= z[2 * next]!;
          other -= z[2 * next + 1]!;
        }
        if (isSymmetric) {
          const sum = one;
          one = sum + other;
          other = sum - other;
        }
        // max(0, v) as (v + |v|) / 2, and the like below: half of all jumps would be foreseen wrongly
        const size = perWeight * inverse[terms[pair]!]!;
        const own = x[pair]!;
        const to = own - size * (back[k]! + one);
        const move = 0.5 * (to + Math.abs(to)) - own;
        barOne = own + 2 * move;
        x[pair] = keep * (own + reach * move) + share * anchor[pair]!;
        const sizeOther = perWeight * inverse[terms[pair + 1]!]!;
        const ownOther = x[pair + 1]!;
        const toOther = ownOther - sizeOther * (back[k + 1]! + other);
        const moveOther = 0.5 * (toOther + Math.abs(toOther)) - ownOther;
        barOther = ownOther + 2 * moveOther;
        x[pair + 1] = keep * (ownOther + reach * moveOther) + share * anchor[pair + 1]!;
        if (isLook && size > 0) gap += (move * move) / size;
        if (isLook && sizeOther > 0) gap += (moveOther * moveOther) / sizeOther;
        bar[pair] = barOne;
        bar[pair + 1] = barOther;
        forward[k] = forward[k]! + barOne;
        forward[k + 1] = forward[k + 1]! + barOther;
      }
      let size = wide;
      if (last !== -1) {
        size *= 0.5;
        barOne -= bar[2 * last]!;
        barOther -= bar[2 * last + 1]!;
      }
      if (isSymmetric) {
        const sum = barOne;
        barOne = sum + barOther;
        barOther = sum - barOther;
      }
      const toOne = zOne + size * barOne;
      const moveOne = 0.5 * (Math.abs(toOne + 1) - Math.abs(toOne - 1)) - zOne;
      const toOther = zOther + size * barOther;
      const moveOther = 0.5 * (Math.abs(toOther + 1) - Math.abs(toOther - 1)) - zOther;
      z[pair] = keep * (zOne + reach * moveOne) + share * zAnchor[pair]!;
      z[pair + 1] = keep * (zOther + reach * moveOther) + share * zAnchor[pair + 1]!;
      if (isLook) gap += (moveOne * moveOne + moveOther * moveOther) / size;
    }
    this.gap += gap;
  }

  /** What the basis asks of the pairs of a place, W' z, less if one sends: added to what is there. */
  addPrice(place: number, price: Float64Array): void {
    const { z, behind, perEntry } = this;
    const next = behind[place]!;
    let one = z[2 * place]! - (next === -1 ? 0 : z[2 * next]!);
    let other = z[2 * place + 1]! - (next === -1 ? 0 : z[2 * next + 1]!);
    if (perEntry === 2) [one, other] = [one + other, one - other];
    price[0]! += one;
    price[1]! += other;
  }

  /** The place behind, in which a difference to this one ends; -1: none. */
  placeBehind(place: number): number {
    return this.behind[place]!;
  }

  sends(place: number): boolean {
    return this.x[2 * place]! > 0 || this.x[2 * place + 1]! > 0;
  }

  /** Lets a place rest, which sends nothing. */
  rest(place: number): void {
    this.bar[2 * place] = 0;
    this.bar[2 * place + 1] = 0;
  }

  /** Begins anew from where it is. @returns how far that is from the begin before, squared: primal, and dual */
  restart(places: Int32Array): { readonly primal: number; readonly dual: number } {
    const { x, anchor, z, zAnchor } = this;
    let primal = 0;
    let dual = 0;
    for (let i = 0; i < 2 * places.length; i++) {
      const pair = 2 * places[i >> 1]! + (i & 1);
      const [move, dualMove] = [x[pair]! - anchor[pair]!, z[pair]! - zAnchor[pair]!];
      primal += move * move;
      dual += dualMove * dualMove;
      anchor[pair] = x[pair]!;
      zAnchor[pair] = z[pair]!;
    }
    return { primal, dual };
  }
}

// What one basis tells of the traffic, and its half of a step of the search (restarted-pdhg.ts).
// Invariant: places that rest have sent nothing: x, its anchor and 2 T(x) - x are 0 there, and z is that of its anchor.

import type { BasisShape, PairGrid, PlaceLinks } from './pair-grid.js';

/**
 * What a place does: nothing; the dual of its difference to the place before follows; its pairs may send; or they may from
 * the next step on.
 */
export const resting = 0;
export const following = 1;
export const moving = 2;
export const waking = 3;

/** How a step is taken. */
export interface StepTerms {
  /** of primal against dual steps */
  readonly weight: number;
  /** how much of the anchor is in where the step leads, and how far it goes: 2, reflected, or 1 */
  readonly share: number;
  readonly reach: number;
  readonly isLook: boolean;
}

/** columns of numbers by pair: x, its anchor, 2 T(x) - x, z and its anchor, and both steps, which are half as wide */
const columnsOfPairs = 6;

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
  private readonly perEntry: number;
  /** steps of a weight of 1: of the share of each pair, 0 if it has sent nothing, and of the dual of each entry */
  private readonly pairStep: Float32Array;
  private readonly entryStep: Float32Array;
  /** what is left for the duals of an entry: see {@link wouldSend}; none where places are told by themselves */
  private readonly caps: Float64Array;
  /** weight of each entry, from 0 to 1; null: all weigh 1 */
  private limits: Float64Array | null = null;

  /** @param sizes how large the traffic of each pair may be, in some unit: steps are in proportion (Pock and Chambolle) */
  constructor({ isSymmetric }: BasisShape, links: PlaceLinks | null, grid: PairGrid, sizes: Float32Array) {
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
    this.pairStep = new Float32Array(pairs);
    this.entryStep = new Float32Array(pairs);
    this.caps = new Float64Array(links === null ? 0 : 3 * grid.places);
    for (let pair = 0; pair < pairs; pair++) {
      const rows = grid.sharesOf(pair);
      const entries = this.perEntry * (this.behind[pair >> 1] === -1 ? 1 : 2);
      if (rows > 0) this.pairStep[pair] = sizes[pair]! / (rows + entries);
      const last = this.before[pair >> 1]!;
      let size = sizes[pair]! + (isSymmetric ? sizes[pair ^ 1]! : 0);
      if (last !== -1) size += sizes[2 * last + (pair & 1)]! + (isSymmetric ? sizes[2 * last + 1 - (pair & 1)]! : 0);
      if (size > 0) this.entryStep[pair] = 1 / size;
    }
  }

  /** Bytes of its columns. */
  get bytes(): number {
    const { x, before, behind, caps, limits } = this;
    const links = before.byteLength + (before === behind ? 0 : behind.byteLength);
    return columnsOfPairs * x.byteLength + caps.byteLength + links + (limits?.byteLength ?? 0);
  }

  /** Begins with traffic by pair, of which this basis has all. */
  begin(traffic: Float64Array, factor: number): void {
    const { x, anchor, pairStep } = this;
    for (let pair = 0; pair < x.length; pair++) x[pair] = pairStep[pair] === 0 ? 0 : traffic[pair]! * factor;
    anchor.set(x);
  }

  /** What the basis makes of its share of the traffic, W x; a sum stands at the first pair of a place, a difference at the second. */
  entries(): Float64Array {
    const { x, before, perEntry } = this;
    const entries = new Float64Array(x.length);
    before.forEach((last, place) => {
      const one = x[2 * place]! - (last === -1 ? 0 : x[2 * last]!);
      const other = x[2 * place + 1]! - (last === -1 ? 0 : x[2 * last + 1]!);
      entries[2 * place] = perEntry === 2 ? one + other : one;
      entries[2 * place + 1] = perEntry === 2 ? other - one : other;
    });
    return entries;
  }

  /** Gives entries weights of 0 to 1; duals are at most as large. */
  weigh(weights: Float64Array): void {
    const { z } = this;
    this.limits = weights;
    for (let pair = 0; pair < z.length; pair++) z[pair] = Math.min(weights[pair]!, Math.max(-weights[pair]!, z[pair]!));
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
    const { x, bar, anchor, z, zAnchor, before, behind, perEntry, pairStep, entryStep, limits } = this;
    const isSymmetric = perEntry === 2;
    const keep = 1 - share;
    const perWeight = 1 / weight;
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
        const size = perWeight * pairStep[pair]!;
        const own = x[pair]!;
        const to = own - size * (back[k]! + one);
        const move = 0.5 * (to + Math.abs(to)) - own;
        barOne = own + 2 * move;
        x[pair] = keep * (own + reach * move) + share * anchor[pair]!;
        const sizeOther = perWeight * pairStep[pair + 1]!;
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
      const size = weight * entryStep[pair]!;
      const sizeOther = weight * entryStep[pair + 1]!;
      if (last !== -1) {
        barOne -= bar[2 * last]!;
        barOther -= bar[2 * last + 1]!;
      }
      if (isSymmetric) {
        const sum = barOne;
        barOne = sum + barOther;
        barOther = sum - barOther;
      }
      const toOne = zOne + size * barOne;
      const most = limits === null ? 1 : limits[pair]!;
      const moveOne = 0.5 * (Math.abs(toOne + most) - Math.abs(toOne - most)) - zOne;
      const toOther = zOther + sizeOther * barOther;
      const mostOther = limits === null ? 1 : limits[pair + 1]!;
      const moveOther = 0.5 * (Math.abs(toOther + mostOther) - Math.abs(toOther - mostOther)) - zOther;
      z[pair] = keep * (zOne + reach * moveOne) + share * zAnchor[pair]!;
      z[pair + 1] = keep * (zOther + reach * moveOther) + share * zAnchor[pair + 1]!;
      if (isLook && size > 0) gap += (moveOne * moveOne) / size;
      if (isLook && sizeOther > 0) gap += (moveOther * moveOther) / sizeOther;
    }
    this.gap += gap;
  }

  /**
   * Whether a place that does not move would send, since no duals of its entries make that cost something. Those of
   * entries between places that rest are free, so what is left for them goes along, from place to place, in ascending
   * order: with z_1 and z_2 of the two pairs, all that z_1 <= caps[0], z_2 <= caps[1] and z_1 + z_2 <= caps[2] allow.
   * @param back R' y of both pairs @param least a price below this is worth sending
   */
  wouldSend(place: number, does: Uint8Array, back: Float64Array, least: number): boolean {
    const { before, behind, perEntry, caps } = this;
    const most = perEntry;
    const last = before[place]!;
    let [one, other, sum] = [most, most, 2];
    if (last !== -1 && (does[place] === following || does[last] === moving)) {
      one = this.dualOf(2 * place);
      other = this.dualOf(2 * place + 1);
      sum = one + other;
    } else if (last !== -1 && does[last] !== waking) {
      one = caps[3 * place]!;
      other = caps[3 * place + 1]!;
      sum = caps[3 * place + 2]!;
    }
    one += back[0]!;
    other += back[1]!;
    sum += back[0]! + back[1]!;
    const next = behind[place]!;
    if (next === -1) return Math.min(one, other, sum) < least;
    if (does[next] !== resting) {
      const [nextOne, nextOther] = [this.dualOf(2 * next), this.dualOf(2 * next + 1)];
      return Math.min(one - nextOne, other - nextOther, sum - nextOne - nextOther) < least;
    }
    // of sum and difference, each from -1 to 1, the pairs have |z_1| + |z_2| <= 2
    const isSymmetric = perEntry === 2;
    const ofOne = Math.min(one, most, isSymmetric ? Math.min(other + 2, sum / 2 + 1) : most);
    const ofOther = Math.min(other, most, isSymmetric ? Math.min(one + 2, sum / 2 + 1) : most);
    const ofSum = Math.min(sum, 2, ofOne + ofOther);
    caps[3 * next] = ofOne;
    caps[3 * next + 1] = ofOther;
    caps[3 * next + 2] = ofSum;
    return Math.min(ofOne + most, ofOther + most, ofSum + 2) < least;
  }

  /** What the entries of a place ask of one of its pairs. */
  private dualOf(pair: number): number {
    const own = this.z[pair]!;
    if (this.perEntry === 1) return own;
    const other = this.z[pair ^ 1]!;
    return (pair & 1) === 0 ? own + other : other - own;
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

  /** Begins anew from where it is. @returns how far that is from the begin before, in steps, squared: primal, and dual */
  restart(places: Int32Array): { readonly primal: number; readonly dual: number } {
    const { x, anchor, z, zAnchor, pairStep, entryStep } = this;
    let primal = 0;
    let dual = 0;
    for (let i = 0; i < 2 * places.length; i++) {
      const pair = 2 * places[i >> 1]! + (i & 1);
      const [move, dualMove] = [x[pair]! - anchor[pair]!, z[pair]! - zAnchor[pair]!];
      if (pairStep[pair]! > 0) primal += (move * move) / pairStep[pair]!;
      if (entryStep[pair]! > 0) dual += (dualMove * dualMove) / entryStep[pair]!;
      anchor[pair] = x[pair]!;
      zAnchor[pair] = z[pair]!;
    }
    return { primal, dual };
  }
}

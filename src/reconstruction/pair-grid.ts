// Pairs of ranks laid out along the diagonals of their matrix: a place (offset, first) stands for two pairs, first ->
// first + offset and back. Kept are places of which a pair may have sent, and those behind them in a basis, where a
// difference ends. Jobs and classes are blocks along the diagonal of one larger matrix, each told by itself (4.5).
// Invariants: places ascend by block, then by offset, then by first rank, which counts on over all blocks; a pair that
// touches a counter of nothing has sent nothing.
// Source: Taffet's dissertation (docs/SOURCES.md), 4.3.2 to 4.3.4 and 4.5.

import { Float64List, Int32List } from '../base/columns.js';
import type { PairCounters } from './pair-rows.js';

/** How far ahead on its diagonal the place is that is told as a difference to this one; 0: it is told by itself. */
type Step = (offset: number, first: number) => number;

/** Ranks that send to each other alone: a job, or a class of service. */
export interface RankBlock {
  /** node of each rank */
  readonly hosts: Int32Array;
  /** counters of its pairs */
  readonly rows: PairCounters;
}

/** What a part of a dictionary makes of a matrix. */
export interface BasisShape {
  /** sums and differences of the two pairs of a place, not the pairs themselves (4.3.2) */
  readonly isSymmetric: boolean;
  readonly step: Step | null;
}

const nextOnDiagonal: Step = () => 1;

/** The block of a place is the upper right quarter of a submatrix: the next one lies a submatrix further (4.3.4). */
const nextBlock: Step = (offset, first) => 2 << (31 - Math.clz32(first ^ (first + offset)));

/** The step of a basis among so many ranks. */
function stepFor(step: Step, ranks: number): Step {
  return step === nextBlock && (ranks & (ranks - 1)) !== 0 ? beyond : step;
}

/** No place is told as a difference to another one. */
const beyond: Step = (_offset, _first) => Infinity;

/** Bases by name: I, S, CD, CS and their products (4.3.1 to 4.3.4). CS is for powers of two only. */
export const bases = {
  i: { isSymmetric: false, step: null },
  s: { isSymmetric: true, step: null },
  cd: { isSymmetric: false, step: nextOnDiagonal },
  scd: { isSymmetric: true, step: nextOnDiagonal },
  cs: { isSymmetric: false, step: nextBlock },
  scs: { isSymmetric: true, step: nextBlock },
} as const satisfies Record<string, BasisShape>;

export type BasisName = keyof typeof bases;

/** The bases of a dictionary for so many ranks; `od` is equation 4.3.5. @returns null if there is none of that name */
export function dictionaryOf(name: string, ranks: number): readonly BasisName[] | null {
  if (name === 'od') return (ranks & (ranks - 1)) === 0 ? ['scd', 'scs'] : ['scd', 's'];
  const parts = name.split('+');
  return parts.every((part): part is BasisName => part in bases) ? parts : null;
}

/** Links of the places of a grid by a basis: the place before and behind each, -1: none. */
export interface PlaceLinks {
  readonly before: Int32Array;
  readonly behind: Int32Array;
}

export class PairGrid {
  /** how many places there are */
  readonly places: number;
  /** lower rank of each place, and how far the higher one is */
  readonly first: Int32Array;
  readonly offset: Int32Array;
  /**
   * counters of pair 2 x place (first -> first + offset) and 2 x place + 1 (back): 2 x places + 1 offsets into `rows`,
   * which number the counters that pairs move, in the order of the first that does
   */
  readonly rowStart: Int32Array;
  readonly rows: Int32Array;
  /** which share of its pair each of `rows` counts; null: all of it */
  readonly shares: Float64Array | null;
  /** by such a number: the row of the routing matrix */
  readonly counterOf: Int32Array;
  /** pairs that may have sent */
  readonly openPairs: number;
  /** by basis of the dictionary; null: every place is told by itself */
  readonly links: readonly (PlaceLinks | null)[];

  /**
   * @param counters what each row counted
   * @param shapes the bases of a dictionary; of CS, blocks of other sizes than powers of two have every pair by itself.
   * Time: ranks of each block squared times the length of ways
   */
  constructor(blocks: readonly RankBlock[], counters: Float64Array, shapes: readonly BasisShape[]) {
    const first = new Int32List();
    const offsets = new Int32List();
    const rowStart = new Int32List();
    const rows = new Int32List();
    const shares = blocks.some((block) => block.rows.shares !== null) ? new Float64List() : null;
    const counterOf = new Int32List();
    const numberOf = new Int32Array(counters.length).fill(-1);
    const before = shapes.map(({ step }) => (step === null ? null : new Int32List()));
    rowStart.push(0);
    let openPairs = 0;
    let ranksBefore = 0;
    for (const { hosts, rows: pairRows } of blocks) {
      const ranks = hosts.length;
      const links = shapes.map(({ step }, i) =>
        step === null ? null : new StepLinks(stepFor(step, ranks), ranks, before[i]!),
      );
      const diagonal = new Diagonal(ranks);
      for (let offset = 1; offset < ranks; offset++) {
        const length = ranks - offset;
        const open = diagonal.find(hosts, offset, pairRows, counters);
        openPairs += open;
        if (open === 0) continue;
        const { isOpen, isKept, rowEnd } = diagonal;
        for (const link of links) link?.keepBehind(offset, isOpen, isKept);
        for (let at = 0; at < length; at++) {
          if (isKept[at] === 0) continue;
          for (const link of links) link?.add(offset, at, first.length);
          first.push(ranksBefore + at);
          offsets.push(offset);
          let row = at === 0 ? 0 : rowEnd[2 * at - 1]!;
          for (const end of [rowEnd[2 * at]!, rowEnd[2 * at + 1]!]) {
            for (; row < end; row++) {
              const counter = diagonal.rows[row]!;
              if (numberOf[counter] === -1) {
                numberOf[counter] = counterOf.length;
                counterOf.push(counter);
              }
              rows.push(numberOf[counter]!);
              shares?.push(diagonal.shares[row]!);
            }
            rowStart.push(rows.length);
          }
        }
      }
      ranksBefore += ranks;
    }
    this.places = first.length;
    this.first = first.toArray();
    this.offset = offsets.toArray();
    this.rowStart = rowStart.toArray();
    this.rows = rows.toArray();
    this.shares = shares?.toArray() ?? null;
    this.counterOf = counterOf.toArray();
    this.openPairs = openPairs;
    this.links = before.map((own) => (own === null ? null : linksOf(own.toArray())));
  }

  /** What the counters that pairs move counted, by their numbers in {@link rows}. @param counters by row of the matrix */
  countedBy(counters: Float64Array): Float64Array {
    return Float64Array.from(this.counterOf, (counter) => counters[counter]!);
  }

  /** Adds to counters what a pair that sends some amount moves them by. @param sums by number of the counter */
  addTo(sums: Float64Array, pair: number, amount: number): void {
    const { rowStart, rows, shares } = this;
    const end = rowStart[pair + 1]!;
    if (shares === null) for (let at = rowStart[pair]!; at < end; at++) sums[rows[at]!]! += amount;
    else for (let at = rowStart[pair]!; at < end; at++) sums[rows[at]!]! += shares[at]! * amount;
  }

  /** R' y of a pair: the sum of duals of its counters, by its shares of them. */
  priceOf(duals: Float64Array, pair: number): number {
    const { rowStart, rows, shares } = this;
    const end = rowStart[pair + 1]!;
    let sum = 0;
    if (shares === null) for (let at = rowStart[pair]!; at < end; at++) sum += duals[rows[at]!]!;
    else for (let at = rowStart[pair]!; at < end; at++) sum += shares[at]! * duals[rows[at]!]!;
    return sum;
  }

  /** The sum of the shares of a pair: how many counters it moves, where all have all of it. */
  sharesOf(pair: number): number {
    const { rowStart, shares } = this;
    const [begin, end] = [rowStart[pair]!, rowStart[pair + 1]!];
    if (shares === null) return end - begin;
    let sum = 0;
    for (let at = begin; at < end; at++) sum += shares[at]!;
    return sum;
  }

  /** The most that a pair can have sent by its counters alone; Infinity: it has none. @param counted by their numbers */
  mostOf(pair: number, counted: Float64Array): number {
    const { rowStart, rows, shares } = this;
    let least = Infinity;
    for (let at = rowStart[pair]!; at < rowStart[pair + 1]!; at++)
      least = Math.min(least, counted[rows[at]!]! / (shares === null ? 1 : shares[at]!));
    return least;
  }

  /** Bytes of its columns, but for links, which are those of the bases. */
  get bytes(): number {
    const { first, offset, rowStart, rows, shares } = this;
    return first.byteLength + offset.byteLength + rowStart.byteLength + rows.byteLength + (shares?.byteLength ?? 0);
  }
}

/** The pairs of one diagonal after the other. */
class Diagonal {
  /** by first rank: whether one of the two pairs may have sent */
  readonly isOpen: Uint8Array;
  readonly isKept: Uint8Array;
  /** end of the rows of pair 2 x first, and of 2 x first + 1 */
  readonly rowEnd: Int32Array;
  rows: Int32Array = new Int32Array(0);
  /** of `rows`, where rows have shares of a pair */
  shares: Float64Array = new Float64Array(0);

  constructor(ranks: number) {
    this.isOpen = new Uint8Array(ranks);
    this.isKept = new Uint8Array(ranks);
    this.rowEnd = new Int32Array(2 * ranks);
  }

  /** @returns how many pairs may have sent */
  find(hosts: Int32Array, offset: number, pairRows: PairCounters, counters: Float64Array): number {
    const { isOpen, isKept, rowEnd } = this;
    const length = hosts.length - offset;
    const rows = new Int32List();
    const shares = pairRows.shares === null ? null : new Float64List();
    let open = 0;
    for (let at = 0; at < length; at++) {
      const [low, high] = [hosts[at]!, hosts[at + offset]!];
      const before = open;
      for (let back = 0; back < 2; back++) {
        const count = back === 0 ? pairRows.open(low, high, counters) : pairRows.open(high, low, counters);
        for (let i = 0; i < count; i++) rows.push(pairRows.rows[i]!);
        if (shares !== null) for (let i = 0; i < count; i++) shares.push(pairRows.shares![i]!);
        rowEnd[2 * at + back] = rows.length;
        if (count > 0) open++;
      }
      isOpen[at] = isKept[at] = open > before ? 1 : 0;
    }
    this.rows = rows.values;
    if (shares !== null) this.shares = shares.values;
    return open;
  }
}

/** Finds the places before and behind each, of a basis, while places are added. */
class StepLinks {
  /** by first rank: place before the one that will be there, and the diagonal on which that is so */
  private readonly place: Int32Array;
  private readonly diagonal: Int32Array;

  /** @param before gets the place before each that is added, -1: none */
  constructor(
    private readonly step: Step,
    ranks: number,
    private readonly before: Int32List,
  ) {
    this.place = new Int32Array(ranks);
    this.diagonal = new Int32Array(ranks);
  }

  /** Keeps what lies behind open places. */
  keepBehind(offset: number, isOpen: Uint8Array, isKept: Uint8Array): void {
    const length = this.place.length - offset;
    for (let at = 0; at < length; at++) {
      const next = at + this.step(offset, at);
      if (isOpen[at] === 1 && next < length) isKept[next] = 1;
    }
  }

  add(offset: number, at: number, place: number): void {
    this.before.push(this.diagonal[at] === offset ? this.place[at]! : -1);
    const next = at + this.step(offset, at);
    if (next >= this.place.length) return;
    this.place[next] = place;
    this.diagonal[next] = offset;
  }
}

function linksOf(before: Int32Array): PlaceLinks {
  const behind = new Int32Array(before.length).fill(-1);
  before.forEach((place, own) => {
    if (place !== -1) behind[place] = own;
  });
  return { before, behind };
}

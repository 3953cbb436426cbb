// Two groups of runs beside each other: which flows took another time, by how much, and whether figures differ by more
// than seeds make them.
// Invariants: flows are compared only if sender, receiver and size are the same; what has no partner is counted.
// Figures are compared by rank tests (significance.ts), paired where both groups have the same seeds.

import { nearestRank } from './distribution.js';
import { rankSumTest, signedRankTest, type TestResult } from './significance.js';

/** Finished flows of a run, by columns of equal length; ends are numbers or names of nodes. */
export interface ComparedFlows<End extends number | string = number> {
  readonly flowId: Float64Array;
  readonly source: ArrayLike<End>;
  readonly destination: ArrayLike<End>;
  readonly sizeBytes: Float64Array;
  readonly startPs: Float64Array;
  readonly finishPs: Float64Array;
  /** whether numbers of flows mean the same as in other runs of the same work */
  readonly isNumbered: boolean;
}

/** A flow that both runs have: its places in their columns. */
export interface FlowPair {
  readonly before: number;
  readonly after: number;
  readonly beforePs: number;
  readonly afterPs: number;
}

/** What became of the flows of one run in another. */
export interface FlowChanges {
  readonly matched: number;
  readonly onlyBefore: number;
  readonly onlyAfter: number;
  readonly faster: number;
  readonly slower: number;
  /** mean and median of after / before - 1; 0 without flows */
  readonly meanChange: number;
  readonly medianChange: number;
  /** pairs whose times differ by more than the threshold, largest difference first */
  readonly changed: readonly FlowPair[];
}

/**
 * Matches the flows of two runs.
 * @param threshold share of the time before by which a flow's time must differ to count as changed
 */
export function flowChanges<End extends number | string>(
  before: ComparedFlows<End>,
  after: ComparedFlows<End>,
  threshold: number,
): FlowChanges {
  const pairs = pairsOf(before, after);
  const ratios = Float64Array.from(pairs, ({ beforePs, afterPs }) => (beforePs > 0 ? afterPs / beforePs - 1 : 0));
  const changed = pairs.filter((_pair, i) => Math.abs(ratios[i]!) > threshold);
  changed.sort((a, b) => Math.abs(b.afterPs - b.beforePs) - Math.abs(a.afterPs - a.beforePs) || a.before - b.before);
  const sorted = ratios.slice().sort();
  return {
    matched: pairs.length,
    onlyBefore: before.flowId.length - pairs.length,
    onlyAfter: after.flowId.length - pairs.length,
    faster: changed.filter(({ beforePs, afterPs }) => afterPs < beforePs).length,
    slower: changed.filter(({ beforePs, afterPs }) => afterPs > beforePs).length,
    meanChange: pairs.length === 0 ? 0 : ratios.reduce((sum, ratio) => sum + ratio, 0) / pairs.length,
    medianChange: pairs.length === 0 ? 0 : nearestRank(sorted, 0.5),
    changed,
  };
}

/** Pairs by number where both have one, else the k-th flow by start of the same ends and size. */
function pairsOf<End extends number | string>(before: ComparedFlows<End>, after: ComparedFlows<End>): FlowPair[] {
  const byNumber = before.isNumbered && after.isNumbered;
  const waiting = new Map<string, { readonly places: number[]; next: number }>();
  for (const place of inOrder(before, byNumber)) {
    const key = keyOf(before, place, byNumber);
    const known = waiting.get(key);
    if (known === undefined) waiting.set(key, { places: [place], next: 0 });
    else known.places.push(place);
  }
  const pairs: FlowPair[] = [];
  for (const place of inOrder(after, byNumber)) {
    const known = waiting.get(keyOf(after, place, byNumber));
    const other = known?.places[known.next++];
    if (other === undefined) continue;
    pairs.push({
      before: other,
      after: place,
      beforePs: before.finishPs[other]! - before.startPs[other]!,
      afterPs: after.finishPs[place]! - after.startPs[place]!,
    });
  }
  return pairs;
}

function inOrder({ flowId, startPs }: Pick<ComparedFlows, 'flowId' | 'startPs'>, byNumber: boolean): Int32Array {
  const order = Int32Array.from(flowId, (_id, place) => place);
  return byNumber ? order : order.sort((a, b) => startPs[a]! - startPs[b]! || a - b);
}

function keyOf(flows: ComparedFlows<number | string>, place: number, byNumber: boolean): string {
  const ends = `${flows.source[place]!}\n${flows.destination[place]!}\n${flows.sizeBytes[place]!}`;
  return byNumber ? `${flows.flowId[place]!} ${ends}` : ends;
}

/** A figure of every run of a group, in the order of the runs. */
export interface GroupFigures {
  readonly seeds: readonly number[];
  readonly values: readonly number[];
}

/** How a figure differs between two groups. */
export interface FigureChange {
  readonly before: number;
  readonly after: number;
  /** after / before - 1 of the means; null if before is 0 */
  readonly change: number | null;
  /** among runs of one group: `unknown` of one run, `none` if seeds change nothing */
  readonly spread: 'unknown' | 'none' | 'some';
  /** null unless there is some spread */
  readonly test: TestResult | null;
  /** the smallest p that so many runs can give at all */
  readonly leastP: number | null;
}

/** Compares a figure of two groups. */
export function figureChange(before: GroupFigures, after: GroupFigures): FigureChange {
  const [beforeMean, afterMean] = [meanOf(before.values), meanOf(after.values)];
  const change = beforeMean === 0 ? null : afterMean / beforeMean - 1;
  const plain = { before: beforeMean, after: afterMean, change };
  if (before.values.length < 2 || after.values.length < 2)
    return { ...plain, spread: 'unknown', test: null, leastP: null };
  // runs that are all the same are one run, however often it was made
  if (isConstant(before.values) && isConstant(after.values))
    return { ...plain, spread: 'none', test: null, leastP: null };
  const pairing = pairedValues(before, after);
  if (pairing !== null) {
    const runs = pairing.values.length;
    return {
      ...plain,
      spread: 'some',
      test: signedRankTest(pairing.own, pairing.values),
      leastP: 2 / powerOfTwo(runs),
    };
  }
  const least = 2 / subsets(before.values.length + after.values.length, before.values.length);
  return { ...plain, spread: 'some', test: rankSumTest(before.values, after.values), leastP: Math.min(1, least) };
}

/** The values of both groups by seed; null if a group has a seed twice or another has not all of them. */
function pairedValues(before: GroupFigures, after: GroupFigures): { own: number[]; values: number[] } | null {
  const bySeed = new Map(after.seeds.map((seed, i) => [seed, after.values[i]!]));
  if (bySeed.size < after.seeds.length || new Set(before.seeds).size < before.seeds.length) return null;
  if (before.seeds.length !== after.seeds.length || !before.seeds.every((seed) => bySeed.has(seed))) return null;
  return { own: [...before.values], values: before.seeds.map((seed) => bySeed.get(seed)!) };
}

function isConstant(values: readonly number[]): boolean {
  return values.every((value) => value === values[0]);
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function subsets(n: number, k: number): number {
  let count = 1;
  for (let i = 1; i <= k; i++) count = (count * (n - k + i)) / i;
  return count;
}

function powerOfTwo(exponent: number): number {
  let power = 1;
  for (let i = 0; i < exponent; i++) power *= 2;
  return power;
}

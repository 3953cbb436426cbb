// Whether two groups of runs differ by more than their seeds do: rank tests, which assume no distribution.
//   paired (the same seeds in both): Wilcoxon's signed ranks; not paired: Mann and Whitney's rank sum.
// Both are exact, also with ties, by counting all assignments of the ranks that there are: doubled ranks are whole
// numbers, and a table over their sums counts subsets (dynamic programming). Beyond 100 values the normal approximation
// with corrections for ties and continuity takes over.
// Sources: Wilcoxon 1945, Mann and Whitney 1947; Hollander and Wolfe, Nonparametric Statistical Methods (from memory).
// Not modelled: corrections for many figures tested together; whoever reads twenty figures meets one at 5 % by chance.

/** What a test says. */
export interface TestResult {
  readonly test: 'wilcoxon-signed-rank' | 'mann-whitney';
  /** two-sided probability of a difference as large or larger if there were none; 1 if nothing differs */
  readonly p: number;
  /** pairs that differ, or values of both groups */
  readonly values: number;
  readonly exact: boolean;
}

const mostExact = 100;

/** Wilcoxon's signed-rank test of pairs; pairs without a difference are left out. */
export function signedRankTest(before: readonly number[], after: readonly number[]): TestResult {
  const differences = before.map((value, i) => after[i]! - value).filter((difference) => difference !== 0);
  const n = differences.length;
  const ranks = doubledRanks(differences.map(Math.abs));
  let positive = 0;
  for (const [i, difference] of differences.entries()) if (difference > 0) positive += ranks[i]!;
  const sum = ranks.reduce((total, rank) => total + rank, 0);
  if (n <= mostExact) {
    // any subset of the ranks may be the positive ones
    const counts = new Float64Array(sum + 1);
    counts[0] = 1;
    for (const rank of ranks) for (let s = sum; s >= rank; s--) counts[s]! += counts[s - rank]!;
    return { test: 'wilcoxon-signed-rank', p: twoSided(counts, positive), values: n, exact: true };
  }
  const variance = ranks.reduce((total, rank) => total + (rank * rank) / 4, 0);
  return { test: 'wilcoxon-signed-rank', p: normalTail(positive, sum / 2, variance), values: n, exact: false };
}

/** Mann and Whitney's test of two groups. */
export function rankSumTest(before: readonly number[], after: readonly number[]): TestResult {
  const n = before.length + after.length;
  const ranks = doubledRanks([...before, ...after]);
  let own = 0;
  for (let i = 0; i < before.length; i++) own += ranks[i]!;
  const sum = ranks.reduce((total, rank) => total + rank, 0);
  if (n <= mostExact) {
    // subsets of as many ranks as the first group has: by size and sum
    const size = before.length;
    const counts = Array.from({ length: size + 1 }, () => new Float64Array(sum + 1));
    counts[0]![0] = 1;
    for (const [seen, rank] of ranks.entries())
      for (let k = Math.min(size, seen + 1); k >= 1; k--)
        for (let s = sum; s >= rank; s--) counts[k]![s]! += counts[k - 1]![s - rank]!;
    return { test: 'mann-whitney', p: twoSided(counts[size]!, own), values: n, exact: true };
  }
  const mean = (sum * before.length) / n;
  const spread = ranks.reduce((total, rank) => total + (rank - sum / n) * (rank - sum / n), 0);
  const variance = (spread * before.length * after.length) / (n * (n - 1));
  return { test: 'mann-whitney', p: normalTail(own, mean, variance), values: n, exact: false };
}

/** Twice the rank of each value, from 2; equal values share the mean of their ranks. */
function doubledRanks(values: readonly number[]): number[] {
  const order = values.map((_value, i) => i).sort((a, b) => values[a]! - values[b]!);
  const ranks = values.map(() => 0);
  for (let from = 0; from < order.length;) {
    let until = from + 1;
    while (until < order.length && values[order[until]!] === values[order[from]!]) until++;
    for (let i = from; i < until; i++) ranks[order[i]!] = from + until + 1;
    from = until;
  }
  return ranks;
}

/** Both tails as far out as the smaller one of `seen`, by counts of all outcomes. */
function twoSided(counts: Float64Array, seen: number): number {
  let all = 0;
  let below = 0;
  let above = 0;
  for (const [sum, count] of counts.entries()) {
    all += count;
    if (sum <= seen) below += count;
    if (sum >= seen) above += count;
  }
  return Math.min(1, (2 * Math.min(below, above)) / all);
}

/** Two-sided tail of a normal distribution of doubled ranks, with a continuity correction of one. */
function normalTail(seen: number, mean: number, variance: number): number {
  if (variance === 0) return 1;
  const distance = Math.max(0, Math.abs(seen - mean) - 1) / Math.sqrt(variance);
  return Math.min(1, 2 * upperTail(distance));
}

/**
 * Upper tail of the standard normal distribution by Simpson's rule over the density, which is expanded around each
 * step without functions that engines round differently; good to 1e-9 up to 8, and 0 beyond.
 */
function upperTail(z: number): number {
  if (z >= 8) return 0;
  const steps = 2048;
  const width = z / steps;
  let sum = 0;
  for (let i = 0; i <= steps; i++) sum += (i === 0 || i === steps ? 1 : i % 2 === 1 ? 4 : 2) * density(i * width);
  return Math.max(0, 0.5 - (sum * width) / 3);
}

const inverseRootOfTwoPi = 0.3989422804014327;

function density(z: number): number {
  // e^-x by halving x until the series is short, then squaring back
  let x = (z * z) / 2;
  let halvings = 0;
  for (; x > 0.5; x /= 2) halvings++;
  let term = 1;
  let value = 1;
  for (let k = 1; k < 14; k++) {
    term *= -x / k;
    value += term;
  }
  for (; halvings > 0; halvings--) value *= value;
  return inverseRootOfTwoPi * value;
}

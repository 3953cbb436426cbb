// Distributions of completion times: percentiles of groups of flows, and points of a cumulative distribution.
// Percentiles are by nearest rank, as in completion.ts. Memory: 8 bytes per value and figure.

/** Percentiles of one group. */
export interface GroupPercentiles {
  readonly group: string;
  readonly flows: number;
  readonly mean: number;
  readonly p50: number;
  readonly p90: number;
  readonly p95: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
}

/**
 * The value of nearest rank: the smallest with at least that share at or below it. @param sorted ascending, not empty
 */
export function nearestRank(sorted: Float64Array, share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!;
}

/** Percentiles of values. @returns zeros of an empty group */
export function percentilesOf(group: string, values: Float64Array): GroupPercentiles {
  const sorted = values.slice().sort();
  if (sorted.length === 0) return { group, flows: 0, mean: 0, p50: 0, p90: 0, p95: 0, p99: 0, p999: 0, max: 0 };
  let sum = 0;
  for (const value of sorted) sum += value;
  const rank = (share: number): number => nearestRank(sorted, share);
  return {
    group,
    flows: sorted.length,
    mean: sum / sorted.length,
    p50: rank(0.5),
    p90: rank(0.9),
    p95: rank(0.95),
    p99: rank(0.99),
    p999: rank(0.999),
    max: sorted[sorted.length - 1]!,
  };
}

/** Upper ends of the groups by size, in bytes: powers of ten, as published figures have them. */
const sizeBounds = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9] as const;
const sizeNames = ['1 kB', '10 kB', '100 kB', '1 MB', '10 MB', '100 MB', '1 GB'] as const;

/** The name of the group that a size is of: `up to 10 MB`, `above 1 GB`. */
export function sizeBucket(sizeBytes: number): string {
  const place = sizeBounds.findIndex((bound) => sizeBytes <= bound);
  return place < 0 ? `above ${sizeNames[sizeNames.length - 1]!}` : `up to ${sizeNames[place]!}`;
}

/** All groups by size, smallest first. */
export const sizeBuckets: readonly string[] = [...sizeBounds.map(sizeBucket), sizeBucket(Infinity)];

/**
 * Percentiles by group.
 * @param groupOf of each value, by its place
 * @param order of the groups; those without values are left out
 */
export function percentilesByGroup(
  values: Float64Array,
  groupOf: (place: number) => string,
  order: readonly string[],
): GroupPercentiles[] {
  const counts = new Map(order.map((group) => [group, 0]));
  for (let i = 0; i < values.length; i++) counts.set(groupOf(i), (counts.get(groupOf(i)) ?? 0) + 1);
  const groups = new Map([...counts].map(([group, count]) => [group, new Float64Array(count)]));
  const filled = new Map<string, number>();
  for (let i = 0; i < values.length; i++) {
    const group = groupOf(i);
    const at = filled.get(group) ?? 0;
    groups.get(group)![at] = values[i]!;
    filled.set(group, at + 1);
  }
  return [...groups].filter(([, own]) => own.length > 0).map(([group, own]) => percentilesOf(group, own));
}

/** A point of a cumulative distribution: `share` of the values are at most `value`. */
export interface CumulativePoint {
  readonly share: number;
  readonly value: number;
}

/** Points of the cumulative distribution at whole percents and per mille beyond 99 %; none without values. */
export function cumulativePoints(values: Float64Array): CumulativePoint[] {
  if (values.length === 0) return [];
  const sorted = values.slice().sort();
  const shares = [
    ...Array.from({ length: 99 }, (_, i) => (i + 1) / 100),
    ...Array.from({ length: 10 }, (_, i) => (990 + i + 1) / 1000),
  ];
  return [0, ...shares].map((share) => ({ share, value: nearestRank(sorted, share) }));
}

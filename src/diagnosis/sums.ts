// Sums by number: of links, hosts and ranks.

/** Adds to the sum of a key. */
export function addToSum<Key>(sums: Map<Key, number>, key: Key, value: number): void {
  sums.set(key, (sums.get(key) ?? 0) + value);
}

/** All of them together. */
export function sumOf(sums: Iterable<readonly [unknown, number]>): number {
  let whole = 0;
  for (const [, own] of sums) whole += own;
  return whole;
}

/** Those with most first. */
export function sorted(sums: Iterable<readonly [number, number]>): (readonly [number, number])[] {
  return [...sums].sort(([a, x], [b, y]) => y - x || a - b);
}

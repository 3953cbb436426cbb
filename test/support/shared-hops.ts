// How many links and lanes two ways have in common, by counting: an index from links and lanes to ways.

/**
 * The most that two of some ways share, by their numbers of links.
 * @param ways links and lanes of each, as numbers
 * @returns by "links of one, links of the other, the longer one first"
 */
export function mostShared(ways: readonly Int32Array[]): Map<string, number> {
  const waysOf = new Map<number, number[]>();
  ways.forEach((way, number) => {
    for (const row of way) {
      const own = waysOf.get(row);
      if (own === undefined) waysOf.set(row, [number]);
      else own.push(number);
    }
  });
  const most = new Map<string, number>();
  const shared = new Int32Array(ways.length);
  ways.forEach((way, number) => {
    const met: number[] = [];
    for (const row of way)
      for (const other of waysOf.get(row)!) if (other > number && shared[other]!++ === 0) met.push(other);
    for (const other of met) {
      const lengths = [way.length, ways[other]!.length].sort((a, b) => b - a).join();
      most.set(lengths, Math.max(most.get(lengths) ?? 0, shared[other]!));
      shared[other] = 0;
    }
  });
  return most;
}

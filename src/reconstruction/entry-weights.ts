// Weights of the entries of a dictionary, taken anew from what was found: an entry that was found large costs less, so
// that few large ones are preferred to many small ones, and the next search finds sparser traffic.
// Source: E. Candes, M. Wakin and S. Boyd, "Enhancing sparsity by reweighted l1 minimization", 2008: weights
// 1 / (|v| + e), and e as large as the m / (4 log(n / m)) largest entry of n, of m counters, but no less than a share of
// the scale.
// Invariant: weights are above 0 and at most 1.

/** The least that e is, as a share of the largest entry. */
const leastShare = 1e-3;

/** Puts weights in the place of entries without signs, all bases together. @param counters how many there are */
export function weighAnew(entries: readonly Float64Array[], counters: number): void {
  const all = new Float64Array(entries.reduce((sum, own) => sum + own.length, 0));
  let filled = 0;
  for (const own of entries) {
    all.set(own, filled);
    filled += own.length;
  }
  all.sort();
  const largest = all.at(-1) ?? 0;
  if (largest === 0) {
    for (const own of entries) own.fill(1);
    return;
  }
  // log(n / m) by whole powers of two, which all engines count alike
  const doublings = Math.max(1, 31 - Math.clz32(all.length / Math.max(1, counters)));
  const rank = Math.min(all.length, Math.max(1, Math.ceil(counters / (4 * Math.LN2 * doublings))));
  const edge = Math.max(all[all.length - rank]!, leastShare * largest);
  for (const own of entries) own.forEach((value, i) => (own[i] = edge / (value + edge)));
}

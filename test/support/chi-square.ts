// Pearson's test of counts against equal shares, and how far chance alone takes it.

/** The sum of squared differences from equal shares, over the share. */
export function chiSquare(counts: readonly number[]): number {
  const share = counts.reduce((sum, count) => sum + count, 0) / counts.length;
  return counts.reduce((sum, count) => sum + (count - share) ** 2 / share, 0);
}

/**
 * What chi-square exceeds once in a million draws from equal shares: Wilson and Hilferty's cube, good to a per cent from
 * three degrees of freedom on (Proceedings of the National Academy of Sciences 17, 1931).
 */
export function onceInAMillion(counts: number): number {
  const freedom = counts - 1;
  return freedom * (1 - 2 / (9 * freedom) + 4.7534 * Math.sqrt(2 / (9 * freedom))) ** 3;
}

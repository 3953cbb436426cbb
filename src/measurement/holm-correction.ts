// Probabilities of several tests that are read together, corrected so that the chance of a single false difference
// among all of them is that of one test.
// Source: Holm 1979, A simple sequentially rejective multiple test procedure.

/** Holm's correction: probabilities in the order given, each at most 1. */
export function holm(probabilities: readonly number[]): number[] {
  const order = probabilities.map((_, i) => i).sort((a, b) => probabilities[a]! - probabilities[b]!);
  const corrected = probabilities.map(() => 1);
  let most = 0;
  order.forEach((index, rank) => {
    most = Math.max(most, Math.min(1, (probabilities.length - rank) * probabilities[index]!));
    corrected[index] = most;
  });
  return corrected;
}

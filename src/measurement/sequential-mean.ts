// When enough runs are there for the mean of a figure: its interval is looked at after 9, 15, 23, … runs (half as many
// again each time), and the first that is narrow enough ends it.
// Whoever looks often stops too early by chance, so that intervals hold less often than they say. Therefore each look
// takes an interval of 99 %, where 95 % is promised. Of normal figures the mean does not depend on the variance, by which
// alone it ends, so the promise holds with room (Starr 1966, Annals of Mathematical Statistics 37); of skewed ones most of
// the room is used up, as test/measurement/sequential-mean.test.ts measures. Each interval is Student's:
// exact for normal figures, by the central limit theorem nearly so for others, which is why no look is at fewer than 9.
// Values that are all the same say nothing of rare ones: they end it from 59 on, when it is 95 % sure that at most one run
// in 20 has another (0.95^59 < 0.05). What is rarer may be missed.
// Sources: Student 1908; Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.4 (distribution of t for even
// degrees of freedom, a finite sum); Chow and Robbins 1965 (sequential intervals of fixed width).
// Invariant: what is decided depends on the values in their order alone.

/** Probability that the interval of a single look does not hold the mean. */
const lookError = 0.01;
const firstLook = 9;
const leastEqual = 59;

/** What a look at the first values of a figure says. */
export interface MeanLook {
  readonly mean: number;
  /** of the interval, in the figure's unit; Infinity: too few values to have one */
  readonly halfWidth: number;
}

/** Numbers of values at which to look, so that degrees of freedom are even; the last is `most`. */
export function* looks(most: number): Generator<number> {
  for (let size = firstLook; size < most; size += 2 * Math.ceil(size / 4)) yield size;
  yield most;
}

/** The mean of values and its interval. */
export function lookAtMean(values: readonly number[]): MeanLook {
  const count = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  if (count < 3) return { mean, halfWidth: Infinity };
  const squares = values.reduce((sum, value) => sum + (value - mean) * (value - mean), 0);
  if (squares === 0 && count < leastEqual) return { mean, halfWidth: Infinity };
  return { mean, halfWidth: studentQuantile(lookError, count - 1) * Math.sqrt(squares / (count - 1) / count) };
}

/**
 * The amount that a variable with Student's distribution exceeds, up or down, with a probability.
 * @param error above 0, below 1
 * @param freedom degrees of freedom, at least 2; of an odd number the even one below counts, which is the larger amount
 */
export function studentQuantile(error: number, freedom: number): number {
  const even = freedom - (freedom % 2);
  let [low, high] = [0, 1];
  while (within(high, even) < 1 - error) high *= 2;
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (within(middle, even) < 1 - error) low = middle;
    else high = middle;
  }
  return high;
}

/** The probability of at most t, up or down: A&S 26.7.4. @param freedom even */
function within(t: number, freedom: number): number {
  const sine = t / Math.sqrt(freedom + t * t);
  const cosineSquared = freedom / (freedom + t * t);
  let [sum, term] = [1, 1];
  for (let j = 1; j < freedom / 2; j++) {
    term *= ((2 * j - 1) / (2 * j)) * cosineSquared;
    sum += term;
    if (term < 1e-17 * sum) break;
  }
  return sine * sum;
}

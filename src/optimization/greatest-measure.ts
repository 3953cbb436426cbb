// What sizes are multiples of, so that sums of them can be counted in whole steps.

/** Sizes are looked at in 1024ths: binary fractions that small are exact. */
const scale = 1024;

/** The largest number that all sizes are whole multiples of; 0 if they are no 1024ths, or too large to tell. */
export function greatestMeasure(sizes: Iterable<number>): number {
  let measure = 0;
  for (const size of sizes) {
    if (!Number.isSafeInteger(size * scale)) return 0;
    for (let other = size * scale; other !== 0;) [measure, other] = [other, measure % other];
  }
  return measure / scale;
}

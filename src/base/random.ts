// Named random streams: every consumer draws from a stream of its own, so adding one consumer never shifts another's
// draws.
// Generator: sfc32 (Doty-Humphrey, PractRand), 128 bits of state, period at least 2^32. Seeding: MurmurHash3's
// finalizer.
// Invariant: the same (seed, name) gives the same sequence on every platform; integers only, no floating-point
// functions.

/** One stream. State lives in a typed array so that a draw allocates nothing. */
export class RandomStream {
  private readonly state = new Uint32Array(4);

  /**
   * @param seed the run's seed, a whole number from 0 to 2^53
   * @param name the consumer, such as `ecn` or `loss`
   */
  constructor(seed: number, name: string) {
    const low = seed % 2 ** 32;
    const high = Math.floor(seed / 2 ** 32);
    let hash = 0x811c9dc5;
    for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
    this.state[0] = mix(low);
    this.state[1] = mix(high ^ 0x9e3779b9);
    this.state[2] = mix(hash);
    this.state[3] = 1;
    for (let i = 0; i < 16; i++) this.nextUint32();
  }

  /** A whole number, uniform over 0 .. 2^32 - 1. */
  nextUint32(): number {
    const s = this.state;
    const result = (s[0]! + s[1]! + s[3]!) >>> 0;
    s[3] = s[3]! + 1;
    s[0] = s[1]! ^ (s[1]! >>> 9);
    s[1] = s[2]! + (s[2]! << 3);
    s[2] = ((s[2]! << 21) | (s[2]! >>> 11)) + result;
    return result;
  }

  /** A number uniform over [0, 1) in steps of 2^-32. */
  nextFraction(): number {
    return this.nextUint32() / 4294967296;
  }

  /** A whole number, uniform over 0 .. count - 1 (count at most 2^32; bias below 2^-32 x count). */
  nextBelow(count: number): number {
    return Math.floor(this.nextFraction() * count);
  }
}

/**
 * A number with the exponential distribution of mean 1, drawn with comparisons alone: engines round logarithms
 * differently.
 * Source: J. von Neumann, "Various techniques used in connection with random digits", 1951.
 * A run of uniform numbers goes down n times; n is odd with probability exp(-first). An even run adds 1 and starts
 * anew.
 */
export function exponential(random: RandomStream): number {
  for (let whole = 0; ; whole++) {
    const first = random.nextFraction();
    let length = 1;
    for (let last = first, next = random.nextFraction(); next < last; last = next, next = random.nextFraction())
      length++;
    if (length % 2 === 1) return whole + first;
  }
}

/**
 * A number uniform over [0, 1) in steps of 2^-32 that belongs to a place: for draws that must not depend on who asks
 * when.
 * @param row, column the place, whole numbers below 2^32
 */
export function fractionAt(seed: number, row: number, column: number): number {
  const key = mix(mix(seed % 2 ** 32) ^ Math.floor(seed / 2 ** 32) ^ 0x9e3779b9);
  return (mix(mix(key ^ Math.imul(row + 1, 0x85ebca6b)) + Math.imul(column + 1, 0x9e3779b9)) >>> 0) / 4294967296;
}

function mix(value: number): number {
  let h = value | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}

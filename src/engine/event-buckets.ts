// Where the events of a calendar wait, by bucket: records in the order in which they came. A bucket of up to three
// holds them itself, in 16 bytes; a longer one is a chain of chunks, a cache line each. So neither adding an event nor
// reading a bucket goes through the records, which are far apart in large fabrics: who reads a bucket then asks all of
// its records for their times side by side, where a list through the records would wait for one after the other.
// Invariant: a bucket's bit is set exactly while it holds something.

/** Int32 words of a bucket: how many it holds; then they, or its first chunk and the place after its last record. */
const wordsShift = 2;
const FIRST = 1;
const END = 2;
const mostInside = 3;
/** a chunk is 16 places, the last of which holds the next chunk (in the free list: the first) */
const chunkMask = 15;
const none = -1;

export class EventBuckets {
  /** words of the bitmap without a bucket that were passed by since somebody set this to 0 */
  wordsSkipped = 0;
  private readonly words: Int32Array;
  /** a bit for each bucket */
  private readonly occupied: Int32Array;
  private chunks = new Int32Array(1 << 10);
  private chunksEnd = 0;
  private freeChunk = none;

  /** @param count buckets, a power of two */
  constructor(readonly count: number) {
    this.words = new Int32Array(count << wordsShift);
    this.occupied = new Int32Array(Math.max(1, count >> 5));
  }

  /** How many records a bucket holds. */
  sizeOf(bucket: number): number {
    return this.words[bucket << wordsShift]!;
  }

  /** Appends a record to a bucket. */
  add(bucket: number, record: number): void {
    const { words } = this;
    const at = bucket << wordsShift;
    const size = words[at]!;
    words[at] = size + 1;
    if (size >= mostInside) {
      this.addToChain(at, size, record);
      return;
    }
    words[at + FIRST + size] = record;
    if (size === 0) this.occupied[bucket >> 5]! |= 1 << (bucket & 31);
  }

  /** The first bucket that holds something, from one on and around; one must. */
  nextOccupied(from: number): number {
    const { occupied } = this;
    const wordMask = occupied.length - 1;
    let word = from >> 5;
    let bits = occupied[word]! & (-1 << (from & 31));
    while (bits === 0) {
      this.wordsSkipped++;
      word = (word + 1) & wordMask;
      bits = occupied[word]!;
    }
    return (word << 5) | (31 - Math.clz32(bits & -bits));
  }

  /**
   * Empties a bucket into two arrays, in the order in which its records came; they have room for `sizeOf` of them.
   * @param reals of the records: their times stand in them
   * @returns true if the times are in order
   */
  take(bucket: number, reals: Float64Array, records: Int32Array, times: Float64Array): boolean {
    const { words } = this;
    const at = bucket << wordsShift;
    const size = words[at]!;
    words[at] = 0;
    this.occupied[bucket >> 5]! &= ~(1 << (bucket & 31));
    if (size > mostInside) return this.takeChain(words[at + FIRST]!, size, reals, records, times);
    let isSorted = true;
    let lastPs = -1;
    for (let i = 0; i < size; i++) {
      const record = words[at + FIRST + i]!;
      const timePs = reals[record << 2]!;
      records[i] = record;
      times[i] = timePs;
      if (timePs < lastPs) isSorted = false;
      lastPs = timePs;
    }
    return isSorted;
  }

  private addToChain(at: number, size: number, record: number): void {
    const { words } = this;
    let place = words[at + END]!;
    if (size === mostInside) {
      place = this.takeChunk();
      const chunk = place;
      for (let i = 0; i < mostInside; i++) this.chunks[place++] = words[at + FIRST + i]!;
      words[at + FIRST] = chunk;
    } else if ((place & chunkMask) === chunkMask) {
      const chunk = this.takeChunk();
      this.chunks[place] = chunk;
      place = chunk;
    }
    this.chunks[place] = record;
    words[at + END] = place + 1;
  }

  private takeChain(
    first: number,
    size: number,
    reals: Float64Array,
    records: Int32Array,
    times: Float64Array,
  ): boolean {
    const { chunks } = this;
    let place = first;
    let isSorted = true;
    let lastPs = -1;
    for (let i = 0; i < size; i++) {
      if ((place & chunkMask) === chunkMask) {
        const next = chunks[place]!;
        this.release(place - chunkMask);
        place = next;
      }
      const record = chunks[place++]!;
      const timePs = reals[record << 2]!;
      records[i] = record;
      times[i] = timePs;
      if (timePs < lastPs) isSorted = false;
      lastPs = timePs;
    }
    this.release((place - 1) & ~chunkMask);
    return isSorted;
  }

  private takeChunk(): number {
    const { freeChunk } = this;
    if (freeChunk !== none) {
      this.freeChunk = this.chunks[freeChunk]!;
      return freeChunk;
    }
    const chunk = this.chunksEnd;
    this.chunksEnd += chunkMask + 1;
    if (this.chunksEnd > this.chunks.length) {
      const chunks = new Int32Array(2 * this.chunks.length);
      chunks.set(this.chunks);
      this.chunks = chunks;
    }
    return chunk;
  }

  private release(chunk: number): void {
    this.chunks[chunk] = this.freeChunk;
    this.freeChunk = chunk;
  }
}

// How bytes are divided: parts that differ by one byte at most, the larger ones first, nothing left over.
// Invariant: part i ends where part i + 1 begins, part 0 begins at 0 and the last ends at the size; exact for whole
// sizes up to 2^53.

/**
 * Where part i of `count` begins when `sizeBytes` are divided as evenly as whole bytes allow; part i ends where i + 1
 * begins.
 */
export function partStart(sizeBytes: number, count: number, i: number): number {
  const rest = sizeBytes % count;
  return ((sizeBytes - rest) / count) * i + (i < rest ? i : rest);
}

/** Size of part i of `count`. */
export function partSize(sizeBytes: number, count: number, i: number): number {
  const rest = sizeBytes % count;
  return (sizeBytes - rest) / count + (i < rest ? 1 : 0);
}

/**
 * A buffer of one block per rank, each block divided into slices (one per channel and chunk): what allgather,
 * reduce-scatter and a ring allreduce move. Block b is the part of rank b.
 */
export class Blocks {
  /** @param sizeBytes the whole buffer @param count blocks @param slices of each block */
  constructor(
    readonly sizeBytes: number,
    readonly count: number,
    readonly slices: number,
  ) {}

  /** Where a slice of a block begins in the buffer. */
  start(block: number, slice: number): number {
    return (
      partStart(this.sizeBytes, this.count, block) +
      partStart(partSize(this.sizeBytes, this.count, block), this.slices, slice)
    );
  }

  /** Bytes of a slice of a block. */
  size(block: number, slice: number): number {
    return partSize(partSize(this.sizeBytes, this.count, block), this.slices, slice);
  }
}

/**
 * What remains of a size if every division drops its remainder, as SimAI does: the largest multiple of parts x slices
 * that fits.
 */
export function truncatedSize(sizeBytes: number, parts: number, slices: number): number {
  return Math.floor(Math.floor(sizeBytes / parts) / slices) * slices * parts;
}

// Ranks as people write them: `0-127`, `0,8,16`, `0-127:8` (every eighth), and such parts one after the other.
// Ranks of a fabric are its hosts in order of their ids.

/** What is wrong with a list of ranks. */
export interface RankListProblem {
  readonly got: string;
  readonly wanted: string;
}

/**
 * Reads a list of ranks, in the order in which they are written.
 * @param count ranks that there are: each must be below
 * @returns the ranks, each once; or what is wrong
 */
export function parseRankList(text: string, count: number): Int32Array | RankListProblem {
  const ranks: number[] = [];
  const seen = new Uint8Array(count);
  for (const part of text.split(',').map((piece) => piece.trim())) {
    const match = /^(\d{1,7})(?:\s*-\s*(\d{1,7})(?:\s*:\s*(\d{1,7}))?)?$/.exec(part);
    if (match === null) return { got: part, wanted: 'ranks, such as 0-127, 0,8,16 or 0-127:8 (every eighth)' };
    const first = Number(match[1]);
    const last = Number(match[2] ?? first);
    const step = Number(match[3] ?? 1);
    if (last < first || step === 0)
      return { got: part, wanted: 'a range from a lower to a higher rank, with a step of at least 1' };
    if (last >= count)
      return { got: part, wanted: count === 0 ? 'a fabric with hosts' : `ranks from 0 to ${count - 1}` };
    for (let rank = first; rank <= last; rank += step) {
      if (seen[rank] === 1) return { got: part, wanted: `each rank once; ${rank} is there already` };
      seen[rank] = 1;
      ranks.push(rank);
    }
  }
  return Int32Array.from(ranks);
}

// Ranks as people write them: `0-127`, `0,8,16`, `0-127:8` (every eighth), and such parts one after the other.
// Ranks of a fabric are its hosts in order of their ids, and may be named as nodes are.

import { NodeKind, type Fabric } from './fabric.js';
import { looksLikeNodeName, NodeNames } from './node-names.js';

/** What is wrong with a list of ranks. */
export interface RankListProblem {
  readonly got: string;
  readonly wanted: string;
}

/**
 * Reads a list of ranks, in the order in which they are written.
 * @param count ranks that there are: each must be below
 * @param named the rank that a part names, what is wrong with the name, or null: it is none
 * @returns the ranks, each once; or what is wrong
 */
export function parseRankList(
  text: string,
  count: number,
  named: (part: string) => number | RankListProblem | null = () => null,
): Int32Array | RankListProblem {
  const ranks: number[] = [];
  const seen = new Uint8Array(count);
  for (const part of text.split(',').map((piece) => piece.trim())) {
    const match = /^(\d{1,7})(?:\s*-\s*(\d{1,7})(?:\s*:\s*(\d{1,7}))?)?$/.exec(part);
    const own = match === null ? named(part) : Number(match[1]);
    if (own === null) return { got: part, wanted: 'ranks, such as 0-127, 0,8,16 or 0-127:8 (every eighth)' };
    if (typeof own !== 'number') return own;
    const first = own;
    const last = Number(match?.[2] ?? first);
    const step = Number(match?.[3] ?? 1);
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

/** Reads a list of hosts of a fabric: ranks, or names of nodes (node-names.ts). */
export function parseHostList(text: string, fabric: Fabric): Int32Array | RankListProblem {
  const names = new NodeNames(fabric);
  return parseRankList(text, fabric.hosts.length, (part) => {
    if (fabric.identity === undefined && !looksLikeNodeName(part)) return null;
    const found = names.find(part);
    if (!('node' in found)) return { got: found.got, wanted: found.wanted };
    if (fabric.nodeKind[found.node] !== NodeKind.host) return { got: part, wanted: 'hosts; this is a switch' };
    return fabric.hosts.indexOf(found.node);
  });
}

// What posting sends and receives over the network takes: a rank's processor tells its NIC of one after the other
// (NCCL_NET_OVERHEAD), each of which keeps the processor, not the NIC. A move alone is not slowed, since posting it is
// part of its hop's latency; of many that a rank sends, or receives, together each waits for the posts before it. Moves
// whose bytes keep a NIC longer than their post keeps a processor hide it, and wait for none: their NIC is the
// narrower.
// Invariant: a rank posts in the order in which moves become free to go; what one waits never exceeds the posts before
// it at one of its ends.
// Source: src/transport/net.cc and net_ib.cc of NVIDIA/nccl at tag 2.28.9 (facts only). Not modelled: that ranks of one
// process may share a thread; what else the thread does.

import type { GroupFacts } from './group-facts.js';
import { nicsOf } from './nccl-channels.js';
import type { CollectiveKind } from './schedule.js';

/** What moves between servers are posted in. */
export interface Posting {
  /** how long a move keeps the processors at its ends, in picoseconds */
  readonly postPs: number;
  /** moves of so many bytes on the wire and more keep their NIC longer than that */
  readonly postHidingBytes: number;
  /** before every move, beside its hop's latency */
  readonly beforePs: number;
}

/**
 * A user's own sends (all-to-all, sendrecv) come with as many receives, which the same processor posts with them.
 * @param postUs microseconds per post
 */
export function postingOf(postUs: number, kind: CollectiveKind, facts: GroupFacts): Posting {
  if (postUs === 0) return { postPs: 0, postHidingBytes: 0, beforePs: 0 };
  const onePs = Math.round(postUs * 1e6);
  const postPs = isPaired(kind) ? 2 * onePs : onePs;
  return {
    postPs,
    postHidingBytes: Math.ceil((postPs * facts.networkBps) / nicsOf(facts) / 8e12),
    beforePs: isPaired(kind) ? onePs : 0,
  };
}

/** A user's own sends, of which a rank has as many receives: one post after the other for both. */
function isPaired(kind: CollectiveKind): boolean {
  return kind === 'alltoall' || kind === 'sendrecv';
}

/** When the processors of a collective's ranks are free. */
export class Posts {
  /** by rank: of what it sends, and of what it receives, unless that is posted with what it sends */
  private readonly sendsFreePs: Float64Array;
  private readonly receivesFreePs: Float64Array | null;

  constructor(
    private readonly posting: Pick<Posting, 'postPs' | 'postHidingBytes'>,
    kind: CollectiveKind,
    ranks: number,
  ) {
    this.sendsFreePs = new Float64Array(ranks);
    this.receivesFreePs = isPaired(kind) ? null : new Float64Array(ranks);
  }

  /** One more move between two ranks: what it waits for those before it at either, in picoseconds. */
  queue(source: number, destination: number, sizeBytes: number, nowPs: number): number {
    if (sizeBytes >= this.posting.postHidingBytes) return 0;
    const sendPs = this.queueAt(this.sendsFreePs, source, nowPs);
    const { receivesFreePs } = this;
    return receivesFreePs === null ? sendPs : Math.max(sendPs, this.queueAt(receivesFreePs, destination, nowPs));
  }

  private queueAt(freePs: Float64Array, rank: number, nowPs: number): number {
    const waitPs = Math.max(0, freePs[rank]! - nowPs);
    freePs[rank] = nowPs + waitPs + this.posting.postPs;
    return waitPs;
  }
}

// What posting a send over the network takes: a processor tells a NIC of one send after the other (NCCL_NET_OVERHEAD), which
// keeps the NIC so long. NCCL posts a slot of a connection's buffer at once.
// Invariant: posting is part of a hop's latency; what is counted with the bytes is not counted with the hop.
// Source: src/transport/net.cc of NVIDIA/nccl at tag 2.28.9 (facts only). Not modelled: that the NIC may send while the next
// slot is posted: the time is carried as bytes of the move, on every link of its way.

import type { Choice } from './choice.js';
import type { GroupFacts } from './group-facts.js';
import { nicsOf } from './nccl-channels.js';
import type { CollectiveKind } from './schedule.js';

export type Latencies = Pick<Choice, 'startDelayPs' | 'intraServerDelayPs' | 'networkDelayPs'>;

/**
 * The bytes in whose time a move between servers is posted; a send of a user's own (all-to-all, sendrecv) is received by a
 * post, too. @param postUs microseconds per move
 */
export function posting(postUs: number, kind: CollectiveKind, facts: GroupFacts): Pick<Choice, 'networkPostBytes'> {
  if (postUs === 0) return {};
  const posts = kind === 'alltoall' || kind === 'sendrecv' ? 2 : 1;
  return { networkPostBytes: Math.round((posts * postUs * 1e-6 * facts.networkBps) / 8 / nicsOf(facts)) };
}

/** Latencies without the posting, in picoseconds. @param postUs microseconds per move */
export function posted(postUs: number, latencies: Latencies): Latencies {
  return { ...latencies, networkDelayPs: Math.max(0, latencies.networkDelayPs - Math.round(postUs * 1e6)) };
}

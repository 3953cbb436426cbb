// What is asked when a collective is to be done, and what is chosen for it.
// Invariant: a choice is data; it says everything that a schedule is built from and why.

import type { PeerOrder } from './direct-all-to-all.js';
import type { GroupFacts } from './group-facts.js';
import type { NcclEnvironment } from './nccl-environment.js';
import type { GroupKind } from './parallel-groups.js';
import type { Protocol } from './protocols.js';
import type { RingLayout } from './ring-order.js';
import type { AlgorithmName, CollectiveKind } from './schedule.js';

export interface SelectionRequest {
  readonly kind: CollectiveKind;
  readonly groupKind: GroupKind;
  readonly sizeBytes: number;
  readonly facts: GroupFacts;
  /** as the topology names it; "" if unknown */
  readonly gpuType: string;
  /** every server of the group has an NVSwitch that all its ranks are linked to */
  readonly hasNvswitches: boolean;
  /** AS_NVLS_ENABLE, NCCL_NVLS_ENABLE */
  readonly nvls: boolean;
  /** AS_PXN_ENABLE, NCCL_PXN_DISABLE=0 */
  readonly pxn: boolean;
  /** NCCL_COLLNET_ENABLE: for the profiles of NCCL alone */
  readonly collnet: boolean;
  /** AS_RING_CHANNELS; 0: the profile's own number. SimAI 1.6 does not read it. */
  readonly channels: number;
  /** variables of NCCL that its profiles honour; left out: none */
  readonly environment?: NcclEnvironment;
}

/** What a user asks for instead of what a profile would choose. */
export interface Wish {
  readonly algorithm: AlgorithmName | 'auto';
  readonly protocol: Protocol | 'auto';
}

/** What a collective gets, and why; one object, because each figure of the choice is said beside the others. */
export interface Choice {
  readonly algorithm: AlgorithmName;
  readonly protocol: Protocol;
  readonly channels: number;
  readonly chunks: number;
  readonly ringLayout: RingLayout;
  readonly peerOrder: PeerOrder;
  /** how an NVLS-tree joins servers; left out: by double binary trees */
  readonly serverTree?: 'heap';
  /** over proxies: a ring's hops between servers */
  readonly pxn: boolean;
  /**
   * moves over one connection of a ring, tree or chain that may be under way: 1, one after the other; more, in order;
   * Infinity, whatever has its data
   */
  readonly slots: number;
  /** moves between servers share the queue pairs of their connection, and with them its source port and path */
  readonly keepsPorts: boolean;
  /** bytes that a link of an NVSwitch carries for each byte of a move */
  readonly nvswitchShare: number;
  /** the same of other links, within a server and between servers; left out: 1 */
  readonly serverShare?: number;
  readonly networkShare?: number;
  /** divisions drop their remainders, as SimAI's do */
  readonly dropsRemainder: boolean;
  /** once, before the first move; and before every move, by its path */
  readonly startDelayPs: number;
  readonly intraServerDelayPs: number;
  readonly networkDelayPs: number;
  /** how long a move between servers keeps the processors at its ends, beside its delay (posting.ts) */
  readonly postPs: number;
  /** moves of so many bytes on the wire and more keep their NIC longer than that, and wait for no posts */
  readonly postHidingBytes: number;
  readonly reason: string;
  /** what NCCL's tuner takes the collective to last, picoseconds; left out: it has no model of it, or was not asked */
  readonly modelPs?: number;
}

/** A choice without anything special. */
export const plainChoice = {
  protocol: 'simple',
  chunks: 1,
  ringLayout: 'cross-rail',
  peerOrder: 'by-distance',
  pxn: false,
  slots: 1,
  keepsPorts: false,
  nvswitchShare: 1,
  dropsRemainder: false,
  startDelayPs: 0,
  intraServerDelayPs: 0,
  networkDelayPs: 0,
  postPs: 0,
  postHidingBytes: 0,
} as const;

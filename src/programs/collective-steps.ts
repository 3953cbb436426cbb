// Collectives of programs as messages that a member sends and receives one after the other.
// Barrier and allreduce: to member 0 up a binary tree, whose member i has the members 2i + 1 and 2i + 2 below it, and
// down again (Taffet's dissertation 5.4, docs/SOURCES.md: "a reduction to the lowest-numbered rank using a binary
// reduction tree followed by a broadcast using the same binary tree"). Alltoall: n - 1 exchanges; in the k-th a member
// sends to the k-th behind it and receives from the k-th before it (pairwise exchange; Thakur, Rabenseifner, Gropp
// 2005, 3.3).
// Invariant: what a member's step sends, exactly one step of another receives.

import { barrierCollective } from '../records/transfer-label.js';
import { barrierBytes } from './machine.js';
import { type RankOperation, RankOperationKind } from './rank-program.js';

/** Tags of collectives, below those of messages. */
const collectiveTags: Readonly<Record<number, number>> = {
  [RankOperationKind.barrier]: -1,
  [RankOperationKind.allreduce]: -2,
  [RankOperationKind.alltoall]: -3,
};

/** By tag: the collective as labels of transfers name it (records/transfer-label.ts). */
const collectiveOfTags: Readonly<Record<number, number>> = { [-1]: barrierCollective, [-2]: 1, [-3]: 4 };

/** The collective that a message of a tag is of, as labels of transfers name it; 0: of none. */
export function collectiveOfTag(tag: number): number {
  return collectiveOfTags[tag] ?? 0;
}

/** What a member does in a step. */
export class CollectiveStep {
  /** ranks; -1: none */
  sendTo = -1;
  receiveFrom = -1;
  sizeBytes = 0;
  tag = 0;
}

/** How many steps a collective has, some of them empty. */
export function collectiveSteps({ kind, count }: RankOperation): number {
  return kind === RankOperationKind.alltoall ? Math.max(0, count - 1) : 6;
}

/** Writes a step of a rank's part in a collective. @param step from 0 */
export function collectiveStep(operation: RankOperation, rank: number, step: number, into: CollectiveStep): void {
  const { kind, first, stride, count, sizeBytes } = operation;
  const place = (rank - first) / stride;
  into.sendTo = -1;
  into.receiveFrom = -1;
  into.tag = collectiveTags[kind]!;
  into.sizeBytes = kind === RankOperationKind.barrier ? barrierBytes : sizeBytes;
  if (kind === RankOperationKind.alltoall) {
    into.sendTo = first + stride * ((place + step + 1) % count);
    into.receiveFrom = first + stride * ((place + count - step - 1) % count);
    return;
  }
  const above = place === 0 ? -1 : first + stride * ((place - 1) >> 1);
  const left = 2 * place + 1 < count ? first + stride * (2 * place + 1) : -1;
  const right = 2 * place + 2 < count ? first + stride * (2 * place + 2) : -1;
  if (step === 0) into.receiveFrom = left;
  else if (step === 1) into.receiveFrom = right;
  else if (step === 2) into.sendTo = above;
  else if (step === 3) into.receiveFrom = above;
  else if (step === 4) into.sendTo = left;
  else into.sendTo = right;
}

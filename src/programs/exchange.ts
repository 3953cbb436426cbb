// The exchange of a stencil: every rank starts to receive from all of its neighbours, starts to send to all of them,
// and waits once for everything.
// Invariant: the tag of a message is its direction as the sender sees it.

import type { RankGrid } from './grid.js';
import { type RankOperation, RankOperationKind } from './rank-program.js';

/** How many operations an exchange of `messages` messages with each neighbour has. */
export function exchangeOperations(grid: RankGrid, rank: number, messages: number): number {
  return 2 * messages * grid.neighbours(rank).length + 1;
}

/**
 * Writes an operation of an exchange.
 * @param index from 0 @param inTurn a message to each neighbour, then the next to each; else all to one, then the next
 * @param tagOf the tag of an offset by its number
 */
export function readExchange(
  grid: RankGrid,
  rank: number,
  index: number,
  { messages, sizeBytes, inTurn }: { readonly messages: number; readonly sizeBytes: number; readonly inTurn: boolean },
  tagOf: (offset: number) => number,
  into: RankOperation,
): void {
  const neighbours = grid.neighbours(rank);
  const count = messages * neighbours.length;
  if (index >= 2 * count) {
    into.waitAll();
    return;
  }
  const isSend = index >= count;
  const message = isSend ? index - count : index;
  const offset = neighbours[inTurn ? message % neighbours.length : Math.floor(message / messages)]!;
  // what comes from a neighbour went the other way
  into.phase = isSend ? offset : grid.opposite(offset);
  into.message(
    isSend ? RankOperationKind.startSend : RankOperationKind.startReceive,
    grid.at(rank, offset),
    sizeBytes,
    tagOf(into.phase),
  );
}

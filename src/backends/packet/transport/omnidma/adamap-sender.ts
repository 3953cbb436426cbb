// The sender's maps: what OmniNACKs said is missing, in the order in which they came, to be sent before anything new.
// Invariants: a hole waits once: what a map says that waits already is left out of it; nothing is left of a flow that
// has ended.
// Source: docs/models/omnidma.md; the peer sends a hole as often as it is told of, whether it waits or not.

import type { SideColumn, SideColumns } from '../../side-columns.js';
import { AdamapPool, AdamapQueues } from './adamaps.js';

export class AdamapSender {
  readonly pool: AdamapPool;
  private readonly queue: AdamapQueues;
  /** the largest number of an OmniNACK that has come */
  private readonly latest: SideColumn<'int32'>;

  /** @param bits B */
  constructor(bits: number, columns: SideColumns) {
    this.pool = new AdamapPool(bits);
    this.queue = new AdamapQueues(this.pool, columns);
    this.latest = columns.byPair('int32');
  }

  /** The map of the next packet to be sent again; -1: nothing waits. */
  first(pair: number): number {
    return this.queue.first(pair);
  }

  /** The largest number of an OmniNACK that has come; 0: none has. */
  latestNack(pair: number): number {
    return this.latest.values[pair]!;
  }

  /** A map as an OmniNACK tells it; its bitmap is written before it is taken over. */
  make(start: number, length: number): number {
    return this.pool.allocate(start, length);
  }

  /** Takes over a map that was made and filled in; what of it waits already is left out. */
  add(pair: number, map: number): void {
    const { pool, queue } = this;
    if (pool.nack[map]! > this.latest.values[pair]!) this.latest.values[pair] = pool.nack[map]!;
    for (let other = queue.first(pair); other >= 0; other = pool.next[other]!) this.leaveOut(map, other);
    pool.cursor[map] = pool.hole(map, 0);
    if (pool.cursor[map]! < 0) pool.release(map);
    else queue.append(pair, map);
  }

  /** Takes the next packet to be sent again out of the first map. @returns its number */
  take(pair: number): number {
    const { pool, queue } = this;
    const map = queue.first(pair);
    const slot = pool.cursor[map]!;
    const next = pool.hole(map, slot + 1);
    const sequence = pool.start[map]! + 1 + slot;
    if (next >= 0) pool.cursor[map] = next;
    else {
      queue.remove(pair, map);
      pool.release(map);
    }
    return sequence;
  }

  /** The flow has ended: nothing is sent again. */
  clear(pair: number): void {
    for (let map = this.queue.first(pair); map >= 0; map = this.queue.first(pair)) {
      this.queue.remove(pair, map);
      this.pool.release(map);
    }
  }

  /** Leaves out of a map what waits in another. */
  private leaveOut(map: number, other: number): void {
    const { pool } = this;
    const first = Math.max(pool.start[map]!, pool.start[other]! + pool.cursor[other]!) - pool.start[map]!;
    const end = Math.min(pool.length[map]!, pool.bits, pool.start[other]! + pool.length[other]! - pool.start[map]!);
    for (let slot = pool.hole(map, first); slot >= 0 && slot < end; slot = pool.hole(map, slot + 1))
      if (pool.misses(other, pool.start[map]! + 1 + slot)) pool.set(map, slot);
  }
}

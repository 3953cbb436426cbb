// Rows in order of time that were not added so: blocks of them are sorted while rows come in, and merged while they are
// read. A sort of ten million rows at once would take seconds in which nobody is heard.
// Invariants: equal times keep the order in which they were added; memory beside the rows is four bytes a row, and none
// where they come in order.

import type { Float64List } from '../base/columns.js';
import { TimeHeap } from '../base/time-heap.js';

/** Rows of a block: sorting one takes about a millisecond. */
const blockRows = 4096;

/** The order of rows within blocks: told of every row that is added. */
export class BlockOrders {
  /** of each whole block its rows in order; null: as they were added */
  private readonly blocks: (Int32Array | null)[] = [];
  private isOrdered = true;
  private isBlockOrdered = true;

  constructor(private readonly timesPs: Float64List) {}

  /** A time was added as the last one. */
  added(): void {
    const { values, length } = this.timesPs;
    if (length > 1 && values[length - 1]! < values[length - 2]!) {
      this.isOrdered = false;
      if (length % blockRows !== 1) this.isBlockOrdered = false;
    }
    if (length % blockRows !== 0) return;
    this.blocks.push(this.ordered());
    this.isBlockOrdered = true;
  }

  /**
   * A new reading in order of time; null if the rows were added in that order. Nothing may be added while it is read.
   */
  merged(): MergedOrder | null {
    if (this.isOrdered) return null;
    const { values, length } = this.timesPs;
    return new MergedOrder(values, length, length % blockRows === 0 ? this.blocks : [...this.blocks, this.ordered()]);
  }

  /** The order of the block that was added last. */
  private ordered(): Int32Array | null {
    if (this.isBlockOrdered) return null;
    const { values, length } = this.timesPs;
    const from = blockRows * (Math.ceil(length / blockRows) - 1);
    return Int32Array.from({ length: length - from }, (_, i) => from + i).sort(
      (a, b) => values[a]! - values[b]! || a - b,
    );
  }
}

/** One reading of rows in order of time. */
export class MergedOrder {
  /** by block: the place in it of the row that is next */
  private readonly places: Int32Array;
  private readonly next = new TimeHeap();

  constructor(
    private readonly timesPs: Float64Array,
    private readonly rows: number,
    private readonly blocks: readonly (Int32Array | null)[],
  ) {
    this.places = new Int32Array(blocks.length);
    for (let block = 0; block < blocks.length; block++) this.offer(block);
  }

  /** The row that is next. There must be one. */
  get row(): number {
    return this.next.firstOrder;
  }

  /** Goes on to the row after it. */
  advance(): void {
    const block = this.next.firstKey;
    this.places[block]!++;
    this.offer(block);
  }

  private offer(block: number): void {
    const place = this.places[block]!;
    const row = block * blockRows + place;
    if (place === blockRows || row >= this.rows) {
      this.next.remove(block);
      return;
    }
    const own = this.blocks[block]?.[place] ?? row;
    this.next.set(block, this.timesPs[own]!, own);
  }
}

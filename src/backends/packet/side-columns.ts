// Columns that a mechanism keeps beside the records: one value for each queue pair, or for each packet. All words of
// the two records are taken, so this is where new state goes. A column grows with the records that it stands beside.
// Invariants: a queue pair's values are the column's own first value when the queue pair begins; a packet's are not
// touched by anybody but the mechanism, so whoever makes a packet writes them.

import { grown } from '../../base/columns.js';
import type { EventRecords } from '../../engine/event-records.js';
import type { QueuePairs } from './queue-pairs.js';

const makers = {
  float64: (length: number) => new Float64Array(length),
  int32: (length: number) => new Int32Array(length),
  uint32: (length: number) => new Uint32Array(length),
  uint16: (length: number) => new Uint16Array(length),
  uint8: (length: number) => new Uint8Array(length),
} as const;

type Kind = keyof typeof makers;
type Values<K extends Kind> = ReturnType<(typeof makers)[K]>;

/** `values` is replaced when the column grows: read it anew after anything that may make a packet or a queue pair. */
export interface SideColumn<K extends Kind> {
  readonly values: Values<K>;
}

export class SideColumns {
  constructor(
    private readonly records: EventRecords,
    private readonly pairs: QueuePairs,
  ) {}

  /** A column by number of the queue pair, set to `first` whenever a queue pair begins. */
  byPair<K extends Kind>(kind: K, first = 0): SideColumn<K> {
    const column = this.column(kind, this.pairs.capacity, first);
    this.pairs.onGrow((capacity) => {
      column.values = grown(column.values, capacity, first);
    });
    this.pairs.onAllocate((pair) => {
      column.values[pair] = first;
    });
    return column;
  }

  /** A column by number of the packet's record. */
  byPacket<K extends Kind>(kind: K): SideColumn<K> {
    const column = this.column(kind, this.records.capacity, 0);
    this.records.onGrow((capacity) => {
      column.values = grown(column.values, capacity);
    });
    return column;
  }

  private column<K extends Kind>(kind: K, length: number, first: number): { values: Values<K> } {
    const values = makers[kind](length) as Values<K>;
    values.fill(first);
    return { values };
  }
}

// Tables destination by destination. They lie switch by switch, so that each entry of one destination is on another
// page of memory; several destinations are written together, a run of entries of each switch.
// Invariant: tables hold what was put once `flush` was called, not before.

import type { ForwardingTables } from './forwarding-tables.js';

/** Destinations that are written together: as many bytes as a line of the cache has. */
const held = 64;

/** Writes tables destination by destination. */
export class TableColumns {
  /** entries by place of the destination among those held, then by row */
  private readonly block: Uint8Array;
  private readonly destinations = new Int32Array(held);
  private count = 0;

  constructor(private readonly tables: ForwardingTables) {
    this.block = new Uint8Array(held * tables.switches.length);
  }

  /** Sets the entries of all switches for a destination. @param entry by node; those of hosts are passed over */
  put(destination: number, entry: Uint8Array): void {
    const { block, tables } = this;
    const { switches } = tables;
    if (this.count === held) this.flush();
    const first = this.count * switches.length;
    for (let row = 0; row < switches.length; row++) block[first + row] = entry[switches[row]!]!;
    this.destinations[this.count++] = destination;
  }

  /** Writes what is held back. */
  flush(): void {
    const { block, destinations, count, tables } = this;
    const { entries, columns, switches } = tables;
    const rows = switches.length;
    for (let row = 0; row < rows; row++) {
      const first = row * columns;
      for (let i = 0; i < count; i++) entries[first + destinations[i]!] = block[i * rows + row]!;
    }
    this.count = 0;
  }
}

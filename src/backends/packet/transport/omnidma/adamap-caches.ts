// Which adamaps of a queue pair its RNIC holds itself, and what it moves over its DMA for the others: the first maps of
// the list, and the entries of the table that were used last. Everything else is in host memory.
// Invariants: the maps of the list that are held are its first ones; an entry of the table is held once.
// Source: the five operations of the peer (docs/models/omnidma.md); an entry is not held before it is first used.

import { DmaOperation, type RnicDma } from '../../nic/rnic-dma.js';
import type { QueuePairs } from '../../queue-pairs.js';
import type { SideColumn, SideColumns } from '../../side-columns.js';
import { grown } from '../../../../base/columns.js';

/** bytes of a map in host memory besides its bitmap */
const fieldBytes = 32;

/** What caches are made from. */
export interface AdamapCacheParts {
  readonly pairs: QueuePairs;
  readonly columns: SideColumns;
  readonly dma: RnicDma;
  /** B */
  readonly bits: number;
  /** maps of a list, and entries of a table, that the RNIC holds */
  readonly listCache: number;
  readonly tableCache: number;
}

export class AdamapCaches {
  /** by queue pair: looks at the list and at the table, and those that found what they wanted in the RNIC */
  readonly listLooks: SideColumn<'uint32'>;
  readonly listHits: SideColumn<'uint32'>;
  readonly tableLooks: SideColumn<'uint32'>;
  readonly tableHits: SideColumn<'uint32'>;
  /** when what the packet at hand asked for is done; 0: it asked for nothing */
  donePs = -0;
  private readonly held: SideColumn<'int32'>;
  /** tableCache entries of each queue pair, the latest used first; -1: none */
  private latest = new Int32Array(0);
  private readonly mapBytes: number;

  constructor(private readonly parts: AdamapCacheParts) {
    const { columns, pairs, bits, tableCache } = parts;
    this.mapBytes = fieldBytes + Math.ceil(bits / 8);
    this.listLooks = columns.byPair('uint32');
    this.listHits = columns.byPair('uint32');
    this.tableLooks = columns.byPair('uint32');
    this.tableHits = columns.byPair('uint32');
    this.held = columns.byPair('int32');
    const reserve = (capacity: number): void => {
      this.latest = grown(this.latest, capacity * tableCache, -1);
    };
    this.latest = new Int32Array(pairs.capacity * tableCache).fill(-1);
    pairs.onGrow(reserve);
    pairs.onAllocate((pair) => this.latest.fill(-1, pair * tableCache, (pair + 1) * tableCache));
  }

  /** A map has come to the end of the list. @param before maps that were there before it */
  appended(pair: number, before: number): void {
    const held = this.held.values;
    if (held[pair] === before && before < this.parts.listCache) held[pair]!++;
    else this.move(pair, DmaOperation.listAppend, 1);
  }

  /** A map of the list is looked at. @param place its place in the list, from 0 */
  reached(pair: number, place: number): void {
    const held = this.held.values;
    this.listLooks.values[pair]!++;
    if (place < held[pair]!) this.listHits.values[pair]!++;
    else {
      this.move(pair, DmaOperation.listMiss, place + 1 - held[pair]!);
      held[pair] = place + 1;
    }
  }

  /** A map is gone from the list. @param place where it was */
  removed(pair: number, place: number): void {
    if (place < this.held.values[pair]!) this.held.values[pair]!--;
  }

  /** Maps are gone from the list: others take their places in the RNIC. @param left maps that are in the list */
  refill(pair: number, left: number): void {
    const held = this.held.values;
    const missing = Math.min(this.parts.listCache, left) - held[pair]!;
    if (missing <= 0) return;
    this.move(pair, DmaOperation.listPrefetch, missing);
    held[pair]! += missing;
  }

  /** An entry has come to the table. */
  entered(pair: number): void {
    this.move(pair, DmaOperation.listToTable, 1);
  }

  /** An entry of the table is looked at. */
  used(pair: number, entry: number): void {
    const { latest } = this;
    const { tableCache } = this.parts;
    const at = pair * tableCache;
    this.tableLooks.values[pair]!++;
    let place = 0;
    while (place < tableCache && latest[at + place] !== entry) place++;
    if (place < tableCache) this.tableHits.values[pair]!++;
    else {
      this.move(pair, DmaOperation.tableMiss, 1);
      if (tableCache === 0) return;
      place--;
    }
    latest.copyWithin(at + 1, at, at + place);
    latest[at] = entry;
  }

  /** An entry is gone from the table. */
  forgotten(pair: number, entry: number): void {
    const { tableCache } = this.parts;
    const at = pair * tableCache;
    const place = this.latest.subarray(at, at + tableCache).indexOf(entry);
    if (place < 0) return;
    this.latest.copyWithin(at + place, at + place + 1, at + tableCache);
    this.latest[at + tableCache - 1] = -1;
  }

  /** @returns when what was asked for since the last call is done; 0: nothing was */
  takeDonePs(): number {
    const { donePs } = this;
    this.donePs = 0;
    return donePs;
  }

  private move(pair: number, operation: number, maps: number): void {
    const { dma, pairs } = this.parts;
    const donePs = dma.submit(pairs.destination[pair]!, pair, operation, maps * this.mapBytes);
    if (donePs > this.donePs) this.donePs = donePs;
  }
}

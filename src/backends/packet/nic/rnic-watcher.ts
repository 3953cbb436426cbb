// What probes are told and may look at of RNICs whose transport keeps maps of what is missing in host memory.

import type { SideColumn } from '../side-columns.js';
import type { DmaWatcher } from './rnic-dma.js';

/** kinds of events of maps, as they are numbered in records */
export const AdamapEvent = {
  /** receiver: a map is whole and goes to the list; an entry comes to the table; neither misses anything any more */
  closed: 1,
  entered: 2,
  nodeComplete: 3,
  entryComplete: 4,
  /** receiver: an OmniNACK of a map leaves; it was repeated because time had passed, or because its answers had */
  told: 5,
  timedOut: 6,
  overtaken: 7,
  /** sender: an OmniNACK has come, and what it says is missing is to be sent */
  expanded: 8,
} as const;

/** Maps in columns. */
export interface AdamapColumns {
  readonly start: ArrayLike<number>;
  readonly length: ArrayLike<number>;
  readonly nack: ArrayLike<number>;
  readonly tier: ArrayLike<number>;
  readonly bitmap: ArrayLike<number>;
  /** words of a bitmap */
  readonly words: number;
}

/** Is told of every event. */
export interface AdamapEvents {
  /** @param maps where the map stands, valid during the call */
  happened(event: number, pair: number, maps: AdamapColumns, map: number): void;
}

/** What receivers keep, by queue pair. */
export interface RnicState {
  readonly list: { count(pair: number): number };
  readonly table: { count(pair: number): number };
  /** null: without a model of the DMA */
  readonly caches: {
    readonly listLooks: SideColumn<'uint32'>;
    readonly listHits: SideColumn<'uint32'>;
    readonly tableLooks: SideColumn<'uint32'>;
    readonly tableHits: SideColumn<'uint32'>;
  } | null;
}

export interface RnicWatcher {
  /** is told of DMA operations; null: nobody wants to know */
  readonly operations: DmaWatcher | null;
  /** is told what happens to maps; null: nobody wants to know */
  readonly events: AdamapEvents | null;
  /** Called once, before the first flow. */
  observe(state: RnicState): void;
}

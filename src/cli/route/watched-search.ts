// One thread of a search, watched: a search that neither ends at its time nor when it is asked to is ended from
// outside, even if its loop never looks, with the best tables that it has told of.
// Invariants: `result` is settled sooner or later, whatever the thread does, and soon after it was asked to end. At its
// time a thread that looks now and then gets as long again as setting up took; what it is asked for by a signal it
// gets no such time for.

import type { Worker } from 'node:worker_threads';
import type { SearchAlgorithm } from '../../app/routes/algorithms/catalogue.js';
import type { ComputedTables, SearchSettings } from '../../app/routes/route-algorithm.js';
import type { FtreeOfStart, SearchState } from '../../app/routes/search-control.js';
import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import type { Traffic } from '../../flows/traffic/matrix.js';
import { withChanges, type EntryChanges } from '../../routing/table-changes.js';

/** What a thread is given: nothing but data. */
export interface SearchRequest {
  readonly algorithm: SearchAlgorithm;
  readonly source: RoutedFabric;
  readonly settings: Omit<SearchSettings, 'traffic' | 'current' | 'begin'>;
  readonly traffic: Traffic;
  /** entries of the tables in use; null = none */
  readonly current: Uint8Array | null;
  /** the same of the tables to begin with; null = the algorithm's own */
  readonly begin: Uint8Array | null;
  /** one word: 1 = end with the best so far */
  readonly stop: Int32Array;
  /** which of several searches this is, and 8 bytes that they share (SharedProof) */
  readonly place: number;
  readonly proof: SharedArrayBuffer;
}

/**
 * What a thread says: the entries of the tables that it begins with, of better ones what differs from these, how far it
 * is, what it came to.
 */
export type SearchMessage =
  | { readonly begun: Uint8Array; readonly ftree: FtreeOfStart }
  | { readonly best: EntryChanges; readonly incumbent: number }
  | { readonly state: SearchState }
  | {
      readonly result: Omit<ComputedTables, 'tables' | 'ftree'> & {
        readonly entries: Uint8Array;
        readonly cpuSeconds: number;
      };
    };

/** What a thread came to, or, if it had to be ended, what it had told. */
export type SearchOutcome = SearchResult | LeftSearch;

type SearchResult = Extract<SearchMessage, { result: unknown }>['result'];

/** What is left of a search that was ended from outside. */
interface LeftSearch {
  /** entries of the best tables that it told of; null = not even those that it begins with */
  readonly left: Uint8Array | null;
  /** their largest load; Infinity = they are those that it began with */
  readonly incumbent: number;
  /** it was asked to end, and its time was not over */
  readonly asked: boolean;
}

/** How long a thread may go on after its end has come. */
export interface ThreadPatience {
  /** after it was asked to end */
  readonly askedMs: number;
  /** after its time, at least; searches look about a hundred times a second */
  readonly leastMs: number;
  /** times what it took from the tables that it began with to its first look: ending is about as much work */
  readonly perSetUp: number;
  /** before its first look it sets up, which may take minutes on large fabrics */
  readonly settingUpMs: number;
}

export const patienceWithThreads: ThreadPatience = { askedMs: 1200, leastMs: 800, perSetUp: 1, settingUpMs: 120_000 };

const lookEveryMs = 50;

export class WatchedSearch {
  /** settled at the latest some time after the search should have ended; rejected if the thread fails */
  readonly result: Promise<SearchOutcome>;
  /** entries of the tables that it began with, and what these are to ftree's */
  begun: { readonly entries: Uint8Array; readonly ftree: FtreeOfStart } | null = null;
  private readonly clock: NodeJS.Timeout;
  private readonly startMs = performance.now();
  private best: { readonly changes: EntryChanges; readonly incumbent: number } | null = null;
  /** when it had the tables that it begins with, and when it looked for the first time; Infinity = not yet */
  private begunMs = Infinity;
  private firstLookMs = Infinity;
  /** when it was asked to end */
  private askedMs = Infinity;
  private giveUp: () => void = () => {};

  /** @param seconds after which the search ends by itself, counted from the tables that it begins with */
  constructor(
    private readonly worker: Worker,
    private readonly seconds: number,
    private readonly patience: ThreadPatience,
    report: (state: SearchState) => void,
  ) {
    this.result = new Promise((resolve, reject) => {
      this.giveUp = () => {
        resolve({
          left: this.told(),
          incumbent: this.best?.incumbent ?? Infinity,
          asked: performance.now() > this.askedMs + patience.askedMs,
        });
      };
      worker.on('message', (message: SearchMessage) => {
        if ('result' in message) resolve(message.result);
        else if ('state' in message) {
          this.firstLookMs = Math.min(this.firstLookMs, performance.now());
          report(message.state);
        } else if ('best' in message) this.best = { changes: message.best, incumbent: message.incumbent };
        else {
          this.begun = { entries: message.begun, ftree: message.ftree };
          this.begunMs = performance.now();
        }
      });
      worker.on('error', reject);
      worker.on('exit', (code) => {
        reject(new Error(`the thread of the search ended with code ${code}`));
      });
    });
    this.clock = setInterval(() => {
      if (performance.now() > this.lastMs()) this.giveUp();
    }, lookEveryMs);
  }

  /** Tells that the search was asked to end. */
  mustEnd(): void {
    this.askedMs = Math.min(this.askedMs, performance.now());
  }

  /** Ends the thread. */
  async close(): Promise<void> {
    clearInterval(this.clock);
    await this.worker.terminate();
  }

  /** Entries of the best tables that the thread told of; null = of none. */
  private told(): Uint8Array | null {
    const { begun, best } = this;
    return begun === null || best === null ? (begun?.entries ?? null) : withChanges(begun.entries, best.changes);
  }

  /** When patience with the thread is over. */
  private lastMs(): number {
    const { askedMs, leastMs, perSetUp, settingUpMs } = this.patience;
    const endMs = Math.min(this.begunMs, this.startMs + settingUpMs) + 1000 * this.seconds;
    const ownMs =
      this.firstLookMs === Infinity
        ? endMs + settingUpMs
        : endMs + leastMs + perSetUp * Math.max(0, this.firstLookMs - this.begunMs);
    return Math.min(ownMs, this.askedMs + askedMs);
  }
}

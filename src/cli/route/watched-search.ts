// One thread of a search, watched: a search that neither ends at its time nor when it is asked to is ended from outside,
// with the tables that it began with, even if its loop never looks.
// Invariants: `result` is settled sooner or later, whatever the thread does; a thread that looks now and then is never
// ended from outside: it gets as long again as setting up took, several times over.

import type { Worker } from 'node:worker_threads';
import type { SearchState } from '../../app/routes/search-control.js';
import type { SearchMessage } from './search-messages.js';

/** What a thread came to, or, if it had to be ended, the entries of the tables that it began with (null = none yet). */
export type SearchOutcome = SearchResult | { readonly begun: Uint8Array | null };

type SearchResult = Extract<SearchMessage, { result: unknown }>['result'];

/** How long a thread may go on after its end has come. */
export interface ThreadPatience {
  /** at least; searches look about a hundred times a second */
  readonly leastMs: number;
  /** times what it took from the tables that it began with to its first look: ending is about as much work */
  readonly perSetUp: number;
  /** before its first look it sets up, which may take minutes on large fabrics */
  readonly settingUpMs: number;
}

export const patienceWithThreads: ThreadPatience = { leastMs: 3000, perSetUp: 3, settingUpMs: 120_000 };

const lookEveryMs = 100;

export class WatchedSearch {
  /** settled at the latest some time after the search should have ended; rejected if the thread fails */
  readonly result: Promise<SearchOutcome>;
  private readonly clock: NodeJS.Timeout;
  private begun: Uint8Array | null = null;
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
        resolve({ begun: this.begun });
      };
      worker.on('message', (message: SearchMessage) => {
        if ('result' in message) resolve(message.result);
        else if ('state' in message) {
          this.firstLookMs = Math.min(this.firstLookMs, performance.now());
          report(message.state);
        } else {
          this.begun = message.begun;
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

  /** When patience with the thread is over. */
  private lastMs(): number {
    const { leastMs, perSetUp, settingUpMs } = this.patience;
    const endMs = Math.min(this.begunMs + 1000 * this.seconds, this.askedMs);
    if (this.firstLookMs === Infinity) return endMs + settingUpMs;
    return endMs + leastMs + perSetUp * (this.firstLookMs - this.begunMs);
  }
}

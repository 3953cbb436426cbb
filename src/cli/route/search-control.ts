// What a search of routes is told and tells: how far it is, on stderr, and that it has to end, by Ctrl-C. Used by every
// algorithm of `weft route compute` that takes a while.
// Invariants: the first Ctrl-C asks the search to end with the best so far, the second ends the process; nobody listens
// after `close`; the line on a terminal goes on counting seconds while the search says nothing.

import { durationText, type ProgressStream } from '../progress.js';
import type { SharedProof } from '../../optimization/best-search.js';
import { Interrupt } from '../interrupt.js';
import { StageProgress } from '../stage-progress.js';

/** How far a search is. */
export interface SearchState {
  /** what it is doing */
  readonly stage: string;
  /** largest load of the best so far, summed over phases; Infinity = nothing found yet */
  readonly incumbent: number;
  /** nothing is below that; null = not known */
  readonly bound: number | null;
}

/** What a search needs of the world. */
export interface SearchControl {
  readonly wallMs: () => number;
  /** true once the search has to end with the best so far; asked often */
  readonly stopRequested: () => boolean;
  /** called often */
  readonly report: (state: SearchState) => void;
  /** other searches for the same routes, if there are any */
  readonly rivals?: Rivals;
}

/** What one of several searches knows of the others. */
export interface Rivals {
  /** of this search among all, from 0 */
  readonly place: number;
  readonly proof: SharedProof;
}

/** Columns: after how many seconds what was known; a row whenever it changes. */
export interface SearchHistory {
  readonly seconds: number[];
  readonly incumbent: number[];
  readonly bound: number[];
  readonly stage: string[];
}

const refreshMs = 500;

/** Listens and shows from its creation to `close`. */
export class SearchSession implements SearchControl {
  /** settled when the user asks the search to end */
  readonly whenStopped: Promise<void>;
  /** what the search reported; depends on the machine */
  readonly history: SearchHistory = { seconds: [], incumbent: [], bound: [], stage: [] };
  private readonly interrupt: Interrupt;
  private readonly clock: NodeJS.Timeout;
  private readonly startMs: number;
  private last: SearchState | null = null;

  /** @param name the algorithm @param progress shows how far it is */
  constructor(
    private readonly name: string,
    stderr: ProgressStream,
    private readonly progress: StageProgress,
    readonly wallMs: () => number,
  ) {
    this.startMs = wallMs();
    let interrupt: Interrupt | null = null;
    this.whenStopped = new Promise((resolve) => {
      interrupt = new Interrupt((text) => {
        const wasShown = progress.stop();
        stderr.write(stderr.isTTY === true && !wasShown ? `\n${text}` : text);
        resolve();
      });
    });
    this.interrupt = interrupt!;
    this.clock = setInterval(() => {
      this.show();
    }, refreshMs);
  }

  readonly stopRequested = (): boolean => this.interrupt.requested;

  readonly report = (state: SearchState): void => {
    this.keep(state);
    this.last = state;
    this.show();
  };

  /** What the process ends with if it was asked to; null if it was not. */
  get exitCode(): number | null {
    return this.interrupt.requested ? this.interrupt.exitCode : null;
  }

  /** Wall-clock seconds since it began. */
  get seconds(): number {
    return (this.wallMs() - this.startMs) / 1000;
  }

  close(): void {
    clearInterval(this.clock);
    this.interrupt.close();
  }

  private keep({ stage, incumbent, bound }: SearchState): void {
    const { history } = this;
    if (bound === null || (isSame(incumbent, history.incumbent.at(-1)) && isSame(bound, history.bound.at(-1)))) return;
    history.seconds.push(this.seconds);
    history.incumbent.push(incumbent);
    history.bound.push(bound);
    history.stage.push(stage);
  }

  private show(): void {
    if (!this.interrupt.requested) this.progress.update(searchText(this.name, this.seconds, this.last));
  }
}

/** Whether a load is the one before, but for rounding. */
function isSame(load: number, before: number | undefined): boolean {
  return before !== undefined && (load === before || Math.abs(load - before) <= 1e-9 * Math.abs(before));
}

/** A line: algorithm, time, stage, load, bound and what lies between them. */
export function searchText(name: string, seconds: number, state: SearchState | null): string {
  const parts = [`${name}: ${durationText(Math.floor(seconds))}`];
  if (state !== null) {
    const { stage, incumbent, bound } = state;
    if (stage !== '') parts.push(stage);
    if (Number.isFinite(incumbent)) parts.push(`load ${short(incumbent)}`);
    if (bound !== null && Number.isFinite(bound)) parts.push(`bound ${short(bound)}`);
    if (bound !== null && bound > 0 && Number.isFinite(incumbent))
      parts.push(`gap ${((100 * Math.max(0, incumbent - bound)) / bound).toFixed(2)} %`);
  }
  return parts.join(', ');
}

function short(value: number): string {
  return String(Number(value.toPrecision(6)));
}

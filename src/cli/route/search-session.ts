// A search of routes at the terminal: how far it is, on stderr, and that it has to end, by Ctrl-C. For every algorithm
// of `weft route compute` that takes a while.
// Invariants: the first Ctrl-C asks the search to end with the best so far, the second ends the process; nobody listens
// after `close`; the line on a terminal goes on counting seconds while the search says nothing.

import { durationText, type ProgressStream } from '../progress.js';
import type { SearchControl, SearchState } from '../../app/routes/search-control.js';
import { announcer, Interrupt } from '../interrupt.js';
import { StageProgress } from '../stage-progress.js';

const refreshMs = 500;

/** Listens and shows from its creation to `close`. */
export class SearchSession implements SearchControl {
  /** settled when the user asks the search to end */
  readonly whenStopped: Promise<void>;
  private readonly interrupt: Interrupt;
  private readonly clock: NodeJS.Timeout;
  private readonly startMs: number;
  private last: SearchState | null = null;

  /**
   * @param name the algorithm @param progress shows how far it is @param mostSeconds that it may take; null: no limit
   */
  constructor(
    private readonly name: string,
    stderr: ProgressStream,
    private readonly progress: StageProgress,
    readonly wallMs: () => number,
    private readonly mostSeconds: number | null = null,
  ) {
    this.startMs = wallMs();
    let interrupt: Interrupt | null = null;
    this.whenStopped = new Promise((resolve) => {
      interrupt = new Interrupt(announcer(stderr, () => progress, resolve));
    });
    this.interrupt = interrupt!;
    this.clock = setInterval(() => {
      this.show();
    }, refreshMs);
  }

  readonly stopRequested = (): boolean => this.interrupt.requested;

  readonly report = (state: SearchState): void => {
    this.last = state;
    this.show();
  };

  /** What the process ends with if it was asked to; null if it was not. */
  get exitCode(): number | null {
    return this.interrupt.requested ? this.interrupt.exitCode : null;
  }

  /** Wall-clock seconds since it began. */
  private get seconds(): number {
    return (this.wallMs() - this.startMs) / 1000;
  }

  close(): void {
    clearInterval(this.clock);
    this.interrupt.close();
  }

  private show(): void {
    if (!this.interrupt.requested)
      this.progress.update(searchText(this.name, this.seconds, this.last, this.mostSeconds));
  }
}

/**
 * A line: algorithm, time, stage, load, bound and what lies between them.
 * @param mostSeconds that the search may take; null: no limit
 */
export function searchText(
  name: string,
  seconds: number,
  state: SearchState | null,
  mostSeconds: number | null = null,
): string {
  const limit = mostSeconds === null ? '' : ` of ${durationText(mostSeconds)}`;
  const parts = [`${name}: ${durationText(Math.floor(seconds))}${limit}`];
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

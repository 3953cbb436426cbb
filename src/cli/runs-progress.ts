// How far several runs are together, as one line: what is under way, and the share of all of them.
// Invariants: the share is the sum over all runs by their weights, whoever does them and in whatever order they end; it
// is not known while that of a run under way is not.

import type { Progress } from '../app/run-progress.js';
import type { ProgressDisplay } from './progress.js';

/** A run as the line names it. */
export interface NamedRun {
  readonly name: string;
  /** its work beside that of the others, in any unit */
  readonly weight: number;
}

export class RunsProgress {
  private readonly latest: (Progress | undefined)[];
  private readonly hasEnded: boolean[];

  constructor(
    private readonly display: ProgressDisplay | null,
    private readonly runs: readonly NamedRun[],
  ) {
    this.latest = runs.map(() => undefined);
    this.hasEnded = runs.map(() => false);
  }

  /** Where a run stands. */
  update(place: number, progress: Progress): void {
    if (this.display === null) return;
    this.latest[place] = progress;
    this.display.label = this.runs
      .filter((_, i) => this.isUnderWay(i))
      .map(({ name }) => name)
      .join(', ');
    this.display.update(this.together());
  }

  /** A run has ended. */
  end(place: number): void {
    this.hasEnded[place] = true;
  }

  private isUnderWay(place: number): boolean {
    return this.latest[place] !== undefined && !this.hasEnded[place]!;
  }

  private together(): Progress {
    const begun = this.latest.filter((progress) => progress !== undefined);
    const now = this.latest.filter((_, i) => this.isUnderWay(i)) as Progress[];
    return {
      nowPs: Math.min(...now.map(({ nowPs }) => nowPs)),
      flowsStarted: sum(now, ({ flowsStarted }) => flowsStarted),
      flowsFinished: sum(now, ({ flowsFinished }) => flowsFinished),
      flowsTotal: sum(now, ({ flowsTotal }) => flowsTotal),
      // of all, so that their rate is that of the machine
      packetHops: begun.every(({ packetHops }) => packetHops === null)
        ? null
        : sum(begun, ({ packetHops }) => packetHops ?? 0),
      cpuSeconds: sum(begun, ({ cpuSeconds }) => cpuSeconds),
      wallSeconds: Math.max(...begun.map(({ wallSeconds }) => wallSeconds)),
      share: this.share(),
    };
  }

  private share(): number | null {
    let [done, all] = [0, 0];
    for (const [place, { weight }] of this.runs.entries()) {
      all += weight;
      if (this.hasEnded[place]!) done += weight;
      else {
        const progress = this.latest[place];
        if (progress === undefined) continue;
        if (progress.share === null) return null;
        done += weight * progress.share;
      }
    }
    return all > 0 ? done / all : null;
  }
}

function sum(of: readonly Progress[], value: (progress: Progress) => number): number {
  return of.reduce((all, progress) => all + value(progress), 0);
}

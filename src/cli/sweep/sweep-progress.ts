// How far a sweep is, as one line: runs that have ended, are under way and have failed, their rate, the share of all, the
// time left.
// Invariant: runs that an earlier call carried out count as done, and do not make the time left shorter than the pace
// is.

import type { Progress } from '../../app/run-progress.js';
import type { RunRow } from '../../report/sweep/run-row.js';
import { grouped } from '../../report/text-style.js';
import type { CommandContext } from '../context.js';
import { durationText } from '../progress.js';
import { StageProgress } from '../stage-progress.js';
import { TimeLeft } from '../time-left.js';

export class SweepProgress {
  /** of runs under way */
  private readonly shares = new Map<number, number>();
  private readonly timeLeft = new TimeLeft();
  private readonly line: StageProgress;
  private failed = 0;
  private runs: number;
  private readonly before: number;
  private readonly startMs: number;

  /** @param ended runs of earlier calls */
  constructor(
    private ended: number,
    private readonly context: CommandContext,
  ) {
    this.line = new StageProgress(context.stderr, () => context.host.wallMs());
    this.runs = ended;
    this.before = ended;
    this.startMs = context.host.wallMs();
  }

  /** So many more runs are to be carried out. */
  expect(runs: number): void {
    this.runs += runs;
  }

  /** A run tells how far it is. */
  update(run: number, { share }: Progress): void {
    this.shares.set(run, share ?? 0);
    this.show();
  }

  /** A run has ended. */
  end(run: number, { outcome, verdict }: RunRow): void {
    this.shares.delete(run);
    this.ended++;
    if (verdict === 'failed' && outcome !== 'infeasible') this.failed++;
    this.show();
  }

  /** Takes the line off the screen. */
  stop(): boolean {
    return this.line.stop();
  }

  private show(): void {
    let done = this.ended;
    for (const share of this.shares.values()) done += share;
    const share = done / this.runs;
    const left = this.timeLeft.at(this.context.host.wallMs(), share);
    const running = this.shares.size === 0 ? '' : `, ${grouped(this.shares.size)} running`;
    const seconds = (this.context.host.wallMs() - this.startMs) / 1000;
    const perSecond = (this.ended - this.before) / Math.max(seconds, 1e-3);
    const rate =
      this.ended === this.before
        ? ''
        : `  ${perSecond >= 1 ? `${perSecond.toFixed(1)}/s` : `${(60 * perSecond).toFixed(1)}/min`}`;
    const failed = this.failed === 0 ? '' : `, ${grouped(this.failed)} failed`;
    const time = left === null ? 'left unknown' : `${durationText(left)} left`;
    this.line.update(
      `${Math.floor(share * 100)}%  ${grouped(this.ended)} of ${grouped(this.runs)} runs${running}${failed}${rate}  ${time}`,
    );
  }
}

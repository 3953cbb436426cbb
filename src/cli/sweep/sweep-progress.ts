// How far a sweep is: runs that have ended, are under way and have failed, their rate, the time left, what they cost. It is
// shown as one line, as lines of JSON, or as a page that loads itself again.
// Invariants: runs that an earlier call carried out count as done, and do not make the time left shorter than the pace
// is; a page is whole at any moment, and the last one says how the sweep ended.

import type { Progress } from '../../app/run-progress.js';
import type { RunRow } from '../../report/sweep/run-row.js';
import { type NamedFailure, standingPage } from '../../report/page/standing-page.js';
import { grouped } from '../../report/text-style.js';
import type { CommandContext } from '../context.js';
import { durationText } from '../progress.js';
import { StageProgress } from '../stage-progress.js';
import { TimeLeft } from '../time-left.js';
import { writeWholeFile } from '../whole-file.js';

/** How progress is told. */
export interface ProgressForm {
  /** on stderr: a line for people, a line of JSON a second, or nothing */
  readonly lines: 'people' | 'json' | 'none';
  /** path of a page; null: none is written */
  readonly page: string | null;
}

/** How far a sweep is: plain data, as its lines of JSON say it. */
interface SweepStanding {
  /** runs that have ended, those of earlier calls as well */
  readonly ended: number;
  readonly running: number;
  /** of this call */
  readonly failed: number;
  /** combinations that cannot run, of this call */
  readonly infeasible: number;
  /** planned; with a target those of its rounds so far */
  readonly runs: number;
  /** done, 0 to 1 */
  readonly share: number;
  /** null: none has ended yet */
  readonly runsPerSecond: number | null;
  /** null: not known yet */
  readonly leftSeconds: number | null;
  /** CPU time of the runs of this call that have ended */
  readonly cpuSeconds: number;
}

/** How it stands with a sweep. */
type SweepState = 'running' | 'finished' | 'stopped';

const jsonEveryMs = 1000;
const pageEveryMs = 2000;
/** Failed runs that a page names: the latest. */
const mostFailures = 20;

export class SweepProgress {
  /** of runs under way */
  private readonly shares = new Map<number, number>();
  private readonly timeLeft = new TimeLeft();
  private readonly line: StageProgress | null;
  private readonly failures: NamedFailure[] = [];
  private failed = 0;
  private infeasible = 0;
  private cpuSeconds = 0;
  private runs: number;
  private readonly before: number;
  private readonly startMs: number;
  private nextJsonMs: number;
  private nextPageMs = 0;
  private pageWritten: Promise<void> = Promise.resolve();

  /** @param ended runs of earlier calls @param name of the sweep */
  constructor(
    private ended: number,
    private readonly name: string,
    private readonly form: ProgressForm,
    private readonly context: CommandContext,
  ) {
    this.line = form.lines === 'people' ? new StageProgress(context.stderr, () => context.host.wallMs()) : null;
    this.runs = ended;
    this.before = ended;
    this.startMs = context.host.wallMs();
    this.nextJsonMs = this.startMs + jsonEveryMs;
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

  /** A run has ended. @param cpuSeconds null: nobody knows */
  end(run: number, { outcome, verdict, error, failedChecks }: RunRow, cpuSeconds: number | null): void {
    this.shares.delete(run);
    this.ended++;
    this.cpuSeconds += cpuSeconds ?? 0;
    if (outcome === 'infeasible') this.infeasible++;
    else if (verdict === 'failed') {
      this.failed++;
      this.failures.push({ name: `${run}, ${outcome}`, why: error ?? failedChecks ?? '' });
      if (this.failures.length > mostFailures) this.failures.shift();
    }
    this.show();
  }

  /** Takes the line off the screen. */
  stop(): boolean {
    return this.line?.stop() ?? false;
  }

  /** Says the last word, in JSON and on the page. @param outcome how the sweep ended @throws OutputError, InputError */
  async close(outcome: Exclude<SweepState, 'running'>): Promise<void> {
    const standing = this.standing(this.context.host.wallMs());
    if (this.form.lines === 'json') this.writeJson(standing, outcome);
    await this.pageWritten;
    if (this.form.page !== null) await this.writePage(this.form.page, standing, outcome);
  }

  private standing(nowMs: number): SweepStanding {
    let done = this.ended;
    for (const share of this.shares.values()) done += share;
    const share = this.runs === 0 ? 1 : done / this.runs;
    const seconds = Math.max((nowMs - this.startMs) / 1000, 1e-3);
    return {
      ended: this.ended,
      running: this.shares.size,
      failed: this.failed,
      infeasible: this.infeasible,
      runs: this.runs,
      share,
      runsPerSecond: this.ended === this.before ? null : (this.ended - this.before) / seconds,
      leftSeconds: this.timeLeft.at(nowMs, share),
      cpuSeconds: this.cpuSeconds,
    };
  }

  private show(): void {
    const nowMs = this.context.host.wallMs();
    const isJsonDue = this.form.lines === 'json' && nowMs >= this.nextJsonMs;
    const isPageDue = this.form.page !== null && nowMs >= this.nextPageMs;
    const standing = this.standing(nowMs);
    if (isJsonDue) {
      this.nextJsonMs = nowMs + jsonEveryMs;
      this.writeJson(standing, 'running');
    }
    if (isPageDue) {
      this.nextPageMs = nowMs + pageEveryMs;
      const path = this.form.page!;
      // a page that cannot be written now may be later: the last one says why not
      this.pageWritten = this.pageWritten.then(() => this.writePage(path, standing, 'running')).catch(() => {});
    }
    this.line?.update(standingText(standing));
  }

  private writeJson(standing: SweepStanding, state: SweepState): void {
    this.context.stderr.write(`${JSON.stringify({ state, ...standing })}\n`);
  }

  private writePage(path: string, standing: SweepStanding, state: SweepState): Promise<void> {
    const { ended, running, failed, infeasible, runs, share, runsPerSecond, leftSeconds, cpuSeconds } = standing;
    const isRunning = state === 'running';
    const count = `${grouped(ended)} of ${grouped(runs)} runs`;
    const page = standingPage({
      title: `${this.name}: sweep`,
      sentence: isRunning
        ? `${count} have ended, ${leftSeconds === null ? 'the time left is not known yet' : `${durationText(leftSeconds)} left`}.`
        : `${state === 'finished' ? 'Finished' : 'Stopped'}: ${count} have ended.`,
      isRunning,
      share,
      figures: [
        { label: 'Done', text: `${Math.floor(100 * share)} %` },
        ...(isRunning ? [{ label: 'Running', text: grouped(running) }] : []),
        { label: 'Failed', text: grouped(failed) },
        ...(infeasible === 0 ? [] : [{ label: 'Cannot run', text: grouped(infeasible) }]),
        { label: 'Rate', text: runsPerSecond === null ? '–' : rateText(runsPerSecond) },
        { label: 'CPU time', text: durationText(cpuSeconds) },
      ],
      failures: this.failures,
    });
    return writeWholeFile(path, page, true);
  }
}

/** How far a sweep is, as one line. */
function standingText({ share, ended, runs, running, failed, runsPerSecond, leftSeconds, cpuSeconds }: SweepStanding) {
  const parts = [
    `${Math.floor(share * 100)}%`,
    `${grouped(ended)} of ${grouped(runs)} runs${running === 0 ? '' : `, ${grouped(running)} running`}${failed === 0 ? '' : `, ${grouped(failed)} failed`}`,
    ...(runsPerSecond === null ? [] : [rateText(runsPerSecond)]),
    leftSeconds === null ? 'left unknown' : `${durationText(leftSeconds)} left`,
    ...(cpuSeconds === 0 ? [] : [`${durationText(cpuSeconds)} CPU`]),
  ];
  return parts.join('  ');
}

function rateText(runsPerSecond: number): string {
  return runsPerSecond >= 1 ? `${runsPerSecond.toFixed(1)}/s` : `${(60 * runsPerSecond).toFixed(1)}/min`;
}

// The verdict on runs beside each other, in a few sentences: which is faster, by how much, whether that is more than the
// error band of such times, and why: by the causes of the time that flows lost.
// Invariants: everything said comes from the runs' figures; runs that did not finish are named and not ranked; a
// difference of at most `equalWithin` is none, and one within the band is too close to call.

import { formatTimePs } from '../base/units.js';
import { equalWithin, listed } from './fabric-verdict.js';
import { cameToItsEnd, type RunFigures } from './run-figures.js';
import { percentText } from './text-style.js';

/** What of a run is compared. */
export interface ComparedOutcome {
  readonly name: string;
  readonly isFinished: boolean;
  /** of the slowest job, or of the collective that the run is of; null: there is none */
  readonly jobPs: number | null;
  readonly isCollective: boolean;
  /** mean completion time of flows; null: none finished */
  readonly flowPs: number | null;
  /** what flows lost beyond their time alone, by cause (measurement/lost-causes.ts) */
  readonly lostPs: ReadonlyMap<string, number>;
  /** nine of ten measured times of such jobs lie at most so far off, in percent; null: not known */
  readonly bandPercent: number | null;
}

/** The outcome of a run. @param name what the verdict calls it */
export function figuresOutcome(name: string, { outcome, jobs, fct, lostTime }: RunFigures): ComparedOutcome {
  return {
    name,
    isFinished: cameToItsEnd(outcome),
    jobPs: jobs.length === 0 ? null : Math.max(...jobs.map(({ totalPs }) => totalPs.maximum)),
    isCollective: false,
    flowPs: fct.meanNs > 0 ? 1000 * fct.meanNs : null,
    lostPs: new Map(lostTime.causes.map(({ cause, lostPs }) => [cause, lostPs])),
    bandPercent: null,
  };
}

/** A cause that explains at least this share of the time that is not lost any more is named. */
const namedFrom = 0.1;

const reasons: Readonly<Record<string, string>> = {
  endpoint: 'flows shared the links of hosts',
  'slow-part': 'links below the rate of their kind were crossed',
  routes: 'flows met although other ways were free',
  interior: 'switches had too few links for the traffic',
  unshared: 'of losses, pauses, marks or windows (no shared link explains it)',
};

/** The verdict; empty: fewer than two runs. */
export function outcomesVerdict(runs: readonly ComparedOutcome[]): string {
  if (runs.length < 2) return '';
  const unfinished = runs.filter(({ isFinished }) => !isFinished);
  const said = unfinished.length === 0 ? [] : [`${listed(unfinished.map(quoted))} did not finish: not compared.`];
  const finished = runs.filter(({ isFinished }) => isFinished);
  const hasJobs = finished.every(({ jobPs }) => jobPs !== null);
  const timed = finished.flatMap((run) => {
    const timePs = hasJobs ? run.jobPs : run.flowPs;
    return timePs === null || timePs <= 0 ? [] : [{ run, timePs }];
  });
  if (timed.length < 2) return [...said, 'There are no two times to compare.'].join(' ');
  const ordered = [...timed].sort((a, b) => a.timePs - b.timePs);
  const [best, worst] = [ordered[0]!, ordered.at(-1)!];
  const slower = worst.timePs / best.timePs - 1;
  const isCollective = finished.every((run) => run.isCollective);
  const what = !hasJobs ? 'Flows took' : isCollective ? 'The collective took' : 'The slowest job took';
  const mean = hasJobs ? '' : ' in the mean';
  if (slower <= equalWithin)
    return [
      `No difference: ${what[0]!.toLowerCase()}${what.slice(1)} ${timeText(best.timePs)}${mean} ` +
        `(within ${percentText(equalWithin)}).`,
      ...said,
    ].join(' ');
  const band = hasJobs ? bandOf(finished) : null;
  const isClose = band !== null && slower <= band;
  const equal = ordered.filter(({ timePs }) => timePs <= best.timePs * (1 + equalWithin));
  const names = listed(equal.map(({ run }) => quoted(run)));
  const degree = equal.length > 1 ? 'are the fastest' : ordered.length > 2 ? 'is the fastest' : 'is faster';
  return [
    `${isClose ? 'Too close to call: ' : ''}${names} ${degree}. ${what} ` +
      `${timeText(best.timePs)}${mean}, ${hasJobs ? 'that' : 'those'} of ${quoted(worst.run)} ${timeText(worst.timePs)} (+${percentText(slower)})${bandText(band, isClose)}.`,
    ...betweenText(ordered.slice(equal.length, -1), best.timePs),
    whyText(best.run, worst.run),
    ...said,
  ].join(' ');
}

function bandOf(runs: readonly ComparedOutcome[]): number | null {
  const known = runs.flatMap(({ bandPercent }) => (bandPercent === null ? [] : [bandPercent / 100]));
  return known.length === 0 ? null : Math.max(...known);
}

function bandText(band: number | null, isClose: boolean): string {
  if (band === null) return '; no error band is known of such times';
  return `, ${isClose ? 'inside' : 'outside'} the error band of ${percentText(band)}`;
}

function betweenText(
  runs: readonly { readonly run: ComparedOutcome; readonly timePs: number }[],
  bestPs: number,
): string[] {
  return runs.length === 0
    ? []
    : [
        `Between them: ${listed(runs.map(({ run, timePs }) => `${quoted(run)} (+${percentText(timePs / bestPs - 1)})`))}.`,
      ];
}

/** Which lost time makes the difference. */
function whyText(best: ComparedOutcome, worst: ComparedOutcome): string {
  const saved = [...worst.lostPs].map(([cause, ps]) => ({ cause, ps: ps - (best.lostPs.get(cause) ?? 0) }));
  const allPs = saved.reduce((sum, { ps }) => sum + Math.max(0, ps), 0);
  const [top] = saved.sort((a, b) => b.ps - a.ps);
  const bestPs = sumOf(best.lostPs);
  const worstPs = sumOf(worst.lostPs);
  if (top === undefined || worstPs <= bestPs * (1 + namedFrom) || top.ps < namedFrom * allPs)
    return 'Waiting for links does not explain it: flows lost no more time in the slower one. Look at what differs in the scenarios.';
  const own = best.lostPs.get(top.cause) ?? 0;
  return (
    `Why: flows of ${quoted(worst)} lost ${timeText(worst.lostPs.get(top.cause)!)}, all together, because ` +
    `${reasons[top.cause] ?? top.cause}; those of ${quoted(best)} ${own <= 0 ? 'none' : timeText(own)}.`
  );
}

/** Names are anybody's words. */
function quoted({ name }: ComparedOutcome): string {
  return `"${name}"`;
}

function sumOf(lostPs: ReadonlyMap<string, number>): number {
  return [...lostPs.values()].reduce((sum, own) => sum + own, 0);
}

function timeText(ps: number): string {
  return formatTimePs(Math.round(ps));
}

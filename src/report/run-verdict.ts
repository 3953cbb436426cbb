// The verdict on a run, in a few sentences: what was slow, on which link, whom it cost how much, and why; or that
// nothing was. It is the first finding of a diagnosis where somebody made one; else it follows from paths, starts and ends
// of flows (measurement/lost-time.ts). What ranks waited for stands before it.
// Invariant: everything said comes from the figures.

import { formatRateBps, formatTimePs } from '../base/units.js';
import type { JobReport } from '../jobs/job-report.js';
import type { LostByCause, LostCause, LostTimeReport, NamedPlace } from '../measurement/lost-causes.js';
import { findingSentence, type SaidFinding } from './diagnosis/diagnosis-object.js';
import type { RunFigures } from './run-figures.js';
import { counted, percentText } from './text-style.js';

/** Flows that all together took at most this much longer than alone are not slow: acknowledgements and queues cost some. */
const slowFrom = 0.1;

/** Where nothing was slow all together, a flow that took more than this many times as long as alone is told. */
const slowestFrom = 2;

type Judged = Pick<
  RunFigures,
  | 'outcome'
  | 'flows'
  | 'finished'
  | 'slowdown'
  | 'lostTime'
  | 'findings'
  | 'collective'
  | 'jobs'
  | 'programs'
  | 'transferJobs'
  | 'counters'
  | 'verdicts'
  | 'failures'
>;

/** The verdict; one text, without a newline at its end. */
export function runVerdict(run: Judged): string {
  const { outcome, flows, finished, jobs, lostTime, verdicts, collective } = run;
  if (outcome === 'blocked')
    return `Blocked: ${verdicts.find(({ cause }) => cause !== undefined)?.cause ?? 'flows are unfinished, and nothing moves any more'}.`;
  if (collective !== undefined) return collective.verdict;
  const waits = jobs.map(waitsOf).filter((said) => said !== '');
  if (flows === 0 || finished === 0)
    return [...waits, flows === 0 ? 'No flow was sent.' : 'No flow finished.'].join(' ');
  const open = flows - finished;
  const unfinished =
    open === 0 ? [] : [`${counted(open, 'flow')} of ${counted(flows, 'flow')} did not finish; this is of the others.`];
  return [...waits, ...unfinished, flowsVerdict(run, lostTime)].join(' ');
}

/** What the ranks of a job waited for. */
function waitsOf({ name, stages, totalPs }: JobReport): string {
  const [first] = stages;
  if (first === undefined || first.totalPs <= 0) return '';
  const exposed = Object.entries(first.exposedPs).sort(([, a], [, b]) => b - a);
  const waitedPs = exposed.reduce((sum, [, own]) => sum + own, 0);
  const share = (ps: number): string => percentText(ps / first.totalPs);
  const [kind, most] = exposed[0]!;
  const parts = [
    ...(waitedPs > 0
      ? [`waited ${share(waitedPs)} of its time for communication, most for ${kind} (${share(most)})`]
      : []),
    ...(first.bubblePs > 0 ? [`stood idle ${share(first.bubblePs)} in bubbles`] : []),
  ];
  // stages of a pipeline end one after the other
  const late = totalPs.minimum > 0 && stages.length === 1 ? totalPs.maximum / totalPs.minimum - 1 : 0;
  const straggler = late > slowFrom ? `; rank ${totalPs.slowestRank} came ${percentText(late)} after the first` : '';
  return parts.length === 0 && straggler === ''
    ? `${name}: rank ${first.rank} computed all the time.`
    : `${name}: rank ${first.rank} ${parts.join(' and ') || 'computed all the time'}${straggler}.`;
}

function timesText(ratio: number): string {
  return `${ratio.toFixed(ratio < 10 ? 2 : 1)} times`;
}

function flowsVerdict(run: Judged, { lostPs, alonePs, causes, places, slowLinks }: LostTimeReport): string {
  const { slowdown, counters, failures } = run;
  const [top] = causes;
  const longer = alonePs > 0 ? lostPs / alonePs : 0;
  const mean = `flows took ${timesText(slowdown.mean)} as long as alone in the mean`;
  const avoidable = lostPs > 0 ? (causes.find(({ cause }) => cause === 'routes')?.lostPs ?? 0) / lostPs : 0;
  const finding = toldFinding(run);
  if (finding !== null) {
    const names = [...run.jobs, ...run.programs, ...run.transferJobs].map(({ name }) => name);
    const routes =
      avoidable > 0.05 && finding.cause !== 'routes'
        ? ` Other routes would have avoided ${percentText(avoidable)} of all time lost.`
        : '';
    return `Slow: ${mean}. ${findingSentence(finding, names)}${routes} (By weft diagnose.)`;
  }
  if (top === undefined || longer < slowFrom)
    return `Nothing was slow on the network: flows took ${percentText(longer)} longer than alone, all together${slowdown.max <= slowestFrom ? '' : `; the slowest took ${timesText(slowdown.max)} as long`}.${slowText(slowLinks)}`;
  const share = `${percentText(top.lostPs / lostPs)} of all time lost`;
  const place = places.find(({ cause }) => cause === top.cause);
  if (restsOnDiagnosis(run))
    return `F${mean.slice(1)}, as they shared links that had to be shared: no cause cost a twelfth of the time or more, so there is nothing to gain here. (By weft diagnose.)`;
  const said = `Slow: ${mean}. ${sentences[top.cause](top, place, counters)}: ${share}.`;
  // ways that failed are not free, and what they carried went elsewhere
  if (failures !== null && failures.changes > 0)
    return `${said} ${counted(failures.changes, 'change')} of links came meanwhile: look there first. (By who shared links.)`;
  // who shares links is not always whose fault it is: large runs are not followed flow by flow beside their simulation
  const closer = (run.findings ?? null) === null ? '; weft diagnose looks closer' : '';
  return `${said} ${top.cause === 'interior' && avoidable > 0.05 ? partly(avoidable) : remedies[top.cause]} (By who shared links${closer}.)`;
}

/** The finding that the verdict tells; null: nobody looked, there is none, or losses of packets tell more than it does. */
function toldFinding(run: Judged): SaidFinding | null {
  return restsOnDiagnosis(run) ? (run.findings?.[0] ?? null) : null;
}

/** Whether the verdict is that of a diagnosis: that knows no lost packets, and takes what they cost for a slow part. */
export function restsOnDiagnosis({ findings = null, lostTime, counters }: Judged): boolean {
  if (findings === null) return false;
  if (lostTime.causes[0]?.cause !== 'unshared') return true;
  return findings.length > 0 && !((counters.retransmittedPackets ?? 0) > 0);
}

/** Flows that cross a slow link have it alone as well: they lose nothing by it, and take long. */
function slowText(links: LostTimeReport['slowLinks']): string {
  const [first] = links;
  if (first === undefined) return '';
  const link = `${first.from} -> ${first.to} (${formatRateBps(first.rateBps)}, others ${formatRateBps(first.usualBps)})`;
  return links.length === 1
    ? ` But a link below the rate of its kind was crossed, ${link}.`
    : ` But ${counted(links.length, 'link')} below the rate of their kind were crossed, first ${link}.`;
}

function partly(share: number): string {
  return `Other routes would have avoided ${percentText(share)}; for the rest: more links, or ranks that talk to each other placed nearer.`;
}

/** The link on which most was lost, and how many met there. */
function at({ links, flows }: LostByCause, place: NamedPlace | undefined): string {
  if (place === undefined) return counted(links, 'link');
  const first = `${place.from} -> ${place.to} (up to ${counted(place.mostFlows, 'flow')} at once, ${formatTimePs(Math.round(place.lostPs))} lost by ${counted(place.flows, 'flow')})`;
  return links === 1
    ? first
    : `${counted(links, 'link')}, on which ${counted(flows, 'flow')} lost most, first ${first}`;
}

const sentences: Readonly<
  Record<LostCause, (top: LostByCause, place: NamedPlace | undefined, counters: Judged['counters']) => string>
> = {
  endpoint: (top, place) => `Hosts were the narrow place: flows shared ${at(top, place)}`,
  'slow-part': (top, place) => `Links below the rate of their kind held flows up: ${at(top, place)}`,
  routes: (top, place) => `Flows met although other ways were free: on ${at(top, place)}`,
  interior: (top, place) => `Switches had too few links for this traffic: flows shared ${at(top, place)}`,
  unshared: (_, __, counters) => {
    const seen = [
      ...named(counters.timeouts, 'retransmission timeout'),
      ...named(counters.retransmittedPackets, 'packet sent again', 'packets sent again'),
      ...named(counters.packetsDropped, 'packet dropped', 'packets dropped'),
      ...named(counters.packetsLost, 'packet lost on links', 'packets lost on links'),
      ...named(counters.pauseFrames, 'pause'),
      ...named(counters.receiverPauseFrames, 'pause by a slow receiver', 'pauses by slow receivers'),
      ...named(counters.sfcPauses, 'pause of a host by SFC', 'pauses of hosts by SFC'),
      ...named(counters.ecnMarks, 'ECN mark'),
      ...named(counters.creditStalls, 'credit stall'),
    ];
    return `No shared link explains it${seen.length === 0 ? '' : `; seen: ${seen.join(', ')}`}`;
  },
};

function named(count: number | undefined, singular: string, plural?: string): string[] {
  return count === undefined || count === 0 ? [] : [counted(count, singular, plural)];
}

const remedies: Readonly<Record<LostCause, string>> = {
  endpoint: 'No path avoids it: let a host send to, or receive from, fewer at once.',
  'slow-part': 'Replace or relieve them.',
  routes: 'Other routes, adaptive ones or a controller avoid it.',
  interior: 'No choice of path helps: more links, or ranks that talk to each other placed nearer.',
  unshared: "Look at losses, pauses, marks, windows and senders' own rates.",
};

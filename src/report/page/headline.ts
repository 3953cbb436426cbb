// The headline figures of runs, beside each other: what is better and by how much.
// Invariant: a figure that a run has not is left blank, never zero; changes are beside the first run.

import { formatTimePs } from '../../base/units.js';
import { grouped } from '../text-style.js';
import { numberText } from './figures.js';
import { listAt, jsonAt, numberAt, textAt, type ReportRun } from './report-run.js';

/** One figure of all runs. */
export interface Headline {
  readonly name: string;
  /** what it is, for whoever does not know */
  readonly explanation: string;
  /** one per run, as text; empty: it has none */
  readonly texts: readonly string[];
  /** change beside the first run, in percent; null: none, or it has no sense */
  readonly changes: readonly (number | null)[];
  /** whether less is better; null: neither is */
  readonly lessIsBetter: boolean | null;
  /** among the few that stand large above all */
  readonly isLeading: boolean;
}

type Reading = (run: ReportRun) => number | null;

interface Line {
  readonly name: string;
  readonly explanation: string;
  readonly read: Reading;
  readonly text: (value: number) => string;
  readonly lessIsBetter?: boolean;
  readonly isLeading?: boolean;
}

const time = (ns: number): string => formatTimePs(Math.round(ns * 1000));
const inSummary =
  (...keys: readonly string[]): Reading =>
  ({ summary }) =>
    numberAt(summary, ...keys);
/** Of what a healthy run has none: absent where it is 0. */
const ifAny =
  (...keys: readonly string[]): Reading =>
  ({ summary }) =>
    numberAt(summary, ...keys) || null;
const completion =
  (key: string): Reading =>
  (run) =>
    (numberAt(run.summary, 'finished') ?? 0) > 0 ? numberAt(run.summary, 'fct', key) : null;

/** Of several jobs the summary has them all beside the first. */
function longestJobNs({ summary }: ReportRun): number | null {
  const times = [summary, ...listAt(summary, 'jobs')].map((job, i) =>
    numberAt(job, ...(i === 0 ? ['workload'] : []), 'ranks', 'max'),
  );
  const known = times.filter((timeNs) => timeNs !== null);
  return known.length === 0 ? null : Math.max(...known);
}

/** Of the jobs that ran by themselves first, the one that lost most to the others. */
function worstSlowdown({ summary }: ReportRun): number | null {
  const known = listAt(summary, 'alone')
    .map((job) => numberAt(job, 'slowdown'))
    .filter((slowdown) => slowdown !== null);
  return known.length === 0 ? null : Math.max(...known);
}

const lines: readonly Line[] = [
  {
    name: 'Job time',
    explanation: 'the longest time of a rank of any job',
    read: longestJobNs,
    text: time,
    lessIsBetter: true,
    isLeading: true,
  },
  {
    name: 'Mean completion',
    explanation: 'mean flow completion time',
    read: completion('meanNs'),
    text: time,
    lessIsBetter: true,
    isLeading: true,
  },
  {
    name: 'Slow-down by other jobs',
    explanation: 'of the job that loses most: its time together over that alone (--alone)',
    read: worstSlowdown,
    text: (value) => `${numberText(value, 3)} x`,
    lessIsBetter: true,
    isLeading: true,
  },
  { name: 'Median completion', explanation: '', read: completion('p50Ns'), text: time, lessIsBetter: true },
  {
    name: '99th percentile',
    explanation: '99 of 100 flows are done within this time',
    read: completion('p99Ns'),
    text: time,
    lessIsBetter: true,
    isLeading: true,
  },
  {
    name: 'Slowest flow',
    explanation: 'longest flow completion time',
    read: completion('maxNs'),
    text: time,
    lessIsBetter: true,
    isLeading: true,
  },
  {
    name: 'Median slow-down',
    explanation: 'completion time over that alone on the idle fabric: half of the flows have at most this',
    read: medianSlowdown,
    text: (value) => `${numberText(value, 3)} x`,
    lessIsBetter: true,
    isLeading: true,
  },
  {
    name: 'Collisions',
    explanation: 'pairs of flows that shared a link between switches at the same time',
    read: inSummary('collisions', 'flowPairs'),
    text: grouped,
    lessIsBetter: true,
    isLeading: true,
  },
  {
    name: 'Links shared',
    explanation: 'links between switches that carried two or more flows at the same time',
    read: inSummary('collisions', 'links'),
    text: grouped,
    lessIsBetter: true,
  },
  {
    name: 'Ports assigned',
    explanation: 'by the controller',
    read: inSummary('controller', 'assigned'),
    text: grouped,
  },
  {
    name: 'Without a free path',
    explanation: 'queue pairs for which the controller found none with room',
    read: inSummary('controller', 'unassigned'),
    text: grouped,
    lessIsBetter: true,
  },
  {
    name: 'Flows moved',
    explanation: 'to another path, by the controller',
    read: ifAny('controller', 'moved'),
    text: grouped,
  },
  { name: 'Changes of links', explanation: 'failures and repairs', read: ifAny('failures', 'changes'), text: grouped },
  { name: 'Flows finished', explanation: '', read: inSummary('finished'), text: grouped },
  {
    name: 'Packets dropped',
    explanation: '',
    read: inSummary('counters', 'packetsDropped'),
    text: grouped,
    lessIsBetter: true,
  },
  {
    name: 'Packets lost',
    explanation: '',
    read: inSummary('counters', 'packetsLost'),
    text: grouped,
    lessIsBetter: true,
  },
  {
    name: 'Timeouts',
    explanation: 'senders that waited for an acknowledgement in vain',
    read: ifAny('counters', 'timeouts'),
    text: grouped,
    lessIsBetter: true,
  },
  {
    name: 'Longest wait for timeouts',
    explanation: 'of one flow',
    read: ifAny('counters', 'longestTimeoutWaitNs'),
    text: time,
    lessIsBetter: true,
  },
  { name: 'ECN marks', explanation: '', read: inSummary('counters', 'ecnMarks'), text: grouped },
  {
    name: 'PFC pauses',
    explanation: '',
    read: inSummary('counters', 'pauseFrames'),
    text: grouped,
    lessIsBetter: true,
  },
  { name: 'Simulated time', explanation: '', read: inSummary('simulatedNs'), text: time },
  {
    name: 'CPU time',
    explanation: 'what the simulation took on this machine',
    read: inSummary('cpuSeconds'),
    text: (value) => `${numberText(value, 3)} s`,
  },
];

/** Every figure that at least one run has. */
export function headlinesOf(runs: readonly ReportRun[]): Headline[] {
  return lines.flatMap(({ name, explanation, read, text, lessIsBetter, isLeading }) => {
    const values = runs.map(read);
    if (values.every((value) => value === null)) return [];
    const first = values[0];
    return [
      {
        name,
        explanation,
        texts: values.map((value) => (value === null ? '' : text(value))),
        changes: values.map((value, i) =>
          i === 0 || value === null || first === null || first === undefined || first === 0
            ? null
            : 100 * (value / first - 1),
        ),
        lessIsBetter: lessIsBetter ?? null,
        isLeading: isLeading === true,
      },
    ];
  });
}

/** The mean says little of it: in a training run a few flows that wait for others make it larger than nearly all. */
function medianSlowdown({ records: { flows } }: ReportRun): number | null {
  if (flows.count === 0) return null;
  const slowdowns = Float64Array.from({ length: flows.count }, (_, i) => flows.slowdown(i)).sort();
  return slowdowns[Math.ceil(flows.count / 2) - 1]!;
}

/** A change in few digits with its sign; empty: none. */
export function changeText(change: number | null): string {
  if (change === null) return '';
  const size = Math.abs(change);
  if (size < 0.005) return 'same';
  const text = size >= 100 ? numberText(size, 3) : size.toFixed(size < 1 ? 2 : 1);
  return `${change < 0 ? '−' : '+'}${text} %`;
}

/** One self-check of a run. */
export interface ShownVerdict {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

/** The self-checks of a run, as its manifest says them. */
export function verdictsOf({ manifest }: ReportRun): ShownVerdict[] {
  return listAt(manifest, 'verdicts').map((verdict) => ({
    name: textAt(verdict, 'name'),
    ok: jsonAt(verdict, 'ok') === true,
    detail: textAt(verdict, 'detail'),
  }));
}

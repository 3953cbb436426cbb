// The catalogues of what runs are compared by: runs that stand in folders, backends, policies of the controller. JSON,
// text and the tables of docs/formats/json-output.md follow: a new figure is one entry.
// Invariants: a figure that a run has not is null, never 0; one that no run has is left out.

import type { InferenceReport } from '../../inference/inference-report.js';
import { communicationKinds, type RankFigures } from '../../jobs/job-report.js';
import type { GroupPercentiles } from '../../measurement/distribution.js';
import { failedChecks, type RunFigures } from '../run-figures.js';
import { plain, ratio, timeNs, timePs, timeSeconds, whole, type FigureEntry } from './figure.js';

/** What the finished flows of a stored run come to. */
export interface FlowFigures {
  /** completion times in nanoseconds */
  readonly times: GroupPercentiles;
  readonly lastEndNs: number;
  /** over flows of which the ideal time is known */
  readonly meanSlowdown: number;
}

const less = { lessIsBetter: true } as const;

/** Of a stored run, for `weft compare`. */
export const flowFigures: readonly FigureEntry<FlowFigures>[] = [
  timeNs('mean completion', ({ times }) => times.mean, 'mean flow completion time', less),
  timeNs('median', ({ times }) => times.p50, 'half of the flows are done within this time', less),
  timeNs('99th percentile', ({ times }) => times.p99, '99 of 100 flows are done within this time', less),
  timeNs('longest', ({ times }) => times.max, 'longest flow completion time', less),
  timeNs('last flow ends', ({ lastEndNs }) => lastEndNs, 'end of the last flow', less),
  ratio(
    'mean slowdown',
    ({ meanSlowdown }) => meanSlowdown,
    'completion time over the ideal one of the flow alone',
    less,
  ),
];

/** Of one scenario on a backend, whatever it runs. */
const ofAnyRun: readonly FigureEntry<RunFigures>[] = [
  timePs('total', ({ simulatedPs }) => simulatedPs, 'simulated time at the end', less),
];

/** Of what it took to simulate. */
const costs: readonly FigureEntry<RunFigures>[] = [
  whole('events', ({ counters }) => counters.events, 'steps that the simulation took', { role: 'cost' }),
  timeSeconds('CPU', ({ cpuSeconds }) => cpuSeconds, 'what the simulation took on this machine', { role: 'cost' }),
];

/** Of flows, where some finished. */
const ofFlows: readonly FigureEntry<RunFigures>[] = [
  whole('flows finished', (run) => (run.finished > 0 ? run.finished : null), 'flows that finished'),
  ...(
    [
      ['completion mean', 'meanNs', 'mean flow completion time'],
      ['completion p99', 'p99Ns', '99 of 100 flows are done within this time'],
      ['completion max', 'maxNs', 'longest flow completion time'],
    ] as const
  ).map(([key, figure, says]) =>
    timeNs(key, (run: RunFigures) => (run.finished > 0 ? run.fct[figure] : null), says, less),
  ),
];

function served(key: string, read: (report: InferenceReport) => number, says: string): FigureEntry<RunFigures> {
  return timeNs(
    key,
    ({ inference }: RunFigures) => (inference === null || inference.finished === 0 ? null : read(inference)),
    says,
    less,
  );
}

/** Of requests, where there is inference. */
const ofRequests: readonly FigureEntry<RunFigures>[] = [
  served(
    'waits for KV mean',
    ({ exposedTransfer }) => exposedTransfer.meanNs,
    'end of prefill until the keys and values are there',
  ),
  served(
    'first token mean',
    ({ timeToFirstToken }) => timeToFirstToken.meanNs,
    'arrival until the first token of decode',
  ),
  served('first token p99', ({ timeToFirstToken }) => timeToFirstToken.p99Ns, 'the same, of 99 of 100 requests'),
];

/** A figure of the first rank of a job. */
function ofRank(key: string, job: number, read: (rank: RankFigures) => number, says: string): FigureEntry<RunFigures> {
  return timePs(
    key,
    ({ jobs }: RunFigures) => {
      const first = jobs[job]?.stages[0];
      return first === undefined ? null : read(first);
    },
    says,
    less,
  );
}

/** Of a job, by its number: those of waits that any run has. @param name in front of each; '': the only job */
function ofJob(runs: readonly RunFigures[], job: number, name: string): FigureEntry<RunFigures>[] {
  const isSeen = (read: (rank: RankFigures) => number): boolean =>
    runs.some(({ jobs }) => jobs[job]?.stages[0] !== undefined && read(jobs[job].stages[0]) > 0);
  const kinds = communicationKinds.filter((kind) => isSeen(({ communicationPs }) => communicationPs[kind]));
  return [
    ...(name === ''
      ? []
      : [
          timePs(
            `${name}total`,
            ({ jobs }: RunFigures) => jobs[job]?.totalPs.maximum ?? null,
            'of its slowest rank',
            less,
          ),
        ]),
    ofRank(`${name}computes`, job, ({ computePs }) => computePs, 'computation of its first rank'),
    ...kinds.map((kind) =>
      ofRank(
        `${name}${kind} under way`,
        job,
        ({ communicationPs }) => communicationPs[kind],
        'communication of the kind',
      ),
    ),
    ...kinds.map((kind) =>
      ofRank(`${name}waits for ${kind}`, job, ({ exposedPs }) => exposedPs[kind], 'what of it nothing else hides'),
    ),
    ...(isSeen(({ bubblePs }) => bubblePs)
      ? [ofRank(`${name}bubble`, job, ({ bubblePs }) => bubblePs, 'waits for another stage of the pipeline')]
      : []),
  ];
}

/** Of runs of one scenario on several backends: those that at least one of them has. */
export function backendFigures(runs: readonly RunFigures[]): readonly FigureEntry<RunFigures>[] {
  const jobs = runs[0]?.jobs ?? [];
  return [
    ...ofAnyRun,
    ...jobs.flatMap(({ name }, job) => ofJob(runs, job, jobs.length === 1 ? '' : `${name} `)),
    ...(runs.some(({ inference }) => inference !== null) ? ofRequests : []),
    ...(runs.some(({ finished }) => finished > 0) ? ofFlows : []),
    ...costs,
  ];
}

/** Of a run under a policy of the controller, or without it. What has a label is compared. */
export const policyFigures: readonly FigureEntry<RunFigures>[] = [
  timeNs('meanNs', ({ fct }) => fct.meanNs, 'mean flow completion time', { label: 'mean completion time', ...less }),
  timeNs('maxNs', ({ fct }) => fct.maxNs, 'longest flow completion time', {
    label: 'longest completion time',
    ...less,
  }),
  timeNs(
    'jobNs',
    ({ jobs }) => (jobs.length === 0 ? null : Math.max(...jobs.map(({ totalPs }) => totalPs.maximum)) / 1000),
    'end of the last job; `null` without jobs',
    { label: 'time of the jobs', ...less },
  ),
  whole('flowPairs', ({ collisions }) => collisions.flowPairs, 'pairs of flows that shared a link between switches', {
    label: 'pairs of flows that shared a link between switches',
    ...less,
  }),
  whole('assigned', ({ controller }) => controller?.assigned ?? null, 'source ports that the controller chose'),
  whole('unassigned', ({ controller }) => controller?.unassigned ?? null, 'queue pairs for which it found no path'),
  timeSeconds('cpuSeconds', ({ cpuSeconds }) => cpuSeconds, 'what the simulation took', { role: 'cost' }),
  plain('problems', failedChecks, 'self-checks that failed, in words'),
];

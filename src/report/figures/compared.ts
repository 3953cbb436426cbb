// The catalogues of what runs are compared by: runs that stand in folders, backends, policies of the controller. JSON,
// text and the tables of docs/formats/json-output.md follow: a new figure is one entry.
// Invariants: a figure that a run has not is null, never 0; one that no run has is left out.

import type { InferenceReport } from '../../inference/inference-report.js';
import { communicationKinds, type RankFigures } from '../../jobs/job-report.js';
import type { GroupPercentiles } from '../../measurement/distribution.js';
import { failedChecks, type RunFigures } from '../run-figures.js';
import { ofPart, plain, ratio, timeNs, timePs, timeSeconds, whole, type FigureEntry } from './figure.js';

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
  ratio('mean slowdown', ({ meanSlowdown }) => meanSlowdown, 'over the ideal time of each flow alone', less),
];

/** Of one scenario on a backend, whatever it runs. */
const total: FigureEntry<RunFigures> = timePs('total', (run) => run.simulatedPs, 'simulated time at the end', less);

/** Of what it took to simulate. */
const costs: readonly FigureEntry<RunFigures>[] = [
  whole('events', ({ counters }) => counters.events, 'steps that the simulation took', { role: 'cost' }),
  timeSeconds('CPU', ({ cpuSeconds }) => cpuSeconds, 'what the simulation took on this machine', { role: 'cost' }),
];

/** Of flows, where some finished. */
const ofFlows = ofPart(
  (run: RunFigures) => (run.finished > 0 ? run : null),
  [
    whole('flows finished', ({ finished }: RunFigures) => finished, 'flows that finished'),
    timeNs('completion mean', ({ fct }: RunFigures) => fct.meanNs, 'mean flow completion time', less),
    timeNs('completion p99', ({ fct }: RunFigures) => fct.p99Ns, '99 of 100 flows are done within this time', less),
    timeNs('completion max', ({ fct }: RunFigures) => fct.maxNs, 'longest flow completion time', less),
  ],
);

type Served = InferenceReport;

/** Of requests, where some were served. */
const ofRequests = ofPart(
  ({ inference }: RunFigures) => ((inference?.finished ?? 0) > 0 ? inference : null),
  [
    timeNs('waits for KV mean', (own: Served) => own.exposedTransfer.meanNs, 'for keys and values after prefill', less),
    timeNs('first token mean', (own: Served) => own.timeToFirstToken.meanNs, 'arrival until the first token', less),
    timeNs('first token p99', (own: Served) => own.timeToFirstToken.p99Ns, 'the same, of 99 of 100 requests', less),
  ],
);

/** Of a job, by its number: those of waits that any run has. @param name in front of each; '': the only job */
function ofJob(runs: readonly RunFigures[], job: number, name: string): FigureEntry<RunFigures>[] {
  const firstRank = ({ jobs }: RunFigures): RankFigures | null => jobs[job]?.stages[0] ?? null;
  const ranks = runs.map(firstRank).filter((rank) => rank !== null);
  const kinds = communicationKinds.filter((kind) => ranks.some(({ communicationPs }) => communicationPs[kind] > 0));
  const slowest = ({ jobs }: RunFigures): number | null => jobs[job]?.totalPs.maximum ?? null;
  return [
    ...(name === '' ? [] : [timePs(`${name}total`, slowest, 'of its slowest rank', less)]),
    ...ofPart(firstRank, [
      timePs(`${name}computes`, (rank: RankFigures) => rank.computePs, 'computation of its first rank', less),
      ...kinds.map((kind) =>
        timePs(
          `${name}${kind} under way`,
          (rank: RankFigures) => rank.communicationPs[kind],
          'its communication',
          less,
        ),
      ),
      ...kinds.map((kind) =>
        timePs(
          `${name}waits for ${kind}`,
          (rank: RankFigures) => rank.exposedPs[kind],
          'what of it nothing hides',
          less,
        ),
      ),
      ...(ranks.some(({ bubblePs }) => bubblePs > 0)
        ? [timePs(`${name}bubble`, (rank: RankFigures) => rank.bubblePs, 'waits for another stage', less)]
        : []),
    ]),
  ];
}

/** Of runs of one scenario on several backends: those that at least one of them has. */
export function backendFigures(runs: readonly RunFigures[]): readonly FigureEntry<RunFigures>[] {
  const jobs = runs[0]?.jobs ?? [];
  return [
    total,
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

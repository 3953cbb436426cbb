// The catalogue of what a run can say. Its JSON (`--json`, summary.json), its report, headlines of pages, columns and
// words of sweeps, and the table in docs/formats/run-directory.md follow from it: a new figure is one entry.
// Invariants: keys stand in this order; only figures of the role `cost` differ between two equal runs.

import type { Verdict } from '../../execution/network.js';
import type { WatchdogFigures } from '../../execution/network-figures.js';
import type { JobReport } from '../../jobs/job-report.js';
import type { TransferJobFigures } from '../../jobs/transfer-jobs.js';
import type { ProgramReport } from '../../programs/program-report.js';
import { aloneFigures } from '../alone-text.js';
import type { RunFigures, RunLabel } from '../run-figures.js';
import { collectiveFigures } from './collectives.js';
import { counterFigures, countersObject } from './counters.js';
import {
  byName,
  bytes,
  whole,
  type FigureEntry,
  figureLines,
  figuresObject,
  group,
  list,
  money,
  node,
  plain,
  ratio,
  timeSeconds,
  timeNs,
  timePs,
} from './figure.js';
import {
  completionEntries,
  controllerFigures,
  fastForwardFigures,
  inferenceFigures,
  isKnown,
  lostTimeFigures,
  probeFigures,
  unfinishedEntries,
} from './run-parts.js';
import { restsOnDiagnosis, runVerdict } from '../run-verdict.js';
import { jobFigures, programFigures, transferJobFigures } from './jobs.js';
import { grouped } from '../text-style.js';
import * as texts from './run-texts.js';

/** A run with its label. */
export interface LabelledRun {
  readonly label: RunLabel;
  readonly run: RunFigures;
}

/** Whoever has a share of a run: a training, a program, or transfers of one name. */
type Owner =
  | { readonly training: JobReport }
  | { readonly program: ProgramReport }
  | { readonly transfers: TransferJobFigures };

function ownersOf({ jobs, programs, transferJobs }: RunFigures): Owner[] {
  return [
    ...jobs.map((training) => ({ training })),
    ...programs.map((program) => ({ program })),
    ...transferJobs.map((transfers) => ({ transfers })),
  ];
}

function ownerObject(owner: Owner): object {
  return 'training' in owner
    ? figuresObject(jobFigures, owner.training)
    : 'program' in owner
      ? figuresObject(programFigures, owner.program)
      : figuresObject(transferJobFigures, owner.transfers);
}

const ownerEntries = [...jobFigures, ...programFigures, ...transferJobFigures];

/** Closed forms of collectives send none: nothing is said of flows that cannot be. */
function isSilent({ flows, jobs, sendsCollectives }: RunFigures): boolean {
  return flows === 0 && jobs.length > 0 && !sendsCollectives;
}

const headline = { lessIsBetter: true, prominence: 'headline' } as const;

/** Everything, in the order of JSON and report. */
export const runFigures: readonly FigureEntry<LabelledRun>[] = [
  plain('name', ({ label }) => label.name, 'as in the manifest', { role: 'name' }),
  plain('seed', ({ label }) => label.seed, 'as in the manifest', { role: 'name' }),
  plain('weftVersion', ({ label }) => label.weftVersion, 'as in the manifest', { role: 'name' }),
  plain('backend', ({ run }) => run.backend, 'the level of detail of the simulation'),
  plain('outcome', ({ run }) => run.outcome, 'as in the manifest', { role: 'name' }),
  plain(
    'verdict',
    ({ run }) => runVerdict(run),
    'in words: what was slow, on which link, whom it cost how much, and why; or that nothing was',
    { role: 'name' },
  ),
  plain(
    'verdictBasis',
    ({ run }) => (run.collective !== undefined ? 'moves' : restsOnDiagnosis(run) ? 'diagnosis' : 'sharing'),
    'what the verdict rests on: `diagnosis`, the findings of [weft diagnose](../models/diagnosis.md), or `sharing`, who shared links ([lost time](../models/lost-time.md)), or of a collective `moves`, what its bytes need on the links of GPUs',
    { role: 'name' },
  ),
  plain(
    'findings',
    ({ run }) => run.findings ?? null,
    'what held it up, as in `weft diagnose --json`; `null`: nobody looked, since the run is large, was stopped, or links changed',
  ),
  group(
    'collective',
    ({ run }) => run.collective?.row,
    collectiveFigures,
    'only of [`weft collective --out`](json-output.md#weft-collective-kind---json): its row of the table',
  ),
  whole('flows', ({ run }) => run.flows, 'flows that entered the network', {
    said: ['flows', (_, { label, run }) => (isSilent(run) ? null : texts.flows(label, run))],
  }),
  whole('finished', ({ run }) => run.finished, 'those of them that finished', { label: 'Flows finished' }),
  group(
    'unfinished',
    ({ run }) => run.unfinished,
    unfinishedEntries,
    'flows that had begun and not finished when the run ended; `null` if all finished',
    { said: ['unfinished', (value, { run }) => (isSilent(run) ? null : texts.unfinished(value))] },
  ),
  {
    ...plain(
      'workload',
      ({ run }: LabelledRun) => {
        const [first] = ownersOf({ ...run, transferJobs: [] });
        return first === undefined ? null : ownerObject(first);
      },
      'what the workload came to, [below](#workload); `null` without one. Of several jobs it is the first, and `jobs` lists all',
    ),
    entries: ownerEntries,
  },
  {
    ...plain(
      'jobs',
      ({ run }: LabelledRun) => {
        const owners = ownersOf(run);
        return owners.length > 1 || run.transferJobs.length > 0 ? owners.map(ownerObject) : undefined;
      },
      'with several workloads, or transfers with a `job`: each job',
    ),
    form: 'list',
    entries: ownerEntries,
    lines: ({ run }, indent) => texts.owners(run, indent),
  },
  plain(
    'errorBand',
    ({ label, run }) =>
      run.jobs.length === 0
        ? undefined
        : run.outcome === 'finished' && typeof label.errorBand === 'object'
          ? label.errorBand
          : null,
    'with jobs: how far such times lie from published ones ([keys](json-output.md#error-bands)); `null` if nobody compared the profile',
    { role: 'name' },
  ),
  list(
    'alone',
    ({ label, run }) => (label.aloneNs === undefined ? undefined : aloneFigures(run.jobs, label.aloneNs)),
    [
      plain('name'),
      timeNs('togetherNs', 'its `ranks.max` in this run'),
      timeNs('aloneNs', 'the same on the same fabric with nothing beside it'),
      ratio('slowdown', 'of a job: its time together with the others over that alone', {
        label: 'Slow-down by other jobs',
        ...headline,
      }),
    ],
    'only with `--alone`: of each job; `null` where it did not finish',
  ),
  group(
    'fct',
    ({ run }) => run.fct,
    completionEntries,
    'flow completion times of the finished flows; percentiles by nearest rank; 0 without flows',
    { said: ['completion', (value, { run }) => (run.finished > 0 ? texts.completion(value) : null)] },
  ),
  group(
    'slowdown',
    ({ run }) => run.slowdown,
    [
      ratio('mean'),
      ratio('p50', 'half of the flows have at most this', { label: 'Median slow-down', ...headline, isKnown }),
      ratio('p99'),
      ratio('max'),
    ],
    'completion time over the ideal one of the flow alone (round trip of its hosts + its bytes on the wire / ' +
      'rate of the slowest link), at least 1; 0 without flows',
  ),
  group(
    'collisions',
    ({ run }) => run.collisions,
    [
      whole('links', 'links between switches that carried two or more flows at the same time', {
        label: 'Links shared',
        lessIsBetter: true,
      }),
      whole('flowPairs', 'pairs of flows that shared a link between switches at the same time', {
        label: 'Collisions',
        ...headline,
      }),
      plain('exact', '`false`: counting stopped, and `flowPairs` is a lower bound'),
    ],
    'of directed links; links to hosts do not count',
    { said: ['collisions', (value, { run }) => (isSilent(run) ? null : texts.collisions(value))] },
  ),
  group(
    'lostTime',
    ({ run }) => run.lostTime,
    lostTimeFigures,
    'what finished flows took beyond their time alone, [by link and cause](../models/lost-time.md)',
  ),
  group(
    'fastForward',
    ({ run }) => run.fastForward ?? undefined,
    fastForwardFigures,
    'with `fastForward.enabled`: what was [replayed](../models/fast-forward.md)',
    { said: ['replayed', texts.replayed] },
  ),
  group('inference', ({ run }) => run.inference ?? undefined, inferenceFigures, 'only with `inference`'),
  money(
    'cost',
    ({ run }) => run.cost,
    'only with [`cost`](scenario.md#cost): what the parts of the fabric come to, in the currency of its prices',
    {
      label: 'Cost',
      lessIsBetter: true,
      said: ['cost', (value) => (typeof value === 'number' ? grouped(value) : null)],
    },
  ),
  group('controller', ({ run }) => run.controller, controllerFigures, '`null` when it is off', {
    said: ['controller', texts.controller],
  }),
  group(
    'pins',
    ({ run }) => run.pins,
    [
      whole('pinned', 'queue pairs on the plane or NIC that they are [pinned to](../models/traffic-classes.md)'),
      whole('unpinned', 'those for which failures left no such path'),
    ],
    '`null` if nothing is pinned',
    { said: ['pins', texts.pins] },
  ),
  group(
    'failures',
    ({ run }) => run.failures,
    [
      whole('changes', 'changes of links (down, up, degraded, made whole) that happened', {
        label: 'Changes of links',
        hidesZero: true,
      }),
      whole('reroutes', 'how often routing took new routes'),
    ],
    '`null` if none are planned',
    { said: ['failures', texts.failures] },
  ),
  // not every backend has packets to count
  whole(
    'packetHops',
    ({ run }) => run.counters['packetHops'] ?? null,
    'link traversals by data and acknowledgement packets; `null` without packets',
  ),
  group(
    'chunkLatency',
    ({ run }) => chunkLatency(run),
    [timeNs('meanNs'), timeNs('maxNs')],
    'where the backend counts it: from the first bit of a packet at its sender to the last at its receiver; else `null`',
  ),
  byName(
    'counters',
    ({ run }) => countersObject(run.counters),
    counterFigures,
    'totals of the network by name, those that the backend counts',
    { said: ['network', (_, { run }) => texts.network(run)] },
  ),
  plain(
    'unmarked',
    ({ run }) => run.unmarked,
    'why no packet was marked: `longestQueueBytes`, the longest queue below its threshold that a packet left ' +
      'behind; `thresholdBytes` and `rateBps` of its port, which marks above the one; `windowBytes`, what a ' +
      'queue pair has in flight at the most (`null`: no limit). `null` if packets were marked, or no queue could ' +
      'have been',
    { said: ['marking', (value) => (value === null ? null : texts.unmarked(value))] },
  ),
  list(
    'pauses',
    ({ run }) => run.pauses,
    [
      node('host'),
      whole('priority'),
      whole('frames', 'pause frames and messages that took effect there, repeated ones included'),
      timePs('pausedNs', 'time in which something of it stood still'),
      plain('cause', 'the flow control (`pfc`: its edge switch)'),
    ],
    'hosts whose sending was held back, a line per host, priority and cause; `null` on backends on which nobody is',
  ),
  group(
    'watchdog',
    ({ run }) => run.watchdog,
    [
      plain('action'),
      whole('storms', 'queues of switches that were paused too long', { label: 'Pause storms', lessIsBetter: true }),
      whole('packetsDropped', 'in them'),
      list(
        'first',
        ({ first }: WatchdogFigures) => first,
        [
          node('node'),
          whole('interface'),
          plain('name'),
          whole('priority'),
          timePs('detectedNs'),
          timePs('restoredNs', '`null`: to the end'),
          whole('packetsDropped'),
        ],
        'the first 100',
      ),
    ],
    'with [`pfc.watchdog`](../models/switch-buffer-and-pfc.md#watchdog); else `null`',
    { said: ['watchdog', texts.watchdog] },
  ),
  group('probes', ({ run }) => run.probes, probeFigures, '`null` without probes', { said: ['probes', texts.probes] }),
  timePs(
    'simulatedNs',
    ({ run }) => run.simulatedPs,
    'simulated time at the last completion; of a run that did not finish, when it ended',
    { label: 'Simulated time' },
  ),
  timeSeconds('cpuSeconds', ({ run }) => run.cpuSeconds, 'what the simulation took on this machine', {
    label: 'CPU time',
    role: 'cost',
  }),
  timeSeconds('wallSeconds', ({ run }) => run.wallSeconds, 'the same by the clock', { role: 'cost' }),
  bytes('peakMemoryBytes', ({ run }) => run.peakMemoryBytes, 'peak resident memory of the process', { role: 'cost' }),
  plain('digest', ({ run }) => run.digest, 'as in the manifest', { role: 'name' }),
  list(
    'verdicts',
    ({ run }) => run.verdicts,
    [
      plain('name'),
      plain('ok'),
      plain('detail'),
      plain('cause', ({ cause }: Verdict) => cause, 'why a run is blocked, where it is known'),
    ],
    'as in the manifest',
    { role: 'name' },
  ),
  plain('warnings', ({ label }) => label.warnings, 'as in the manifest', { role: 'name' }),
];

/** From the first bit of a packet at its sender to the last at its receiver; null where nobody counts it. */
function chunkLatency({ counters }: RunFigures): { readonly meanNs: number; readonly maxNs: number } | null {
  const { packetLatencyTotalPs: totalPs, packetLatencyLargestPs: largestPs, dataPacketsDelivered } = counters;
  if (
    totalPs === undefined ||
    largestPs === undefined ||
    dataPacketsDelivered === undefined ||
    dataPacketsDelivered === 0
  )
    return null;
  return { meanNs: totalPs / dataPacketsDelivered / 1000, maxNs: largestPs / 1000 };
}

/** The one object of `weft run --json`, which is also summary.json, ready for JSON.stringify. */
export function summaryObject(label: RunLabel, run: RunFigures): Record<string, unknown> {
  return figuresObject(runFigures, { label, run });
}

/** The lines of a report on a run, under labels of `indent` columns. */
export function runLines(label: RunLabel, run: RunFigures, indent: number): string[] {
  return figureLines(runFigures, { label, run }, indent);
}

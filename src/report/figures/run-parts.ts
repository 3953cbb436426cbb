// The parts of the catalogue of a run: completion times, inference, replays, unfinished flows, the controller, probes.

import type { PauseCauses } from '../../execution/network-figures.js';
import type { CompletionStatistics } from '../../measurement/completion.js';
import type { LostTimeReport } from '../../measurement/lost-causes.js';
import type { UnfinishedFlowFigures } from '../../measurement/unfinished-figures.js';
import type { RunFigures } from '../run-figures.js';
import {
  byName,
  bytes,
  whole,
  type FigureEntry,
  group,
  list,
  node,
  plain,
  rateBps,
  ratio,
  timeNs,
  timePs,
} from './figure.js';
import * as texts from './run-texts.js';

/** Completion times exist of flows that finished. */
export const isKnown = ({ finished }: { readonly finished?: unknown }): boolean =>
  typeof finished === 'number' && finished > 0;

const time = { lessIsBetter: true, isKnown } as const;

export const completionEntries = [
  timeNs('meanNs', 'mean flow completion time', { label: 'Mean completion', prominence: 'headline', ...time }),
  timeNs('p50Ns', 'half of the flows are done within this time', { label: 'Median completion', ...time }),
  timeNs('p99Ns', '99 of 100 flows are done within this time', {
    label: '99th percentile',
    prominence: 'headline',
    ...time,
  }),
  timeNs('maxNs', 'longest flow completion time', { label: 'Slowest flow', prominence: 'headline', ...time }),
];

/** Mean, percentiles and most of a time. @param first which of them people look for first */
function spread(first: readonly string[] = []): FigureEntry<CompletionStatistics>[] {
  return (['meanNs', 'p50Ns', 'p99Ns', 'maxNs'] as const).map((key) =>
    timeNs(key, '', first.includes(key) ? { prominence: 'first' } : {}),
  );
}

/** Ends of a link. */
const linkEnds = [
  plain('from'),
  plain('to'),
  plain('fromGuid', 'of its end port, where the fabric was read with GUIDs'),
  plain('toGuid'),
] as const;

export const lostTimeFigures: readonly FigureEntry<LostTimeReport>[] = [
  timePs('lostNs', ({ lostPs }) => lostPs, 'of all finished flows together', {
    label: 'Time lost',
    lessIsBetter: true,
    isKnown,
  }),
  timePs('aloneNs', 'what they would have taken alone'),
  list(
    'causes',
    ({ causes }) => causes,
    [plain('cause'), timePs('lostNs'), whole('links'), whole('flows', 'flows that lost most there')],
    'why, with the most first: `endpoint`, `slow-part`, `routes`, `interior`, `unshared`',
  ),
  list(
    'places',
    ({ places }) => places,
    [
      ...linkEnds,
      plain('cause'),
      whole('flows', 'flows that lost most there'),
      whole('mostFlows', 'most flows at once, of all that crossed the link'),
      timePs('lostNs'),
      timePs('avoidableNs', 'the part of it that another choice of path could have avoided'),
    ],
    'the ten links on which most was lost',
  ),
  list(
    'slowLinks',
    ({ slowLinks }) => slowLinks,
    [...linkEnds, rateBps('rateBps'), rateBps('usualBps', 'that most links of its kind have')],
    'links below the rate of their kind that flows have crossed: whoever crosses them is slow alone as well',
  ),
];

export const inferenceFigures: readonly FigureEntry<NonNullable<RunFigures['inference']>>[] = [
  whole('requests'),
  whole('finished', 'requests whose keys and values have all arrived; the others are not counted below'),
  whole('prefillInstances'),
  whole('decodeInstances'),
  whole('ranks', 'ranks of an instance'),
  bytes('cacheBytes', 'keys and values of all requests'),
  group('wait', ({ wait }) => wait, spread(), 'arrival until prefill begins'),
  group('prefill', ({ prefill }) => prefill, spread()),
  group(
    'exposedTransfer',
    ({ exposedTransfer }) => exposedTransfer,
    spread(),
    'end of prefill until the last of the keys and values has arrived',
  ),
  group('transfer', ({ transfer }) => transfer, spread(), 'of the single transfers, start to finish'),
  group(
    'timeToFirstToken',
    ({ timeToFirstToken }) => timeToFirstToken,
    spread(['meanNs', 'p99Ns']),
    'arrival until the first token of decode',
  ),
  group('request', ({ request }) => request, spread(['p99Ns']), 'arrival until the last token'),
  group(
    'nicShare',
    ({ nicShare }) => nicShare,
    [ratio('mean'), ratio('least')],
    "what transfers got of their sender's NIC, 0 to 1",
  ),
];

export const fastForwardFigures: readonly FigureEntry<NonNullable<RunFigures['fastForward']>>[] = [
  whole('collectives', 'collectives that all ranks are done with'),
  whole('replayed', 'those of them that were replayed'),
  whole('transfers'),
  whole('transfersNotSent'),
  bytes('payloadBytes'),
  bytes('payloadBytesNotSent'),
  ratio('replayedShare', 'of the time of all collectives'),
  whole('diverged', 'phases that went on otherwise than what they were replayed from'),
  group(
    'leaps',
    ({ leaps }) => leaps,
    [
      whole('count'),
      timeNs('lengthNs'),
      bytes('payloadBytes'),
      ratio('largestChange', 'of the rate at which all send'),
    ],
    '`null` if off',
  ),
  group('samples', ({ samples }) => samples, [
    whole('phases', 'phases that were simulated beside their replay'),
    whole('times', 'times that were compared'),
    ratio('largest', 'difference as a share of the time'),
    ratio('mean'),
  ]),
];

export const unfinishedEntries: readonly FigureEntry<NonNullable<RunFigures['unfinished']>>[] = [
  whole('flows'),
  bytes('sizeBytes', 'their payload'),
  bytes('deliveredBytes', 'what of it [had arrived](../models/stop-time.md)'),
  group(
    'rateBps',
    (unfinished) => unfinished.rateBps,
    [rateBps('least'), rateBps('mean'), rateBps('most')],
    "payload that had arrived over the time since a flow's start; `null` if none had started",
  ),
  list(
    'first',
    ({ first }) => first,
    [
      whole('flow', ({ id }: UnfinishedFlowFigures) => id),
      node('source'),
      node('destination'),
      bytes('sizeBytes'),
      timePs('startNs'),
      bytes('deliveredBytes'),
      rateBps('rateBps'),
    ],
    'the first 100 of them; `unfinished.parquet` has all',
  ),
];

export const controllerFigures: readonly FigureEntry<NonNullable<RunFigures['controller']>>[] = [
  plain('policy', '`first-fit`, `least-loaded`, `bandwidth-aware` or `batch`'),
  whole('assigned', 'source ports that the controller chose, [by queue pair](../models/central-controller.md)', {
    label: 'Ports assigned',
  }),
  whole('unassigned', 'queue pairs for which it found no path with room', {
    label: 'Without a free path',
    lessIsBetter: true,
    prominence: 'first',
  }),
  whole(
    'moved',
    'how often a queue pair under way got another source port after routes changed; `null` if nothing is ever ' +
      '[moved](../models/central-controller.md#after-failures)',
    { label: 'Flows moved', hidesZero: true },
  ),
  group(
    'wait',
    ({ wait }) => wait,
    [timeNs('medianNs'), timeNs('maxNs')],
    'from a request to the controller until its answer; `null` if it [takes no time](../models/central-controller.md#the-time-that-a-controller-takes)',
  ),
];

export const probeFigures: readonly FigureEntry<NonNullable<RunFigures['probes']>>[] = [
  byName(
    'rows',
    ({ tables }) => Object.fromEntries(tables.map(({ name, rows }) => [name, rows])),
    [],
    'rows of each table that the probes wrote, by its name',
  ),
  group(
    'pauses',
    ({ pauses }) => pauses,
    [
      whole('pauses', 'pauses that were traced'),
      whole('beyond', 'later ones that were only counted'),
      whole('congestionPoints', 'output ports and priorities at the roots of the trees of pauses'),
      list(
        'largest',
        ({ largest }: PauseCauses) => largest,
        [
          node('node'),
          whole('interface'),
          plain('name', 'node and interface as people read them, such as `leaf[2]:9`'),
          whole('priority'),
          whole('pauses', 'in its trees'),
          whole('roots', 'caused by itself'),
          whole('depth', 'of the deepest tree'),
          timePs('pausedNs', 'sum over its pauses'),
          whole('hosts', 'hosts that were paused'),
        ],
        'the 100 of them with most pauses',
      ),
    ],
    '`null` without `probes.pauses`',
    { said: ['pauses', texts.pauses] },
  ),
  plain(
    'sampling',
    ({ sampling }) => sampling,
    'with samples in packets: `variant`, `every`, `sampledPackets`, `weakMasks`; else `null`',
    { said: ['samples', (value) => (value === null ? null : texts.samples(value))] },
  ),
  group(
    'latency',
    ({ latency }) => latency,
    [whole('packets', 'data packets whose latency was recorded'), ...spread(['p99Ns'])],
    'mean and maximum are exact, the percentiles at most 1/32 too long; `null` without `probes.packetLatency`',
    { said: ['latency', texts.latency] },
  ),
];

// The figures of jobs: training, programs of ranks, and transfers of one name.
// Invariant: the parts of a rank's time add up to it; layers that are not listed are counted, with their times;
// bandwidths are bytes per second.

import type { TransferJobFigures } from '../../jobs/transfer-jobs.js';
import type { JobMemory } from '../../jobs/memory-figures.js';
import {
  communicationKinds,
  type CommunicationKind,
  type JobReport,
  type LayerFigures,
  type PassFigures,
  type RankFigures,
} from '../../jobs/job-report.js';
import type { ProgramReport, RankSpread } from '../../programs/program-report.js';
import { passNames } from '../../workload/policies.js';
import { bytes, whole, group, list, ofPart, plain, rank, timePs, type FigureEntry } from './figure.js';

/** Layers of a job that are listed at most: an object of each has about 300 characters. */
const mostLayers = 10_000;

type ByKind = Readonly<Record<CommunicationKind, number>>;

/** The sum over all kinds. */
function total(times: ByKind): number {
  return communicationKinds.reduce((sum, kind) => sum + times[kind], 0);
}

/** In the order that JSON has had from the first. */
const kindFigures: readonly FigureEntry<ByKind>[] = (['TP', 'DP', 'EP', 'PP', 'DP_EP', 'all', 'CP'] as const).map(
  (kind) => timePs(kind, (times) => times[kind]),
);

const timesFigures: readonly FigureEntry<RankFigures>[] = [
  timePs(
    'totalNs',
    "from the start of the job to the end of the rank's last operation; communication beside computation counts once",
  ),
  timePs('computeNs', 'computation'),
  timePs(
    'communicationNs',
    ({ communicationPs }) => total(communicationPs),
    'time in which collectives, sends or receives were under way: the sum over the kinds, which may overlap',
  ),
  group(
    'exposedNs',
    ({ exposedPs }) => exposedPs,
    kindFigures,
    'time in which the rank waited for one, by the kind of its group: `TP`, `DP`, `EP`, `PP`, `DP_EP`, `CP`; `all`: groups that policies of other models make',
    { prominence: 'first' },
  ),
  timePs('bubbleNs', 'waits for another pipeline stage that had not sent yet'),
  timePs('skewNs', 'of the exposed time: waits for ranks that came to a collective later'),
  timePs(
    'overlappedNs',
    ({ communicationPs, exposedPs }) => Math.max(0, total(communicationPs) - total(exposedPs)),
    'of `communicationNs`: beside computation, or beside other communication',
  ),
  group(
    'communicationByKindNs',
    ({ communicationPs }) => communicationPs,
    kindFigures,
    '`communicationNs` by kind, keys as in `exposedNs`',
  ),
];

const passFigures: readonly FigureEntry<PassFigures>[] = [
  whole('times', 'how often the pass ran; what follows are sums'),
  timePs('computeNs', 'computation'),
  timePs('exposedNs', 'waits for its collective'),
  timePs('communicationNs', "from the rank's start of the collective to its end"),
  plain(
    'collective',
    ({ collective }) => (collective === null ? null : { ...collective }),
    '`null`, or `kind`, `group`, `ranks`, `sizeBytes`, `algorithm` (`model`: a closed form), `asStreams` (only ' +
      '`true`: [not step by step](../models/fluid.md#streams-in-place-of-steps)), `algorithmBandwidth` and ' +
      '`busBandwidth` in B/s as nccl-tests defines them',
  ),
];

const layerFigures: readonly FigureEntry<LayerFigures>[] = [
  plain('name'),
  whole('stage', 'whose first rank the figures are of'),
  timePs('finishedNs', 'end of its last pass there'),
  ...passNames.map((pass, i) =>
    group(pass, (layer: LayerFigures) => layer[pass], passFigures, i === 0 ? 'its passes, each with' : ''),
  ),
];

const memoryFigures: readonly FigureEntry<JobMemory>[] = [
  bytes('limitBytes', '`null`: not limited'),
  whole('fullestStage'),
  list('stages', ({ stages }) => stages.map((parts, stage) => ({ ...parts, stage })), [
    whole('stage'),
    bytes('weightsBytes'),
    bytes('gradientsBytes'),
    bytes('optimizerBytes'),
    bytes('gatheredBytes', 'of ZeRO stage 3'),
    bytes('activationsBytes'),
    bytes('totalBytes', 'their sum'),
  ]),
];

/** Of the training in a job. */
export const jobFigures: readonly FigureEntry<JobReport>[] = [
  plain('name'),
  plain('isFinished', '`false`: the figures are of what was done'),
  whole('iterations'),
  timePs('startNs'),
  ...ofPart(({ stages }: JobReport) => stages[0]!, timesFigures),
  group('ranks', (job: JobReport) => job, [
    whole('count', ({ ranks }: JobReport) => ranks, 'how many ranks there are'),
    timePs('min', ({ totalPs }: JobReport) => totalPs.minimum, 'the shortest `totalNs` of them'),
    timePs('max', ({ totalPs }: JobReport) => totalPs.maximum, 'the longest: how long the job took', {
      label: 'Job time',
      lessIsBetter: true,
      prominence: 'headline',
    }),
    rank('slowest', ({ totalPs }: JobReport) => totalPs.slowestRank, 'whose the longest is'),
  ]),
  list(
    'stages',
    ({ stages }) => stages,
    [rank('rank'), whole('stage'), ...timesFigures],
    'the same for the first rank of each pipeline stage: `rank`, `stage`, and the keys from `totalNs` to `communicationByKindNs`',
  ),
  group(
    'memory',
    ({ memory }) => memory,
    memoryFigures,
    'what a GPU keeps ([how it is counted](../models/job-memory.md)); `null` for a workload that was not generated',
  ),
  list(
    'layers',
    ({ layers }) => layersToShow(layers).shown,
    layerFigures,
    'its layers, or the 10,000 costliest of them',
  ),
  group(
    'layersLeftOut',
    ({ layers }) => {
      const { leftOut } = layersToShow(layers);
      return leftOut.length === 0 ? undefined : { layers: leftOut };
    },
    [
      whole(
        'count',
        ({ layers }: LeftOut) => layers.length,
        'how many are not listed; what follows are sums over them',
      ),
      timePs('computeNs', ({ layers }: LeftOut) => sumOver(layers, 'computePs')),
      timePs('exposedNs', ({ layers }: LeftOut) => sumOver(layers, 'exposedPs')),
      timePs('communicationNs', ({ layers }: LeftOut) => sumOver(layers, 'communicationPs')),
    ],
    'only with more layers than are listed',
  ),
];

interface LeftOut {
  readonly layers: readonly LayerFigures[];
}

const spreadFigures: readonly FigureEntry<RankSpread>[] = [
  timePs('min', ({ minimum }) => minimum),
  timePs('mean', ({ mean }) => mean),
  timePs('max', ({ maximum }) => maximum),
];

/** Of a program of ranks. */
export const programFigures: readonly FigureEntry<ProgramReport>[] = [
  plain('name'),
  plain('program', 'which program it is'),
  plain('isFinished'),
  timePs('startNs'),
  timePs('totalNs', 'from the start to the end of the last rank, or of the run'),
  whole('ranks'),
  whole('nodes', 'hosts that it runs on'),
  group('computeNs', ({ computePs }) => computePs, spreadFigures, 'over the ranks'),
  group('overheadNs', ({ overheadPs }) => overheadPs, spreadFigures, 'what ranks did to send and receive'),
  group('waitNs', ({ waitPs }) => waitPs, spreadFigures),
  whole('messages', 'over the network'),
  bytes('payloadBytes', 'of these messages'),
  whole('handshakes', 'of rendezvous: requests and answers'),
  whole('messagesInNodes'),
  bytes('bytesInNodes'),
  plain('phases'),
  plain('grid'),
];

/** Of transfers with the name of a job. */
export const transferJobFigures: readonly FigureEntry<TransferJobFigures>[] = [
  plain('name'),
  plain('isFinished'),
  whole('transfers'),
  bytes('payloadBytes'),
  timePs('startNs', 'start of its first transfer'),
  timePs('totalNs', 'from there to the end of the last one that finished'),
];

/** Which layers stand one by one: all of them, or of very many the costliest, in their order. */
function layersToShow(layers: readonly LayerFigures[]): {
  readonly shown: readonly LayerFigures[];
  readonly leftOut: readonly LayerFigures[];
} {
  if (layers.length <= mostLayers) return { shown: layers, leftOut: [] };
  const costs = Float64Array.from(layers, (layer) => sumOver([layer], 'computePs') + sumOver([layer], 'exposedPs'));
  const order = Array.from(layers.keys());
  order.sort((a, b) => costs[b]! - costs[a]! || a - b);
  const isShown = new Uint8Array(layers.length);
  for (const layer of order.slice(0, mostLayers)) isShown[layer] = 1;
  return {
    shown: layers.filter((_, layer) => isShown[layer] === 1),
    leftOut: layers.filter((_, layer) => isShown[layer] === 0),
  };
}

/** Over all passes. */
function sumOver(layers: readonly LayerFigures[], figure: 'computePs' | 'exposedPs' | 'communicationPs'): number {
  return layers.reduce((sum, layer) => sum + passNames.reduce((own, pass) => own + layer[pass][figure], 0), 0);
}

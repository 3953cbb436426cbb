// What jobs came to, as the objects of `--json`: docs/formats/json-output.md describes their keys.
// Invariant: the order of the keys is fixed; layers that are not listed are counted, with their times; times are nanoseconds, exact to the picosecond, bandwidths bytes per
// second.

import type { TransferJobFigures } from '../jobs/transfer-jobs.js';
import type { JobMemory } from '../jobs/memory-figures.js';
import {
  communicationKinds,
  type CommunicationKind,
  type JobReport,
  type LayerFigures,
  type PassFigures,
  type RankFigures,
} from '../jobs/job-report.js';
import type { ProgramReport } from '../programs/program-report.js';
import { programObject } from './program-json.js';
import { passNames } from '../workload/policies.js';

/** Layers of a job that are listed at most: an object of each has about 300 characters. */
const mostLayers = 10_000;

/**
 * `workload` (the first job, or null) and, if there are several jobs, `jobs` (each), programs and those that are transfers of one
 * name behind the others.
 */
export function jobObjects(
  jobs: readonly JobReport[],
  programs: readonly ProgramReport[],
  transferJobs: readonly TransferJobFigures[],
): {
  readonly workload: object | null;
  readonly jobs?: readonly object[];
} {
  const objects = [...jobs.map(jobObject), ...programs.map(programObject)];
  const all = [...objects, ...transferJobs.map(transferJobObject)];
  return { workload: objects[0] ?? null, ...(all.length > 1 || transferJobs.length > 0 ? { jobs: all } : {}) };
}

function transferJobObject({
  name,
  isFinished,
  transfers,
  payloadBytes,
  startPs,
  totalPs,
}: TransferJobFigures): object {
  return { name, isFinished, transfers, payloadBytes, startNs: startPs / 1000, totalNs: totalPs / 1000 };
}

function jobObject(job: JobReport): object {
  const { shown, leftOut } = layersToShow(job.layers);
  return {
    name: job.name,
    isFinished: job.isFinished,
    iterations: job.iterations,
    startNs: job.startPs / 1000,
    ...timesObject(job.stages[0]!),
    ranks: {
      count: job.ranks,
      min: job.totalPs.minimum / 1000,
      max: job.totalPs.maximum / 1000,
      slowest: job.totalPs.slowestRank,
    },
    stages: job.stages.map((figures) =>
      Object.assign({ rank: figures.rank, stage: figures.stage }, timesObject(figures)),
    ),
    memory: job.memory === null ? null : memoryObject(job.memory),
    layers: shown.map(layerObject),
    ...(leftOut.length === 0 ? {} : { layersLeftOut: sumsObject(leftOut) }),
  };
}

/** Bytes on a GPU of each stage. */
function memoryObject({ stages, limitBytes, fullestStage }: JobMemory): object {
  return {
    limitBytes,
    fullestStage,
    stages: stages.map(
      ({ weightsBytes, gradientsBytes, optimizerBytes, gatheredBytes, activationsBytes, totalBytes }, stage) => ({
        stage,
        weightsBytes,
        gradientsBytes,
        optimizerBytes,
        gatheredBytes,
        activationsBytes,
        totalBytes,
      }),
    ),
  };
}

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

function sumsObject(layers: readonly LayerFigures[]): object {
  return {
    count: layers.length,
    computeNs: sumOver(layers, 'computePs') / 1000,
    exposedNs: sumOver(layers, 'exposedPs') / 1000,
    communicationNs: sumOver(layers, 'communicationPs') / 1000,
  };
}

/** Over all passes. */
function sumOver(layers: readonly LayerFigures[], figure: 'computePs' | 'exposedPs' | 'communicationPs'): number {
  return layers.reduce((sum, layer) => sum + passNames.reduce((own, pass) => own + layer[pass][figure], 0), 0);
}

function timesObject({ totalPs, computePs, communicationPs, exposedPs, skewPs, bubblePs }: RankFigures): object {
  const communication = total(communicationPs);
  return {
    totalNs: totalPs / 1000,
    computeNs: computePs / 1000,
    communicationNs: communication / 1000,
    exposedNs: kindsObject(exposedPs),
    bubbleNs: bubblePs / 1000,
    skewNs: skewPs / 1000,
    overlappedNs: Math.max(0, communication - total(exposedPs)) / 1000,
    communicationByKindNs: kindsObject(communicationPs),
  };
}

/** The sum over all kinds. */
function total(times: Readonly<Record<CommunicationKind, number>>): number {
  return communicationKinds.reduce((sum, kind) => sum + times[kind], 0);
}

function kindsObject(times: Readonly<Record<CommunicationKind, number>>): object {
  const { TP, DP, EP, PP, DP_EP, all, CP } = times;
  return {
    TP: TP / 1000,
    DP: DP / 1000,
    EP: EP / 1000,
    PP: PP / 1000,
    DP_EP: DP_EP / 1000,
    all: all / 1000,
    CP: CP / 1000,
  };
}

function layerObject(layer: LayerFigures): object {
  return {
    name: layer.name,
    stage: layer.stage,
    finishedNs: layer.finishedPs / 1000,
    ...Object.fromEntries(passNames.map((pass) => [pass, passObject(layer[pass])])),
  };
}

function passObject({ times, computePs, exposedPs, communicationPs, collective }: PassFigures): object {
  return {
    times,
    computeNs: computePs / 1000,
    exposedNs: exposedPs / 1000,
    communicationNs: communicationPs / 1000,
    collective: collective === null ? null : { ...collective },
  };
}

// What a job came to, made by hand: for tests of reports, of JSON and of SimAI's EndToEnd file.

import type {
  CommunicationKind,
  JobReport,
  LayerFigures,
  PassFigures,
  RankFigures,
} from '../../src/jobs/job-report.js';

const nothing: Readonly<Record<CommunicationKind, number>> = { TP: 0, DP: 0, EP: 0, DP_EP: 0, PP: 0, all: 0, CP: 0 };

/** A time of each kind, zero where nothing is said. */
export function kinds(
  times: Partial<Record<CommunicationKind, number>> = {},
): Readonly<Record<CommunicationKind, number>> {
  return { ...nothing, ...times };
}

/** A pass that computes for a nanosecond and sends nothing, with changes. */
export function passWith(changes: Partial<PassFigures> = {}): PassFigures {
  return { computePs: 1000, exposedPs: 0, communicationPs: 0, times: 1, collective: null, ...changes };
}

/** Figures of rank 0, which computed for 6 us and did nothing else, with changes. */
export function rankWith(changes: Partial<RankFigures> = {}): RankFigures {
  return {
    rank: 0,
    stage: 0,
    totalPs: 6e6,
    computePs: 6e6,
    communicationPs: kinds(),
    exposedPs: kinds(),
    skewPs: 0,
    bubblePs: 0,
    ...changes,
  };
}

/** A layer of stage 0, with changes. */
export function layerWith(changes: Partial<LayerFigures> = {}): LayerFigures {
  return {
    name: 'layer',
    stage: 0,
    finishedPs: 6e6,
    forward: passWith(),
    inputGradient: passWith(),
    weightGradient: passWith(),
    ...changes,
  };
}

/**
 * SimAI's case (ii) as its notes give it: 556 us of computation, then an allreduce of 16 MiB over 8 ranks in 183.464
 * us.
 */
export function jobWith(changes: Partial<JobReport> = {}): JobReport {
  const communicationPs = 183_464_000;
  const algorithmBandwidth = 16_777_216 / 183.464e-6;
  const forward = passWith({
    computePs: 556e6,
    exposedPs: communicationPs,
    communicationPs,
    collective: {
      kind: 'allreduce',
      group: 'TP',
      ranks: 8,
      sizeBytes: 16_777_216,
      algorithm: 'ring',
      algorithmBandwidth,
      busBandwidth: algorithmBandwidth * 1.75,
    },
  });
  return {
    name: 'test1',
    ranks: 8,
    iterations: 1,
    startPs: 0,
    isFinished: true,
    totalPs: { minimum: 739_466_000, maximum: 739_469_000, slowestRank: 3 },
    // SimAI lets 3 ns pass between operations and counts them as exposed
    stages: [
      rankWith({
        totalPs: 739_469_000,
        computePs: 556_002_000,
        communicationPs: kinds({ TP: communicationPs }),
        exposedPs: kinds({ TP: communicationPs + 3000 }),
      }),
    ],
    memory: null,
    layers: [layerWith({ name: 'embedding_layer', finishedPs: 739_469_000, forward })],
    ...changes,
  };
}

/** A stage of {@link pipelineJob}: what is not computation or bubble is waits. */
function pipelineStage(rank: number, stage: number, bubblePs: number): RankFigures {
  return rankWith({
    rank,
    stage,
    totalPs: 10e9,
    computePs: 6e9,
    bubblePs,
    skewPs: 0.25e9,
    communicationPs: kinds({ TP: 1.5e9, DP: 2.5e9, PP: 0.75e9 }),
    exposedPs: kinds({ TP: 1.5e9, DP: 2.5e9 - bubblePs, PP: 0 }),
  });
}

/** Two stages that train with four micro-batches: each has a bubble and waits for three kinds of collectives. */
export function pipelineJob(changes: Partial<JobReport> = {}): JobReport {
  const collective = {
    kind: 'allreduce',
    group: 'TP',
    ranks: 8,
    sizeBytes: 2 ** 24,
    algorithm: 'nvls',
    algorithmBandwidth: 2e11,
    busBandwidth: 3.5e11,
  } as const;
  const gradients = {
    kind: 'reducescatter',
    group: 'DP',
    ranks: 16,
    sizeBytes: 2 ** 28,
    algorithm: 'ring',
    algorithmBandwidth: 4.2e10,
    busBandwidth: 3.9375e10,
  } as const;
  const layers = Array.from({ length: 48 }, (_, i) =>
    layerWith({
      name: `layer${i >> 1}.${i % 2 === 0 ? 'attention' : 'mlp'}`,
      stage: i < 24 ? 0 : 1,
      finishedPs: 10e9 - i * 1e6,
      forward: passWith({ computePs: 40e6, times: 4, exposedPs: 31.25e6, communicationPs: 31.25e6, collective }),
      inputGradient: passWith({ computePs: 50e6, times: 4, exposedPs: 31.25e6, communicationPs: 31.25e6, collective }),
      weightGradient: passWith({
        computePs: 35e6,
        times: 4,
        exposedPs: i === 0 ? 2e9 : 0,
        communicationPs: 90e6,
        collective: i % 2 === 0 ? gradients : null,
      }),
    }),
  );
  return jobWith({
    name: 'gpt',
    ranks: 256,
    totalPs: { minimum: 9.9e9, maximum: 10.125e9, slowestRank: 77 },
    stages: [pipelineStage(0, 0, 0), pipelineStage(128, 1, 1e9)],
    layers,
    ...changes,
  });
}

// Times of jobs that can be told by hand: pipelines without communication, overlap, updates, stragglers; and books that
// balance whatever the job.

import { describe, expect, it } from 'vitest';
import { RandomStream } from '../../src/base/random.js';
import type { CollectiveCosts } from '../../src/jobs/collective-costs.js';
import { pipelineSchedules } from '../../src/jobs/job.js';
import { communicationKinds, type JobReport, type RankFigures } from '../../src/jobs/job-report.js';
import {
  collectiveTable,
  CollectiveColumn,
  MoveColumn,
  moveTable,
  timelineTable,
  TimelineColumn,
} from '../../src/records/job-records.js';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import { Draw } from '../../validation/draw.js';
import { rounds } from '../support/rounds.js';
import { jobOf, type LayerText, oneServer, runJobs, workloadOf } from '../support/job-run.js';
import { seed } from '../support/seed.js';

const us = (time: number): number => time * 1e6;
/** every collective takes 10 us per megabyte, every message 3 us */
const costs: CollectiveCosts = { costPs: ({ sizeBytes }) => sizeBytes * 10, transferPs: () => us(3) };
const megabyte = 1e6;

function exposedOf(rank: RankFigures): number {
  return communicationKinds.reduce((sum, kind) => sum + rank.exposedPs[kind], 0);
}

/** passes: gradients of weights that are summed, computation alone, computation with a sum, an exchange among all */
const gradient = (sizeBytes: number) =>
  ({ computePs: us(5), collective: 'allreduce', group: 'dp', sizeBytes }) as const;
const compute = (time: number) => ({ computePs: us(time), collective: 'none', group: 'none', sizeBytes: 0 }) as const;
const exchange = (computePs: number) =>
  ({ computePs, collective: 'alltoall', group: 'all', sizeBytes: megabyte }) as const;

describe('a pipeline without communication', () => {
  const forward = us(2);
  const backward = us(3);
  const layer = (chunk: number): LayerText => ({
    name: `chunk${chunk}`,
    modelChunk: chunk,
    forward: { computePs: forward, collective: 'none', group: 'none', sizeBytes: 0 },
    inputGradient: { computePs: backward, collective: 'none', group: 'none', sizeBytes: 0 },
  });

  // Narayanan et al. 2021, 2.2: the bubble is (p - 1) (tf + tb), divided by the chunks of a stage if they are
  // interleaved
  it.each([
    ['1f1b', 1],
    ['all-forward-all-backward', 1],
    ['1f1b', 2],
    ['1f1b', 3],
  ] as const)('%s with %i chunks per stage has the bubble of the papers', (pipelineSchedule, chunksPerStage) => {
    for (const [stages, microBatches] of [
      [1, 3],
      [2, 2],
      [4, 8],
      [4, 12],
      [8, 8],
    ] as const) {
      const layers = Array.from({ length: stages * chunksPerStage }, (_, chunk) => layer(chunk));
      const workload = workloadOf(layers, { pipeline: stages, gpus: stages }, { microBatches, chunksPerStage });
      const [report] = runJobs([jobOf(workload, { pipelineSchedule })], oneServer(stages)).reports as [JobReport];
      const work = chunksPerStage * microBatches * (forward + backward);
      expect(report.totalPs.maximum).toBe(work + (stages - 1) * (forward + backward));
      for (const rank of report.stages) expect([rank.computePs, exposedOf(rank)]).toEqual([work, 0]);
      // rank 0 runs first and last: all that it waits for is bubble
      expect(report.stages[0]!.bubblePs).toBe((stages - 1) * (forward + backward));
    }
  });

  it('pays for messages that are waited for, and keeps them apart from the bubble', () => {
    // forward 2 us, message 3 us, forward and backward of the last stage 5 us, message 3 us, backward 3 us
    const workload = workloadOf([layer(0), layer(1)], { pipeline: 2, gpus: 2 }, { stageTransferBytes: 1000 });
    const [report] = runJobs([jobOf(workload)], oneServer(2), {}, costs).reports as [JobReport];
    expect(report.totalPs.maximum).toBe(us(2 + 3 + 5 + 3 + 3));
    const [first, last] = report.stages as [RankFigures, RankFigures];
    expect([first.exposedPs.PP, first.bubblePs, first.communicationPs.PP]).toEqual([us(3), us(8), us(6)]);
    expect([last.exposedPs.PP, last.bubblePs, last.totalPs]).toEqual([us(3), us(2), us(10)]);
  });
});

describe('collectives', () => {
  const fabric = oneServer(4);

  it('of gradients run beside computation, and only what is left at the end is waited for', () => {
    // backward: layer b computes 5 us, its allreduce runs 10 us from 7 to 17; layer a computes 5 us until 12, its
    // allreduce of 20 us follows the first, until 37
    const layers = [
      { name: 'a', forward: compute(1), weightGradient: gradient(2 * megabyte), updatePs: us(4) },
      { name: 'b', forward: compute(1), weightGradient: gradient(megabyte) },
    ];
    const [report] = runJobs([jobOf(workloadOf(layers, { gpus: 4 }))], fabric, {}, costs).reports as [JobReport];
    const [rank] = report.stages as [RankFigures];
    // then the update of 4 us
    expect([rank.totalPs, rank.computePs, rank.exposedPs.DP, rank.communicationPs.DP]).toEqual([
      us(41),
      us(16),
      us(25),
      us(30),
    ]);
    expect(
      report.layers.map(({ weightGradient }) => [weightGradient.communicationPs, weightGradient.exposedPs]),
    ).toEqual([
      [us(25), us(25)],
      [us(10), 0],
    ]);
    expect(report.layers[0]!.weightGradient.collective).toMatchObject({
      kind: 'allreduce',
      group: 'DP',
      ranks: 4,
      sizeBytes: 2 * megabyte,
      algorithmBandwidth: 8e10,
      busBandwidth: 1.2e11,
    });
  });

  it('of an iteration are waited for by the next one, layer by layer', () => {
    // second iteration: layer a forward waits until its allreduce (which ends at 37 us) is over and updates 4 us; b has
    // nothing to wait for any more
    const layers = [
      { name: 'a', forward: compute(1), weightGradient: gradient(2 * megabyte), updatePs: us(4) },
      { name: 'b', forward: compute(1), weightGradient: gradient(megabyte) },
    ];
    const [report] = runJobs([jobOf(workloadOf(layers, { gpus: 4 }), { iterations: 2 })], fabric, {}, costs)
      .reports as [JobReport];
    expect(report.totalPs.maximum).toBe(us(41 + 1 + 1 + 5 + 10 + 20 + 4));
  });

  it('of a layer that is synchronised once run for the last micro-batch alone', () => {
    const layers = [{ name: 'a', forward: compute(1), weightGradient: gradient(megabyte), isSyncedOnce: true }];
    const run = runJobs([jobOf(workloadOf(layers, { gpus: 4 }, { microBatches: 3 }))], fabric, {}, costs);
    expect(run.reports[0]!.totalPs.maximum).toBe(us(3 * 6 + 10));
    expect(Array.from(run.jobSink.column(collectiveTable, CollectiveColumn.microBatch))).toEqual([2]);
  });

  it('recompute forward passes from the checkpoint before a backward pass', () => {
    const layers = [
      { name: 'a', forward: compute(1), isCheckpoint: true },
      { name: 'b', forward: compute(10) },
      { name: 'c', forward: compute(100), startsRecomputation: true, inputGradient: compute(1000) },
    ];
    expect(runJobs([jobOf(workloadOf(layers, { gpus: 2 }))], oneServer(2)).reports[0]!.totalPs.maximum).toBe(
      us(111 + 111 + 1000),
    );
  });

  it('in the optimizer wait for the gradients, and a straggler holds up the others', () => {
    const layers = [
      { name: 'optimizer', isOnce: true, weightGradient: compute(7) },
      { name: 'a', forward: compute(1), weightGradient: gradient(megabyte) },
    ];
    const job = jobOf(workloadOf(layers, { gpus: 4 }), { computeSpeed: Float64Array.of(1, 1, 1, 0.5) });
    const run = runJobs([job], fabric);
    const [report] = run.reports as [JobReport];
    const rows = timeline(run.jobSink).filter(({ layer }) => layer === 0);
    const finishPs = run.jobSink.column(collectiveTable, CollectiveColumn.finish)[0]!;
    // rank 3 comes to the allreduce at 12 us, the others at 6 us
    expect(report.stages[0]!.skewPs).toBe(us(6));
    expect(
      rows
        .map(({ rank, startPs, finishPs: endPs }) => [rank, startPs >= us(12), startPs <= finishPs, endPs - startPs])
        .sort((a, b) => Number(a[0]) - Number(b[0])),
    ).toEqual([
      [0, true, true, us(7)],
      [1, true, true, us(7)],
      [2, true, true, us(7)],
      [3, true, true, us(14)],
    ]);
    expect(report.totalPs.slowestRank).toBe(3);
  });

  it('with few ranks that stand for all: the slowest of a stage counts', () => {
    const layers = [
      { name: 'a', forward: { computePs: us(2), collective: 'allreduce', group: 'tp', sizeBytes: megabyte } as const },
    ];
    const job = jobOf(workloadOf(layers, { tensor: 2, gpus: 4 }), { computeSpeed: Float64Array.of(1, 1, 0.25, 1) });
    const run = runJobs([job], fabric, {}, costs);
    expect(run.reports[0]!.totalPs).toEqual({ minimum: us(18), maximum: us(18), slowestRank: 0 });
    expect(run.flows).toEqual([]);
  });
});

/** what rank 0 did, in order: computations by length in us */
const computed = (
  policy: 'HYBRID_TRANSFORMER' | 'HYBRID_TRANSFORMER_FWD_IN_BCKWD' | 'DISTRIBUTED_INFERENCE',
): number[] => {
  const layer = (name: string, base: number): LayerText => ({
    name,
    policy,
    forward: compute(base + 1),
    inputGradient: compute(base + 2),
    weightGradient: compute(base + 3),
  });
  const run = runJobs([jobOf(workloadOf([layer('a', 10), layer('b', 20)], { gpus: 2 }, { policy }))], oneServer(2));
  return timeline(run.jobSink)
    .filter(({ rank }) => rank === 0)
    .map(({ startPs, finishPs }) => (finishPs - startPs) / 1e6);
};

it('every transfer of a collective is told with its step, channel and chunk', () => {
  const layers = [
    { name: 'a', forward: { computePs: 0, collective: 'allreduce', group: 'tp', sizeBytes: 4096 } as const },
  ];
  const run = runJobs([jobOf(workloadOf(layers, { tensor: 4, gpus: 4 }))], oneServer(4));
  const column = (name: keyof typeof MoveColumn): number[] =>
    Array.from(run.jobSink.column(moveTable, MoveColumn[name]));
  // a ring of 4 ranks over 4 channels, as SimAI makes it: 4 ranks x 6 steps x 4 channels, the first three steps add
  const count = new Map<string, number>();
  const [step, channel, isReduction] = [column('step'), column('channel'), column('isReduction')];
  step.forEach((each, i) =>
    count.set(
      `${each} ${channel[i]!} ${isReduction[i]!}`,
      (count.get(`${each} ${channel[i]!} ${isReduction[i]!}`) ?? 0) + 1,
    ),
  );
  expect([...count].sort()).toEqual(
    [0, 1, 2, 3, 4, 5].flatMap((s) => [0, 1, 2, 3].map((c) => [`${s} ${c} ${s < 3 ? 1 : 0}`, 4])),
  );
  expect([...new Set(column('chunk')), ...new Set(column('firstFlow'))]).toEqual([0, 0]);
  expect(column('flow').sort((a, b) => a - b)).toEqual(Array.from({ length: 96 }, (_, i) => i));
});

describe('policies', () => {
  it('go backward input gradient first, or weight gradient first, or not at all', () => {
    expect(computed('HYBRID_TRANSFORMER_FWD_IN_BCKWD')).toEqual([11, 21, 22, 23, 12, 13]);
    expect(computed('HYBRID_TRANSFORMER')).toEqual([11, 21, 23, 22, 13, 12]);
    expect(computed('DISTRIBUTED_INFERENCE')).toEqual([11, 21]);
  });

  it('of recommendation models exchange embeddings beside the bottom part', () => {
    // forward: embeddings compute 1 us and exchange (10 us) beside the bottom layer (4 us); the top (2 us) waits for
    // both
    const layers: LayerText[] = [
      { name: 'embedding', policy: 'HYBRID_DLRM', forward: exchange(us(1)), inputGradient: exchange(0) },
      { name: 'bottom', policy: 'HYBRID_DLRM', forward: compute(4), inputGradient: compute(3) },
      { name: 'top', policy: 'HYBRID_DLRM', forward: compute(2), inputGradient: compute(5) },
    ];
    const [report] = runJobs(
      [jobOf(workloadOf(layers, { gpus: 2 }, { policy: 'HYBRID_DLRM', lastBottomLayer: 1 }))],
      oneServer(2),
      {},
      costs,
    ).reports as [JobReport];
    // 1 + 10 + 2, then top back 5, the exchange of gradients 10 beside the bottom's 3
    expect(report.totalPs.maximum).toBe(us(1 + 10 + 2 + 5 + 10));
  });
});

interface TimelineRow {
  readonly rank: number;
  readonly layer: number;
  readonly startPs: number;
  readonly finishPs: number;
}

function timeline(sink: Parameters<typeof rowsOf>[0]): TimelineRow[] {
  return rowsOf(sink);
}

function rowsOf(sink: { column(schema: typeof timelineTable, column: number): Float64Array }): TimelineRow[] {
  const [rank, layer, start, finish] = (['rank', 'layer', 'start', 'finish'] as const).map((name) =>
    sink.column(timelineTable, TimelineColumn[name]),
  ) as [Float64Array, Float64Array, Float64Array, Float64Array];
  return Array.from(rank, (value, i) => ({ rank: value, layer: layer[i]!, startPs: start[i]!, finishPs: finish[i]! }));
}

it(`the books of random jobs balance, on packets and in closed form (WEFT_SEED=${seed})`, () => {
  const draw = new Draw(new RandomStream(seed, 'jobs'));
  for (let round = 0; round < rounds(15); round++) {
    const [tensor, pipeline, expert] = [draw.of([1, 2, 4]), draw.of([1, 2, 4]), draw.of([1, 2])];
    const gpus = tensor * pipeline * expert * draw.of([1, 2]);
    const chunksPerStage = pipeline > 1 ? draw.of([1, 2]) : 1;
    const chunks = pipeline * chunksPerStage;
    const pass = () => ({
      computePs: us(draw.between(0, 20)),
      ...(draw.chance(0.5)
        ? {
            collective: draw.of([
              'allreduce',
              'allgather',
              'reducescatter',
              'alltoall',
              'broadcast',
              'allreduceThenAlltoall',
            ] as const),
            group: draw.of(['tp', 'dp', 'ep', 'dp_ep', 'all', 'server', 'acrossServers'] as const),
            sizeBytes: draw.between(1, 200_000),
          }
        : ({ collective: 'none', group: 'none', sizeBytes: 0 } as const)),
    });
    const layer = (name: string, modelChunk: number, isOnce: boolean): LayerText => ({
      name,
      modelChunk,
      isOnce,
      forward: pass(),
      inputGradient: pass(),
      weightGradient: pass(),
      updatePs: us(draw.between(0, 3)),
      isSyncedOnce: draw.chance(0.5),
    });
    const layers = [
      ...Array.from({ length: chunks }, (_, chunk) => layer(`first${chunk}`, chunk, true)),
      ...Array.from({ length: 2 * chunks }, (_, i) => layer(`layer${i}`, Math.floor(i / 2), false)),
      layer('last', -1, true),
    ];
    const workload = workloadOf(
      layers,
      { tensor, pipeline, expert, gpus },
      { chunksPerStage, microBatches: pipeline * draw.of([1, 2]), stageTransferBytes: draw.of([0, 5000]) },
    );
    const job = jobOf(workload, {
      iterations: draw.of([1, 2]),
      pipelineSchedule: draw.of(pipelineSchedules),
      startPs: us(draw.between(0, 5)),
      computeSpeed: Float64Array.from({ length: gpus }, () => draw.of([1, 1, 0.5])),
    });
    const fabric = generateFabric('dcn+', {
      gpus: Math.max(8, gpus),
      gpusPerServer: 4,
      nicsPerAsw: 4,
      aswPerPsw: Math.max(8, gpus) / 4,
      nvswitchesPerServer: 1,
    });
    for (const given of [null, costs]) {
      const run = runJobs(
        [job],
        fabric,
        { profile: draw.of(['simai', 'document', 'nccl'] as const), pxn: draw.chance(0.3), nvls: draw.chance(0.5) },
        given,
      );
      expect(run.verdicts.filter(({ ok }) => !ok)).toEqual([]);
      const [report] = run.reports as [JobReport];
      expect([report.isFinished, run.work.unfinished, run.work.fraction]).toEqual([true, 0, 1]);
      for (const rank of report.stages) expect(rank.computePs + exposedOf(rank) + rank.bubblePs).toBe(rank.totalPs);
      // by rank, what is recorded follows one after the other without a gap
      const ends = new Map<number, number>();
      for (const { rank, startPs, finishPs } of timeline(run.jobSink)) {
        expect(startPs).toBe(ends.get(rank) ?? job.startPs);
        ends.set(rank, finishPs);
      }
      expect(Math.max(...ends.values()) - job.startPs).toBe(report.totalPs.maximum);
    }
  }
});

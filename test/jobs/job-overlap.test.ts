// Collectives beside computation, by hand: parameters that are prefetched, keys and values that go round beside
// attention, and what computation loses meanwhile.

import { describe, expect, it } from 'vitest';
import type { CollectiveCosts } from '../../src/jobs/collective-costs.js';
import type { Job } from '../../src/jobs/job.js';
import type { JobReport, RankFigures } from '../../src/jobs/job-report.js';
import { jobOf, type LayerText, oneServer, runJobs, workloadOf } from '../support/job-run.js';

const us = (time: number): number => time * 1e6;
/** every collective takes 10 us per megabyte, every message 3 us */
const costs: CollectiveCosts = { costPs: ({ sizeBytes }) => sizeBytes * 10, transferPs: () => us(3) };
const compute = (time: number) => ({ computePs: us(time), collective: 'none', group: 'none', sizeBytes: 0 }) as const;
const gather = (sizeBytes: number) => ({ computePs: 0, collective: 'allgather', group: 'dp', sizeBytes }) as const;

function rankOf(
  layers: readonly LayerText[],
  rest: Partial<Job> = {},
  microBatches = 1,
  groups: { readonly pipeline?: number; readonly context?: number } = {},
): RankFigures {
  const workload = workloadOf(layers, { gpus: 4, ...groups }, { microBatches });
  const [report] = runJobs([jobOf(workload, rest)], oneServer(4), {}, costs).reports as [JobReport];
  return report.stages[0]!;
}

/** Two layers that compute 4 us forward; their parameters take 10 and 3 us to gather. */
const fetched = (flags: Partial<LayerText>): LayerText[] => [
  { name: 'a.parameters', forward: gather(1e6), ...flags },
  { name: 'a', forward: compute(4) },
  { name: 'b.parameters', forward: gather(0.3e6), ...flags },
  { name: 'b', forward: compute(4) },
];

describe('parameters', () => {
  it('that are prefetched come beside the layer before; else each gather is waited for', () => {
    const waited = rankOf(fetched({}));
    expect([waited.totalPs, waited.exposedPs.DP]).toEqual([us(10 + 4 + 3 + 4), us(13)]);
    // the first one is waited for; the second, of 3 us, is there before the first layer is done
    const prefetched = rankOf(fetched({ isPrefetched: true }));
    expect([prefetched.totalPs, prefetched.exposedPs.DP, prefetched.communicationPs.DP]).toEqual([
      us(10 + 4 + 4),
      us(10),
      us(13),
    ]);
  });

  it('of the next micro-batch come beside this one, and those that are fetched once not again', () => {
    // the gather of 10 us begins when b begins, at 14 us, and is there at 24; then 4, and b's 3 us beside it
    expect(rankOf(fetched({ isPrefetched: true }), {}, 2).totalPs).toBe(us(10 + 4 + 10 + 4 + 4));
    expect(rankOf(fetched({ isPrefetched: true, isFetchedOnce: true }), {}, 2).totalPs).toBe(us(18 + 8));
  });

  it('of a later stage come before its first activations', () => {
    const layers: LayerText[] = [
      { name: 'a', modelChunk: 0, forward: compute(20) },
      { name: 'b.parameters', modelChunk: 1, forward: gather(1e6), isPrefetched: true },
      { name: 'b', modelChunk: 1, forward: compute(4) },
    ];
    // stage 1 waits for stage 0 for 20 us, and has its parameters after 10; then its 4, and nothing backward
    expect(rankOf(layers, {}, 1, { pipeline: 2 }).totalPs).toBe(us(24));
  });

  it('for the backward pass come beside the layer behind', () => {
    const layers: LayerText[] = [
      { name: 'a', inputGradient: compute(4) },
      { name: 'a.again', inputGradient: gather(0.3e6), isPrefetched: true },
      { name: 'b', inputGradient: compute(4) },
      { name: 'b.again', inputGradient: gather(1e6), isPrefetched: true },
    ];
    expect(rankOf(layers).totalPs).toBe(us(10 + 4 + 4));
  });
});

/** Attention that computes for a time beside an exchange of 10 us. */
const ring = (time: number): LayerText => ({
  name: 'attention',
  forward: { ...compute(time), collective: 'allgather', group: 'cp', sizeBytes: 1e6 },
  isBeside: true,
});

it('a collective beside its own computation takes the longer of both', () => {
  const short = rankOf([ring(4)], {}, 1, { context: 2 });
  expect([short.totalPs, short.exposedPs.CP]).toEqual([us(10), us(6)]);
  expect(rankOf([ring(14)], {}, 1, { context: 2 }).totalPs).toBe(us(14));
});

describe('computation beside collectives', () => {
  // backward: b computes 5 us, its sum runs from 5 to 15; a computes 20 us until 25; then b's update of 4
  const layers: LayerText[] = [
    { name: 'a', weightGradient: compute(20) },
    {
      name: 'b',
      weightGradient: { ...compute(5), collective: 'allreduce', group: 'dp', sizeBytes: 1e6 },
      updatePs: us(4),
    },
  ];

  it('is as fast as alone unless it is said to be slower', () => {
    expect(rankOf(layers).totalPs).toBe(us(29));
    expect(rankOf(layers, { overlapSlowdown: 0 }).totalPs).toBe(us(29));
  });

  it('of half the speed loses half of the time beside them, and nothing while it waits', () => {
    const slow = rankOf(layers, { overlapSlowdown: 1 });
    expect([slow.totalPs, slow.computePs]).toEqual([us(29 + 5), us(29 + 5)]);
    // nothing computes beside a sum that is waited for at once
    const [, alone] = layers;
    expect(rankOf([alone!], { overlapSlowdown: 1 }).totalPs).toBe(us(5 + 10 + 4));
  });
});

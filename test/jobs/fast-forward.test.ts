// Fast-forward: what repeats is not simulated again, and the job comes out as if it had been. Oracle: the same job
// without it.

import { describe, expect, it } from 'vitest';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import type { Fabric } from '../../src/fabric/fabric.js';
import { groupPairs } from '../../src/jobs/fast-forward/group-pairs.js';
import { type Island, islandsOf } from '../../src/jobs/fast-forward/islands.js';
import type { FastForwardFigures } from '../../src/jobs/fast-forward/fast-forward-figures.js';
import { type JobGroup, JobGroups } from '../../src/jobs/job-groups.js';
import type { Job } from '../../src/jobs/job.js';
import type { JobReport } from '../../src/jobs/job-report.js';
import type { LayerText } from '../support/job-run.js';
import { jobOf, plainCollectives, routesOf, runJobs, workloadOf } from '../support/job-run.js';

const us = (time: number): number => time * 1e6;
const exactly = { tolerancePs: 0, sampleEvery: 4, leapTransfers: 0 };
/** four servers of four GPUs, one leaf for each rail */
const rails = (): Fabric => generateFabric('spectrum-x', { gpus: 16, gpusPerServer: 4, nvswitchesPerServer: 1 });

const layer = (name: string): LayerText => ({
  name,
  forward: { computePs: us(7), collective: 'allreduce', group: 'tp', sizeBytes: 300_000 },
  inputGradient: { computePs: us(9), collective: 'allreduce', group: 'tp', sizeBytes: 300_000 },
  weightGradient: { computePs: us(5), collective: 'allreduce', group: 'dp', sizeBytes: 500_000 },
});
const tensorAndData = (layers = 3): ReturnType<typeof workloadOf> =>
  workloadOf(
    Array.from({ length: layers }, (_, i) => layer(`layer ${i}`)),
    { tensor: 4, gpus: 16 },
  );

interface Compared {
  readonly full: JobReport;
  readonly fast: JobReport;
  readonly figures: FastForwardFigures;
  /** packet-hops of the run with fast-forward, as a share of those without */
  readonly hopShare: number;
  readonly verdicts: readonly string[];
}

function compare(job: Job, fabric: Fabric, settings = exactly, collectives = {}): Compared {
  const full = runJobs([job], fabric, collectives);
  const fast = runJobs([job], fabric, collectives, null, settings);
  const hops = ({ network }: typeof full): number => network.counters['packetHops']!;
  return {
    full: full.reports[0]!,
    fast: fast.reports[0]!,
    figures: fast.work.fastForwardFigures()!,
    hopShare: hops(fast) / hops(full),
    verdicts: fast.verdicts.filter(({ ok }) => !ok).map(({ name, detail }) => `${name}: ${detail}`),
  };
}

/** servers of two on one leaf: all groups of data share it, and hashes choose nothing */
const shared = (gpus: number): Fabric =>
  generateFabric('dcn+', { gpus, gpusPerServer: 2, nicsPerAsw: gpus, nvswitchesPerServer: 1 });

describe('a job on rails', () => {
  it('comes out to the picosecond, one server and one rail of four being simulated', () => {
    const { full, fast, figures, hopShare, verdicts } = compare(jobOf(tensorAndData()), rails(), {
      ...exactly,
      sampleEvery: 1000,
    });
    expect(fast).toEqual(full);
    expect(verdicts).toEqual([]);
    expect(hopShare).toBeLessThan(0.5);
    // four groups of tensors and four of data; of either kind one leads and the others follow, at least
    expect(figures.replayed / figures.collectives).toBeGreaterThanOrEqual(0.75);
    expect(figures.diverged).toBe(0);
    expect(figures.samples).toMatchObject({ largest: 0, mean: 0 });
    expect(figures.samples.times).toBeGreaterThan(0);
  });

  it('does so whether many phases are sampled or few', () => {
    const { full, fast, figures } = compare(jobOf(tensorAndData()), rails(), { ...exactly, sampleEvery: 1 });
    expect(fast).toEqual(full);
    expect(figures.samples.phases).toBeGreaterThan(10);
  });

  it('replays iterations once two of them have come out the same', () => {
    const seldom = { ...exactly, sampleEvery: 1000 };
    const once = compare(jobOf(tensorAndData(), { iterations: 1 }), rails(), seldom);
    const many = compare(jobOf(tensorAndData(), { iterations: 12 }), rails(), seldom);
    expect(many.fast).toEqual(many.full);
    expect(many.verdicts).toEqual([]);
    expect(many.hopShare).toBeLessThan(once.hopShare / 2);
  });

  it('simulates by itself what a straggler brings out of step', () => {
    const computeSpeed = new Float64Array(16).fill(1);
    computeSpeed[5] = 0.5;
    const { full, fast, figures, verdicts } = compare(jobOf(tensorAndData(), { computeSpeed }), rails());
    expect(fast).toEqual(full);
    expect(verdicts).toEqual([]);
    expect(figures.replayed).toBeGreaterThan(0);
  });

  it('counts what was not sent', () => {
    const { figures } = compare(jobOf(tensorAndData(1)), rails());
    // forward, input gradient: four groups of four; weight gradient: four groups of four; the ring sends 2 (n - 1) parts
    // of every rank's buffer
    const inAll = 4 * (2 * 3) * (2 * 300_000 + 500_000);
    expect(figures.collectives).toBe(4 + 4 + 4);
    expect(figures.payloadBytes).toBeGreaterThanOrEqual(inAll);
    expect(figures.payloadBytes).toBeLessThan(1.01 * inAll);
    expect(figures.payloadBytesNotSent / figures.payloadBytes).toBeCloseTo(0.75, 1);
    expect(figures.transfersNotSent).toBeLessThan(figures.transfers);
  });
});

describe('a job whose phases are not quite alike', () => {
  it('differs from the full run by no more than is printed', () => {
    const workload = workloadOf([layer('one'), layer('two')], { tensor: 2, gpus: 4 });
    const computeSpeed = Float64Array.of(1, 0.97, 1, 0.91);
    const { full, fast, figures, verdicts } = compare(jobOf(workload, { computeSpeed, iterations: 6 }), shared(4), {
      tolerancePs: us(2),
      sampleEvery: 2,
      leapTransfers: 0,
    });
    expect(verdicts).toEqual([]);
    expect(figures.replayed).toBeGreaterThan(0);
    const error = Math.abs(fast.totalPs.maximum - full.totalPs.maximum) / full.totalPs.maximum;
    expect(error).toBeLessThanOrEqual(Math.max(figures.samples.largest, 1e-12));
  });

  it('is simulated as a whole where messages between stages pass', () => {
    const workload = workloadOf(
      [
        { ...layer('first'), modelChunk: 0 },
        { ...layer('last'), modelChunk: 1 },
      ],
      { tensor: 1, pipeline: 2, gpus: 8 },
      { stageTransferBytes: 100_000, microBatches: 2 },
    );
    const { full, fast, figures } = compare(jobOf(workload), shared(8));
    expect(fast).toEqual(full);
    expect(figures.replayed).toBe(0);
  });
});

/** By group of the job, those of tensors first. */
function islands(fabric: Fabric, messages: readonly number[] = []): Island[] {
  const job = jobOf(tensorAndData());
  const groups = new JobGroups({ job, fabric, settings: plainCollectives, streams: null });
  const all = new Set<JobGroup>();
  for (const name of ['tp', 'dp'] as const) for (let rank = 0; rank < 16; rank++) all.add(groups.group(name, rank));
  const pairs = Array.from(all, (group) => groupPairs(group, [group.planOf('allreduce', 300_000)]));
  const found = islandsOf(pairs, messages, routesOf(fabric));
  return Array.from(all, (group) => found.get(group)!);
}

describe('islands', () => {
  it('are servers and rails, alike among themselves', () => {
    const found = islands(rails());
    expect(new Set(found.map(({ number }) => number)).size).toBe(8);
    expect(found.map(({ shape }) => shape)).toEqual([0, 0, 0, 0, 1, 1, 1, 1]);
    expect(found.some(({ hasMessages }) => hasMessages)).toBe(false);
  });

  it('are one where leaves share spines', () => {
    const found = islands(generateFabric('spectrum-x', { gpus: 16, gpusPerServer: 4, nicsPerAsw: 2 }));
    expect(new Set(found.slice(4).map(({ number }) => number)).size).toBe(1);
    expect(new Set(found.slice(0, 4).map(({ number }) => number)).size).toBe(4);
  });

  it('differ in shape by a cable', () => {
    const fabric = rails();
    // the first link of the last rail's leaf
    const node = fabric.portNode[fabric.portPeer[fabric.portOffset[fabric.hosts[3]! + 1]! - 1]!]!;
    const linkLatencyPs = fabric.linkLatencyPs.slice();
    linkLatencyPs[fabric.portLink[fabric.portOffset[node]!]!]! += 1000;
    const shapes = islands({ ...fabric, linkLatencyPs }).map(({ shape }) => shape);
    expect(new Set(shapes.slice(4)).size).toBe(2);
  });

  it('know of messages that pass', () => {
    const fabric = rails();
    const [first, , , , fifth] = fabric.hosts;
    const found = islands(fabric, [first!, fifth!]);
    expect(found.map(({ hasMessages }) => hasMessages)).toEqual([
      false,
      false,
      false,
      false,
      true,
      false,
      false,
      false,
    ]);
  });
});

// Random jobs with fast-forward: sizes of groups, layers, micro-batches, iterations, stragglers and collectives drawn.
// Oracle: the same job without it.

import { describe, expect, it } from 'vitest';
import { RandomStream } from '../../src/base/random.js';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import type { LayerText } from '../support/job-run.js';
import { jobOf, runJobs, workloadOf } from '../support/job-run.js';
import { seed } from '../support/seed.js';

let exact = 0;

describe(`random jobs with fast-forward (WEFT_SEED=${seed})`, () => {
  it.each(Array.from({ length: 40 }, (_, index) => index))('%d comes out as without', (index) => {
    const random = new RandomStream(seed, `fast-forward ${index}`);
    const pick = <T>(...values: readonly T[]): T => values[random.nextBelow(values.length)]!;
    const gpusPerServer = pick(2, 4);
    const gpus = gpusPerServer * pick(2, 3, 4);
    const fabric = generateFabric('spectrum-x', { gpus, gpusPerServer, nvswitchesPerServer: 1 });
    const sizeBytes = (): number => 1000 * (1 + random.nextBelow(400));
    const kinds = ['allreduce', 'allgather', 'reducescatter', 'alltoall'] as const;
    const passes = {
      forward: {
        computePs: 1e6 * random.nextBelow(20),
        collective: pick(...kinds),
        group: 'tp',
        sizeBytes: sizeBytes(),
      },
      inputGradient: { computePs: 1e6, collective: pick(...kinds), group: 'tp', sizeBytes: sizeBytes() },
      weightGradient: { computePs: 4e6, collective: pick(...kinds), group: 'dp', sizeBytes: sizeBytes() },
    } as const;
    const pipeline = gpus % (2 * gpusPerServer) === 0 ? pick(1, 1, 2) : 1;
    const layers = Array.from({ length: 2 * pick(1, 2, 3) }, (_, i, all = 2): LayerText => {
      return { name: `layer ${i}`, modelChunk: pipeline === 1 ? 0 : i % all, ...passes };
    }).sort((a, b) => (a.modelChunk ?? 0) - (b.modelChunk ?? 0));
    const workload = workloadOf(
      layers,
      { tensor: pick(gpusPerServer, gpusPerServer / 2), pipeline, gpus },
      { microBatches: pick(1, 2, 3), stageTransferBytes: pipeline === 1 ? 0 : sizeBytes() },
    );
    const computeSpeed = pick(null, null, new Float64Array(gpus).fill(1));
    if (computeSpeed !== null) computeSpeed[random.nextBelow(gpus)] = 0.7;
    const job = jobOf(workload, { computeSpeed, iterations: pick(1, 2, 5) });
    const full = runJobs([job], fabric);
    const fast = runJobs([job], fabric, {}, null, { tolerancePs: 0, sampleEvery: pick(1, 3, 50), leapTransfers: 0 });
    const figures = fast.work.fastForwardFigures()!;
    expect(fast.verdicts.filter(({ ok }) => !ok)).toEqual([]);
    expect(fast.reports[0]!.isFinished).toBe(true);
    const [slowPs, fastPs] = [full, fast].map(({ reports }) => reports[0]!.totalPs.maximum) as [number, number];
    // ranks that are done at the same instant go on in another order, which moves what shares queues; where phases
    // went on otherwise or samples differ, the run says so, and how far its samples are off
    const { diverged, samples } = figures;
    const printed = samples?.largest ?? 0;
    const allowed = diverged === 0 && printed === 0 ? 0.001 : Math.max(0.01, printed);
    expect(Math.abs(fastPs - slowPs) / slowPs).toBeLessThanOrEqual(allowed);
    if (fastPs === slowPs) exact++;
    expect(figures.replayed).toBeLessThanOrEqual(figures.collectives);
  });

  it('and most of them to the picosecond', () => expect(exact).toBeGreaterThanOrEqual(30));
});

// What the report of a run says about jobs, and what its JSON does: sums worked out by hand, and widths whatever the
// figures are.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { communicationKinds, type JobReport } from '../../src/jobs/job-report.js';
import { summaryObject } from '../../src/report/figures/run.js';
import { runReport } from '../../src/report/run-report.js';
import { plainStyle } from '../../src/report/text-style.js';
import { jobWith, kinds, layerWith, passWith, pipelineJob, rankWith } from '../support/hand-made-job.js';
import { figuresWith } from '../support/hand-made-run.js';
import { rounds } from '../support/rounds.js';
import { seed } from '../support/seed.js';

const label = { weftVersion: '9.9.9', name: 'hand-made', seed: 7, warnings: [] };

/** The lines on jobs in a report: those before the flows. */
function jobPart(...jobs: JobReport[]): string {
  const text = runReport(label, figuresWith({ jobs }), 'not kept', plainStyle);
  return text.slice(text.indexOf('\n') + 2, text.indexOf('  flows '));
}

describe('the report of a run with a workload', () => {
  it('says where the time of rank 0 and of every stage went, and what the layers cost', () => {
    expect(jobPart(pipelineJob())).toMatchInlineSnapshot(`
      "pt: rank 0 waited 40.0 % of its time for communication, most for DP (25.0 %).
      Nothing was slow on the network: flows took 0.0 % longer than alone, all
      together.

        gpt, 256 ranks, 1 iteration: 10ms on rank 0, 9.9ms to 10.13ms over all ranks;
        rank 77 was the last

        rank 0                   time   share   under way  beside other work
        computes                  6ms  60.0 %
        waits for TP            1.5ms  15.0 %       1.5ms          -
        waits for DP            2.5ms  25.0 %       2.5ms          -
        waits for PP                -   0.0 %       750us      750us (100.0 %)
        ##############################################TTTTTTTTTTTDDDDDDDDDDDDDDDDDDD
        # computes   waits for T TP, D DP
        Of the waits, 250us were for ranks that came to a collective later.

        stage   rank    total  compute   waits  bubble
            0      0     10ms   60.0 %  40.0 %   0.0 %  ##################TTTTTDDDDDDD
            1    128     10ms   60.0 %  30.0 %  10.0 %  ##################TTTTTDDDD...
        # computes   waits for T TP, D DP   . bubble

        layer                  compute   waits  collective                algbw busbw
        layer*.attenti~ x24 F    960us   750us  allreduce TP 16MiB          200   350
        layer*.attenti~ x24 I    1.2ms   750us  allreduce TP 16MiB          200   350
        layer*.attenti~ x24 W    840us     2ms  reducescatter DP 256MiB    42.0  39.4
        layer*.mlp x24      F    960us   750us  allreduce TP 16MiB          200   350
        layer*.mlp x24      I    1.2ms   750us  allreduce TP 16MiB          200   350
        layer*.mlp x24      W    840us       -
        F forward, I input gradient, W weight gradient; GB/s as nccl-tests counts;
        of every layer the first rank of its stage

      "
    `);
  });

  it('counts the rows that it leaves out, with their times, and keeps the costliest', () => {
    const layers = [...'abcdefghijklmnop'].map((name, i) =>
      layerWith({
        name,
        forward: passWith({ computePs: (i + 1) * 1e6 }),
        inputGradient: passWith({ computePs: 0 }),
        weightGradient: passWith({ computePs: 0 }),
      }),
    );
    const part = jobPart(jobWith({ layers }));
    expect(part.match(/^ {2}[a-p] .*F/gm)!.map((line) => line.trim()[0])).toEqual([...'efghijklmnop']);
    // 1 + 2 + 3 + 4 us
    expect(part).toMatch(/^ {2}4 more rows +10us +-$/m);
  });

  it('takes layers whose names differ in numbers alone, and that send the same, for one row', () => {
    const layers = [
      [0, 1, 16],
      [0, 2, 16],
      [7, 1, 16],
      [7, 2, 32],
    ].map(([block, expert, size]) =>
      layerWith({
        name: `block${block}.expert${expert}`,
        inputGradient: passWith({ computePs: 0 }),
        weightGradient: passWith({ computePs: 0 }),
        forward: passWith({
          collective: {
            kind: 'alltoall',
            group: 'EP',
            ranks: 8,
            sizeBytes: size! * 1024,
            algorithm: 'direct',
            algorithmBandwidth: 0,
            busBandwidth: 0,
          },
        }),
      }),
    );
    expect(
      jobPart(jobWith({ layers }))
        .match(/^ {2}block.*$/gm)!
        .map((line) => line.trim().replace(/ +/g, ' ')),
    ).toEqual(['block*.expert* x3 F 3ns - alltoall EP 16KiB - -', 'block*.expert* F 1ns - alltoall EP 32KiB - -']);
  });

  it('shows the first and the last of many stages, and counts the others', () => {
    const stages = Array.from({ length: 20 }, (_, i) => rankWith({ rank: 8 * i, stage: i }));
    const part = jobPart(jobWith({ stages }));
    expect(part).toContain('    ... 12 stages more ...');
    expect(part.match(/^ +\d+ +\d+ +6us/gm)!.map((line) => Number(line.trim().split(' ')[0]))).toEqual([
      0, 1, 2, 3, 16, 17, 18, 19,
    ]);
  });

  it('has a line and a bar for each of several jobs', () => {
    const part = jobPart(jobWith(), pipelineJob({ isFinished: false, startPs: 5e6 }));
    expect(part).toContain('  test1                     8      0ps  739.5us   75.2 %  24.8 %   0.0 %');
    expect(part).toContain('  gpt                     256      5us     10ms   60.0 %  40.0 %   0.0 %');
    expect(part).toContain('did not finish');
    expect(jobPart(...Array.from({ length: 20 }, () => jobWith()))).toContain('... and 4 jobs more');
  });

  it('calls what closed forms say of collectives an estimate, with transfers beside them and without', () => {
    const byForms = { backend: 'analytical', insteadOfPackets: 'every flow alone', sendsCollectives: false };
    const network = (changes: Parameters<typeof figuresWith>[0]): string =>
      runReport(label, figuresWith({ ...byForms, ...changes }), 'not kept', plainStyle).replace(/\s+/g, ' ');
    expect(network({ jobs: [jobWith()], flows: 0, finished: 0 })).toContain(
      'analytical: collectives take what closed forms estimate, nothing is sent',
    );
    expect(network({ jobs: [jobWith()] })).toContain('every flow alone; collectives by closed forms, estimates;');
    expect(network({})).not.toContain('estimate');
  });

  it('says that a job did not finish', () => {
    expect(jobPart(jobWith({ isFinished: false }))).toContain('It did not finish');
    expect(jobPart(jobWith())).not.toContain('It did not finish');
  });

  it(`fits 80 columns whatever the figures are, its bars no longer than the whole (WEFT_SEED=${seed})`, () => {
    const time = fc.oneof(
      fc.constant(0),
      fc.nat(2000),
      fc.nat(2 ** 31 - 1).map((ns) => ns * 1e5),
    );
    const times = fc.record(Object.fromEntries(communicationKinds.map((kind) => [kind, time]))) as fc.Arbitrary<
      ReturnType<typeof kinds>
    >;
    const rank = fc
      .record({
        rank: fc.nat(2 ** 20),
        stage: fc.nat(4096),
        computePs: time,
        communicationPs: times,
        exposedPs: times,
        skewPs: time,
        bubblePs: time,
      })
      .map((figures) =>
        Object.assign(figures, {
          totalPs: communicationKinds.reduce(
            (sum, kind) => sum + figures.exposedPs[kind],
            figures.computePs + figures.bubblePs,
          ),
        }),
      );
    const collective = fc.record({
      kind: fc.constantFrom('allreduce', 'reducescatter', 'allreduceThenAlltoall'),
      group: fc.constantFrom(...communicationKinds),
      ranks: fc.nat(2 ** 20),
      sizeBytes: fc.maxSafeNat(),
      algorithm: fc.constant('halving-doubling' as const),
      algorithmBandwidth: fc.nat(99_999).map((gb) => gb * 1e9),
      busBandwidth: fc.nat(99_999).map((gb) => gb * 1e9),
    });
    const pass = fc.record({
      computePs: time,
      exposedPs: time,
      communicationPs: time,
      times: fc.nat(4096),
      collective: fc.option(collective),
    });
    const layer = fc.record({
      name: fc.stringMatching(/^[a-z0-9._]{1,128}$/),
      stage: fc.nat(4096),
      finishedPs: time,
      forward: pass,
      inputGradient: pass,
      weightGradient: pass,
    });
    const bytes = fc.nat(2 ** 31).map((mebibytes) => mebibytes * 2 ** 20);
    const memory = fc.record({
      limitBytes: fc.option(bytes),
      fullestStage: fc.constant(0),
      stages: fc.array(
        fc.record({
          weightsBytes: bytes,
          gradientsBytes: bytes,
          optimizerBytes: bytes,
          gatheredBytes: bytes,
          activationsBytes: bytes,
          totalBytes: bytes,
        }),
        { minLength: 1, maxLength: 3 },
      ),
    });
    const job: fc.Arbitrary<JobReport> = fc.record({
      name: fc.stringMatching(/^[a-z0-9._]{1,60}$/),
      ranks: fc.nat(2 ** 20),
      iterations: fc.nat(1e6),
      startPs: time,
      isFinished: fc.boolean(),
      totalPs: fc.record({ minimum: time, maximum: time, slowestRank: fc.nat(2 ** 20) }),
      stages: fc.array(rank, { minLength: 1, maxLength: 12 }),
      memory: fc.option(memory),
      layers: fc.array(layer, { maxLength: 8 }),
    });
    fc.assert(
      fc.property(fc.array(job, { minLength: 1, maxLength: 3 }), (jobs) => {
        const lines = runReport(label, figuresWith({ jobs }), 'not kept', plainStyle).split('\n');
        for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(80);
        // the parts of a rank's time are all of it
        const bars = lines.filter((line) => /^ {2}[#TDEdPAC.]+$/.test(line));
        expect(bars.map((line) => line.length)).toEqual(
          jobs.flatMap(({ stages }) => (stages[0]!.totalPs > 0 ? [78] : [])),
        );
      }),
      { seed, numRuns: rounds(100) },
    );
  });
});

describe('the JSON of a run with a workload', () => {
  it('has the figures of rank 0, and of all ranks the shortest and longest time', () => {
    const { workload, jobs } = summaryObject(label, figuresWith({ jobs: [jobWith()] }));
    expect(jobs).toBeUndefined();
    expect(workload).toMatchObject({
      name: 'test1',
      totalNs: 739_469,
      computeNs: 556_002,
      communicationNs: 183_464,
      exposedNs: { TP: 183_467, DP: 0, EP: 0, PP: 0, DP_EP: 0, all: 0 },
      ranks: { count: 8, min: 739_466, max: 739_469, slowest: 3 },
      bubbleNs: 0,
      skewNs: 0,
      isFinished: true,
    });
    const { layers } = workload as { layers: unknown[] };
    expect(layers).toMatchObject([
      {
        name: 'embedding_layer',
        forward: {
          computeNs: 556_000,
          exposedNs: 183_464,
          collective: { kind: 'allreduce', group: 'TP', sizeBytes: 2 ** 24 },
        },
        weightGradient: { collective: null },
      },
    ]);
  });

  it('lists of very many layers the costliest, in their order, and says what the others come to', () => {
    // 3 of 25,000 cost more, with times in other passes; the rest are alike, so that the first of them are listed
    const costly = new Set([7, 12_345, 24_999]);
    const layers = Array.from({ length: 25_000 }, (_, i) =>
      layerWith({
        name: `l${i}`,
        forward: passWith({ computePs: costly.has(i) ? 9000 : 2000 }),
        inputGradient: passWith({ computePs: 0, exposedPs: 1000, communicationPs: 1500 }),
        weightGradient: passWith({ computePs: 0 }),
      }),
    );
    const { workload } = summaryObject(label, figuresWith({ jobs: [jobWith({ layers })] }));
    const shown = workload as { layers: { name: string }[]; layersLeftOut: object };
    const names = shown.layers.map(({ name }) => Number(name.slice(1)));
    expect(names).toEqual([...Array.from({ length: 9998 }, (_, i) => i), 12_345, 24_999]);
    const left = 15_000;
    expect(shown.layersLeftOut).toEqual({
      count: left,
      computeNs: 2 * left,
      exposedNs: left,
      communicationNs: 1.5 * left,
    });
    expect(JSON.stringify(workload).length).toBeLessThan(10e6);
    expect(summaryObject(label, figuresWith({ jobs: [jobWith()] })).workload).not.toHaveProperty('layersLeftOut');
  });

  it('has every stage, and what ran beside other work', () => {
    const { workload } = summaryObject(label, figuresWith({ jobs: [pipelineJob()] }));
    // under way 1.5 + 2.5 + 0.75 ms; waited for 1.5 + 2.5 and, in stage 1, 1.5 + 1.5
    expect(workload).toMatchObject({
      communicationNs: 4.75e6,
      overlappedNs: 0.75e6,
      stages: [
        { rank: 0, overlappedNs: 0.75e6, bubbleNs: 0 },
        { rank: 128, stage: 1, overlappedNs: 1.75e6, bubbleNs: 1e6 },
      ],
    });
  });

  it('lists several jobs, the first of which is the workload; without any it is null', () => {
    const several = summaryObject(label, figuresWith({ jobs: [jobWith(), pipelineJob()] })) as {
      workload: object;
      jobs: object[];
    };
    expect(several.jobs.map((job) => (job as { name: string }).name)).toEqual(['test1', 'gpt']);
    expect(several.jobs[0]).toEqual(several.workload);
    expect(summaryObject(label, figuresWith())['workload']).toBeNull();
  });
});

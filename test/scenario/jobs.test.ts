// Several jobs, their ranks and groups, and stragglers: what a run comes to, by hand, and every mistake at its place.

import { describe, expect, it } from 'vitest';
import { InputError } from '../../src/base/diagnostics.js';
import type { JobReport } from '../../src/jobs/job-report.js';
import { FlowColumn, flowTable, HopColumn, hopTable } from '../../src/records/flow-records.js';
import { scenarioRun, type ScenarioRun } from '../support/scenario-run.js';

const oneLeaf = 'fabric: { generate: leaf-spine, leaves: 1, spines: 1, hostsPerLeaf: 8 }\n';
const allreduce = (compute: string, size: string, group = 'dp'): string =>
  `layers: [ { name: a, forward: { compute: ${compute}, collective: allreduce, group: ${group}, size: ${size} } } ]`;
const ring = 'collectives: { algorithm: ring, channels: 1 }\n';

const timesOf = ({ summary }: ScenarioRun): number[] => summary.jobs.map(({ totalPs }) => totalPs.maximum);

/** Pairs of hosts that flows went between, each once. */
function pairsOf({ sink }: ScenarioRun): string[] {
  const destinations = sink.column(flowTable, FlowColumn.destination);
  return [
    ...new Set([...sink.column(flowTable, FlowColumn.source)].map((source, i) => `${source}>${destinations[i]!}`)),
  ].sort();
}

const ofTensors = (rest: string): string =>
  `${oneLeaf}${ring}workload: { tensorParallel: 2, ${allreduce('0us', '1kB', 'tp')}${rest} }\n`;
const oneJob = (rest = '', size = '4MB'): string =>
  `${oneLeaf}${ring}workload: { ranks: 0-3, ${allreduce('100us', size)} }\n${rest}`;

describe('jobs', () => {
  it('run on ranks of their own, each from its start; the second as if it were alone', async () => {
    const run = await scenarioRun(
      `${oneLeaf}${ring}jobs:\n  - { name: first, ranks: 0-1, ${allreduce('10us', '1MB')} }\n  - { ranks: '6,4', start: 1ms, iterations: 2, ${allreduce('20us', '1MB')} }\n`,
      [],
    );
    expect(
      run.summary.jobs.map(({ name, ranks, iterations, startPs, isFinished }: JobReport) => [
        name,
        ranks,
        iterations,
        startPs,
        isFinished,
      ]),
    ).toEqual([
      ['first', 2, 1, 0, true],
      ['job 1', 2, 2, 1e9, true],
    ]);
    expect(pairsOf(run)).toEqual(['0>1', '1>0', '4>6', '6>4']);
    const [first, second] = timesOf(run) as [number, number];
    // the second computes twice as long, and does everything twice
    expect(second).toBe(2 * (first + 10e6));
    const alone = await scenarioRun(`${oneLeaf}${ring}workload: { ranks: 0-1, ${allreduce('10us', '1MB')} }\n`, []);
    expect(timesOf(alone)).toEqual([first]);
    expect(run.summary.verdicts.filter(({ ok }) => !ok)).toEqual([]);
  });

  it('run beside traffic, which slows them down and finishes, too', async () => {
    const job = `workload: { ranks: 0-1, ${allreduce('0us', '4MB')} }\n`;
    const alone = await scenarioRun(`${oneLeaf}${ring}${job}`, []);
    const beside = await scenarioRun(
      `${oneLeaf}${ring}${job}traffic: { transfers: [ { source: 5, destination: 1, size: 4MB }, { source: 6, destination: 0, size: 4MB } ] }\n`,
      [],
    );
    expect(beside.summary.finished).toBe(alone.summary.finished + 2);
    expect(timesOf(beside)[0]! / timesOf(alone)[0]!).toBeGreaterThan(1.5);
  });

  it('go over the plane that they are pinned to; what stays in a server is left alone', async () => {
    // four servers of two GPUs 0-7, NVSwitches 8-11; leaves 12-15 and spine 20 of plane 1, leaves 16-19 and spine 21 of
    // plane 2
    const hpn =
      'fabric: { generate: alibaba-hpn, dualPlane: true, gpus: 8, gpusPerServer: 2, nicsPerAsw: 2, pswSwitches: 2, bandwidth: 100Gbps, aswPswBandwidth: 100Gbps }\n';
    for (const plane of [1, 2]) {
      const run = await scenarioRun(`${hpn}workload: { ${allreduce('0us', '100kB')}, plane: ${plane} }\n${ring}`, []);
      const nodes = [...run.sink.column(hopTable, HopColumn.node)];
      const ofPlane = (node: number): boolean =>
        plane === 1 ? (node >= 12 && node <= 15) || node === 20 : (node >= 16 && node <= 19) || node === 21;
      expect(nodes.filter((node) => node >= 12 && !ofPlane(node))).toEqual([]);
      expect(nodes.some((node) => node >= 12) && nodes.some((node) => node < 12)).toBe(true);
      expect(run.summary.pins!.unpinned).toBe(0);
      expect(run.summary.pins!.pinned).toBeGreaterThan(0);
    }
  });
});

it.each(['packet', 'fluid', 'analytical'])(
  'times of a rank add up on a star with a slow link, where others may end later (%s)',
  async (backend) => {
    const star = '5 1 0 1 4 H100\n4\n0 4 100Gbps 1us 0\n1 4 100Gbps 1us 0\n2 4 10Gbps 1us 0\n3 4 100Gbps 1us 0\n';
    const layer =
      '{ name: a, times: 2, forward: { compute: 100us, collective: allgather, group: all, size: 1MB }, inputGradient: { compute: 100us }, weightGradient: { compute: 200us, collective: allreduce, group: dp, size: 1MB } }';
    const { summary } = await scenarioRun(
      `backend: ${backend}\nfabric: { file: star.txt }\ncollectives: { profile: document }\nworkload: { layers: [ ${layer} ] }\n`,
      [],
      { 'star.txt': star },
    );
    const { stages, totalPs } = summary.jobs[0]!;
    const { totalPs: ofRank, computePs, exposedPs, bubblePs, communicationPs } = stages[0]!;
    const waits = Object.values(exposedPs).reduce((sum, time) => sum + time, 0);
    expect(computePs).toBe(2 * 400e6);
    expect(computePs + waits + bubblePs).toBe(ofRank);
    // the first gradients are summed beside what is computed behind them
    expect(Object.values(communicationPs).reduce((sum, time) => sum + time, 0)).toBeGreaterThan(waits);
    expect(ofRank).toBeLessThanOrEqual(totalPs.maximum);
    expect(ofRank).toBeGreaterThanOrEqual(totalPs.minimum);
    // every rank waits for the last byte of the allreduce, but not for the last one of another rank
    if (backend !== 'analytical') expect(totalPs.maximum).toBeGreaterThan(ofRank);
    // through the slow link: a quarter of each of four buffers in and out
    expect(totalPs.minimum).toBeGreaterThan((2 * (3 / 4 + 6 / 4) * 8e6 * 1e12) / 10e9);
  },
);

describe('groups', () => {
  it('follow the layout: tensor groups of neighbours, or of every fourth rank', async () => {
    expect(pairsOf(await scenarioRun(ofTensors(''), []))).toEqual([
      '0>1',
      '1>0',
      '2>3',
      '3>2',
      '4>5',
      '5>4',
      '6>7',
      '7>6',
    ]);
    expect(pairsOf(await scenarioRun(ofTensors(', layout: [ep, dp_ep, tp, pp]'), []))).toEqual([
      '0>4',
      '1>5',
      '2>6',
      '3>7',
      '4>0',
      '5>1',
      '6>2',
      '7>3',
    ]);
  });

  it('may be given as lists, of any sizes; a group of one sends nothing', async () => {
    const run = await scenarioRun(
      `${oneLeaf}${ring}workload: { ${allreduce('0us', '3kB')}, groups: { dp: ['0,7', '1-3', 4, '5-6'] } }\n`,
      [],
    );
    expect(pairsOf(run)).toEqual(['0>7', '1>2', '2>3', '3>1', '5>6', '6>5', '7>0']);
  });
});

describe('stragglers', () => {
  it('who compute at half their speed hold everybody up by as long as the computation took', async () => {
    const [even, uneven] = [
      await scenarioRun(oneJob(), []),
      await scenarioRun(oneJob('stragglers: [ { rank: 2, compute: 0.5 } ]\n'), []),
    ];
    // within a tenth: the others send what they have meanwhile, and then its NIC has more to do at once
    const laterPs = timesOf(uneven)[0]! - timesOf(even)[0]!;
    expect(Math.abs(laterPs / 100e6 - 1)).toBeLessThan(0.1);
    expect(uneven.summary.jobs[0]!.stages[0]!.skewPs).toBe(100e6);
  });

  it('who receive at half their rate double the communication of a ring', async () => {
    const [even, uneven] = [
      await scenarioRun(oneJob('', '20MB'), []),
      await scenarioRun(oneJob('stragglers: [ { rank: 2, receive: 0.5 } ]\n', '20MB'), []),
    ];
    const ratio = (timesOf(uneven)[0]! - 100e6) / (timesOf(even)[0]! - 100e6);
    expect(ratio).toBeGreaterThan(1.9);
    expect(ratio).toBeLessThan(2.1);
  });
});

describe('a mistake is shown where it stands', () => {
  const layers = allreduce('0us', '1kB');
  it.each([
    [`jobs: [ { ranks: 0-1, ${layers} }, { ranks: 1-2, ${layers} } ]`, 'job-ranks'],
    [`jobs: [ { ranks: 0-8, ${layers} } ]`, 'job-ranks'],
    [`jobs: [ { ranks: x, ${layers} } ]`, 'job-ranks'],
    [`jobs: [ { ${layers} } ]`, 'scenario-missing'],
    ['jobs: [ { ranks: 0-1 } ]', 'scenario-missing'],
    [`jobs: [ { ranks: 0-1, file: w.txt, ${layers} } ]`, 'scenario-exclusive'],
    ['jobs: []', 'scenario-empty-list'],
    ['jobs: 5', 'scenario-type'],
    [`jobs: [ { ranks: 0-1, ${layers}, color: red } ]`, 'scenario-unknown-key'],
    [`jobs: [ { ranks: 0-1, ${layers} } ]\nworkload: { ${layers} }`, 'scenario-exclusive'],
    [`jobs: [ { ranks: 0-3, dataParallel: 2, ${layers} } ]`, 'workload-ranks'],
    [`jobs: [ { ranks: 0-3, tensorParallel: 3, ${layers} } ]`, 'workload-groups'],
    [`jobs: [ { ranks: 0-3, dataParallel: 8, ${layers} } ]`, 'workload-too-many-gpus'],
    [`workload: { ${layers}, plane: 2 }`, 'pin-plane'],
    [`workload: { ${layers}, nic: 2 }`, 'job-pin'],
    [`workload: { ${layers}, layout: [tp, ep, pp] }`, 'scenario-value'],
    [`workload: { ${layers}, layout: [tp, ep, pp, pp] }`, 'scenario-value'],
    [`workload: { ${layers}, groups: { dp: ['0-3'] } }`, 'job-groups'],
    [`workload: { ${layers}, groups: { dp: ['0-4', '4-7'] } }`, 'job-groups'],
    [`workload: { ${layers}, groups: { dp: ['0-9'] } }`, 'job-groups'],
    [`workload: { ${layers}, groups: { pp: ['0-7'] } }`, 'scenario-unknown-key'],
    [`workload: { pipelineParallel: 2, ${layers}, groups: { dp: ['0-7'] } }`, 'job-groups'],
    [
      "workload: { generate: transformer, model: llama2-7b, layerCount: 2, contextParallel: 4, groups: { dp: ['0-7'] } }",
      'job-groups',
    ],
    [`workload: { ${layers} }\nstragglers: [ { rank: 8 } ]`, 'straggler-rank'],
    [`workload: { ${layers} }\nstragglers: [ { rank: 1, compute: 0.5 }, { rank: 1, receive: 0.5 } ]`, 'straggler-rank'],
    [`workload: { ${layers} }\nstragglers: [ { compute: 0.5 } ]`, 'scenario-missing'],
    [`workload: { ${layers} }\nstragglers: [ { rank: 1, compute: 0 } ]`, 'scenario-range'],
  ])('%s', async (text, code) => {
    const error = await scenarioRun(`${oneLeaf}${text}\n`, []).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(InputError);
    const errors = (error as InputError).diagnostics.filter(({ severity }) => severity === 'error');
    expect([...new Set(errors.map((each) => each.code))]).toEqual([code]);
    expect(errors[0]!.line).toBeGreaterThan(1);
  });

  it('and a straggler without effect is a warning', async () => {
    const { warnings } = await scenarioRun(
      `${oneLeaf}workload: { ranks: 0-1, ${layers} }\nstragglers: [ { rank: 5, compute: 0.5 }, { rank: 1 } ]\n`,
      [],
    );
    expect(warnings).toEqual([
      'stragglers[1] has no effect: the rank computes and receives at full speed',
      'stragglers[0].compute has no effect: no job runs on rank 5',
    ]);
  });
});

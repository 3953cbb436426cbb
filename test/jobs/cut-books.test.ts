// What a job comes to that was stopped, or that nothing can finish: the books of its ranks balance at the time reached.

import { describe, expect, it } from 'vitest';
import type { JobReport, RankFigures } from '../../src/jobs/job-report.js';
import { timelineTable, TimelineColumn } from '../../src/records/job-records.js';
import { expectBalance } from '../support/job-balance.js';
import { scenarioRun } from '../support/scenario-run.js';

const oneLeaf = 'fabric: { generate: leaf-spine, leaves: 1, spines: 1, hostsPerLeaf: 8 }\n';
const ring = 'collectives: { algorithm: ring, channels: 1 }\n';

describe.each(['packet', 'fluid'] as const)('on the %s backend', (backend) => {
  const head = `backend: ${backend}\n${oneLeaf}${ring}`;

  it('a ring that lost a host: everybody waits to the end', async () => {
    const { summary, sink } = await scenarioRun(
      `${head}failures: { convergenceTime: 1us, events: [ { at: 1.1ms, link: '2-8' } ] }\ntimeline: { ranks: all }\nworkload: { start: 50us, iterations: 3, layers: [ { name: a, forward: { compute: 1ms, collective: allreduce, group: dp, size: 4MB } } ] }\n`,
      [],
    );
    expect([summary.outcome, summary.jobs[0]!.isFinished]).toEqual(['blocked', false]);
    const totalPs = summary.simulatedPs - 50e6;
    expectBalance(summary.jobs[0]!, totalPs);
    const [rank] = summary.jobs[0]!.stages as [RankFigures];
    expect([rank.computePs, rank.exposedPs.DP, rank.skewPs]).toEqual([1e9, totalPs - 1e9, 0]);
    // the timeline of every rank ends where the run did
    const finishes = [...sink.column(timelineTable, TimelineColumn.finish)].filter(
      (finishPs) => finishPs === summary.simulatedPs,
    );
    expect(finishes.length).toBe(8);
  });

  it('a pipeline whose first stage cannot send: the second has bubble only, and the first waits for it', async () => {
    const layers =
      '[ { name: a, chunk: 0, forward: { compute: 10us }, inputGradient: { compute: 10us } }, { name: b, chunk: 1, forward: { compute: 10us }, inputGradient: { compute: 10us } } ]';
    const { summary } = await scenarioRun(
      `${head}failures: { convergenceTime: 1us, events: [ { at: 5us, link: '1-8' } ] }\nworkload: { ranks: 0-1, pipelineParallel: 2, stageTransfer: 1MB, layers: ${layers} }\n`,
      [],
    );
    expect(summary.outcome).toBe('blocked');
    const [job] = summary.jobs as [JobReport];
    expectBalance(job, summary.simulatedPs);
    const [first, second] = job.stages as [RankFigures, RankFigures];
    expect([first.computePs, first.bubblePs]).toEqual([10e6, summary.simulatedPs - 10e6]);
    // it has been sent to for all of the time but the first 10 us
    expect([second.computePs, second.bubblePs, second.exposedPs.PP]).toEqual([0, 10e6, summary.simulatedPs - 10e6]);
  });
});

it('a job that only computes can be stopped long before its end, wherever slices end', async () => {
  const text = `${oneLeaf}workload: { iterations: 1000, layers: [ { name: a, times: 2000, forward: { compute: 1us } } ] }\n`;
  let left = 3;
  const { summary } = await scenarioRun(text, [], {}, { sliceEvents: 10, stopRequested: () => left-- === 0 });
  expect(summary.outcome).toBe('stopped');
  const [rank] = summary.jobs[0]!.stages as [RankFigures];
  // two million operations in all
  expect(rank.computePs).toBeLessThan(100_000e6);
  expect(rank.computePs).toBe(summary.simulatedPs);
  const short = text.replace('1000,', '2,').replace('a, times', 'b, times') + 'timeline: { ranks: all }\n';
  const [once, often] = [await scenarioRun(short, []), await scenarioRun(short, [], {}, { sliceEvents: 1 })];
  expect(once.summary.jobs[0]!.totalPs.maximum).toBe(4000e6);
  expect(often.summary.digest).toBe(once.summary.digest);
});

it.each([
  ['iterations: 1000, layers: [ { name: a, forward: { compute: 4s }, weightGradient: { compute: 600ms } } ]', ''],
  ['layers: [ { name: a, forward: { compute: 50s } } ]', 'stragglers: [ { rank: 3, compute: 0.01 } ]\n'],
  ['start: 4000s, layers: [ { name: a, forward: { compute: 600s } } ]', ''],
])('a job of more than 4500 s is refused: %s', async (job, rest) => {
  await expect(scenarioRun(`${oneLeaf}${rest}workload: { ${job} }\n`, [])).rejects.toThrow(
    /s\.yaml:\d:1: error: workload takes longer than a simulation can last/,
  );
});

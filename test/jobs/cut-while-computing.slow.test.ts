// The books of jobs that are stopped while they compute and while a straggler keeps others waiting.

import { expect, it } from 'vitest';
import type { JobReport } from '../../src/jobs/job-report.js';
import { Activity, timelineTable, TimelineColumn } from '../../src/records/job-records.js';
import { expectBalance } from '../support/job-balance.js';
import { scenarioRun } from '../support/scenario-run.js';

const oneLeaf = 'fabric: { generate: leaf-spine, leaves: 1, spines: 1, hostsPerLeaf: 8 }\n';
const ring = 'collectives: { algorithm: ring, channels: 1 }\n';

it('a job that is stopped while it computes and while a straggler keeps the others waiting', async () => {
  const layers =
    '[ { name: a, forward: { compute: 100us, collective: allreduce, group: dp, size: 1MB } }, { name: b, times: 3, forward: { compute: 40us } } ]';
  const traffic = 'traffic: { transfers: [ { source: 5, destination: 6, size: 20MB } ] }\ntimeline: { ranks: all }\n';
  const text = `${oneLeaf}${ring}${traffic}stragglers: [ { rank: 0, compute: 0.25 } ]\nworkload: { ranks: '3,0,1', iterations: 4, layers: ${layers} }\n`;
  const seen = new Set<number>();
  let skewPs = 0;
  for (let slices = 1; slices < 40; slices++) {
    let left = slices;
    const { summary, sink } = await scenarioRun(text, [], {}, { sliceEvents: 1500, stopRequested: () => left-- === 0 });
    if (summary.outcome !== 'stopped') break;
    const [job] = summary.jobs as [JobReport];
    expectBalance(job, summary.simulatedPs);
    const finishes = sink.column(timelineTable, TimelineColumn.finish);
    const last = [...sink.column(timelineTable, TimelineColumn.activity)].filter(
      (_, row) => sink.column(timelineTable, TimelineColumn.rank)[row] === 0 && finishes[row]! >= summary.simulatedPs,
    );
    for (const activity of last) seen.add(activity);
    skewPs = job.stages[0]!.skewPs;
  }
  // rank 0 was met while it computed and while it waited, most of that for the straggler: three times 300 us at least
  expect([...seen].sort()).toEqual([Activity.compute, Activity.wait]);
  expect(skewPs).toBeGreaterThan(3 * 300e6);
});

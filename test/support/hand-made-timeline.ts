// A timeline made by hand: stages that take micro-batches in the order of 1F1B, without communication but the waits for
// each other.

import { Activity, TimelineColumn, timelineTable } from '../../src/records/job-records.js';
import { TableWriter, type RecordSink } from '../../src/records/schema.js';

/** One row of the table `timeline`; what is left out is 0. */
export type TimelineFact = Partial<Record<keyof typeof TimelineColumn, number>>;

/** Writes rows to a sink. */
export function writeTimeline(sink: RecordSink, facts: Iterable<TimelineFact>): void {
  const table = new TableWriter(timelineTable, sink);
  for (const fact of facts) {
    for (const [name, index] of Object.entries(TimelineColumn))
      table.columns[index]![table.rows] = fact[name as keyof typeof TimelineColumn] ?? 0;
    table.commit();
  }
  table.flush();
}

/**
 * A pipeline of stages that takes micro-batches one forward, one backward (Narayanan et al. 2021, 2.2.1): forward takes
 * `forwardPs`, backward twice as long, transfers take no time.
 * @returns rows by stage; rank = 8 x stage
 */
export function pipelineTimeline(stages: number, microBatches: number, forwardPs: number): TimelineFact[] {
  const done = new Map<string, number>();
  const facts: TimelineFact[] = [];
  const orders = Array.from({ length: stages }, (_, stage) => {
    const ahead = Math.min(stages - stage, microBatches);
    const order = Array.from({ length: ahead }, (__, i) => ({ isForward: true, microBatch: i }));
    for (let i = 0; i < microBatches; i++) {
      order.push({ isForward: false, microBatch: i });
      if (ahead + i < microBatches) order.push({ isForward: true, microBatch: ahead + i });
    }
    return order;
  });
  const nowPs = new Float64Array(stages);
  for (let progressed = true; progressed;) {
    progressed = false;
    for (const [stage, order] of orders.entries()) {
      const next = order[0];
      if (next === undefined) continue;
      const { isForward, microBatch } = next;
      const isFirst = isForward ? stage === 0 : stage === stages - 1;
      const ready = isFirst ? 0 : done.get(`${isForward} ${microBatch} ${stage + (isForward ? -1 : 1)}`);
      if (ready === undefined) continue;
      progressed = true;
      order.shift();
      const rank = 8 * stage;
      const from = nowPs[stage]!;
      if (ready > from)
        facts.push({ rank, activity: Activity.receive, group: 4, layer: -1, microBatch, start: from, finish: ready });
      const start = Math.max(from, ready);
      const finish = start + (isForward ? 1 : 2) * forwardPs;
      if (isForward) facts.push({ rank, group: 255, pass: 0, microBatch, start, finish });
      else
        for (const pass of [1, 2])
          facts.push({
            rank,
            group: 255,
            pass,
            microBatch,
            start: start + (pass - 1) * forwardPs,
            finish: start + pass * forwardPs,
          });
      nowPs[stage] = finish;
      done.set(`${isForward} ${microBatch} ${stage}`, finish);
    }
  }
  return facts;
}

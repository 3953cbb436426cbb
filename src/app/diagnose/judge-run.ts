// The findings of a run that has just ended, where they cost little beside it: flows, ways and messages of small runs are
// kept in memory as they are written.
//   Following flows takes some 7 us a row; a run is followed if it has few rows, or as many events for each as make that
//   a few percent of its time. The rule counts rows and events, so it is the same on every machine.
// Invariant: what is kept is bounded; the run is as it would be without.

import { flowTable, hopTable } from '../../records/flow-records.js';
import { MemorySink } from '../../records/memory-sink.js';
import { messageTable } from '../../records/message-records.js';
import type { Batch, RecordSink } from '../../records/schema.js';
import { findingObjects, type SaidFinding } from '../../report/diagnosis/diagnosis-object.js';
import type { Plan } from '../../scenario/plan.js';
import { linkSampleTable } from '../../sampling/sample-records.js';
import type { RunSummary } from '../run-progress.js';
import type { DiagnoseRequest } from './diagnose-run.js';
import { keptRun } from './kept-run.js';

export type { SaidFinding, SaidLink } from '../../report/diagnosis/diagnosis-object.js';

/** Rows that are kept at most, rows that are followed whatever the run cost, and events for each row beyond. */
const mostRows = 50_000;
const fewRows = 3000;
const eventsPerRow = 2000;

const wanted = [flowTable, hopTable, messageTable];
const wantedNames: ReadonlySet<string> = new Set(wanted.map(({ name }) => name));

/** Hands records on, and keeps those of small runs. */
export class KeepingSink implements RecordSink {
  private kept: MemorySink | null = new MemorySink();
  private rows = 0;

  /** @param inner where records go besides; null: nowhere */
  constructor(private readonly inner: RecordSink | null) {}

  get full(): boolean {
    return this.inner?.full ?? false;
  }

  put(batch: Batch): void {
    if (this.kept !== null && wantedNames.has(batch.schema.name)) {
      this.rows += batch.rows;
      if (this.rows <= mostRows) this.kept.put(batch);
      else this.kept = null;
    }
    this.inner?.put(batch);
  }

  drain(): Promise<void> {
    return this.inner?.drain() ?? Promise.resolve();
  }

  /** What was kept of a run with so many events; null: following it would cost too much beside it. */
  tablesFor(events: number): MemorySink | null {
    return this.rows <= Math.max(fewRows, events / eventsPerRow) ? this.kept : null;
  }
}

/**
 * What held a run up, as its operator sees it. @param sink that was given to the run
 * @returns null: nobody looked, since the run is large, was stopped or blocked, sent nothing, or links changed meanwhile
 */
export async function findingsOfRun(
  plan: Plan,
  sink: KeepingSink,
  { outcome, finished, failures, counters }: RunSummary,
): Promise<readonly SaidFinding[] | null> {
  const tables = sink.tablesFor(counters.events);
  const isWhole = outcome === 'finished' || outcome === 'ended';
  if (tables === null || !isWhole || finished === 0 || (failures !== null && failures.changes > 0)) return null;
  return findingsOfTables(plan, tables, { as: 'operator', job: null });
}

/**
 * What held a run up. @param tables of the run: flows, hops and, of programs, messages; as owner also samples of links
 * @throws InputError if the run has no samples, or no such job
 */
export async function findingsOfTables(
  plan: Plan,
  tables: MemorySink,
  request: DiagnoseRequest,
): Promise<readonly SaidFinding[]> {
  const { diagnoseRun } = await import('./diagnose-run.js');
  const schemas = [...wanted, linkSampleTable].filter((schema) => tables.rowCount(schema) > 0);
  const run = keptRun(plan, tables, [
    flowTable,
    hopTable,
    ...schemas.filter((own) => own !== flowTable && own !== hopTable),
  ]);
  const { findings, observed } = await diagnoseRun(run, plan.fabric, plan, request);
  return findingObjects({ fabric: plan.fabric, identity: plan.identity, jobs: observed.jobs, findings });
}

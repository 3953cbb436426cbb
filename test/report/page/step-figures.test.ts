// The steps of a collective by rank: bars by hand.

import { describe, expect, it } from 'vitest';
import { FlowColumn, flowTable } from '../../../src/records/flow-records.js';
import { MoveColumn, moveTable } from '../../../src/records/job-records.js';
import { type Batch, type TableSchema, TableWriter } from '../../../src/records/schema.js';
import { stepFigures } from '../../../src/report/page/step-figures.js';
import type { SpanFigure } from '../../../src/report/page/figures.js';
import { RunRecords } from '../../../src/report/page/run-records.js';

/** A transfer: step, ends, start and finish in us, whether its receiver adds. */
type Move = readonly [step: number, from: number, to: number, startUs: number, finishUs: number, isReduction: boolean];

function batchOf(schema: TableSchema, rows: readonly Readonly<Record<number, number>>[]): Batch {
  let made: Batch | null = null;
  const writer = new TableWriter(schema, {
    full: false,
    put: (batch) => (made = batch),
    drain: () => Promise.resolve(),
  });
  for (const row of rows) {
    for (const [column, value] of Object.entries(row)) writer.columns[Number(column)]![writer.rows] = value;
    writer.commit();
  }
  writer.flush();
  return made!;
}

function figuresOf(moves: readonly Move[], job = -1): SpanFigure[] {
  const records = new RunRecords(null, []);
  const flows = moves.map(([, from, to, startUs, finishUs], flow) => ({
    [FlowColumn.flow]: flow,
    [FlowColumn.source]: from,
    [FlowColumn.destination]: to,
    [FlowColumn.start]: startUs * 1e6,
    [FlowColumn.finish]: finishUs * 1e6,
  }));
  records.put(batchOf(flowTable, flows));
  const steps = moves.map(([step, , , , , isReduction], flow) => ({
    [MoveColumn.flow]: flow,
    [MoveColumn.job]: job,
    [MoveColumn.step]: step,
    [MoveColumn.isReduction]: isReduction ? 1 : 0,
  }));
  records.put(batchOf(moveTable, steps));
  return stepFigures([{ label: 'a', manifest: null, summary: null, records }]) as SpanFigure[];
}

/** Bars as `row kind from-to`. */
function barsOf({ rows, kinds, row, kindOf, from, to }: SpanFigure): string[] {
  return row.map((own, i) => `${rows[own]} ${kinds[kindOf[i]!]} ${from[i]}-${to[i]}`);
}

describe('steps of a collective', () => {
  it('end for a rank with the last transfer to it, and begin after the step before', () => {
    // a ring of two: 1 gets its step 0 late, so its step 1 is there at once
    const [figure] = figuresOf([
      [0, 0, 1, 2, 30, true],
      [0, 1, 0, 2, 10, true],
      [1, 0, 1, 10, 32, false],
      [1, 1, 0, 30, 40, false],
    ]);
    expect(barsOf(figure!)).toEqual([
      'node 0 receives and adds 2-10',
      'node 0 receives 30-40',
      'node 1 receives and adds 2-30',
      'node 1 receives 30-32',
    ]);
  });

  it('of a rank that only sends end when that has arrived, and one that is over already has no bar', () => {
    const [figure] = figuresOf([
      [0, 5, 6, 0, 10, false],
      [1, 6, 7, 1, 9, false],
      [1, 6, 8, 1, 12, false],
      [2, 9, 6, 0, 11, false],
    ]);
    expect(barsOf(figure!)).toEqual([
      'node 5 sends alone 0-10',
      'node 6 receives 0-10',
      'node 6 sends alone 10-12',
      'node 7 receives 1-9',
      'node 8 receives 1-12',
      'node 9 sends alone 0-11',
    ]);
  });

  it('are drawn for the forty ranks that were ready last', () => {
    const [figure] = figuresOf(Array.from({ length: 45 }, (_, to): Move => [0, (to + 1) % 45, to, 0, 100 - to, false]));
    expect(figure!.rows).toEqual(Array.from({ length: 40 }, (_, node) => `node ${node}`));
    expect(figure!.note).toContain('5 others came before');
  });

  it('are those of no job alone', () => {
    expect(figuresOf([[0, 0, 1, 2, 30, true]], 0)).toEqual([]);
  });
});

// The transfers of one collective with their steps, out of the table `moves`.

import { Float64List, Int32List } from '../../base/columns.js';
import { MoveColumn } from '../../records/job-records.js';
import type { Batch } from '../../records/schema.js';
import { untold } from '../../records/transfer-label.js';
import type { FlowColumns } from './flow-columns.js';

/** Collects the rows of the table `moves` that belong to no job. */
export class CollectiveSteps {
  /** number of the transfer */
  readonly flow = new Float64List();
  readonly step = new Int32List();
  readonly isReduction = new Int32List();
  stepCount = 0;

  constructor(readonly flows: FlowColumns) {}

  put({ columns, rows }: Batch): void {
    for (let row = 0; row < rows; row++) {
      if (columns[MoveColumn.job]![row] !== untold) continue;
      const step = columns[MoveColumn.step]![row]!;
      this.flow.push(columns[MoveColumn.flow]![row]!);
      this.step.push(step);
      this.isReduction.push(columns[MoveColumn.isReduction]![row]!);
      this.stepCount = Math.max(this.stepCount, step + 1);
    }
  }
}

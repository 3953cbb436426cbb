// The slowest flows are the last in the order by completion, whatever times are equal.

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { flowTable } from '../../../src/records/flow-records.js';
import { FlowColumns } from '../../../src/report/page/flow-columns.js';
import { seed } from '../../support/seed.js';

it(`takes the slowest flows in their order (WEFT_SEED=${seed})`, () => {
  fc.assert(
    fc.property(fc.array(fc.nat(5), { maxLength: 30 }), fc.nat(35), (timesPs, count) => {
      const flows = new FlowColumns();
      const rows = timesPs.map((finishPs, i) => [(i * 7) % 31, 0, 1, 1, 1, 1000, 0, finishPs, 0]);
      const columns = flowTable.columns.map((_, i) => Float64Array.from(rows, (row) => row[i]!));
      flows.put({ schema: flowTable, rows: rows.length, columns });
      expect([...flows.slowest(count)]).toEqual([...flows.byCompletion()].slice(Math.max(0, rows.length - count)));
    }),
    { seed, numRuns: 200 },
  );
});

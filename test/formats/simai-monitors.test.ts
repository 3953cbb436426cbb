// The monitors' text files against lines written by hand, and whatever the batches.

import { describe, expect, it } from 'vitest';
import {
  bandwidthText,
  notificationText,
  pfcText,
  QueueLengthFormatter,
  rateMonitorText,
} from '../../src/formats/simai-monitors.js';
import {
  bandwidthTable,
  notificationTable,
  pfcEventTable,
  queueTable,
  rateTable,
} from '../../src/records/probe-records.js';
import type { Batch, TableSchema } from '../../src/records/schema.js';

function batch(schema: TableSchema, rows: readonly (readonly number[])[]): Batch {
  return {
    schema,
    rows: rows.length,
    columns: schema.columns.map((_, i) => Float64Array.from(rows, (row) => row[i]!)),
  };
}

const host = 0;
const device = 1;
const nvswitch = 2;

/** The eight lines of a port. */
const port = (start: string, queues: readonly number[], sum: number): string =>
  queues.map((bytes, queue) => `${start}, ${queue}, ${bytes}, ${sum}\n`).join('');

describe('qlen.txt', () => {
  // time, node, kind, interface, priority, queue, port
  const rows = [
    [1_000_499, 7, device, 1, 3, 3000, 3500],
    [1_000_499, 7, device, 1, 0, 500, 3500],
    [1_000_499, 7, device, 2, 3, 9, 9],
    [1_000_499, 3, host, 1, 3, 60, 60],
    [2_000_500, 7, device, 1, 3, 0, 500],
    [2_000_500, 8, nvswitch, 1, 7, 2 ** 33, 2 ** 33],
  ];
  const text =
    port('1000, 7, 1', [500, 0, 0, 3000, 0, 0, 0, 0], 3500) +
    port('1000, 7, 2', [0, 0, 0, 9, 0, 0, 0, 0], 9) +
    port('2001, 7, 1', [500, 0, 0, 0, 0, 0, 0, 0], 500) +
    port('2001, 8, 1', [0, 0, 0, 0, 0, 0, 0, 2 ** 33], 2 ** 33);

  it('has all eight queues of each switch port that changed', () => {
    const formatter = new QueueLengthFormatter();
    expect(formatter.push(batch(queueTable, rows)) + formatter.end()).toBe(text);
    expect(formatter.end()).toBe('');
  });

  it('is the same wherever a batch ends', () => {
    for (let cut = 0; cut <= rows.length; cut++) {
      const formatter = new QueueLengthFormatter();
      expect(
        formatter.push(batch(queueTable, rows.slice(0, cut))) +
          formatter.push(batch(queueTable, rows.slice(cut))) +
          formatter.end(),
      ).toBe(text);
    }
  });
});

describe('bw.txt', () => {
  it('has Gb/s of the ports that sent', () => {
    expect(
      bandwidthText(
        batch(bandwidthTable, [
          [10_000_000, 10_000_000, 4, host, 2, 115_000, 92e9, 1],
          [20_000_000, 10_000_000, 4, host, 2, 0, 0, 0.5],
          [30_000_000, 10_000_000, 19, device, 1, 1, 800_000, 0.001],
        ]),
      ),
    ).toBe('10000, 4, 2, 92.000000\n30000, 19, 1, 0.000800\n');
  });
});

describe('rate.txt', () => {
  it('has rates and sizes beyond 32 bits', () => {
    expect(
      rateMonitorText(batch(rateTable, [[100_000_000, 5, 0, 8, 10_001, 100, 10_000_000_000, 99_999_999_999.6]])),
    ).toBe('100000, 0, 8, 10001, 100, 10000000000, 100000000000\n');
  });
});

describe('cnp.txt', () => {
  it('has the notifications since the start of each queue pair', () => {
    expect(notificationText(batch(notificationTable, [[100_000_000, 5, 0, 8, 10_001, 100, 4096, 17]]))).toBe(
      '100000, 0, 8, 10001, 100, 4096, 17\n',
    );
  });
});

describe('pfc.txt', () => {
  it("has frames without their priority, as SimAI's", () => {
    expect(
      pfcText(
        batch(pfcEventTable, [
          [14_702_400, 31, device, 4, 3, 1],
          [14_703_600, 5, host, 1, 3, 0],
        ]),
      ),
    ).toBe('14702 31 1 4 1\n14704 5 0 1 0\n');
  });
});

// Headline figures of runs: what each is read from, what is left out, and changes beside the first run.

import { describe, expect, it } from 'vitest';
import { headlinesOf } from '../../../src/report/page/headline.js';
import type { Json, ReportRun } from '../../../src/report/page/report-run.js';
import { RunRecords } from '../../../src/report/page/run-records.js';

function run(summary: Json): ReportRun {
  return { label: 'run', manifest: {}, summary, records: new RunRecords(null, []) };
}

function textsOf(...summaries: readonly Json[]): Record<string, readonly string[]> {
  return Object.fromEntries(headlinesOf(summaries.map(run)).map(({ name, texts }) => [name, texts]));
}

describe('headline figures', () => {
  it('leave out what a healthy run has none of, and say why another was slow', () => {
    const healthy = { controller: { moved: 0 }, failures: { changes: 0 }, counters: { timeouts: 0 } };
    const broken = {
      controller: { moved: 3 },
      failures: { changes: 2 },
      counters: { timeouts: 1, longestTimeoutWaitNs: 2_693_665 },
    };
    expect(textsOf(healthy)).toEqual({});
    expect(textsOf(healthy, broken)).toEqual({
      'Flows moved': ['', '3'],
      'Changes of links': ['', '2'],
      Timeouts: ['', '1'],
      'Longest wait for timeouts': ['', '2.694ms'],
    });
  });

  it('have the job that loses most to the others, where jobs ran alone', () => {
    const alone = [
      { name: 'a', togetherNs: 3000, aloneNs: 2000, slowdown: 1.5 },
      { name: 'b', togetherNs: 2000, aloneNs: 1000, slowdown: 2 },
      { name: 'c', togetherNs: null, aloneNs: 1000, slowdown: null },
    ];
    expect(textsOf({ alone })).toEqual({ 'Slow-down by other jobs': ['2 x'] });
    expect(textsOf({ alone: [{ slowdown: null }] })).toEqual({});
  });

  it('are absent, not zero, where a summary does not know them, and bad values count as absent', () => {
    expect(textsOf({ failures: 'no', counters: { timeouts: '3' }, alone: { slowdown: 2 } })).toEqual({});
  });

  it('change beside the first run', () => {
    const [mean] = headlinesOf([1000, 750].map((meanNs) => run({ finished: 1, fct: { meanNs } })));
    expect([mean!.name, mean!.changes]).toEqual(['Mean completion', [null, -25]]);
  });
});

// The sweep of bus bandwidths: what counts as a dip, and that choices are held against what was simulated.

import { describe, expect, it } from 'vitest';
import { sweepChart } from '../../validation/busbw-sweep/chart.js';
import { reasonsOf } from '../../validation/busbw-sweep/far-reasons.js';
import { sweepPage, sweepSums } from '../../validation/busbw-sweep/page.js';
import { dipsOf, sizesBy, sweepCases, type SweepRow } from '../../validation/busbw-sweep/sweep.js';

const row = (sizeBytes: number, busbwGBps: number, how = 'ring ll 1', bestUs = 10): SweepRow => ({
  family: 'spectrum-x',
  kind: 'allreduce',
  gpus: 8,
  backend: 'fluid',
  sizeBytes,
  timeUs: 10,
  busbwGBps,
  how,
  bestUs,
  best: 'tree simple 8',
});

/** how many rings a figure has, and one */
function rings(svg: string): number {
  return svg.split('stroke="#222222"').length;
}

describe('the sweep of bus bandwidths', () => {
  it('finds where bandwidth falls by more than 3 %, with the reason', () => {
    expect(dipsOf([row(1, 10), row(2, 9.8), row(4, 9.7)])).toEqual([]);
    const [dip, ...others] = dipsOf([row(1, 10), row(2, 9.6, 'tree ll 2', 8), row(4, 12)]);
    expect(others).toEqual([]);
    expect(dip).toMatchObject({ falls: expect.closeTo(0.04, 6) });
    expect(dip!.reason).toContain('from ring ll to tree ll; tree simple 8 would take 20.0 % less here');
    expect(dipsOf([row(1, 10), row(2, 9)])[0]!.reason).toBe('not known');
  });

  it('counts choices within 10 % of the best', () => {
    expect(sweepSums([row(1, 10), row(2, 9), row(4, 9, 'ring ll 1', 9.2), row(8, 9, 'ring ll 1', 8)])).toEqual({
      rows: 4,
      dips: 1,
      withoutReason: 1,
      right: 0.75,
    });
  });

  it('says why choices are far, and how many have no known reason', () => {
    const rows = [row(1, 10, 'nvls-tree simple 16', 5), row(2, 12, 'tree ll 4', 5), row(4, 14, 'tree ll 4', 9.5)];
    const [known, unknown, ...others] = reasonsOf(rows);
    expect(others).toEqual([]);
    expect([known!.rows, unknown!.rows]).toEqual([[rows[0]], [rows[1]]]);
    expect(sweepPage(rows, 2)).toContain('No reason is known. (1 rows)');
  });

  it('is drawn: a panel for each fabric and group, a ring where a choice is far', () => {
    const far = row(2048, 12, 'tree ll 4', 5);
    const [near, drawn] = [
      [row(1024, 10), row(2048, 12)],
      [row(1024, 10), far],
    ].map(sweepChart) as [string, string];
    for (const text of ['spectrum-x, 8 GPUs', 'dcn+, 64 GPUs', 'allreduce']) expect(near).toContain(text);

    expect(rings(drawn)).toBe(rings(near) + 1);
  });

  it('covers 1 KiB to 8 GiB on three fabrics, and a sample on 256 GPUs and with packets', () => {
    expect(sizesBy(2)).toHaveLength(24);
    const cases = sweepCases(2);
    expect(cases.filter(({ backend, gpus }) => backend === 'fluid' && gpus <= 64)).toHaveLength(3 * 3 * 7 * 24);
    expect(cases.some(({ gpus }) => gpus === 256)).toBe(true);
    expect(cases.some(({ backend }) => backend === 'packet')).toBe(true);
  });
});

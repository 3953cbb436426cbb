// Error bands: those that are printed are those of the pages; which figure has which; profiles without measurements say so.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { plainProfile } from '../../src/collectives/calibrated-profile.js';
import { bandClass, type MeasuredBand } from '../../src/report/band-classes.js';
import { bandLines, collectiveBand, iterationBand, jobBand } from '../../src/report/error-band.js';
import { iterationRows } from '../../src/report/iteration-band.js';
import { measuredBands } from '../../src/report/measured-bands.js';
import { bandTable, measuredBandsOf, percentages } from '../../validation/error-bands.js';

const page = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`../../docs/models/${name}`, import.meta.url)), 'utf8');

const band = (sizes: MeasuredBand['sizes'], rows: number): MeasuredBand => ({
  kind: 'alltoall',
  servers: 'one',
  sizes,
  rows,
  medianPercent: rows,
  p90Percent: 0,
  worstPercent: 0,
});

describe('the bands that are printed', () => {
  it('are the table of the page', () => {
    expect(measuredBands.length).toBeGreaterThan(20);
    expect(page('measured.md')).toContain(`\n${bandTable(measuredBands).join('\n')}\n`);
  });

  it('follow from the rows of the page', () => {
    // every row of the page that no disturbance is stated of, as it is printed there
    const errors: number[] = [];
    let [kind, servers] = ['', 0];
    for (const line of page('measured.md').split('\n')) {
      const run = /^Predicted: (\w+) over (\d+) x /.exec(line);
      if (run !== null) [kind, servers] = [run[1]!, Number(run[2])];
      const row = /^\| (\d+) \| [\d.]+ \| [\d.]+ \| ([+-][\d.]+) % \|/.exec(line);
      if (row !== null && kind === 'allreduce' && servers === 1 && Number(row[1]) >= 2 ** 26)
        errors.push(Number(row[2]) / 100);
    }
    const large = measuredBands.find(
      (one) => one.kind === 'allreduce' && one.servers === 'one' && one.sizes === 'large',
    )!;
    expect(percentages(errors)).toEqual({
      rows: large.rows,
      medianPercent: expect.closeTo(large.medianPercent, 0),
      p90Percent: expect.closeTo(large.p90Percent, 0),
      worstPercent: expect.closeTo(large.worstPercent, 0),
    });
  });

  it('of iteration times are those of their page', () => {
    const [, rows, median, worst] = /(\d+) rows computed: median absolute error ([\d.]+) %, worst ([\d.]+) %/.exec(
      page('iteration-times.md'),
    )!;
    expect(iterationRows.rows).toBe(Number(rows));
    expect(iterationRows.worstPercent).toBe(Number(worst));
    expect(Math.abs(iterationRows.medianPercent - Number(median))).toBeLessThan(0.5);
  });
});

describe('the class of a figure', () => {
  it('is its kind, its servers and its size', () => {
    expect(bandClass('allreduce', 1, 65_535)).toEqual({ kind: 'allreduce', servers: 'one', sizes: 'small' });
    expect(bandClass('alltoall', 2, 65_536)).toEqual({ kind: 'alltoall', servers: 'two', sizes: 'middle' });
    expect(bandClass('sendrecv', 9, 2 ** 26)).toEqual({ kind: 'others', servers: 'more', sizes: 'large' });
    expect(bandClass('broadcast', 1, 1)).toBeNull();
  });

  it('with few rows has the band of all sizes', () => {
    const bands = [band('small', 3), band('large', 9), band('all', 12)];
    expect(collectiveBand('nccl', 'alltoall', 1, 8, bands)).toMatchObject({
      rows: 12,
      class: 'all-to-all on one server, all sizes',
    });
    expect(collectiveBand('nccl', 'alltoall', 1, 2 ** 30, bands)).toMatchObject({ rows: 9 });
    expect(collectiveBand('nccl', 'alltoall', 2, 8, bands)).toBeNull();
  });

  it('counts rows by absolute errors', () => {
    const rows = [-0.1, 0.2, 0.3, -0.4].map((timeError) => ({
      kind: 'allreduce' as const,
      servers: 3,
      sizeBytes: 8,
      timeError,
    }));
    expect(measuredBandsOf(rows)).toEqual([
      {
        kind: 'allreduce',
        servers: 'more',
        sizes: 'small',
        rows: 4,
        medianPercent: 25,
        p90Percent: 40,
        worstPercent: 40,
      },
      {
        kind: 'allreduce',
        servers: 'more',
        sizes: 'all',
        rows: 4,
        medianPercent: 25,
        p90Percent: 40,
        worstPercent: 40,
      },
    ]);
  });
});

describe('profiles', () => {
  it('of a file have the band of their held-out rows', () => {
    const heldOut = { rows: 12, median: 0.0366, p90: 0.164, worst: 0.179 };
    const own = { ...plainProfile('ours.yaml', 'nccl'), heldOut };
    expect(collectiveBand(own, 'broadcast', 1, 8)).toEqual({
      class: 'rows held out of the profile',
      rows: 12,
      medianPercent: 3.7,
      p90Percent: 16.4,
      worstPercent: 17.9,
      source: 'ours.yaml',
    });
    expect(collectiveBand(plainProfile('ours.yaml', 'nccl'), 'allreduce', 1, 8)).toBeNull();
  });

  it('that nothing was compared with say that no band is known', () => {
    expect(collectiveBand('simai', 'allreduce', 1, 8)).toBeNull();
    expect(iterationBand('document')).toBeNull();
    expect(jobBand('document')).toContain('no iteration was compared with profile document');
    expect(bandLines('simai', 'H100', [null])).toBe(
      '# No error band is known: no measurement was compared with profile simai.\n',
    );
    expect(bandLines('nccl', 'H100', [])).toBe('');
  });

  it('say so within 80 columns', () => {
    for (const kind of ['allreduce', 'alltoall', 'allgather', 'broadcast'] as const)
      for (const servers of [1, 2, 3])
        for (const line of bandLines(
          'nccl',
          'H100',
          [8, 2 ** 20, 2 ** 30].map((size) => collectiveBand('nccl', kind, servers, size)),
        ).split('\n'))
          expect(line.length).toBeLessThanOrEqual(80);
  });
});

// Error bands: those that are printed are those of the pages; which figure has which; profiles without measurements say so.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { plainProfile } from '../../src/collectives/calibrated-profile.js';
import { ncclNetwork, type NcclProfile } from '../../src/collectives/nccl-figures.js';
import type { CollectiveKind } from '../../src/collectives/schedule.js';
import { bandClasses, bandPlace, isSameClass, type MeasuredBand } from '../../src/report/band-classes.js';
import { bandLines, collectiveBand, iterationBand, jobBand } from '../../src/report/error-band.js';
import { iterationRows } from '../../src/report/iteration-band.js';
import { measuredBands } from '../../src/report/measured-bands.js';
import { bandTable, crossValidated } from '../../validation/error-bands.js';

const page = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`../../docs/models/${name}`, import.meta.url)), 'utf8');

const band = (changes: Partial<MeasuredBand>): MeasuredBand => ({
  gpus: null,
  network: 'within',
  kind: 'alltoall',
  servers: 'one',
  sizes: 'all',
  rows: 12,
  clusters: 3,
  medianPercent: 1,
  p90Percent: 2,
  worstPercent: 3,
  insidePercent: 90,
  ...changes,
});

const on = (kind: CollectiveKind, servers: number, sizeBytes: number, gpuType = 'H100') => ({
  kind,
  servers,
  sizeBytes,
  gpuType,
});

interface PageRow {
  readonly cluster: string;
  /** in percent, of what was not fitted to the cluster */
  readonly error: number;
  /** that is printed for such a collective; null: none */
  readonly printed: MeasuredBand | null;
}

/** Every row of the table beside the page that no disturbance is stated of, as it is written there. */
function rowsOfPage(): PageRow[] {
  const clusters = new Map<string, { profile: string; gpuType: string }>();
  for (const [, name, profile, gpuType] of page('measured.md').matchAll(
    /^\| ([\w-]+) \|[^|]*\| `([\w-]+)` \|.*gpuType: (\w+)/gm,
  ))
    clusters.set(name!, { profile: profile!, gpuType: gpuType! });
  const [names, ...table] = page('measured.csv').trim().split('\n').map(csvCells);
  const place = (name: string): number => names!.indexOf(name);
  return table
    .filter((cells) => cells[place('disturbed')] === '')
    .map((cells) => {
      const cell = (name: string): string => cells[place(name)]!;
      const cluster = cell('cluster');
      const { profile, gpuType } = clusters.get(cluster)!;
      const network = ncclNetwork(profile as NcclProfile);
      const kind = cell('kind') as CollectiveKind;
      const found = bandPlace(kind, Number(cell('servers')), Number(cell('sizeBytes')), gpuType, network)!;
      const narrowest = bandClasses(found).flatMap((own) => measuredBands.find((one) => isSameClass(one, own)) ?? []);
      const site = /index id (\d+)/.exec(cell('source'))?.[1] ?? cell('source').split(' ')[0]!;
      const error = Math.abs(Number.parseFloat(cell('leftOutPercent')));
      return { cluster: `${cluster} ${site}`, error, printed: narrowest[0] ?? null };
    });
}

/** The cells of a line of CSV. */
function csvCells(line: string): string[] {
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain!,
  );
}

/** The share of sorted figures below which a share of them lies. */
function quantile(values: readonly number[], share: number): number {
  return [...values].sort((a, b) => a - b)[Math.ceil(share * values.length - 1e-9) - 1]!;
}

describe('the bands that are printed', () => {
  it('are the table of the page', () => {
    expect(measuredBands.length).toBeGreaterThan(20);
    expect(page('measured.md')).toContain(`\n${bandTable(measuredBands).join('\n')}\n`);
  });

  it('hold for clusters that are left out: 88 to 95 % of ten rows and more', () => {
    for (const one of [...measuredBands, iterationRows]) {
      expect(one.rows).toBeGreaterThanOrEqual(10);
      expect(one.clusters).toBeGreaterThanOrEqual(2);
      expect(one.insidePercent).toBeGreaterThanOrEqual(88);
      expect(one.insidePercent).toBeLessThanOrEqual(95);
      expect(one.medianPercent).toBeLessThanOrEqual(one.p90Percent);
      expect(one.p90Percent).toBeLessThanOrEqual(one.worstPercent);
    }
  });

  it('hold for the rows of the page for which they are printed: 88 to 95 % of those of each', () => {
    const rows = rowsOfPage();
    for (const one of measuredBands) {
      const own = rows.filter(({ printed }) => printed === one);
      expect([own.length, new Set(own.map(({ cluster }) => cluster)).size]).toEqual([one.rows, one.clusters]);
      const inside = own.filter(({ error }) => error <= one.p90Percent + 0.05);
      expect(inside.length / own.length).toBeGreaterThanOrEqual(0.88);
      expect(one.worstPercent).toBeGreaterThanOrEqual(Math.max(...own.map(({ error }) => error)) - 0.05);
      expect(one.medianPercent).toBeGreaterThanOrEqual(
        quantile(
          own.map(({ error }) => error),
          0.5,
        ) - 0.1,
      );
      // each cluster left out of the band: as wide a share of the others, stretched by what the printed one is
      const share = own.filter(({ error }) => error <= one.p90Percent + 0.05).length / own.length;
      const stretch =
        one.p90Percent /
        quantile(
          own.map(({ error }) => error),
          share,
        );
      const leftOut = own.filter(({ cluster, error }) => {
        const others = own.filter((other) => other.cluster !== cluster).map((other) => other.error);
        return error <= quantile(others, share) * stretch + 0.1;
      });
      expect(leftOut.length / own.length, JSON.stringify(one)).toBeGreaterThanOrEqual(0.88);
    }
    const banded = rows.filter(({ printed }) => printed !== null);
    expect(banded.length).toBe(measuredBands.reduce((sum, one) => sum + one.rows, 0));
    expect(banded.length).toBeGreaterThan(0.9 * rows.length);
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
  it('is its kind, its servers, its size, its GPUs and its network', () => {
    const place = { gpus: 'hopper', network: 'efa' } as const;
    expect(bandPlace('allreduce', 1, 65_535, 'H200', 'efa')).toEqual({
      gpus: 'hopper',
      network: 'within',
      kind: 'allreduce',
      servers: 'one',
      sizes: 'small',
    });
    expect(bandPlace('alltoall', 2, 65_536, 'H100', 'efa')).toEqual({
      ...place,
      kind: 'alltoall',
      servers: 'two',
      sizes: 'middle',
    });
    expect(bandPlace('sendrecv', 9, 2 ** 26, 'H100', 'efa')).toEqual({
      ...place,
      kind: 'others',
      servers: 'more',
      sizes: 'large',
    });
    expect(bandPlace('broadcast', 1, 1, 'H100', 'infiniband')).toBeNull();
  });

  it('is the narrowest that there is, and a wider one for want of it', () => {
    const bands = [
      band({ sizes: 'large', gpus: 'hopper', rows: 11 }),
      band({ sizes: 'large', rows: 20 }),
      band({ rows: 40 }),
    ];
    expect(collectiveBand('nccl', on('alltoall', 1, 8), bands)).toMatchObject({
      rows: 40,
      clusters: 3,
      class: 'all-to-all on one server, all sizes',
    });
    expect(collectiveBand('nccl', on('alltoall', 1, 2 ** 30), bands)).toMatchObject({
      rows: 11,
      class: 'all-to-all on one server, from 64MiB, hopper',
    });
    expect(collectiveBand('nccl', on('alltoall', 1, 2 ** 30, 'A100'), bands)).toMatchObject({ rows: 20 });
    expect(collectiveBand('nccl', on('alltoall', 2, 8), bands)).toBeNull();
  });

  it('is none where nothing was measured: a GPU, a kind over a network', () => {
    expect(collectiveBand('nccl', on('allreduce', 1, 2 ** 30, 'MI300X'))).toBeNull();
    expect(collectiveBand('nccl', on('allreduce', 1, 2 ** 30, ''))).toBeNull();
    expect(collectiveBand('nccl-efa', on('alltoall', 2, 2 ** 30))).toBeNull();
    expect(collectiveBand('nccl-efa', on('allreduce', 4, 2 ** 30))).not.toBeNull();
    // of EFA's small messages nothing was published, of TCPX's neither
    expect(collectiveBand('nccl-efa', on('allreduce', 4, 1024))).toBeNull();
    expect(collectiveBand('nccl-tcpx', on('allgather', 2, 1024))).toBeNull();
  });
});

const rows = (cluster: string, ...errors: number[]) => errors.map((error) => ({ cluster, error }));

describe('clusters that are left out', () => {
  it('alike have the band of nine of ten rows', () => {
    // errors 1 to 10 % in each of two clusters; of the other's ten nine are at most 9 %
    const errors = Array.from({ length: 10 }, (_, i) => (i + 1) / 100);
    expect(crossValidated([...rows('a', ...errors), ...rows('b', ...errors)])).toEqual({
      rows: 20,
      clusters: 2,
      medianPercent: 5.5,
      p90Percent: 9,
      worstPercent: 10,
      insidePercent: 90,
    });
  });

  it('that stray widen the band beyond nine of ten rows, or there is none', () => {
    const even = rows('a', ...Array.from({ length: 18 }, () => 0.01));
    expect(crossValidated([...even, ...rows('b', 0.3, 0.3, 0.3, 0.3)])).toBeNull();
    expect(crossValidated(rows('a', ...Array.from({ length: 30 }, () => 0.01)))).toBeNull();
    // 1 to 10 %, and three of b beyond: two of these stay outside if the worst of a is stretched by 1.05
    const a = rows('a', ...Array.from({ length: 10 }, (_, i) => (i + 1) / 100));
    const b = rows('b', 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.105, 0.11, 0.12);
    expect(crossValidated([...a, ...b])).toMatchObject({ p90Percent: 12.6, worstPercent: 12.6, insidePercent: 90 });
  });
});

describe('profiles', () => {
  it('of a file have the band of their held-out rows', () => {
    const heldOut = { rows: 12, median: 0.0366, p90: 0.164, worst: 0.179 };
    const own = { ...plainProfile('ours.yaml', 'nccl'), heldOut };
    expect(collectiveBand(own, on('broadcast', 1, 8))).toEqual({
      class: 'rows held out of the profile',
      rows: 12,
      clusters: null,
      medianPercent: 3.7,
      p90Percent: 16.4,
      worstPercent: 17.9,
      source: 'ours.yaml',
    });
    expect(collectiveBand(plainProfile('ours.yaml', 'nccl'), on('allreduce', 1, 8))).toBeNull();
  });

  it('that nothing was compared with say that no band is known', () => {
    expect(collectiveBand('simai', on('allreduce', 1, 8))).toBeNull();
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
          [8, 2 ** 20, 2 ** 30].map((size) => collectiveBand('nccl', on(kind, servers, size))),
        ).split('\n'))
          expect(line.length).toBeLessThanOrEqual(80);
  });
});

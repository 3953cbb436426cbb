// The published measurements: that they are whole, that none of the reference is missing, and that the tables beside the
// page have every run and every size.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { errorPercentText } from '#weft/report/measured-comparison.js';
import { referencePath } from '../reference.js';
import { csvRows } from '../support/csv-rows.js';
import { methods } from '../../validation/measured/methods.js';
import { measuredCsv, measuredPage, measuredRunsCsv } from '../../validation/measured/page.js';
import { predict } from '../../validation/measured/predict.js';
import {
  type CollectiveMeasurement,
  disturbanceOf,
  measuredUs,
  readClusters,
  readRuns,
} from '../../validation/measured/runs.js';

const file = (name: string): string => readFileSync(new URL(`../../docs/models/${name}`, import.meta.url), 'utf8');

const clusters = readClusters();
const runs = readRuns(clusters);
const predicted = runs.filter((run): run is CollectiveMeasurement => run.notPredicted === undefined);

function disturbance(id: string, size: number): string | null {
  const run = predicted.find((own) => own.id === id)!;
  return disturbanceOf(run, size);
}

/** A run with its first sizes alone. */
function few({ busbwGBps: _busbw, ...run }: CollectiveMeasurement, count: number): CollectiveMeasurement {
  return { ...run, sizeBytes: run.sizeBytes.slice(0, count), timeUs: run.timeUs!.slice(0, count) };
}

describe('the published measurements', () => {
  it('have times and bandwidths that fit each other where both are printed', () => {
    const factors: Readonly<Record<string, (n: number) => number>> = {
      allreduce: (n) => (2 * (n - 1)) / n,
      sendrecv: () => 1,
    };
    for (const { id, kind, servers, ranksPerServer, sizeBytes, timeUs, busbwGBps } of predicted) {
      if (timeUs === undefined || busbwGBps === undefined) continue;
      const n = servers * ranksPerServer;
      const factor = (factors[kind] ?? ((count: number) => (count - 1) / count))(n);
      for (const [i, size] of sizeBytes.entries()) {
        const busbw = (size * factor) / timeUs[i]! / 1e3;
        // two decimals are printed; sizes of some sources are rounded, and so are times of one microsecond
        expect.soft(Math.abs(busbwGBps[i]! - busbw), `${id} ${size}`).toBeLessThan(0.011 + 0.03 * busbw);
      }
    }
  });

  it('take the time from the bandwidth where no time is printed', () => {
    // 8 GPUs, 16 GiB at 845.67 GB/s of bus bandwidth
    const run = predicted.find(({ id }) => id === 'A-03')!;
    expect(measuredUs(run, run.sizeBytes.length - 1)).toBeCloseTo((2 ** 34 * 1.75) / 845.67e3, 6);
  });

  it('keep rows with stated faults and noise apart, and no others', () => {
    expect(disturbance('B-17', 2 ** 30)).toContain('suspects a fault');
    expect(disturbance('C-06.N8', 2 ** 20)).toContain('poorly tuned');
    expect(disturbance('C-06.N8', 2 ** 30)).toBeNull();
    expect(disturbance('V.a100_dgx.all_reduce.2.1', 2048)).toContain('noisy');
    expect(disturbance('V.a100_dgx.all_reduce.2.1', 2 ** 20)).toBeNull();
    expect(disturbance('A-08', 2 ** 10)).toBeNull();
  });

  it('are predicted on the fabric of their cluster, and stand in the tables with their error', async () => {
    const run = predicted.find(({ id }) => id === 'A-17')!;
    const result = await predict(run, clusters.get(run.cluster)!);
    expect(result.rows.map(({ measuredUs: own }) => own)).toEqual(run.timeUs);
    for (const { simulatedUs, measuredUs: own, timeError } of result.rows)
      expect(timeError).toBeCloseTo((simulatedUs - own) / own, 12);
    const table = measuredCsv([result]);
    for (const [i, size] of run.sizeBytes.entries())
      expect(table).toContain(
        `,${size},${run.timeUs![i]! >= 1e4 ? run.timeUs![i]!.toFixed(0) : run.timeUs![i]!.toFixed(2)},`,
      );
    for (const { timeError } of result.rows) expect(table).toContain(`,${errorPercentText(timeError)},`);
    expect(csvRows(measuredRunsCsv([result], []))).toMatchObject([
      { run: run.id, sizes: String(run.sizeBytes.length), source: run.source, unknown: run.unknown },
    ]);
  });

  it('are what their method reports: one thread for all GPUs bounds a call, PyTorch comes before it', async () => {
    // nccl-tests issue #123: us of 8 to 128 B over so many GPUs of a DGX A100 by `-g N`; NCCL reckons 15.0 for 8 of them
    const oneThread = methods['nccl-tests, one thread'];
    const published = { 4: 16.88, 5: 20.8, 6: 25.2, 7: 29.5, 8: 33.7 };
    for (const [gpus, timeUs] of Object.entries(published))
      expect(Math.abs(oneThread.reportedUs(0, Number(gpus)) / timeUs - 1), `${gpus} GPUs`).toBeLessThan(0.02);
    expect(oneThread.reportedUs(100, 8)).toBe(100);
    const [queued, apart] = await Promise.all(
      (['nccl-tests', 'PyTorch, call by call'] as const).map((method) =>
        predict(
          {
            ...few(
              predicted.find(({ id }) => id === 'A-17')!,
              2,
            ),
            method,
          },
          clusters.get('h100-400g')!,
        ),
      ),
    );
    for (const [i, { simulatedUs, simulatedBusbwGBps, sizeBytes }] of apart!.rows.entries()) {
      expect(simulatedUs - queued!.rows[i]!.simulatedUs).toBeCloseTo(25, 6);
      expect(simulatedBusbwGBps).toBeCloseTo((sizeBytes * 1.75) / simulatedUs / 1e3, 6);
    }
  });

  it('stand in a table of their own below 64 KiB beyond 30 %, with what is known of them', async () => {
    const run = few(
      predicted.find(({ id }) => id === 'A-08')!,
      4,
    );
    const timeUs = run.timeUs!.map((time, i) => (run.sizeBytes[i] === 4096 ? 2 * time : time));
    const page = measuredPage(clusters, [await predict({ ...run, timeUs }, clusters.get(run.cluster)!)], []);
    const table = page.slice(page.indexOf('## Below 64 KiB'), page.indexOf('## How they were measured'));
    expect(table.split('\n').filter((own) => own.startsWith('| A-08 '))).toHaveLength(1);
    expect(table).toContain('| A-08 | 4096 | 47.18 |');
    expect(table).toContain('one size, 6 us above both its neighbours');
  });

  it('all stand in the tables beside the page, with every size, or why they are not predicted', () => {
    const listed = csvRows(file('measured-runs.csv'));
    expect(listed.map(({ run }) => run).sort()).toEqual(runs.map(({ id }) => id).sort());
    const table = file('measured.csv');
    for (const run of runs) {
      const row = listed.find((each) => each['run'] === run.id)!;
      expect(row['source']).toBe(run.source);
      expect(row['notPredicted']).toBe(run.notPredicted ?? '');
      if (run.notPredicted !== undefined) continue;
      const rows = table.split('\n').filter((each) => each.startsWith(`${run.id},`));
      expect(rows.map((each) => Number(each.split(',')[7]))).toEqual(run.sizeBytes);
    }
  });

  const reference = referencePath('collectives', 'measurements.md');
  it.skipIf(reference === null)('are all of the reference, figure by figure', () => {
    const text = readFileSync(reference!, 'utf8').split('\n## N.')[0]!;
    const statements = [...text.matchAll(/^\| ([A-Z]-[^|]+?) \|/gm)].map(([, id]) => id!);
    expect(statements.length).toBeGreaterThan(100);
    for (const id of statements)
      expect
        .soft(
          runs.some((run) => run.id === id || run.id.startsWith(`${id}.`)),
          id,
        )
        .toBe(true);
    const tables = [...text.matchAll(/^\*\*([^*]+)\*\* .*\n\n\| B \|.*\n.*\n((?:\|.*\n)+)/gm)];
    expect(tables.length).toBeGreaterThan(70);
    for (const [, id, lines] of tables) {
      const run = predicted.find((own) => own.id === id)!;
      for (const [name, column] of [
        ['us', run.timeUs],
        ['bus', run.busbwGBps],
      ] as const) {
        const printed = new RegExp(`^\\| ${name} \\| (.*) \\|$`, 'm').exec(lines!)?.[1];
        expect.soft(column, `${id} ${name}`).toEqual(printed?.split(' | ').map((cell) => Number(cell.split(' ')[0])));
      }
    }
  });
});

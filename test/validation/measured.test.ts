// The published measurements: that they are whole, that none of the reference is missing, and that the page has every
// row with its error.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { referencePath } from '../reference.js';
import { measuredPage } from '../../validation/measured/page.js';
import { predict } from '../../validation/measured/predict.js';
import {
  type CollectiveMeasurement,
  disturbanceOf,
  measuredUs,
  readClusters,
  readRuns,
} from '../../validation/measured/runs.js';

const clusters = readClusters();
const runs = readRuns(clusters);
const predicted = runs.filter((run): run is CollectiveMeasurement => run.notPredicted === undefined);

function disturbance(id: string, size: number): string | null {
  const run = predicted.find((own) => own.id === id)!;
  return disturbanceOf(run, size);
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

  it('are predicted on the fabric of their cluster, and stand on the page with their error', async () => {
    const run = predicted.find(({ id }) => id === 'A-17')!;
    const result = await predict(run, clusters.get(run.cluster)!);
    expect(result.rows.map(({ measuredUs: own }) => own)).toEqual(run.timeUs);
    for (const { simulatedUs, measuredUs: own, timeError } of result.rows)
      expect(timeError).toBeCloseTo((simulatedUs - own) / own, 12);
    const page = measuredPage(clusters, [result], []);
    for (const [i, size] of run.sizeBytes.entries())
      expect(page).toContain(
        `| ${size} | ${run.timeUs![i]! >= 1e4 ? run.timeUs![i]!.toFixed(0) : run.timeUs![i]!.toFixed(2)} |`,
      );
    expect(page).toContain(run.source);
    expect(page).toContain(run.unknown);
  });

  it('all stand on the page in docs', () => {
    const page = readFileSync(new URL('../../docs/models/measured.md', import.meta.url), 'utf8');
    for (const run of runs)
      expect(page).toContain(run.notPredicted === undefined ? `### ${run.id}\n` : `\n| ${run.id} |`);
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

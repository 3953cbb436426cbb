// The case studies at reduced size come out in the order of the source, and their pages have what comes out.

import { describe, expect, it } from 'vitest';
import {
  hopSums,
  miniGhostCases,
  miniGhostExample,
  pf3dExample,
  pf3dRuns,
  pf3dTimes,
  southRow,
} from '../../validation/figures/case-studies.js';
import { blockOf } from '../../validation/figures/pages.js';

describe('a transform beside incasts of others', async () => {
  const runs = await pf3dRuns();
  const [alone, linear, shifted] = runs.map(({ summary }) => summary.programs[0]!.totalPs) as [number, number, number];

  it('alone < shifted < linear, and the others outlast it', () => {
    expect(alone).toBeLessThan(shifted);
    expect(shifted).toBeLessThan(linear);
    // the remedy brings back at least four fifths of what was lost, as in the source: (30.4 - 25.5) / (30.4 - 24.6)
    expect((linear - shifted) / (linear - alone)).toBeGreaterThan(0.8);
    for (const { summary } of runs.slice(1))
      expect(summary.programs[1]!.totalPs).toBeGreaterThan(summary.programs[0]!.totalPs);
    expect(blockOf(`${pf3dExample}/README.md`, 'times')).toBe(pf3dTimes(runs));
  });

  it('sees a root of congestion whose links out it does not fill', () => {
    const [into, out] = [hopSums(runs[1]!, 0, 2), hopSums(runs[1]!, 0, 3)];
    expect(into.fraction).toBeGreaterThan(0.5);
    expect(out.fraction).toBeLessThan(0.1);
    // two receivers of the others a leaf have links of 95 Gb/s, and the job what it has
    expect(out.gbps).toBeLessThan(95 / 4);
    expect(hopSums(runs[1]!, 1, 3).gbps).toBeGreaterThan(0.9 * 95);
    expect(hopSums(runs[0]!, 0, 2).fraction).toBeLessThan(0.05);
  });
});

/** Cells of the lines of a table of the page, behind their names. */
function table(name: string): Map<string, number[]> {
  return new Map(
    blockOf(`${miniGhostExample}/README.md`, name)!
      .split('\n')
      .filter((line) => line.startsWith('| ') && !line.startsWith('| |') && !line.startsWith('| y'))
      .map((line) => line.slice(2).split(' | '))
      .map(([name, ...cells]) => [name!, cells.map((cell) => Number.parseFloat(cell))]),
  );
}

describe('a stencil code', () => {
  const [times, south] = [table('times'), table('rows')];

  it('takes less with every step of the source', () => {
    expect([...times.keys()]).toEqual(miniGhostCases.map(({ name }) => name));
    for (const column of [0, 1]) {
      const figures = [...times.values()].map((cells) => cells[column]!);
      expect(figures).toEqual([...figures].sort((a, b) => b - a));
    }
    // 1.64 s to 0.34 s there
    expect(times.get('cyclic on leaves, BSPMA')![1]! / times.get('tiled, SVAFP')![1]!).toBeGreaterThan(1.64 / 0.34 / 2);
  });

  it('has a dark second row from the edge until ranks get out of step', () => {
    for (const [name, isDark] of [
      ['tiled, BSPMA', true],
      ['tiled, SVAF', true],
      ['tiled, SVAFP', false],
    ] as const) {
      const [inner, second] = [south.get(name)!.slice(2, 6), south.get(name)![6]!];
      if (isDark) expect(second).toBeGreaterThan(1.3 * Math.max(...inner));
      // no darker than the others inside but for what sampling and two digits leave open
      else expect(second).toBeLessThan(1.15 * Math.max(...inner));
    }
  });

  it('is what its page says', async () => {
    const { ms, row } = await southRow(miniGhostCases[2]);
    expect(times.get(miniGhostCases[2].name)![0]).toBeCloseTo(ms, 2);
    expect(blockOf(`${miniGhostExample}/README.md`, 'rows')).toContain(row);
  });
});

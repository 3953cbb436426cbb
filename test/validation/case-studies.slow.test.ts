// The case studies at reduced size come out in the order of the source, and their pages have what comes out.

import { describe, expect, it } from 'vitest';
import {
  hopSums,
  miniGhostCases,
  miniGhostExample,
  miniGhostMs,
  pf3dExample,
  pf3dRuns,
  pf3dTimes,
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

describe('a stencil code', () => {
  const rows = blockOf(`${miniGhostExample}/README.md`, 'times')!
    .split('\n')
    .map((line) => line.split(' | '))
    .filter(([, ms]) => ms?.endsWith(' ms'));
  const column = (index: number): number[] => rows.map((cells) => Number.parseFloat(cells[index]!));

  it('takes less with every step of the source', () => {
    expect(rows.map(([name]) => name)).toEqual(miniGhostCases.map(({ name }) => `| ${name}`));
    for (const times of [column(1), column(2)]) expect(times).toEqual([...times].sort((a, b) => b - a));
    // 1.64 s to 0.34 s there
    expect(column(2)[0]! / column(2)[4]!).toBeGreaterThan(3);
  });

  it('takes as long as its page says', async () => {
    const { name, set } = miniGhostCases[2];
    expect(rows[2]!.slice(0, 2)).toEqual([`| ${name}`, `${(await miniGhostMs(set)).toFixed(2)} ms`]);
  });
});

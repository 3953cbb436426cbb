// Tables 5.3 and 5.4 (`npm run tables`): allocations as the source has them, the bounds that follow, the order of the
// source in the page's table, and in runs on 96 hosts.

import { describe, expect, it } from 'vitest';
import { routableTraffic } from '../../src/optimization/leaf-traffic.js';
import { routeBounds } from '../../src/optimization/route-bounds.js';
import { blockOf } from '../../validation/figures/pages.js';
import {
  bulliesByLeaf,
  type Allocation,
  bullySizes,
  bullyTraffic,
  modifiedAllocation,
  randomAllocation,
  weights,
} from '../../validation/tables/bully-jobs.js';
import { bullyMarkdown, bullyRows } from '../../validation/tables/bully-table.js';
import { fatTreeOf } from '../../validation/tables/measure-routes.js';

const whole = bullySizes.find(({ name }) => name === 'whole')!;
const drawn = randomAllocation(whole);
const modified = modifiedAllocation(whole, drawn);

describe('the allocations of the whole machine', () => {
  it('has 2048 hosts for the barrier, 1000 for the bully, and 24 idle ones', () => {
    for (const { barrier, bully } of [drawn, modified]) {
      expect([barrier.length, bully.length]).toEqual([2048, 1000]);
      expect(new Set([...barrier, ...bully]).size).toBe(3048);
    }
  });

  it('has seventeen hosts of the bully on two leaves of the first pod, and at most sixteen on others', () => {
    const counts = [...bulliesByLeaf(whole, drawn.bully)];
    expect(counts.filter((count) => count > 16)).toEqual([17, 17]);
    expect(counts.lastIndexOf(17)).toBeLessThan(24);
  });

  it('has at most fifteen after swaps with hosts that were idle', () => {
    expect(Math.max(...bulliesByLeaf(whole, modified.bully))).toBe(15);
    expect(modified.barrier).toEqual(drawn.barrier);
    const left = drawn.bully.filter((host) => !modified.bully.includes(host));
    const surplus = bulliesByLeaf(whole, drawn.bully).reduce((sum, count) => sum + Math.max(0, count - 15), 0);
    expect(left).toHaveLength(surplus);
  });
});

describe('the stylised matrix', () => {
  const fabric = fatTreeOf('quartz1', 'fat-tree', whole.shape);
  const bounds = (allocation: Allocation) =>
    routeBounds(routableTraffic(fabric.tree, bullyTraffic(whole, allocation, weights.stylised).phases[0]!.matrix));

  it('cannot have less than two flows on a link where seventeen share sixteen; less than that may be adaptive', () => {
    const { staticNet, adaptiveNet } = bounds(drawn);
    expect(staticNet).toBe(200);
    // 17 flows of 100 over 16 links, and what fifteen hosts of the barrier send at most: the source has 112.81
    expect(adaptiveNet).toBeGreaterThan(1700 / 16);
    expect(adaptiveNet).toBeLessThan((1700 + 15 * 9) / 16);
  });

  it('can have one flow on each link with fifteen', () => {
    const { staticNet } = bounds(modified);
    expect(staticNet).toBeGreaterThanOrEqual(100);
    expect(staticNet).toBeLessThan(200);
  });
});

interface Times {
  readonly ftree: number;
  readonly adaptive: number;
  readonly others: readonly number[];
}

/** What no routes can do: a barrier beside others that is faster than alone. */
function expectOrder(alone: number, random: Times, modified: Times): void {
  const [combined, worst, special] = random.others as [number, number, number];
  const [bytes, mixed] = modified.others as [number, number];
  for (const { ftree, adaptive, others } of [random, modified])
    expect(Math.min(ftree, adaptive, ...others)).toBeGreaterThanOrEqual(0.999 * alone);
  // Table 5.3: 6.33 < 7.89 < 21.07 < 30.81 < 60.29 ms
  expect([special, combined, worst, random.ftree, random.adaptive]).toEqual(
    [special, combined, worst, random.ftree, random.adaptive].sort((a, b) => a - b),
  );
  // Table 5.4: 4.46 < 4.78 < 9.26 < 29.78 ms
  expect([mixed, bytes, modified.adaptive, modified.ftree]).toEqual(
    [mixed, bytes, modified.adaptive, modified.ftree].sort((a, b) => a - b),
  );
}

it('the table of the page has the order of the source', () => {
  const rows = blockOf('docs/models/credit.md', 'bully-half')!
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .filter((cells) => /\d/.test(cells[3] ?? ''));
  expect(rows).toHaveLength(10);
  const ms = rows.map((cells) => Number(cells[3]));
  expectOrder(
    ms[0]!,
    { ftree: ms[1]!, adaptive: ms[2]!, others: ms.slice(3, 6) },
    { ftree: ms[6]!, adaptive: ms[7]!, others: ms.slice(8) },
  );
});

const isNew = (line: string): boolean => / (?:no bully|special) /.test(line);

it('a row that is run takes its place in the table, and the others stand', () => {
  const before = blockOf('docs/models/credit.md', 'bully-half')!;
  const alone = { name: 'no bully', table: 'alone', source: { ms: 4.19 }, barrierMs: 2, loads: null } as const;
  const loads = { largest: 201, links: 7, adaptiveBound: 0, lowerBound: 200 };
  const special = { name: 'special', table: '5.3', source: { ms: 6.33, links: 4 }, barrierMs: 3, loads } as const;
  const made = bullyMarkdown([alone, special], before).trim().split('\n');
  expect(made.filter(isNew)).toEqual([
    '|  | no bully | 2.00 | 1.00 | 4.19 | 1.00 |  |  |  |',
    '| 5.3 | special | 3.00 | 1.50 | 6.33 | 1.51 | 201 | 7 | 4 |',
  ]);
  const kept = (lines: readonly string[]): string[] => lines.filter((line) => !isNew(line));
  expect(kept(made)).toEqual(kept(before.trim().split('\n')));
  // on a page without the table they are not run
  expect(bullyMarkdown([alone], '')).toContain('| 5.4 | bytes alone | not run |  | 4.78 | 1.14 |  |  |  |\n');
});

it('runs on 96 hosts have it, too', async () => {
  const shape = { pods: 4, edgesPerPod: 3, hostsPerEdge: 8, aggregationPerPod: 4, cores: 6, coreGroups: 2 };
  const small = { name: 'small', shape, grid: [8, 8] as const, barrierRounds: 5, bullies: 26, isSolved: false };
  const rows = await bullyRows(small, () => {});
  expect(rows.map(({ loads }) => loads?.lowerBound ?? null)).toEqual([
    null,
    null,
    null,
    200,
    200,
    200,
    null,
    null,
    null,
    null,
  ]);
  const [alone, ftree, adaptive, , , special, otherFtree, otherAdaptive, bytes, mixed] = rows.map(
    ({ barrierMs }) => barrierMs,
  ) as [number, number, number, number, number, number, number, number, number, number];
  // a barrier alone may meet others of its own packets that other routes keep apart
  expect(Math.min(special, mixed)).toBeGreaterThan(0.999 * alone);
  expect([special, ftree, adaptive]).toEqual([special, ftree, adaptive].sort((a, b) => a - b));
  expect([mixed, bytes, otherAdaptive, otherFtree]).toEqual(
    [mixed, bytes, otherAdaptive, otherFtree].sort((a, b) => a - b),
  );
});

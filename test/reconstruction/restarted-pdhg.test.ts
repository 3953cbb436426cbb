// What the search finds beside an exact programme: the same least sum of |W x|, with counters that agree.

import { describe, expect, it } from 'vitest';
import { searchExactly } from '../../src/app/reconstruct/exact-search.js';
import { memoryHost } from '../../src/app/memory-host.js';
import { generatedFabric, routedFabric } from '../../src/app/routes/fabric-input.js';
import type { RouteHost } from '../../src/app/routes/make-tables.js';
import { RandomStream } from '../../src/base/random.js';
import { LinearProgram } from '../../src/exact/linear-program.js';
import { weighAnew } from '../../src/reconstruction/entry-weights.js';
import { bases, PairGrid, type BasisName } from '../../src/reconstruction/pair-grid.js';
import { PairRows, type PairCounters } from '../../src/reconstruction/pair-rows.js';
import { Reconstruction } from '../../src/reconstruction/restarted-pdhg.js';
import { SplitRows } from '../../src/reconstruction/split-rows.js';
import { routeDmodK } from '../../src/routing/d-mod-k.js';
import { EqualCostRoutes } from '../../src/routing/equal-cost.js';
import { DrawnLanes } from '../../src/routing/lane-maps.js';
import { DrawnLevels } from '../../src/routing/service-levels.js';
import { highsHere } from '../support/exact-routes.js';
import { basisByDefinition } from '../support/matrix-bases.js';
import { seed } from '../support/seed.js';

const { fabric, tree } = routedFabric(generatedFabric('leaf-spine', { leaves: 4, spines: 2, hostsPerLeaf: 2 })!);
const { hosts } = fabric;
const ranks = hosts.length;
const twoLanes = { levels: new DrawnLevels(2, 1), map: new DrawnLanes(2, 1) };
const tableRows = new PairRows(fabric, routeDmodK(tree), twoLanes);
/** the same pairs, each over both spines alike: half of a pair is in their counters */
const splitRows = new SplitRows(fabric, new EqualCostRoutes(fabric, 'descending-node-id'), twoLanes, {
  lidsOf: () => [0],
  portWeights: null,
  drawnPorts: null,
  isExact: true,
});
const cells = Array.from({ length: ranks * ranks }, (_, i) => [Math.floor(i / ranks), i % ranks] as const);

/** Counters of a matrix X(i, j), what j sends to i. */
function countersOf(x: readonly (readonly number[])[], pairRows: PairCounters = tableRows): Float64Array {
  const counters = new Float64Array(pairRows.count);
  for (const [to, from] of cells) {
    const count = pairRows.open(hosts[from]!, hosts[to]!, null);
    for (let i = 0; i < count; i++) counters[pairRows.rows[i]!]! += (pairRows.shares?.[i] ?? 1) * x[to]![from]!;
  }
  return counters;
}

/** min sum of u with u >= W x >= -u, R x = t, x >= 0; W by what it makes of each unit matrix. */
async function leastByProgramme(name: BasisName, counters: Float64Array, pairRows: PairCounters): Promise<number> {
  const program = new LinearProgram('reconstruction');
  const x = cells.map(([i, j]) => (i === j ? -1 : program.real(`x${i}_${j}`)));
  const zero = cells.map((): (readonly [number, number])[] => []);
  cells.forEach(([i, j], cell) => {
    if (i === j) return;
    const unit = Array.from({ length: ranks }, () => Array.from({ length: ranks }, () => 0));
    unit[i]![j] = 1;
    basisByDefinition[name](unit)
      .flat()
      .forEach((value, at) => {
        if (value !== 0) zero[at]!.push([x[cell]!, value]);
      });
  });
  const sum: [number, number][] = [];
  zero.forEach((terms, at) => {
    const most = program.real(`u${at}`);
    sum.push([most, 1]);
    for (const sign of [1, -1])
      program.row(
        `r${at}_${sign + 1}`,
        [...terms.map(([own, value]): [number, number] => [own, sign * value]), [most, -1]],
        '<=',
        0,
      );
  });
  const rows = new Map<number, [number, number][]>();
  cells.forEach(([to, from], cell) => {
    const count = pairRows.open(hosts[from]!, hosts[to]!, null);
    for (let i = 0; i < count; i++) {
      const row = pairRows.rows[i]!;
      rows.set(row, [...(rows.get(row) ?? []), [x[cell]!, pairRows.shares?.[i] ?? 1]]);
    }
  });
  for (const [row, terms] of rows) program.row(`t${row}`, terms, '=', counters[row]!);
  program.objectives.push({ name: 'sum', terms: sum });
  const { status, objective } = await highsHere.solve(program, 0, { seconds: 20 });
  expect(status).toBe('optimal');
  return objective;
}

function matrixOf(search: Pick<Reconstruction, 'traffic'>, grid: PairGrid): number[][] {
  const x = Array.from({ length: ranks }, () => Array.from({ length: ranks }, () => 0));
  search.traffic().forEach((own, pair) => {
    const place = pair >> 1;
    const [low, high] = [grid.first[place]!, grid.first[place]! + grid.offset[place]!];
    if (pair % 2 === 0) x[high]![low] = own;
    else x[low]![high] = own;
  });
  return x;
}

/** A matrix of one pair. */
function unit(to: number, from: number): number[][] {
  return Array.from({ length: ranks }, (_, i) =>
    Array.from({ length: ranks }, (_entry, j) => (i === to && j === from ? 1 : 0)),
  );
}

/** |W x|. */
function sumOf(name: BasisName, x: number[][]): number {
  return basisByDefinition[name](x)
    .flat()
    .reduce((total, own) => total + Math.abs(own), 0);
}

const exactHost: RouteHost = {
  ...memoryHost(),
  stopRequested: () => false,
  whenStopped: Promise.race([]),
  report: () => {},
  solver: { solver: () => highsHere, notes: () => [] },
};

function dot(one: readonly number[], other: readonly number[]): number {
  return one.reduce((sum, own, i) => sum + own * other[i]!, 0);
}

describe(`the search (WEFT_SEED=${seed})`, () => {
  const kinds = (Object.keys(bases) as BasisName[]).flatMap((name) => [
    [name, 'by tables', tableRows] as const,
    [name, 'split', splitRows] as const,
  ]);

  it.each(kinds)('%s, %s: as little as HiGHS finds, of traffic that agrees', async (name, _how, rows) => {
    const random = new RandomStream(seed, name);
    // some pairs of few send, so that zeros of counters leave many out, and the matrix is not the only one that agrees
    const x = Array.from({ length: ranks }, (_, i) =>
      Array.from({ length: ranks }, (_entry, j) => (i === j || random.nextBelow(3) > 0 ? 0 : 1 + random.nextBelow(9))),
    );
    const counters = countersOf(x, rows);
    const grid = new PairGrid([{ hosts, rows }], counters, [bases[name]]);
    const search = new Reconstruction(grid, counters, [bases[name]]);
    while (!search.isSettled && search.steps < 100_000) search.advance();
    const found = matrixOf(search, grid);
    const told = countersOf(found, rows);
    told.forEach((own, row) => {
      expect(own).toBeCloseTo(counters[row]!, 4);
    });
    expect(Math.min(...found.flat())).toBeGreaterThanOrEqual(0);
    const least = await leastByProgramme(name, counters, rows);
    expect(sumOf(name, found) / least).toBeCloseTo(1, 4);
    expect(search.length() / least).toBeCloseTo(1, 4);

    const exact = await searchExactly(grid, counters, [bases[name]], {}, exactHost);
    expect(exact).toMatchObject({ end: 'settled', steps: 0, reweighted: 0 });
    expect(exact.residual).toBeLessThan(1e-6);
    expect(sumOf(name, matrixOf({ traffic: () => exact.pairs }, grid)) / least).toBeCloseTo(1, 5);
  });

  it.each([
    ['cd', 'cs'],
    ['scd', 's'],
    ['i', 'scs'],
  ] as const)('tells what %s and %s each say of the traffic, and their entries of it', (...names) => {
    const random = new RandomStream(seed, `told ${names[0]}`);
    const x = Array.from({ length: ranks }, (_, i) =>
      Array.from({ length: ranks }, (_entry, j) => (i === j || random.nextBelow(3) > 0 ? 0 : 1 + random.nextBelow(9))),
    );
    const counters = countersOf(x);
    const shapes = names.map((name) => bases[name]);
    const grid = new PairGrid([{ hosts, rows: tableRows }], counters, shapes);
    const search = new Reconstruction(grid, counters, shapes);
    while (!search.isSettled && search.steps < 100_000) search.advance();
    const told = search.told();
    const shares = told.map(({ share }) => matrixOf({ traffic: () => share }, grid));
    const found = matrixOf(search, grid).flat();
    const sums = shares[0]!.flat().map((own, cell) => own + shares[1]!.flat()[cell]!);
    sums.forEach((sum, cell) => expect(sum).toBeCloseTo(found[cell]!, 9));
    told.forEach(({ entries }, i) => {
      const byDefinition = basisByDefinition[names[i]!](shares[i]!).flat();
      const own = matrixOf({ traffic: () => entries }, grid).flat();
      own.forEach((entry, cell) => expect(entry).toBeCloseTo(byDefinition[cell]!, 4));
    });
  });

  it('begins with traffic of a time before: nearer to the truth after as many steps, and in the end the same', () => {
    const random = new RandomStream(seed, 'start');
    const x = Array.from({ length: ranks }, (_, i) => Array.from({ length: ranks }, (_entry, j) => (i === j ? 0 : 5)));
    const counters = countersOf(x);
    const grid = new PairGrid([{ hosts, rows: tableRows }], counters, [bases.scd]);
    // a tenth more or less of each pair
    const before = Float64Array.from({ length: 2 * grid.places }, () => 5 * (0.9 + random.nextBelow(201) / 1000));
    const searches = [null, before].map((start) => new Reconstruction(grid, counters, [bases.scd], 0, start));
    const errors = (): number[] =>
      searches.map((search) =>
        Math.hypot(...matrixOf(search, grid).flatMap((row, i) => row.map((own, j) => own - x[i]![j]!))),
      );
    for (const search of searches) search.advance();
    expect(errors()[1]! / errors()[0]!).toBeLessThan(0.5);
    for (const search of searches) while (!search.isSettled && search.steps < 100_000) search.advance();
    for (const error of errors()) expect(error).toBeLessThan(1e-3);
  });

  it('weighed anew, fewer pairs are preferred to more that agree as well', () => {
    // by hand: 3 from 0 to 5 and 5 from 1 to 6 count like d and 2 + d of these, and 3 - d from 0 to 6 and from 1 to 5, on
    // one lane; the sum is the same for all d. Weights make it a line in d, whose ends are three pairs and two
    const x = unit(5, 0).map((row, i) => row.map((own, j) => 3 * own + (i === 6 && j === 1 ? 5 : 0)));
    const oneLane = { levels: new DrawnLevels(1, 1), map: new DrawnLanes(1, 1) };
    const rows = new PairRows(fabric, routeDmodK(tree), oneLane);
    const counters = new Float64Array(rows.count);
    for (const [to, from] of cells)
      for (let i = rows.open(hosts[from]!, hosts[to]!, null) - 1; i >= 0; i--)
        counters[rows.rows[i]!]! += x[to]![from]!;
    const grid = new PairGrid([{ hosts, rows }], counters, [bases.i]);
    const search = new Reconstruction(grid, counters, [bases.i]);
    const settle = (): number[] => {
      while (!search.isSettled && search.steps < 100_000) search.advance();
      return [...search.traffic()].filter((own) => own > 1e-3).sort((one, other) => one - other);
    };
    const [d, between, same, most] = settle() as [number, number, number, number];
    expect([d + between, d + same, most - d]).toEqual([3, 3, 2].map((own) => expect.closeTo(own, 4) as number));
    // where d is between its ends four pairs send; weights as of their own test
    const weights = search.traffic();
    weighAnew([weights], new Set(grid.rows).size);
    const [perLeast, perMost] = [d, most].map((own) => weights[search.traffic().indexOf(own)]!) as [number, number];
    const perOther = weights[search.traffic().indexOf(between)]!;
    const expected = perLeast + perMost - 2 * perOther > 0 ? [2, 3, 3] : [3, 5];
    search.reweight();
    expect(search.isSettled).toBe(false);
    expect(settle()).toEqual(expected.map((own) => expect.closeTo(own, 4) as number));
  });

  it('two bases share what is sent: a shift and a lone pair, of which either basis alone tells more', () => {
    const x = Array.from({ length: ranks }, (_, i) =>
      Array.from({ length: ranks }, (_entry, j) => (i === j + 1 ? 5 : i === 1 && j === 6 ? 7 : 0)),
    );
    const counters = countersOf(x);
    const shapes = [bases.cd, bases.i];
    const grid = new PairGrid([{ hosts, rows: tableRows }], counters, shapes);
    const search = new Reconstruction(grid, counters, shapes);
    while (!search.isSettled && search.steps < 100_000) search.advance();
    expect(search.isSettled).toBe(true);
    matrixOf(search, grid).forEach((row, i) => {
      row.forEach((own, j) => {
        expect(own).toBeCloseTo(x[i]![j]!, 4);
      });
    });
  });

  it('disturbed counters are met within their noise, with the least sum that is', () => {
    const random = new RandomStream(seed, 'noise');
    const noise = 0.05;
    const sent = [
      [5, 0, 10],
      [7, 0, 4],
    ] as const;
    const columns = sent.map(([to, from]) => countersOf(unit(to, from)));
    const counters = columns[0]!.map(
      (one, row) => (10 * one + 4 * columns[1]![row]!) * (1 + (noise * (random.nextBelow(101) - 50)) / 50),
    );
    const grid = new PairGrid([{ hosts, rows: tableRows }], counters, [bases.i]);
    const search = new Reconstruction(grid, counters, [bases.i], noise);
    while (!search.isSettled && search.steps < 100_000) search.advance();
    expect(search.isSettled).toBe(true);

    // least x_1 + x_2 with |A x - 1| <= noise sqrt(m), A = R / t: from least squares against (A' A)^-1 1, to the sphere
    const rows = [...counters.keys()].filter((row) => counters[row]! > 0);
    const scaled = columns.map((column) => rows.map((row) => column[row]! / counters[row]!));
    const [a, b, d] = [dot(scaled[0]!, scaled[0]!), dot(scaled[0]!, scaled[1]!), dot(scaled[1]!, scaled[1]!)];
    const solve = (p: number, q: number): number[] => [
      (d * p - b * q) / (a * d - b * b),
      (a * q - b * p) / (a * d - b * b),
    ];
    const nearest = solve(
      scaled[0]!.reduce((sum, own) => sum + own, 0),
      scaled[1]!.reduce((sum, own) => sum + own, 0),
    );
    const off = rows.reduce(
      (sum, _, i) => sum + (nearest[0]! * scaled[0]![i]! + nearest[1]! * scaled[1]![i]! - 1) ** 2,
      0,
    );
    const along = solve(1, 1);
    const far = Math.sqrt((noise * noise * rows.length - off) / (along[0]! + along[1]!));
    const found = matrixOf(search, grid);
    sent.forEach(([to, from], i) => {
      expect(found[to]![from]).toBeCloseTo(nearest[i]! - far * along[i]!, 2);
    });
  });
});

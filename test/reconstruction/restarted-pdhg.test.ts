// What the search finds beside an exact programme: the same least sum of |W x|, with counters that agree.

import { describe, expect, it } from 'vitest';
import { generatedFabric, routedFabric } from '../../src/app/routes/fabric-input.js';
import { RandomStream } from '../../src/base/random.js';
import { LinearProgram } from '../../src/exact/linear-program.js';
import { bases, PairGrid, type BasisName } from '../../src/reconstruction/pair-grid.js';
import { PairRows } from '../../src/reconstruction/pair-rows.js';
import { Reconstruction } from '../../src/reconstruction/restarted-pdhg.js';
import { routeDmodK } from '../../src/routing/d-mod-k.js';
import { DrawnLanes } from '../../src/routing/lane-maps.js';
import { DrawnLevels } from '../../src/routing/service-levels.js';
import { highsHere } from '../support/exact-routes.js';
import { basisByDefinition } from '../support/matrix-bases.js';
import { seed } from '../support/seed.js';

const { fabric, tree } = routedFabric(generatedFabric('leaf-spine', { leaves: 4, spines: 2, hostsPerLeaf: 2 })!);
const { hosts } = fabric;
const ranks = hosts.length;
const pairRows = new PairRows(fabric, routeDmodK(tree), {
  levels: new DrawnLevels(2, 1),
  map: new DrawnLanes(2, 1),
});
const cells = Array.from({ length: ranks * ranks }, (_, i) => [Math.floor(i / ranks), i % ranks] as const);

/** Counters of a matrix X(i, j), what j sends to i. */
function countersOf(x: readonly (readonly number[])[]): Float64Array {
  const counters = new Float64Array(pairRows.count);
  for (const [to, from] of cells) {
    const count = pairRows.open(hosts[from]!, hosts[to]!, null);
    for (let i = 0; i < count; i++) counters[pairRows.rows[i]!]! += x[to]![from]!;
  }
  return counters;
}

/** min sum of u with u >= W x >= -u, R x = t, x >= 0; W by what it makes of each unit matrix. */
async function leastByProgramme(name: BasisName, counters: Float64Array): Promise<number> {
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
      rows.set(row, [...(rows.get(row) ?? []), [x[cell]!, 1]]);
    }
  });
  for (const [row, terms] of rows) program.row(`t${row}`, terms, '=', counters[row]!);
  program.objectives.push({ name: 'sum', terms: sum });
  const { status, objective } = await highsHere.solve(program, 0, { seconds: 20 });
  expect(status).toBe('optimal');
  return objective;
}

function matrixOf(search: Reconstruction, grid: PairGrid): number[][] {
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

function dot(one: readonly number[], other: readonly number[]): number {
  return one.reduce((sum, own, i) => sum + own * other[i]!, 0);
}

describe(`the search (WEFT_SEED=${seed})`, () => {
  it.each(Object.keys(bases) as BasisName[])('%s: as little as HiGHS finds, of traffic that agrees', async (name) => {
    const random = new RandomStream(seed, name);
    // some pairs of few send, so that zeros of counters leave many out, and the matrix is not the only one that agrees
    const x = Array.from({ length: ranks }, (_, i) =>
      Array.from({ length: ranks }, (_entry, j) => (i === j || random.nextBelow(3) > 0 ? 0 : 1 + random.nextBelow(9))),
    );
    const counters = countersOf(x);
    const grid = new PairGrid([{ hosts, rows: pairRows }], counters, [bases[name]]);
    const search = new Reconstruction(grid, counters, [bases[name]]);
    while (!search.isSettled && search.steps < 100_000) search.advance();
    const found = matrixOf(search, grid);
    const told = countersOf(found);
    told.forEach((own, row) => {
      expect(own).toBeCloseTo(counters[row]!, 4);
    });
    expect(Math.min(...found.flat())).toBeGreaterThanOrEqual(0);
    const least = await leastByProgramme(name, counters);
    const sum = basisByDefinition[name](found)
      .flat()
      .reduce((total, own) => total + Math.abs(own), 0);
    expect(sum / least).toBeCloseTo(1, 4);
  });

  it('two bases share what is sent: a shift and a lone pair, of which either basis alone tells more', () => {
    const x = Array.from({ length: ranks }, (_, i) =>
      Array.from({ length: ranks }, (_entry, j) => (i === j + 1 ? 5 : i === 1 && j === 6 ? 7 : 0)),
    );
    const counters = countersOf(x);
    const shapes = [bases.cd, bases.i];
    const grid = new PairGrid([{ hosts, rows: pairRows }], counters, shapes);
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
    const grid = new PairGrid([{ hosts, rows: pairRows }], counters, [bases.i]);
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

// Counters of pairs by a walk of the test's own, and bases by their definitions, entry by entry of the matrix.

import { describe, expect, it } from 'vitest';
import { generatedFabric, routedFabric } from '../../src/app/routes/fabric-input.js';
import { RandomStream } from '../../src/base/random.js';
import { bases, dictionaryOf, PairGrid, type BasisName } from '../../src/reconstruction/pair-grid.js';
import { PairRows } from '../../src/reconstruction/pair-rows.js';
import { routeDmodK } from '../../src/routing/d-mod-k.js';
import { DrawnLanes, SteadyLanes } from '../../src/routing/lane-maps.js';
import { DrawnLevels } from '../../src/routing/service-levels.js';
import { basisByDefinition } from '../support/matrix-bases.js';
import { seed } from '../support/seed.js';

const { fabric, tree } = routedFabric(generatedFabric('leaf-spine', { leaves: 4, spines: 2, hostsPerLeaf: 2 })!);
const tables = routeDmodK(tree);
const oneLane = new PairRows(fabric, tables, { levels: new DrawnLevels(1, 1), map: new SteadyLanes(1) });
/** Nothing is left out: every counter counted. */
const all = new Float64Array(oneLane.count).fill(1);

describe('counters of a pair', () => {
  it('are those of the ports that send on its way', () => {
    for (const from of fabric.hosts)
      for (const to of fabric.hosts) {
        if (from === to) continue;
        const way: number[] = [];
        let node = from;
        while (node !== to) {
          const port = tables.rowOf[node] === -1 ? fabric.portOffset[node]! : tables.port(node, to);
          way.push(port);
          node = fabric.portNode[fabric.portPeer[port]!]!;
        }
        const count = oneLane.open(from, to, null);
        expect([...oneLane.rows.subarray(0, count)]).toEqual(way);
      }
  });

  it('are of one lane each, which pair and ports decide', () => {
    const rows = new PairRows(fabric, tables, { levels: new DrawnLevels(5, 1), map: new DrawnLanes(5, 1) });
    const [from, to] = [fabric.hosts[0]!, fabric.hosts[7]!];
    const count = rows.open(from, to, null);
    const first = [...rows.rows.subarray(0, count)];
    oneLane.open(from, to, null);
    expect(first.map((row) => Math.floor(row / 5))).toEqual([...oneLane.rows.subarray(0, count)]);
    rows.open(from, to, null);
    expect([...rows.rows.subarray(0, count)]).toEqual(first);
  });

  it('leave a pair out that touches one of nothing, and are not asked for where none was read', () => {
    const [from, to] = [fabric.hosts[0]!, fabric.hosts[7]!];
    oneLane.open(from, to, null);
    const [, second, third] = oneLane.rows;
    const counters = all.slice();
    counters[second!] = NaN;
    expect(oneLane.open(from, to, counters)).toBe(3);
    expect([...oneLane.rows.subarray(0, 3)]).not.toContain(second);
    counters[third!] = 0;
    expect(oneLane.open(from, to, counters)).toBe(0);
    expect(oneLane.open(to, from, counters)).toBe(4);
  });
});

describe(`bases (WEFT_SEED=${seed})`, () => {
  it.each(Object.keys(bases) as BasisName[])('%s is what its definition says', (name) => {
    const ranks = 8;
    const random = new RandomStream(seed, name);
    const x = Array.from({ length: ranks }, (_, i) =>
      Array.from({ length: ranks }, (_entry, j) => (i === j ? 0 : random.nextBelow(5))),
    );
    const shape = bases[name];
    const grid = new PairGrid([{ hosts: fabric.hosts, rows: oneLane }], all, [shape]);
    expect([grid.places, grid.openPairs]).toEqual([(ranks * (ranks - 1)) / 2, ranks * (ranks - 1)]);
    const [links] = grid.links;
    const valueAt = (place: number): [number, number] => {
      const [low, high] = [grid.first[place]!, grid.first[place]! + grid.offset[place]!];
      // what the lower rank sends to the higher one stands below the diagonal
      return [x[high]![low]!, x[low]![high]!];
    };
    const told = (place: number): [number, number] => {
      const [there, back] = valueAt(place);
      return shape.isSymmetric ? [there + back, back - there] : [there, back];
    };
    const expected = basisByDefinition[name](x);
    for (let place = 0; place < grid.places; place++) {
      const [low, high] = [grid.first[place]!, grid.first[place]! + grid.offset[place]!];
      const before = links?.before[place] ?? -1;
      const [one, other] = told(place);
      const [lastOne, lastOther] = before === -1 ? [0, 0] : told(before);
      expect([one - lastOne, other - lastOther]).toEqual([expected[high]![low], expected[low]![high]]);
    }
  });

  it('keeps what was open and the places behind it, in which a difference ends', () => {
    // host 0 sends to host 2 alone: the place (offset 2, first 0), and behind it (2, 1) and, of quarters, (2, 4)
    const counters = new Float64Array(oneLane.count);
    const count = oneLane.open(fabric.hosts[0]!, fabric.hosts[2]!, null);
    for (let i = 0; i < count; i++) counters[oneLane.rows[i]!] = 1;
    const places = (names: readonly BasisName[]) => {
      const grid = new PairGrid(
        [{ hosts: fabric.hosts, rows: oneLane }],
        counters,
        names.map((name) => bases[name]),
      );
      return { open: grid.openPairs, places: [...grid.first].map((first, i) => [grid.offset[i], first]) };
    };
    expect(places(['s'])).toEqual({ open: 1, places: [[2, 0]] });
    expect(places(['cd'])).toEqual({
      open: 1,
      places: [
        [2, 0],
        [2, 1],
      ],
    });
    expect(places(['cs'])).toEqual({
      open: 1,
      places: [
        [2, 0],
        [2, 4],
      ],
    });
  });

  it.each(Object.keys(bases) as BasisName[])('%s tells each job as if it were alone', (name) => {
    // the first four hosts, and the last three: no power of two, where CS tells every pair by itself
    const jobs = [fabric.hosts.slice(0, 4), fabric.hosts.slice(5)];
    const blocks = jobs.map((hosts) => ({ hosts, rows: oneLane }));
    const together = new PairGrid(blocks, all, [bases[name]]);
    const alone = blocks.map((block) => new PairGrid([block], all, [bases[name]]));
    expect(together.openPairs).toBe(4 * 3 + 3 * 2);
    let [places, rows, ranks] = [0, 0, 0];
    alone.forEach((own, job) => {
      const end = places + own.places;
      expect([...together.first.subarray(places, end)]).toEqual([...own.first].map((first) => first + ranks));
      expect([...together.offset.subarray(places, end)]).toEqual([...own.offset]);
      const moved = Array.from(together.rows.subarray(rows, rows + own.rows.length), (row) => together.counterOf[row]);
      expect(moved).toEqual(Array.from(own.rows, (row) => own.counterOf[row]));
      const links = together.links[0]?.before.subarray(places, end);
      const isToldAlone = name.endsWith('cs') && job === 1;
      if (links !== undefined)
        expect([...links]).toEqual(
          [...own.links[0]!.before].map((place) => (place === -1 || isToldAlone ? -1 : place + places)),
        );
      [places, rows, ranks] = [end, rows + own.rows.length, ranks + jobs[job]!.length];
    });
    expect([together.places, together.rows.length]).toEqual([places, rows]);
  });

  it('od is S.CD with S.CS where ranks are a power of two, else with S', () => {
    expect(dictionaryOf('od', 512)).toEqual(['scd', 'scs']);
    expect(dictionaryOf('od', 168)).toEqual(['scd', 's']);
    expect(dictionaryOf('scd+i', 168)).toEqual(['scd', 'i']);
    expect(dictionaryOf('fourier', 168)).toBe(null);
  });
});

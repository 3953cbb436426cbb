// What comes next in a loop of measuring and routing: tables that were measured beside those that are predicted.

import { describe, expect, it } from 'vitest';
import {
  chooseTables,
  firstTables,
  isSameTraffic,
  predictedLoads,
  summed,
  type Candidate,
  type TriedTables,
} from '../../src/app/adapt/choose-tables.js';
import { recogniseFatTree } from '../../src/fabric/fat-tree.js';
import type { RoutedFabric } from '../../src/fabric/routed-fabric.js';
import { TrafficBuilder, type Traffic } from '../../src/flows/traffic/matrix.js';
import { routeDmodK } from '../../src/routing/d-mod-k.js';
import { ForwardingTables } from '../../src/routing/forwarding-tables.js';
import { identifiedTree } from '../support/infiniband.js';

const { fabric } = identifiedTree('fat-tree', { k: 2 });
const tried = (epoch: number, measured: number): TriedTables => ({
  epoch,
  tables: new ForwardingTables(fabric),
  measured,
  ends: { byHost: Float64Array.of(1), byLane: Float64Array.of(1), lanes: 1 },
  loads: Float64Array.of(measured),
  told: null,
});
const candidate = (predicted: number, kind: Candidate['kind'] = 'new', otherwise = predicted): Candidate => ({
  kind,
  tables: new ForwardingTables(fabric),
  predicted,
  otherwise,
});

/** Two hosts that send by one of two lanes. */
const epoch = (byHost: number[], byLane: number[], loads: number[], tables = tried(0, 1).tables): TriedTables => ({
  ...tried(0, 1),
  tables,
  ends: { byHost: Float64Array.from(byHost), byLane: Float64Array.from(byLane), lanes: 2 },
  loads: Float64Array.from(loads),
});

/** A pair that sends 100 bytes. */
const pair = (from: number, to: number): Traffic => {
  const builder = new TrafficBuilder(fabric.hosts.length, 'bytes');
  builder.add(from, to, 100);
  const { hostCount } = builder;
  return { name: '', hostCount, unit: 'bytes', note: '', phases: [{ name: '', matrix: builder.build() }] };
};

describe('chooseTables', () => {
  it('takes new tables whose gain is above what predictions may be wrong by', () => {
    const [now, better] = [tried(0, 10), candidate(6)];
    expect(chooseTables(now, [now], [better, candidate(8, 'ftree')], 0.3)).toMatchObject({
      kind: 'new',
      tables: better.tables,
      ofEpoch: null,
      gain: 0.4,
    });
  });

  it('keeps tables where the gain is not above that, or there is none', () => {
    const now = tried(3, 10);
    expect(chooseTables(now, [now], [candidate(6)], 0.5)).toMatchObject({ kind: 'keep', ofEpoch: 3, expected: 10 });
    expect(chooseTables(now, [now], [candidate(10)], 0)).toMatchObject({ kind: 'keep' });
    expect(chooseTables(now, [now], [], 0)).toMatchObject({ kind: 'keep', gain: null });
  });

  it('keeps tables where other traffic that agrees with the counters leaves nothing of the gain', () => {
    const now = tried(0, 10);
    expect(chooseTables(now, [now], [candidate(6, 'new', 9)], 0.1)).toMatchObject({ kind: 'new', uncertainty: 0.3 });
    expect(chooseTables(now, [now], [candidate(6, 'new', 11)], 0.1)).toMatchObject({ kind: 'keep', uncertainty: 0.5 });
  });

  it('returns to tables whose measured load was less, whatever was predicted of those in use', () => {
    const [before, now] = [tried(0, 10), tried(1, 14)];
    expect(chooseTables(now, [before, now], [candidate(9)], 0.2)).toMatchObject({
      kind: 'return',
      tables: before.tables,
      ofEpoch: 0,
      expected: 10,
    });
  });

  it('measures a gain against the best that was in use, not against the present', () => {
    const [before, now] = [tried(0, 10), tried(1, 20)];
    expect(chooseTables(now, [before, now], [candidate(9.5)], 0.1).gain).toBeCloseTo(0.05, 12);
  });
});

describe('isSameTraffic', () => {
  const source = { fabric, tree: recogniseFatTree(fabric).tree! } as RoutedFabric;
  const other = routeDmodK(source.tree);
  const one = epoch([100, 50, 50, 100], [100, 0, 0, 50], [70, 30]);

  it.each([
    ['links carried the same under the same tables', epoch([101, 50, 50, 100], [1, 100, 50, 0], [70, 31]), true],
    ['links carried something else under the same tables', epoch([100, 50, 50, 100], [100, 0, 0, 50], [30, 70]), false],
    ['hosts sent something else', epoch([50, 100, 100, 50], [50, 0, 0, 100], [70, 30]), false],
    ['hosts sent the same by lane', epoch([100, 50, 50, 100], [100, 0, 0, 51], [30, 70], other), true],
    ['hosts sent the same, but not by lane', epoch([100, 50, 50, 100], [0, 100, 0, 50], [30, 70], other), false],
  ])('%s', (_, second, isSame) => {
    expect([isSameTraffic(source, one, second), isSameTraffic(source, second, one)]).toEqual([isSame, isSame]);
  });

  it('asks what was found where other tables were in use and lanes tell nothing', () => {
    const loads = summed(predictedLoads(source, other, pair(0, 1)));
    expect(loads.reduce((sum, own) => sum + own, 0)).toBeGreaterThan(0);
    const second = { ...epoch([100, 50, 50, 100], [0, 100, 0, 50], [], other), loads };
    expect(isSameTraffic(source, { ...one, told: pair(0, 1) }, second)).toBe(true);
    expect(isSameTraffic(source, { ...one, told: pair(1, 0) }, second)).toBe(false);
  });
});

it('returns to the tables that a loop began with', () => {
  const [first, now] = [tried(0, 10), { ...tried(1, 4), tables: routeDmodK(recogniseFatTree(fabric).tree!) }];
  expect(firstTables(now, first)).toMatchObject({ kind: 'return', tables: first.tables, ofEpoch: 0 });
  expect(firstTables(first, first)).toMatchObject({ kind: 'keep', tables: first.tables });
});

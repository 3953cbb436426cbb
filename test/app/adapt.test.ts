// What comes next in a loop of measuring and routing: tables that were measured beside those that are predicted.

import { describe, expect, it } from 'vitest';
import { chooseTables, isSameTraffic, type Candidate, type TriedTables } from '../../src/app/adapt/choose-tables.js';
import { ForwardingTables } from '../../src/routing/forwarding-tables.js';
import { identifiedTree } from '../support/infiniband.js';

const { fabric } = identifiedTree('fat-tree', { k: 2 });
const tried = (epoch: number, measured: number): TriedTables => ({
  epoch,
  tables: new ForwardingTables(fabric),
  measured,
  ends: Float64Array.of(1),
});
const candidate = (predicted: number, kind: Candidate['kind'] = 'new', otherwise = predicted): Candidate => ({
  kind,
  tables: new ForwardingTables(fabric),
  predicted,
  otherwise,
});

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

it('takes epochs in which hosts sent and took in the same as of the same traffic', () => {
  const [a, b] = [Float64Array.of(100, 50, 20), Float64Array.of(101, 50, 20)];
  expect(isSameTraffic(a, b)).toBe(true);
  expect(isSameTraffic(a, Float64Array.of(50, 100, 20))).toBe(false);
});

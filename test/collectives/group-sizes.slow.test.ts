// Groups of parallelism, whatever the sizes and the order: every rank is in one group of a kind.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Dimension,
  dimensions,
  explicitGroupProblems,
  groupKinds,
  parallelGroups,
  parallelProblems,
} from '../../src/collectives/parallel-groups.js';
import { rounds } from '../support/rounds.js';
import { seed } from '../support/seed.js';

function lists(groups: readonly Int32Array[]): number[][] {
  return groups.map((group) => Array.from(group));
}

/** Ranks in both. */
function shared(a: readonly number[], b: readonly number[]): number {
  return a.filter((rank) => b.includes(rank)).length;
}

describe('groups of parallelism', () => {
  it(`have every rank in one group of a kind, whatever the sizes and the order (WEFT_SEED=${seed})`, () => {
    const size = fc.integer({ min: 1, max: 5 });
    const order = fc.shuffledSubarray([...dimensions], { minLength: 4, maxLength: 4 }) as fc.Arbitrary<Dimension[]>;
    fc.assert(
      fc.property(size, size, size, size, order, (tensor, expert, dataExpert, pipeline, dimensionOrder) => {
        const sizes = { tensor, data: expert * dataExpert, pipeline, expert, context: dataExpert };
        const count = tensor * expert * dataExpert * pipeline;
        expect(parallelProblems(sizes, count)).toEqual([]);
        const wanted = {
          tp: tensor,
          dp: expert * dataExpert,
          pp: pipeline,
          ep: expert,
          dp_ep: dataExpert,
          cp: dataExpert,
        };
        const all = new Map(
          groupKinds.map((kind) => [kind, lists(parallelGroups(kind, sizes, dimensionOrder))] as const),
        );
        for (const [kind, groups] of all) {
          expect(explicitGroupProblems(kind, groups, count)).toEqual([]);
          expect(new Set(groups.map(({ length }) => length))).toEqual(new Set([wanted[kind]]));
          for (const group of groups) expect(group.slice().sort((a, b) => a - b)).toEqual(group);
        }
        // groups of different dimensions share one rank at most; EP and DP_EP groups lie within DP groups
        for (const tp of all.get('tp')!) for (const dp of all.get('dp')!) expect(shared(tp, dp)).toBeLessThanOrEqual(1);
        for (const ep of all.get('ep')!) {
          expect(all.get('dp')!.some((dp) => shared(ep, dp) === ep.length)).toBe(true);
          for (const dataGroup of all.get('dp_ep')!) expect(shared(ep, dataGroup)).toBeLessThanOrEqual(1);
        }
      }),
      { seed, numRuns: rounds(60) },
    );
  });
});

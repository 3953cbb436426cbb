// Collisions of known paths, against every pair of flows looked at.

import { describe, expect, it } from 'vitest';
import {
  concurrentOverlap,
  staticOverlap,
  type FlowPaths,
  type TierOverlap,
} from '../../src/measurement/flow-overlap.js';
import { seed } from '../support/seed.js';

const tiers = {
  names: ['up', 'down'],
  tierOf: Int16Array.from({ length: 20 }, (_, port) => (port % 4) - 1).map((t) => (t > 1 ? -1 : t)),
};

function random(state: { value: number }): number {
  state.value = (Math.imul(state.value, 1_664_525) + 1_013_904_223) >>> 0;
  return state.value / 2 ** 32;
}

function randomPaths(from: number): FlowPaths {
  const state = { value: from >>> 0 };
  const flows = 1 + Math.floor(random(state) * 30);
  const offsets = new Int32Array(flows + 1);
  const ports: number[] = [];
  const startPs = new Float64Array(flows);
  const finishPs = new Float64Array(flows);
  for (let flow = 0; flow < flows; flow++) {
    const own = new Set(Array.from({ length: Math.floor(random(state) * 4) }, () => Math.floor(random(state) * 20)));
    ports.push(...own);
    offsets[flow + 1] = ports.length;
    startPs[flow] = Math.floor(random(state) * 12);
    finishPs[flow] = startPs[flow]! + Math.floor(random(state) * 6);
  }
  return { flows, offsets, ports: Int32Array.from(ports), startPs, finishPs };
}

/** Pairs, flows and links by looking at every two flows. */
function byPairs(paths: FlowPaths, counts: (tier: number) => boolean, atOneTime: boolean) {
  const portsOf = (flow: number): number[] =>
    Array.from(paths.ports.slice(paths.offsets[flow], paths.offsets[flow + 1])).filter((port) =>
      counts(tiers.tierOf[port]!),
    );
  const shared = new Set<number>();
  const flows = new Set<number>();
  let flowPairs = 0;
  for (let a = 0; a < paths.flows; a++)
    for (let b = 0; b < a; b++) {
      const [from, until] = [
        Math.max(paths.startPs[a]!, paths.startPs[b]!),
        Math.min(paths.finishPs[a]!, paths.finishPs[b]!),
      ];
      if (atOneTime && from >= until) continue;
      const common = portsOf(a).filter((port) => portsOf(b).includes(port));
      if (common.length === 0) continue;
      flowPairs++;
      flows.add(a).add(b);
      for (const port of common) shared.add(port);
    }
  return { flowPairs, flows: flows.size, sharedLinks: shared.size };
}

const figures = ({ flowPairs, flows, sharedLinks }: TierOverlap) => ({ flowPairs, flows, sharedLinks });

describe('collisions of known paths', () => {
  it(`are those of every two flows (seed ${seed})`, () => {
    for (let i = 0; i < 300; i++) {
      const paths = randomPaths(seed + i);
      for (const [overlap, atOneTime] of [
        [staticOverlap(paths, tiers), false],
        [concurrentOverlap(paths, tiers), true],
      ] as const) {
        expect(figures(overlap.all), `case ${i}`).toEqual(byPairs(paths, (tier) => tier >= 0, atOneTime));
        for (const [tier, own] of overlap.tiers.entries())
          expect(figures(own), `case ${i}`).toEqual(byPairs(paths, (t) => t === tier, atOneTime));
      }
    }
  });

  it('a flow that begins when another ends does not meet it; the most on a link are those at one time', () => {
    const paths = {
      flows: 3,
      offsets: Int32Array.of(0, 1, 2, 3),
      ports: Int32Array.of(1, 1, 1),
      startPs: Float64Array.of(0, 10, 5),
      finishPs: Float64Array.of(10, 20, 6),
    };
    expect(concurrentOverlap(paths, tiers).all).toEqual({
      tier: 'all',
      usedLinks: 1,
      sharedLinks: 1,
      mostFlows: 2,
      flows: 2,
      flowPairs: 1,
      exact: true,
    });
    expect(staticOverlap(paths, tiers).all).toMatchObject({ mostFlows: 3, flows: 3, flowPairs: 3 });
  });
});

// Estimates from sampled packets over 200 seeds: their mean is the truth and their spread what theory says, link by link.

import { expect, describe, it } from 'vitest';
import type { Fabric } from '#weft/fabric/fabric.js';
import { equalCostRoutes } from '#weft/routing/equal-cost.js';
import { PossibleLinks } from '#weft/sampling/possible-links.js';
import { generateFabric } from '#weft/fabric/generators/catalogue.js';
import { drawJourneys, sampleJourneys, truthOf, type Estimates } from '../../validation/sampling/journeys.js';
import { seed } from '../support/seed.js';

const fabric: Fabric = generateFabric('fat-tree', { k: 4 });
const routes = equalCostRoutes(fabric, { nextHopOrder: 'descending-node-id', withinServers: 'nvlink' });
const journeys = drawJourneys(routes, 150, seed);
const seeds = 200;
const possible = new PossibleLinks(fabric, () => routes);

function* possibleOf(source: number, destination: number): Iterable<number> {
  yield fabric.portOffset[source]!;
  yield fabric.portPeer[fabric.portOffset[destination]!]!;
  yield* possible.between(source, destination);
}

const truth = truthOf(journeys, possibleOf);

/** Runs all seeds; per port the mean of an estimate and its mean square distance from the truth. */
function spread(estimates: readonly Estimates[], of: 'traffic' | 'congested', exact: Float64Array) {
  const mean = exact.map((_, port) => estimates.reduce((sum, each) => sum + each[of][port]!, 0) / estimates.length);
  const square = exact.map(
    (value, port) => estimates.reduce((sum, each) => sum + (each[of][port]! - value) ** 2, 0) / estimates.length,
  );
  return { mean, square };
}

describe(`seed ${seed}`, () => {
  it('no packet takes a link that its receiver does not test', () => {
    let untested = 0;
    for (let packet = 0; packet < journeys.packets; packet++) {
      const tested = new Set(possibleOf(journeys.source[packet]!, journeys.destination[packet]!));
      for (let i = journeys.first[packet]!; i < journeys.first[packet + 1]!; i++)
        if (!tested.has(journeys.ports[i]!)) untested++;
    }
    expect(untested).toBe(0);
  });

  it.each(['standard', 'one-bit'] as const)('%s is unbiased, and as wide as theory says', (variant) => {
    const estimates = Array.from({ length: seeds }, (_, i) => sampleJourneys(journeys, { variant }, seed + i));
    for (const of of ['traffic', 'congested'] as const) {
      const exact = truth[of === 'traffic' ? 'packets' : 'congested'];
      const { mean, square } = spread(estimates, of, exact);
      let ratios = 0;
      let links = 0;
      for (let port = 0; port < fabric.portCount; port++) {
        if (truth.possible[port] === 0) {
          expect(mean[port]).toBe(0);
          continue;
        }
        // standard: sum of l - 1 over N (M); one-bit: sum of l^2 over Q less N; of congested ones how many of Q met
        // congestion at the link in their reservoir is another chance, so the mean of what was estimated stands for it
        const variance =
          variant === 'standard'
            ? (of === 'traffic' ? truth.lengths : truth.congestedLengths)[port]! - exact[port]!
            : of === 'traffic'
              ? truth.possibleSquares[port]! - exact[port]!
              : estimates.reduce((sum, each) => sum + each.congestedError[port]! ** 2, 0) / seeds;
        if (variance <= 0) continue;
        // 5 standard errors: one of 10,000 such tests fails by chance in 170
        expect(Math.abs(mean[port]! - exact[port]!)).toBeLessThan(5.5 * Math.sqrt(variance / seeds));
        ratios += square[port]! / variance;
        links++;
      }
      expect(links).toBeGreaterThan(30);
      // some 100 links x 200 seeds: the mean of the squares is known to 1 or 2 %
      expect(ratios / links).toBeGreaterThan(0.9);
      expect(ratios / links).toBeLessThan(1.1);
    }
  });
});

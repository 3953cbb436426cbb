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
const possible = new PossibleLinks(routes);

function* possibleOf(source: number, destination: number): Iterable<number> {
  yield fabric.portOffset[source]!;
  yield fabric.portPeer[fabric.portOffset[destination]!]!;
  for (const part of possible.between(source, destination)) yield* part.links;
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

/**
 * The congested fraction F of a link: its mean is M / N, and its variance, to first order, the sum over N of l - 1, by
 * (1 - M / N)^2 of those that met congestion and by (M / N)^2 of the others, over N^2. With one l that is the source's
 * (l - 1) (M / N)^2 (1 / M - 1 / N).
 */
function expectFractions(estimates: readonly Estimates[]): void {
  let ratios = 0;
  let bias = 0;
  let links = 0;
  for (const [port, packets] of truth.packets.entries()) {
    const share = truth.congested[port]! / packets;
    // so many samples that the second order is small
    if (packets < 140 || share < 0.1 || share > 0.9) continue;
    const marked = truth.congestedLengths[port]! - truth.congested[port]!;
    const others = truth.lengths[port]! - packets - marked;
    const variance = ((1 - share) ** 2 * marked + share ** 2 * others) / packets ** 2;
    let [square, mean] = [0, 0];
    for (const { congested, traffic } of estimates) {
      const off = congested[port]! / traffic[port]! - share;
      square += (off * off) / seeds;
      mean += off / seeds;
    }
    ratios += square / variance;
    bias += mean / Math.sqrt(variance / seeds);
    links++;
  }
  expect(links).toBeGreaterThan(15);
  // 15 links x 200 seeds: known to 3 %; the second order adds 1 / samples, some 5 %
  expect(ratios / links).toBeGreaterThan(0.88);
  expect(ratios / links).toBeLessThan(1.2);
  // standard normal over the root of the links; the source's bias 2 M (l - 1) / N^2 would be 2 and more each
  expect(Math.abs(bias / Math.sqrt(links))).toBeLessThan(4.5);
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
    if (variant === 'standard') expectFractions(estimates);
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

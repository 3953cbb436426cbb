// The rules of thumb of Taffet's dissertation 2.3.4, each on a picture made for it.

import { describe, expect, it } from 'vitest';
import {
  congestedFraction,
  congestionRoots,
  isDarkAndThin,
  isFull,
  isInteriorCongestion,
  isScattered,
  upAndDown,
} from '../../src/diagnosis/rules.js';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';

/** hosts 0 to 3, leaves 4 and 5, spines 6 and 7 */
const fabric = generateFabric('leaf-spine', { leaves: 2, spines: 2, hostsPerLeaf: 2 });

const column = (): Float64Array => new Float64Array(fabric.portCount);

/** A picture: of links by their ends congested fraction and utilisation; others carry nothing. */
function picture(links: readonly (readonly [from: number, to: number, fraction: number, utilisation: number])[]) {
  const seen = { traffic: column(), congested: column(), utilisation: column() };
  for (const [from, to, fraction, utilisation] of links) {
    const port = portTo(from, to);
    seen.traffic[port] = 1000 * utilisation;
    seen.congested[port] = 1000 * utilisation * fraction;
    seen.utilisation[port] = utilisation;
  }
  return seen;
}

function portTo(from: number, to: number): number {
  for (let port = fabric.portOffset[from]!; port < fabric.portOffset[from + 1]!; port++)
    if (fabric.portNeighbour[port] === to) return port;
  throw new Error(`no link from ${from} to ${to}`);
}

describe('links', () => {
  const seen = picture([
    [4, 6, 0.9, 0.12],
    [4, 7, 0.9, 0.95],
    [6, 5, 0.1, 0.3],
  ]);

  it('dark and thin: others', () => {
    expect([portTo(4, 6), portTo(4, 7), portTo(6, 5)].map((port) => isDarkAndThin(seen, port))).toEqual([
      true,
      false,
      false,
    ]);
    expect([portTo(4, 6), portTo(4, 7)].map((port) => isFull(seen, port))).toEqual([false, true]);
  });

  it('says nothing of a link with hardly any packets', () => {
    expect(congestedFraction(picture([[4, 6, 1, 0.01]]), portTo(4, 6))).toBe(0);
    expect(congestedFraction(seen, portTo(4, 6))).toBeCloseTo(0.9);
  });
});

it('finds the root S of Fig. 2.2: dark on three hops, light on the fourth', () => {
  const seen = picture([
    [0, 4, 0.86, 0.12],
    [4, 6, 1, 0.12],
    [6, 5, 0.94, 0.12],
    [5, 2, 0.06, 0.12],
  ]);
  expect(congestionRoots(fabric, seen)).toEqual([{ node: 5, port: portTo(6, 5) }]);
});

it('finds a host that is a root: its link is dark, and nothing lies behind', () => {
  const seen = picture([
    [0, 4, 0.8, 0.5],
    [4, 1, 0.9, 1],
  ]);
  expect(congestionRoots(fabric, seen)).toEqual([{ node: 1, port: portTo(4, 1) }]);
});

it.each([
  ['up darker than down', 0.95, 0.54, true],
  ['both alike', 0.5, 0.5, false],
  ['down darker', 0.2, 0.6, false],
] as const)('interior congestion: %s', (_, up, down, wanted) => {
  const seen = picture([
    [4, 6, up, 0.5],
    [4, 7, up, 0.5],
    [6, 5, down, 0.5],
    [7, 5, down, 0.5],
  ]);
  expect(upAndDown(fabric, seen).up).toBeCloseTo(up);
  expect(upAndDown(fabric, seen).down).toBeCloseTo(down);
  expect(isInteriorCongestion(fabric, seen)).toBe(wanted);
});

it('scattered: one dark link of four is, four of four are not', () => {
  const links = [
    [4, 6],
    [4, 7],
    [6, 5],
    [7, 5],
  ] as const;
  const one = picture(links.map(([from, to], i) => [from, to, i === 0 ? 0.9 : 0.05, 0.5]));
  const all = picture(links.map(([from, to]) => [from, to, 0.9, 0.5]));
  expect([isScattered(fabric, one), isScattered(fabric, all)]).toEqual([true, false]);
});

// The checker of ways that packets choose: every row is on a shortest way, nothing is missing, and no flow is faster than
// its ports together.

import { describe, expect, it } from 'vitest';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import type { HopRow } from '../../validation/engine-run.js';
import { leastSpreadPs, spreadPathOf } from '../../validation/spread-paths.js';

// hosts 0 and 1 below leaves 2 and 3, spines 4 and 5: each leaf's interface 1 is its host, 2 and 3 are the spines
const fabric = generateFabric('leaf-spine', { leaves: 2, spines: 2, hostsPerLeaf: 1 });
const row = (hop: number, node: number, port: number): HopRow =>
  ({ flow: 0, source: 0, destination: 1, sourcePort: 7, destinationPort: 8, hop, node, interface: port }) as HopRow;
const both = [row(0, 2, 2), row(0, 2, 3), row(1, 4, 2), row(1, 5, 2), row(2, 3, 1)];
const pathOf = (rows: readonly HopRow[]) => spreadPathOf(fabric, 0, 1, rows);

describe('ways that packets choose', () => {
  it('may go over several ports at one hop', () => {
    const path = pathOf(both);
    expect(typeof path === 'string' ? path : path.portsByDistance.map((ports) => ports.length)).toEqual([0, 1, 2, 2]);
  });

  it.each([
    ['a hop without a way there', [row(0, 2, 2), row(1, 5, 2), row(2, 3, 1)], /hop 1 is node 5, which no hop/],
    ['a hop that is not there', [row(0, 2, 2), row(2, 3, 1)], /hop 1 is missing/],
    ['a way back', [...both, row(1, 4, 1)], /no nearer to host 1/],
    ['a hop too many', [...both, row(3, 2, 1)], /a hop is not one of 3/],
    ['the same port twice', [...both, row(0, 2, 2)], /twice/],
    ['no such port', [...both, row(1, 4, 9)], /no interface 9/],
  ])('are refused with %s', (_what, rows, problem) => {
    expect(pathOf(rows)).toMatch(problem);
  });

  it('are as fast as all their ports together, where they are narrowest', () => {
    const path = pathOf(both);
    if (typeof path === 'string') throw new Error(path);
    const rateBps = fabric.linkRateBps[fabric.portLink[path.portsByDistance[1]![0]!]!]!;
    // the last link alone carries everything, and one packet went over two others before
    expect(leastSpreadPs(fabric, [path], 100_000, 1000)).toBeCloseTo((102_000 * 8e12) / rateBps, 0);
  });
});

// Patterns that stand for the mini-applications of Table 3.1 of Taffet's dissertation (docs/SOURCES.md). Its traces
// are not at hand: shapes, orders of ranks and numbers of pairs follow its text and Tables 3.1 and 4.1, weights are
// chosen (a face carries n^2, an edge n, a corner 1). SYNTHETIC: results on them are no reproduction. Pairs per job,
// here and in Table 3.1: LULESH 10,136 and 10,136; PARTISN 950 and 950; BoxLib MG C 21,240 and 21,240; BoxLib CNS
// 74,308 and 74,308; MultiGrid C 10,250 and 10,448; Nekbone 28,408 and 30,230; AMG 132,450 and 136,886.

import { RandomStream } from '../../base/random.js';
import { faceNeighbour, mortonLattice, rowMajorLattice, sendToNeighbours, type PairVisitor } from './lattice.js';
import type { TrafficPattern } from './synthetic-patterns.js';

/** Sides of a rank's block of cells, in cells: a face carries the square of it. */
const blockSide = 32;

function miniApp(
  name: string,
  ranks: number,
  description: string,
  send: (send: PairVisitor, seed: number) => void,
): TrafficPattern {
  return {
    name,
    ranks,
    description: `${ranks} ranks, synthetic: ${description}`,
    synthetic: true,
    phases: ['all'],
    problem: (given) => (given === ranks ? null : `has ${ranks} ranks`),
    send: (_, seed, __, to) => {
      send(to, seed);
    },
  };
}

/** What a rank sends to a neighbour: n^2 across a face, n across an edge, 1 across a corner. @param side n, in cells */
export function haloWeight(dx: number, dy: number, dz: number, side = blockSide): number {
  const outside = Math.abs(dx) + Math.abs(dy) + Math.abs(dz);
  return outside === 1 ? side * side : outside === 2 ? side : outside === 3 ? 1 : 0;
}

/** Lagrangian hydrodynamics: 27-point stencil on 8 x 8 x 8. */
const lulesh = miniApp('lulesh', 512, '27-point stencil on 8 x 8 x 8', (send) => {
  sendToNeighbours(rowMajorLattice([8, 8, 8]), haloWeight, send);
});

/** Neutron transport: 4-point stencil, 14 wide and 12 high; all exchange with rank 0, and not the same both ways. */
const partisn = miniApp('partisn', 168, '4-point stencil on 14 x 12, all exchange with rank 0', (send) => {
  sendToNeighbours(rowMajorLattice([14, 12, 1]), (dx, dy, dz) => 1000 * faceNeighbour(dx, dy, dz), send);
  for (let rank = 1; rank < 168; rank++) {
    send(0, rank, 10);
    send(rank, 0, 5);
  }
});

/** Multigrid on 1024 boxes, 8 x 8 x 16, in Morton order; faces dominate. */
const boxlibMgC = miniApp('boxlib-mg-c', 1024, '27-point stencil on 8 x 8 x 16 in Morton order', (send) => {
  sendToNeighbours(mortonLattice([8, 8, 16]), haloWeight, send);
});

/**
 * Compressible Navier-Stokes: stencils of strides 1, 2, 4 and 8, and irregular pairs, both ways, up to the published
 * number.
 */
const boxlibCns = miniApp('boxlib-cns', 1024, 'stencils of four scales, irregular pairs', (send, seed) => {
  const taken = new Set<number>();
  const sendOnce: PairVisitor = (source, destination, weight) => {
    if (source === destination) return;
    taken.add(source * 1024 + destination);
    send(source, destination, weight);
  };
  const lattice = mortonLattice([8, 8, 16]);
  for (const stride of [1, 2, 4, 8])
    sendToNeighbours(lattice, (dx, dy, dz) => haloWeight(dx, dy, dz) / stride, sendOnce, 1, stride, true);
  const random = new RandomStream(seed, 'boxlib-cns');
  while (taken.size < 74_308) {
    const a = random.nextBelow(1024);
    const b = random.nextBelow(1024);
    if (a === b || taken.has(a * 1024 + b)) continue;
    const weight = 1 + random.nextBelow(blockSide);
    sendOnce(a, b, weight);
    sendOnce(b, a, weight);
  }
});

/**
 * One V-cycle on a periodic 10 x 10 x 10 in Morton order, the next level on every second rank, and the way between
 * them.
 */
const multigridC = miniApp('multigrid-c', 1000, 'periodic 7-point stencil on 10 x 10 x 10', (send) => {
  const lattice = mortonLattice([10, 10, 10], true);
  sendToNeighbours(lattice, (dx, dy, dz) => blockSide * blockSide * faceNeighbour(dx, dy, dz), send);
  sendToNeighbours(lattice, (dx, dy, dz) => haloWeight(dx, dy, dz) / 16, send, 1, 2);
  const cell = (x: number, y: number, z: number): number => lattice.rankOf[(z * 10 + y) * 10 + x]!;
  for (let z = 0; z < 10; z++) {
    for (let y = 0; y < 10; y++) {
      for (let x = 0; x < 10; x++) {
        const parent = cell(x - (x % 2), y - (y % 2), z - (z % 2));
        if (parent === cell(x, y, z)) continue;
        send(cell(x, y, z), parent, blockSide);
        send(parent, cell(x, y, z), blockSide);
      }
    }
  }
});

/**
 * Conjugate gradients: 27-point stencil on 8 x 8 x 16, and partners at distances 1, 2, 4, ... across the diagonals of
 * the matrix.
 */
const nekbone = miniApp('nekbone', 1024, '27-point stencil, partners at powers of two', (send) => {
  sendToNeighbours(rowMajorLattice([8, 8, 16]), haloWeight, send);
  for (let distance = 1; distance < 1024; distance *= 2) {
    for (let rank = 0; rank < 1024; rank++) send(rank, rank ^ distance, blockSide);
  }
});

/** Falls with the distance, up to four steps. */
function near(dx: number, dy: number, dz: number): number {
  const steps = Math.abs(dx) + Math.abs(dy) + Math.abs(dz);
  return steps > 4 ? 0 : steps === 1 ? blockSide * blockSide : blockSide / steps;
}

/** Algebraic multigrid on 12 x 12 x 12: wider and wider neighbourhoods on coarser and coarser lattices. */
const amg = miniApp('amg', 1728, 'stencils of reach 2 on 12 x 12 x 12, three levels', (send) => {
  const lattice = rowMajorLattice([12, 12, 12]);
  sendToNeighbours(lattice, near, send, 2, 1);
  sendToNeighbours(lattice, () => blockSide / 4, send, 2, 2);
  sendToNeighbours(lattice, () => blockSide / 8, send, 2, 4);
});

/** The mini-applications, in the order of Table 3.1. */
export const miniAppPatterns: readonly TrafficPattern[] = [
  boxlibMgC,
  amg,
  boxlibCns,
  partisn,
  multigridC,
  nekbone,
  lulesh,
];

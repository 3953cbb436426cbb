// Stencils on a lattice of ranks: who the neighbours are, and in what order the cells are numbered.
// Source of the shapes: Taffet's dissertation (docs/SOURCES.md), section 3.5.1; orders and sizes as they fit its Tables
// 3.1 and 4.1.

/** Called for every pair of a pattern. */
export type PairVisitor = (source: number, destination: number, weight: number) => void;

export interface Lattice {
  /** cells in x, y and z */
  readonly shape: readonly [number, number, number];
  readonly periodic: boolean;
  /** rank of each cell; cells are numbered with x fastest */
  readonly rankOf: Int32Array;
}

/** A lattice whose ranks run with x fastest. */
export function rowMajorLattice(shape: readonly [number, number, number], periodic = false): Lattice {
  return { shape, periodic, rankOf: Int32Array.from({ length: shape[0] * shape[1] * shape[2] }, (_, cell) => cell) };
}

/** A lattice whose ranks follow the Morton (Z-order) code of the cells, without gaps. */
export function mortonLattice(shape: readonly [number, number, number], periodic = false): Lattice {
  const [nx, ny, nz] = shape;
  const code = Float64Array.from({ length: nx * ny * nz }, (_, cell) =>
    mortonCode(cell % nx, Math.floor(cell / nx) % ny, Math.floor(cell / (nx * ny))),
  );
  const order = Int32Array.from(code, (_, cell) => cell).sort((a, b) => code[a]! - code[b]!);
  const rankOf = new Int32Array(order.length);
  order.forEach((cell, rank) => {
    rankOf[cell] = rank;
  });
  return { shape, periodic, rankOf };
}

function mortonCode(x: number, y: number, z: number): number {
  let code = 0;
  for (let bit = 9; bit >= 0; bit--) code = code * 8 + ((z >> bit) & 1) * 4 + ((y >> bit) & 1) * 2 + ((x >> bit) & 1);
  return code;
}

/**
 * Sends from every cell (or every cell of a coarser lattice in it) to its neighbours.
 * @param weightOf of an offset in steps of `stride`, each from -reach to reach; 0 = no neighbour
 * @param stride distance between the cells that take part, in each direction; the first is cell 0
 * @param everyCell every cell takes part, its neighbours are `stride` away
 */
export function sendToNeighbours(
  lattice: Lattice,
  weightOf: (dx: number, dy: number, dz: number) => number,
  send: PairVisitor,
  reach = 1,
  stride = 1,
  everyCell = false,
): void {
  const {
    shape: [nx, ny, nz],
    rankOf,
  } = lattice;
  const step = everyCell ? 1 : stride;
  for (let dz = -reach; dz <= reach; dz++) {
    for (let dy = -reach; dy <= reach; dy++) {
      for (let dx = -reach; dx <= reach; dx++) {
        const weight = dx === 0 && dy === 0 && dz === 0 ? 0 : weightOf(dx, dy, dz);
        if (weight === 0) continue;
        for (let cell = 0; cell < nx * ny * nz; cell++) {
          const x = cell % nx;
          const y = Math.floor(cell / nx) % ny;
          const z = Math.floor(cell / (nx * ny));
          if (x % step !== 0 || y % step !== 0 || z % step !== 0) continue;
          const toX = place(lattice, x + dx * stride, nx);
          const toY = place(lattice, y + dy * stride, ny);
          const toZ = place(lattice, z + dz * stride, nz);
          if (toX !== -1 && toY !== -1 && toZ !== -1) send(rankOf[cell]!, rankOf[(toZ * ny + toY) * nx + toX]!, weight);
        }
      }
    }
  }
}

/** A coordinate inside the lattice, around its edge if it is periodic; -1 outside. */
function place(lattice: Lattice, at: number, size: number): number {
  if (at >= 0 && at < size) return at;
  return lattice.periodic ? ((at % size) + size) % size : -1;
}

/** The most cube-like shape of a number of ranks, longest side first: 3072 is 16 x 16 x 12. */
export function cubeLikeShape(ranks: number): [number, number, number] {
  let best: [number, number, number] = [ranks, 1, 1];
  for (let c = 1; c * c * c <= ranks; c++) {
    if (ranks % c !== 0) continue;
    for (let b = c; b * b <= ranks / c; b++) {
      if ((ranks / c) % b !== 0) continue;
      const a = ranks / c / b;
      if (a + b + c < best[0] + best[1] + best[2]) best = [a, b, c];
    }
  }
  return best;
}

/** 1 across a face, 0 otherwise: the seven-point stencil. */
export function faceNeighbour(dx: number, dy: number, dz: number): number {
  return Math.abs(dx) + Math.abs(dy) + Math.abs(dz) === 1 ? 1 : 0;
}

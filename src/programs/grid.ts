// The logical grid of ranks, x fastest, and the neighbours of a rank in it.
// Invariant: `read` of a stencil asks a rank's neighbours by number, in the order of the offsets, those that do not
// exist left out: at an edge that is not periodic, along an axis of length 1, and the rank itself.

/** Steps to a neighbour along x, y and z. */
export type Offset = readonly [number, number, number];

/** Offsets of the faces: +x, -x, +y, -y, +z, -z. */
export const faceOffsets: readonly Offset[] = [
  [1, 0, 0],
  [-1, 0, 0],
  [0, 1, 0],
  [0, -1, 0],
  [0, 0, 1],
  [0, 0, -1],
];

/** Offsets of all 26 neighbours: faces first, then edges and corners. */
export const allOffsets: readonly Offset[] = [
  ...faceOffsets,
  ...[-1, 0, 1].flatMap((dz) =>
    [-1, 0, 1].flatMap((dy) =>
      [-1, 0, 1].filter((dx) => Math.abs(dx) + Math.abs(dy) + Math.abs(dz) > 1).map((dx): Offset => [dx, dy, dz]),
    ),
  ),
];

const axes = ['x', 'y', 'z'];

/** The name of an offset: `+x`, `-y`, `+x-z`. */
export function offsetName(offset: Offset): string {
  return offset.map((step, axis) => (step === 0 ? '' : `${step > 0 ? '+' : '-'}${axes[axis]!}`)).join('');
}

export class RankGrid {
  readonly ranks: number;
  /** by offset: the number of its opposite */
  private readonly opposites: Int32Array;
  /** by class of edges that a rank lies at: numbers of the offsets at which it has neighbours */
  private readonly existing = new Map<number, Int32Array>();

  constructor(
    readonly x: number,
    readonly y: number,
    readonly z: number,
    readonly isPeriodic: boolean,
    readonly offsets: readonly Offset[],
  ) {
    this.ranks = x * y * z;
    this.opposites = Int32Array.from(offsets, ([dx, dy, dz]) =>
      offsets.findIndex(([ox, oy, oz]) => ox === -dx && oy === -dy && oz === -dz),
    );
  }

  /** The number of the offset that leads back. */
  opposite(offset: number): number {
    return this.opposites[offset]!;
  }

  /** Numbers of the offsets at which a rank has a neighbour, ascending. The same array for ranks alike. */
  neighbours(rank: number): Int32Array {
    const { x, y, z } = this;
    const edges =
      edgeOf(rank % x, x) + 4 * edgeOf(Math.floor(rank / x) % y, y) + 16 * edgeOf(Math.floor(rank / (x * y)), z);
    let known = this.existing.get(edges);
    if (known === undefined) {
      known = Int32Array.from(this.offsets.keys()).filter((offset) => this.at(rank, offset) !== -1);
      this.existing.set(edges, known);
    }
    return known;
  }

  /** The rank at an offset; -1: there is none. */
  at(rank: number, offset: number): number {
    const { x, y, z } = this;
    const [dx, dy, dz] = this.offsets[offset]!;
    const nx = this.along(rank % x, dx, x);
    const ny = this.along(Math.floor(rank / x) % y, dy, y);
    const nz = this.along(Math.floor(rank / (x * y)), dz, z);
    return nx < 0 || ny < 0 || nz < 0 ? -1 : nx + x * (ny + y * nz);
  }

  private along(at: number, step: number, length: number): number {
    if (step === 0) return at;
    if (length === 1) return -1;
    const next = at + step;
    if (next >= 0 && next < length) return next;
    return this.isPeriodic ? (next + length) % length : -1;
  }
}

/** 0: neither end, 1: the first, 2: the last, 3: both. */
function edgeOf(at: number, length: number): number {
  return (at === 0 ? 1 : 0) + (at === length - 1 ? 2 : 0);
}

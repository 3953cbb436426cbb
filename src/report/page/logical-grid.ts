// The ranks of a program on their logical grid as cells of a drawing: blocks of ranks that lie on one node, else single
// ranks, put together where there would be too many to see.
// Invariants: every rank is in one cell; a cell's nodes are those of its ranks, each once.
// Source: Taffet's dissertation (docs/SOURCES.md), 2.4.2 and figure 2.7: one cell is one node of a tiled mapping.

/** Sides along x, y and z. */
type Sides = readonly [number, number, number];

const mostCells = 5000;
const [mostAcross, mostDown] = [250, 120];

export interface LogicalGrid {
  /** cells along each axis */
  readonly sides: Sides;
  /** ranks of a cell along each axis; cells at the end may have fewer */
  readonly block: Sides;
  /** ranks along each axis that one node has in a cell of its own; null: nodes have no such blocks */
  readonly nodeBlock: Sides | null;
  /** by cell, x fastest: nodes of its ranks, ascending; none: its ranks sent and received nothing */
  readonly nodes: readonly (readonly number[])[];
}

/** Lays ranks out. @param hostOf node of a rank; -1: it is not known */
export function logicalGrid(grid: Sides, hostOf: (rank: number) => number): LogicalGrid {
  const [x, y, z] = grid;
  const hosts = Int32Array.from({ length: x * y * z }, (_, rank) => hostOf(rank));
  const tile = blockOfNodes(grid, hosts);
  const [bx, by, bz] = tile;
  const block: [number, number, number] = [bx, by, bz];
  const cells = (axis: 0 | 1 | 2): number => Math.ceil(grid[axis] / block[axis]);
  while (cells(0) * cells(1) * cells(2) > mostCells || cells(0) > mostAcross || cells(1) > mostDown) {
    const longest = ([0, 1, 2] as const).reduce((most, axis) => (cells(axis) > cells(most) ? axis : most), 0);
    block[cells(0) > mostAcross ? 0 : cells(1) > mostDown ? 1 : longest] *= 2;
  }
  const sides: Sides = [cells(0), cells(1), cells(2)];
  const nodes = Array.from({ length: sides[0] * sides[1] * sides[2] }, () => new Set<number>());
  hosts.forEach((host, rank) => {
    if (host < 0) return;
    const at = [rank % x, Math.floor(rank / x) % y, Math.floor(rank / (x * y))] as const;
    const [cx, cy, cz] = [0, 1, 2].map((axis) => Math.floor(at[axis]! / block[axis]!)) as [number, number, number];
    nodes[cx + sides[0] * (cy + sides[1] * cz)]!.add(host);
  });
  return {
    sides,
    block,
    nodeBlock: bx * by * bz > 1 || isApart(hosts) ? tile : null,
    nodes: nodes.map((own) => [...own].sort((a, b) => a - b)),
  };
}

/** The largest block of ranks of which the grid can be made such that no block has ranks of two nodes. */
function blockOfNodes(grid: Sides, hosts: Int32Array): Sides {
  const [xs, ys, zs] = grid.map(divisors) as [number[], number[], number[]];
  const blocks = xs.flatMap((bx) => ys.flatMap((by) => zs.map((bz): Sides => [bx, by, bz])));
  const volume = ([bx, by, bz]: Sides): number => bx * by * bz;
  return blocks.sort((a, b) => volume(b) - volume(a)).find((block) => isOfOneNode(grid, hosts, block))!;
}

function isOfOneNode([x, y, z]: Sides, hosts: Int32Array, [bx, by, bz]: Sides): boolean {
  const [cx, cy] = [x / bx, y / by];
  const own = new Int32Array((cx * cy * z) / bz).fill(-1);
  for (let rank = 0; rank < hosts.length; rank++) {
    if (hosts[rank]! < 0) continue;
    const [i, j, k] = [rank % x, Math.floor(rank / x) % y, Math.floor(rank / (x * y))];
    const cell = Math.floor(i / bx) + cx * (Math.floor(j / by) + cy * Math.floor(k / bz));
    if (own[cell] !== -1 && own[cell] !== hosts[rank]) return false;
    own[cell] = hosts[rank]!;
  }
  return true;
}

/** Whether no two ranks share a node. */
function isApart(hosts: Int32Array): boolean {
  const known = hosts.filter((host) => host >= 0);
  return new Set(known).size === known.length;
}

function divisors(side: number): number[] {
  return Array.from({ length: side }, (_, i) => i + 1).filter((own) => side % own === 0);
}

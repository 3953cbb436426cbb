// Colours for the edges of a bipartite multigraph so that every node has at most so many edges of a colour as it must
// have, and then an exchange of colours until no node has too much weight in one. Flows that are nobody else's matter
// are such edges: between leaves with spines as colours, between spines with cores as colours.
// A node with more edges than colours is divided into parts, its heaviest edges in the first one, its lightest in the
// last: so each colour gets heavy and light ones together. Parts have at most one edge of a colour; chains of two
// colours are swapped where none is free.
// Invariant: the colouring is always proper in that sense. Sources: D. Kőnig, "Über Graphen und ihre Anwendung auf
// Determinantentheorie und Mengenlehre", Mathematische Annalen 77, 1916 (as many colours as the largest degree
// suffice); chains: A. B. Kempe, 1879.

import type { RandomStream } from '../base/random.js';
import { ceilingTolerance } from './flow-routing.js';
import type { SearchBudget } from './search-budget.js';

const proposalsPerSpend = 1024;

export class EdgeColouring {
  /** colour of each edge */
  readonly colour: Int32Array;
  /** most edges of a colour that a node has */
  readonly capacity: number;
  private readonly nodeOf: readonly [Int32Array, Int32Array];
  /** part of each edge at its left and right end */
  private readonly partOf: readonly [Int32Array, Int32Array];
  /** edge of each colour at each part, -1 if it is free; by part x colours + colour */
  private readonly at: readonly [Int32Array, Int32Array];
  /** weight of each colour at each node; by node x colours + colour */
  private readonly load: readonly [Float64Array, Float64Array];
  private readonly trail: Int32Array;
  private readonly over: number[] = [];
  private readonly overPlace: readonly [Int32Array, Int32Array];
  private ceiling = Infinity;
  private links = 0;

  /** Edges between nodes left[i] and right[i], both counted from 0. */
  constructor(
    left: Int32Array,
    right: Int32Array,
    private readonly weight: Float64Array,
    nodes: number,
    readonly colours: number,
  ) {
    const edges = left.length;
    const most = Math.max(largestCount(left, nodes), largestCount(right, nodes));
    this.capacity = Math.max(1, Math.ceil(most / colours));
    this.nodeOf = [left, right];
    this.partOf = [
      partsByWeight(left, weight, nodes, this.capacity),
      partsByWeight(right, weight, nodes, this.capacity),
    ];
    const cells = nodes * this.capacity * colours;
    this.at = [new Int32Array(cells).fill(-1), new Int32Array(cells).fill(-1)];
    this.load = [new Float64Array(nodes * colours), new Float64Array(nodes * colours)];
    this.overPlace = [new Int32Array(nodes * colours).fill(-1), new Int32Array(nodes * colours).fill(-1)];
    this.colour = new Int32Array(edges).fill(-1);
    this.trail = new Int32Array(edges + 1);
    for (let edge = 0; edge < edges; edge++) this.colourEdge(edge);
  }

  private colourEdge(edge: number): void {
    const {
      at: [left, right],
      partOf,
      colours,
    } = this;
    const atLeft = partOf[0][edge]! * colours;
    const atRight = partOf[1][edge]! * colours;
    let freeLeft = -1;
    let freeRight = -1;
    for (let i = 0; i < colours; i++) {
      // begin elsewhere for every edge, so that colours are used alike
      const colour = (i + edge) % colours;
      const isLeft = left[atLeft + colour] === -1;
      const isRight = right[atRight + colour] === -1;
      if (isLeft && isRight) {
        this.give(edge, colour);
        return;
      }
      if (isLeft && freeLeft === -1) freeLeft = colour;
      if (isRight && freeRight === -1) freeRight = colour;
    }
    // what has the free colour of the left end at the right end changes to the other; in a bipartite graph that never
    // comes to the left end
    const length = this.follow(right[atRight + freeLeft]!, 1, freeLeft, freeRight, 0);
    this.swap(0, length, freeLeft, freeRight);
    this.give(edge, freeLeft);
  }

  /**
   * Collects the chain of two colours that leaves an edge at the end that is not `side`.
   * @returns its end in `trail`, which has the edge first
   */
  private follow(first: number, side: number, colour: number, otherColour: number, from: number): number {
    const { at, partOf, colours, trail } = this;
    let length = from;
    let edge = first;
    let end = side;
    let next = otherColour;
    while (edge !== -1) {
      trail[length++] = edge;
      end = 1 - end;
      edge = at[end]![partOf[end]![edge]! * colours + next]!;
      if (edge === first) break;
      next = next === colour ? otherColour : colour;
    }
    return length;
  }

  /** Exchanges two colours on a part of the trail. @returns how much the excess changes */
  private swap(from: number, end: number, colour: number, otherColour: number): number {
    const { trail } = this;
    let change = 0;
    for (let i = from; i < end; i++) change += this.take(trail[i]!);
    for (let i = from; i < end; i++) {
      const edge = trail[i]!;
      change += this.give(edge, this.colour[edge] === colour ? otherColour : colour);
    }
    this.links += 4 * (end - from);
    return change;
  }

  /** Frees the colour of an edge, which still remembers it. */
  private take(edge: number): number {
    const { at, partOf, colours } = this;
    const colour = this.colour[edge]!;
    at[0][partOf[0][edge]! * colours + colour] = -1;
    at[1][partOf[1][edge]! * colours + colour] = -1;
    return this.add(0, edge, colour, -this.weight[edge]!) + this.add(1, edge, colour, -this.weight[edge]!);
  }

  private give(edge: number, colour: number): number {
    const { at, partOf, colours } = this;
    this.colour[edge] = colour;
    at[0][partOf[0][edge]! * colours + colour] = edge;
    at[1][partOf[1][edge]! * colours + colour] = edge;
    return this.add(0, edge, colour, this.weight[edge]!) + this.add(1, edge, colour, this.weight[edge]!);
  }

  private add(side: 0 | 1, edge: number, colour: number, weight: number): number {
    const cell = this.nodeOf[side][edge]! * this.colours + colour;
    const load = this.load[side];
    const before = load[cell]! - this.ceiling;
    const after = before + weight;
    load[cell]! += weight;
    if (this.ceiling === Infinity) return 0;
    if (after > 0 !== (this.overPlace[side][cell] !== -1)) this.markOver(side, cell, after > 0);
    return (after > 0 ? after * after : 0) - (before > 0 ? before * before : 0);
  }

  private markOver(side: 0 | 1, cell: number, above: boolean): void {
    const { over, overPlace } = this;
    if (above) {
      overPlace[side][cell] = over.push(2 * cell + side) - 1;
      return;
    }
    const place = overPlace[side][cell]!;
    const last = over.pop()!;
    overPlace[side][cell] = -1;
    if (last === 2 * cell + side) return;
    over[place] = last;
    overPlace[(last % 2) as 0 | 1][last >> 1] = place;
  }

  /**
   * Swaps chains until no node has more weight in a colour than the ceiling, accepting a growing excess by amounts that
   * shrink.
   * @param proposals chains at most @returns true if it got there
   */
  anneal(ceiling: number, random: RandomStream, budget: SearchBudget, proposals: number): boolean {
    this.setCeiling(ceiling * (1 + ceilingTolerance) + 1e-12);
    const { over, at, colours, capacity } = this;
    if (colours < 2) return over.length === 0;
    let scale = 0;
    for (const weight of this.weight) scale = Math.max(scale, weight);
    const widest = 0.02 * scale * scale;
    let allowance = widest;
    let counted = this.links;
    for (let done = 0; done < proposals && over.length > 0; done++) {
      if (done % proposalsPerSpend === 0) {
        if (budget.spend(this.links - counted)) break;
        counted = this.links;
        const left = 1 - done / proposals;
        allowance = widest * left * left * left * left;
      }
      const chosen = over[random.nextBelow(over.length)]!;
      const side = chosen % 2;
      const cell = chosen >> 1;
      const colour = cell % colours;
      const part = ((cell - colour) / colours) * capacity + random.nextBelow(capacity);
      const other = (colour + 1 + random.nextBelow(colours - 1)) % colours;
      const edge = at[side]![part * colours + colour]!;
      if (edge === -1) continue;
      const length = this.chain(edge, side, colour, other);
      const draw = random.nextFraction();
      if (this.swap(0, length, colour, other) > allowance * draw * draw) this.swap(0, length, colour, other);
    }
    budget.spend(this.links - counted);
    return over.length === 0;
  }

  /** The whole chain of two colours through an edge, in `trail`. @returns its length */
  private chain(edge: number, side: number, colour: number, other: number): number {
    const length = this.follow(edge, side, colour, other, 0);
    const { trail, at, partOf, colours } = this;
    const back = at[side]![partOf[side]![edge]! * colours + other]!;
    // a chain that closed has come back by that edge
    if (back === -1 || (length > 1 && trail[length - 1] === back)) return length;
    return this.follow(back, side, other, colour, length);
  }

  private setCeiling(ceiling: number): void {
    this.ceiling = ceiling;
    this.over.length = 0;
    for (const side of [0, 1] as const) {
      this.overPlace[side].fill(-1);
      this.load[side].forEach((own, cell) => {
        if (own > ceiling) this.markOver(side, cell, true);
      });
    }
  }
}

function largestCount(nodes: Int32Array, count: number): number {
  const degree = new Int32Array(count);
  for (const node of nodes) degree[node]!++;
  return degree.reduce((most, own) => Math.max(most, own), 0);
}

/** Divides the edges of every node into parts as even as can be, heaviest first; by edge node x parts + part. */
function partsByWeight(nodeOf: Int32Array, weight: Float64Array, nodes: number, parts: number): Int32Array {
  const order = Int32Array.from(nodeOf, (_, edge) => edge).sort((a, b) => weight[b]! - weight[a]! || a - b);
  const degree = new Int32Array(nodes);
  for (const node of nodeOf) degree[node]!++;
  const seen = new Int32Array(nodes);
  const partOf = new Int32Array(nodeOf.length);
  for (const edge of order) {
    const node = nodeOf[edge]!;
    partOf[edge] = node * parts + Math.floor((seen[node]!++ * parts) / degree[node]!);
  }
  return partOf;
}

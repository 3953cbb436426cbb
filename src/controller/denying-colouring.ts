// Colours the edges of a bipartite multigraph one by one such that no two at a vertex have the same colour: an edge
// gets a colour that is free at both of its ends; where there is none, a chain of edges of two colours swaps them
// first. A vertex may be denied colours.
// Invariants: edges at a vertex have different colours, none that the vertex is denied. Where no vertex is denied any,
// as many colours as the largest degree are enough (Koenig's theorem).
// Source: D. Koenig, Ueber Graphen und ihre Anwendung auf Determinantentheorie und Mengenlehre, Math. Annalen 77
// (1916); alternating chains as in his proof (optimization/edge-colouring.ts has weights, and denies none). Not found
// for certain: colourings where colours are denied (that is NP-complete).

const free = -1;
const denied = -2;

export class DenyingColouring {
  private readonly words: number;
  /** by vertex x colours: the edge of that colour, free or denied */
  private readonly edgeOf: Int32Array;
  /** by vertex x words: a bit for each colour that is free */
  private readonly isFree: Int32Array;
  private readonly left: Int32Array;
  private readonly right: Int32Array;
  /** by edge; -1: not coloured */
  readonly colourOf: Int32Array;
  private chain: number[] = [];

  /** @param vertices left and right ones together, numbered through */
  constructor(
    vertices: number,
    readonly colours: number,
    mostEdges: number,
  ) {
    this.words = (colours + 31) >>> 5;
    this.edgeOf = new Int32Array(vertices * colours).fill(free);
    this.isFree = new Int32Array(vertices * this.words).fill(-1);
    const beyond = colours & 31;
    if (beyond !== 0)
      for (let vertex = 1; vertex <= vertices; vertex++) this.isFree[vertex * this.words - 1] = (1 << beyond) - 1;
    this.left = new Int32Array(mostEdges);
    this.right = new Int32Array(mostEdges);
    this.colourOf = new Int32Array(mostEdges).fill(free);
  }

  /** No edge at a vertex may have a colour. Before the first edge. */
  deny(vertex: number, colour: number): void {
    this.set(vertex, colour, denied);
  }

  /** Colours an edge between two vertices, and others anew if need be. @returns whether that worked out */
  add(edge: number, left: number, right: number): boolean {
    this.left[edge] = left;
    this.right[edge] = right;
    const common = this.firstCommon(left, right);
    if (common >= 0) {
      this.paint(edge, common);
      return true;
    }
    return this.addByChain(edge, left, right, left) || this.addByChain(edge, right, left, left);
  }

  /**
   * Frees a colour at `to` that is free at `from`, by a chain that begins at `to`.
   * @param left the edge's left end, one of the two
   */
  private addByChain(edge: number, from: number, to: number, left: number): boolean {
    const { colours, edgeOf } = this;
    for (let wanted = 0; wanted < colours; wanted++) {
      if (edgeOf[from * colours + wanted] !== free || edgeOf[to * colours + wanted]! < 0) continue;
      for (let other = 0; other < colours; other++) {
        if (edgeOf[to * colours + other] !== free || !this.finds(to, wanted, other, to !== left)) continue;
        this.swap(wanted, other);
        this.paint(edge, wanted);
        return true;
      }
    }
    return false;
  }

  /** Whether the chain of two colours from a vertex can swap them. It is in `chain` then. */
  private finds(from: number, first: number, second: number, isRight: boolean): boolean {
    const { colours, edgeOf, chain } = this;
    chain.length = 0;
    let [vertex, onRight, here, there] = [from, isRight, first, second];
    for (;;) {
      const edge = edgeOf[vertex * colours + here]!;
      // the vertex's edge of the other colour takes this one
      if (edge < 0) return edge === free;
      chain.push(edge);
      vertex = onRight ? this.left[edge]! : this.right[edge]!;
      onRight = !onRight;
      [here, there] = [there, here];
    }
  }

  private swap(one: number, other: number): void {
    for (const edge of this.chain) {
      const colour = this.colourOf[edge]!;
      this.set(this.left[edge]!, colour, free);
      this.set(this.right[edge]!, colour, free);
      this.colourOf[edge] = colour === one ? other : one;
    }
    for (const edge of this.chain) this.paint(edge, this.colourOf[edge]!);
  }

  private paint(edge: number, colour: number): void {
    this.colourOf[edge] = colour;
    this.set(this.left[edge]!, colour, edge);
    this.set(this.right[edge]!, colour, edge);
  }

  private set(vertex: number, colour: number, what: number): void {
    this.edgeOf[vertex * this.colours + colour] = what;
    const at = vertex * this.words + (colour >>> 5);
    const bit = 1 << (colour & 31);
    this.isFree[at] = what === free ? this.isFree[at]! | bit : this.isFree[at]! & ~bit;
  }

  private firstCommon(one: number, other: number): number {
    const { words, isFree } = this;
    for (let word = 0; word < words; word++) {
      const both = isFree[one * words + word]! & isFree[other * words + word]!;
      if (both !== 0) return 32 * word + 31 - Math.clz32(both & -both);
    }
    return -1;
  }
}

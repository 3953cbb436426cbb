// Flows over two tiers as the edges of a bipartite multigraph, source leaves to destination leaves, and links to spines
// as their colours: a colouring gives each flow an up link and a down link that no other has. Where there are more
// flows than links, each link stands for as many colours as there are layers.
// Invariant: in so many layers no link has more flows than layers, those that were there before among them.
// Source: denying-colouring.ts; J. S. Turner, R. Melen, Multirate Clos networks, IEEE Communications Magazine 41
// (2003), for routing in Clos networks as edge colouring.

import { DenyingColouring } from './denying-colouring.js';
import type { LeafPair, TwoTier } from './two-tier.js';

/** Links by which a flow goes up and down: output ports. */
export interface Links {
  readonly up: number;
  readonly down: number;
}

export class LeafColouring {
  /** by vertex: its links by unit; left ones go up, right ones down */
  private readonly links: Int32Array[] = [];
  private readonly ends: readonly (readonly [left: number, right: number])[];
  private readonly degree: Int32Array;

  /**
   * @param pairs the leaves of each flow
   * @param flowsOn flows that are on an output port already and stay
   */
  constructor(
    private readonly twoTier: TwoTier,
    pairs: readonly LeafPair[],
    private readonly flowsOn: (port: number) => number,
  ) {
    const [left, right] = [new Map<number, number>(), new Map<number, number>()];
    this.ends = pairs.map(({ source, destination }) => [
      this.vertex(left, source, twoTier.up(source)),
      this.vertex(right, destination, twoTier.down(destination)),
    ]);
    this.degree = new Int32Array(this.links.length);
    for (const ends of this.ends) for (const vertex of ends) this.degree[vertex]!++;
  }

  /** Fewest layers that the flows of the fullest leaf need. */
  get fewestLayers(): number {
    let layers = 1;
    for (const [vertex, ports] of this.links.entries()) {
      let [links, flows] = [0, this.degree[vertex]!];
      for (const port of ports) {
        if (port < 0) continue;
        links++;
        flows += this.flowsOn(port);
      }
      layers = Math.max(layers, Math.ceil(flows / links));
    }
    return layers;
  }

  /** Whether flows are on links already. */
  get isBegun(): boolean {
    return this.links.some((ports) => ports.some((port) => port >= 0 && this.flowsOn(port) > 0));
  }

  /** The links of each flow; `impossible` if a leaf has too few for its flows; null if none were found. */
  inLayers(layers: number): readonly Links[] | 'impossible' | null {
    const { links, degree, ends, flowsOn } = this;
    const { width } = this.twoTier;
    const there = (port: number): number => (port < 0 ? layers : Math.min(layers, flowsOn(port)));
    for (const [vertex, ports] of links.entries()) {
      let free = 0;
      for (let unit = 0; unit < width; unit++) free += layers - there(ports[unit]!);
      if (degree[vertex]! > free) return 'impossible';
    }
    const colouring = new DenyingColouring(links.length, width * layers, ends.length);
    for (const [vertex, ports] of links.entries())
      for (let unit = 0; unit < width; unit++)
        for (let layer = there(ports[unit]!) - 1; layer >= 0; layer--) colouring.deny(vertex, layer * width + unit);
    for (const [edge, [left, right]] of ends.entries()) if (!colouring.add(edge, left, right)) return null;
    return ends.map(([left, right], edge) => {
      const unit = colouring.colourOf[edge]! % width;
      return { up: links[left]![unit]!, down: links[right]![unit]! };
    });
  }

  private vertex(numbers: Map<number, number>, leaf: number, links: Int32Array): number {
    let vertex = numbers.get(leaf);
    if (vertex === undefined) numbers.set(leaf, (vertex = this.links.push(links) - 1));
    return vertex;
  }
}

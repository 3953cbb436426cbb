// Flows over two tiers as the edges of a bipartite multigraph, source leaves to destination leaves, and links to spines as
// their colours: a colouring gives each flow an up link and a down link that no other has. Where there are more flows than
// links, each link stands for as many colours as there are layers.
// Invariant: in so many layers no link has more flows than layers, those that were there before among them.
// Source: denying-colouring.ts; J. S. Turner, M. Melen, Multirate Clos networks, IEEE Communications Magazine 41 (2003), for
// routing in Clos networks as edge colouring.

import type { Fabric } from '../fabric/fabric.js';
import { DenyingColouring } from './denying-colouring.js';
import type { LeafPair } from './two-tier.js';

/** Links by which a flow goes up and down: output ports. */
export interface Links {
  readonly up: number;
  readonly down: number;
}

/**
 * Gives flows their links.
 * @param pairs of each flow
 * @param flowsOn by output port: flows that are there already and stay
 * @param layers most flows on a link
 * @returns of each flow; `impossible` if a leaf has too few links for its flows; null if none was found
 */
export function colouredLinks(
  fabric: Fabric,
  pairs: readonly LeafPair[],
  flowsOn: Float64Array,
  layers: number,
): readonly Links[] | 'impossible' | null {
  const units = new Units(fabric, pairs);
  const { width, vertices } = units;
  const colouring = new DenyingColouring(vertices.length, width * layers, pairs.length);
  for (const [vertex, ports] of vertices.entries())
    for (let unit = 0; unit < width; unit++) {
      const port = ports[unit];
      const there = port === undefined ? layers : Math.min(layers, flowsOn[port]!);
      for (let layer = 0; layer < there; layer++) colouring.deny(vertex, layer * width + unit);
    }
  const ends = pairs.map((pair) => [units.left.get(pair.source)!, units.right.get(pair.destination)!] as const);
  const degree = new Int32Array(vertices.length);
  for (const [left, right] of ends) {
    degree[left]!++;
    degree[right]!++;
  }
  for (let vertex = 0; vertex < vertices.length; vertex++)
    if (degree[vertex]! > colouring.freeColours(vertex)) return 'impossible';
  for (const [edge, [left, right]] of ends.entries()) if (!colouring.add(edge, left, right)) return null;
  return ends.map(([left, right], edge) => {
    const unit = colouring.colourOf[edge]! % width;
    return { up: vertices[left]![unit]!, down: vertices[right]![unit]! };
  });
}

/** Fewest layers that the flows of the fullest leaf need. */
export function fewestLayers(pairs: readonly LeafPair[], flowsOn: Float64Array): number {
  const asked = new Map<string, { flows: number; ports: Set<number> }>();
  for (const { source, destination, up, down } of pairs) {
    for (const [key, ports] of [
      [`up ${source}`, up],
      [`down ${destination}`, down],
    ] as const) {
      const leaf = asked.get(key) ?? { flows: 0, ports: new Set() };
      if (leaf.flows++ === 0 || leaf.ports.size < ports.length) for (const port of ports) leaf.ports.add(port);
      asked.set(key, leaf);
    }
  }
  let layers = 1;
  for (const { flows, ports } of asked.values()) {
    let there = 0;
    for (const port of ports) there += flowsOn[port]!;
    layers = Math.max(layers, Math.ceil((flows + there) / ports.size));
  }
  return layers;
}

/** Links by leaf and unit: the n-th link between a leaf and a spine has the same unit at every leaf. */
class Units {
  readonly left = new Map<number, number>();
  readonly right = new Map<number, number>();
  /** by vertex, by unit: the output port; left out: there is none */
  readonly vertices: (number | undefined)[][] = [];
  width = 0;

  constructor(fabric: Fabric, pairs: readonly LeafPair[]) {
    const { portNode, portPeer } = fabric;
    const links = [new Map<number, Map<number, Set<number>>>(), new Map<number, Map<number, Set<number>>>()] as const;
    const seen = new Set<LeafPair>();
    for (const pair of pairs) {
      if (seen.has(pair)) continue;
      seen.add(pair);
      for (const port of pair.up) note(links[0], pair.source, portNode[portPeer[port]!]!, port);
      for (const port of pair.down) note(links[1], pair.destination, portNode[port]!, port);
    }
    const parallel = new Map<number, number>();
    for (const side of links)
      for (const bySpine of side.values())
        for (const [spine, ports] of bySpine) parallel.set(spine, Math.max(parallel.get(spine) ?? 0, ports.size));
    const base = new Map<number, number>();
    for (const spine of [...parallel.keys()].sort((a, b) => a - b)) {
      base.set(spine, this.width);
      this.width += parallel.get(spine)!;
    }
    for (const [side, numbers] of [this.left, this.right].entries())
      for (const [leaf, bySpine] of links[side]!) {
        const ports: (number | undefined)[] = Array.from({ length: this.width });
        for (const [spine, own] of bySpine)
          for (const [i, port] of [...own].sort((a, b) => a - b).entries()) ports[base.get(spine)! + i] = port;
        numbers.set(leaf, this.vertices.push(ports) - 1);
      }
  }
}

function note(side: Map<number, Map<number, Set<number>>>, leaf: number, spine: number, port: number): void {
  const bySpine = side.get(leaf) ?? new Map<number, Set<number>>();
  side.set(leaf, bySpine);
  bySpine.set(spine, (bySpine.get(spine) ?? new Set()).add(port));
}

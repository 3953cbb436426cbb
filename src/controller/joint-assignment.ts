// Source ports for flows that are known at one time. Placed one by one if all find a free path that way; else, by policy:
//   batch: a path for each that no other has, over two tiers by colouring edges, elsewhere (and where that fails) by a
//     search for few flows; if there is none, the lightest of what follows;
//   both: layers of such colourings (batch), the largest flows first on the least paths, and what the hash would do; the
//     lightest of them, in which flows on the heaviest links are then placed anew while that makes these lighter.
// Flows that were placed before stay where they are.
// Invariant: the heaviest hop has no more bytes than if every flow had kept the port that it came with.

import type { Fabric } from '../fabric/fabric.js';
import { disjointChoices } from './disjoint-choices.js';
import type { HopLoads } from './hop-loads.js';
import { colouredLinks, fewestLayers, type Links } from './leaf-colouring.js';
import type { PathChoices } from './path-choices.js';
import type { PlacedFlow } from './placed-flow.js';
import type { LeafPair, TwoTier } from './two-tier.js';

/** Flows for whose paths together a search is tried. */
const mostSearched = 64;
/** How often flows on the heaviest links are placed anew. */
const mostSweeps = 16;

/** What a controller can do with one flow. */
export interface Placer {
  /** the lowest port whose path has room, or -1 */
  portWithRoom(flow: PlacedFlow): number;
  /** the port of the least path, or -1 if the flow may take none */
  leastPort(flow: PlacedFlow): number;
  place(flow: PlacedFlow, port: number): number;
  release(flow: number): void;
  /** the ports that others of its pair have */
  takenBy(flow: PlacedFlow): ReadonlySet<number>;
}

export interface JointAssignmentParts {
  readonly fabric: Fabric;
  readonly placer: Placer;
  readonly loads: HopLoads;
  readonly choices: PathChoices;
  readonly twoTier: TwoTier;
  /** whether paths that nobody shares go before light ones */
  readonly isBatch: boolean;
}

export class JointAssignment {
  constructor(private readonly parts: JointAssignmentParts) {}

  /**
   * Places flows, none of which is placed; their ports decide their paths.
   * @param ports that they have if nobody chooses
   * @returns their ports
   */
  assign(flows: readonly PlacedFlow[], ports: readonly number[]): number[] {
    const given = [...ports];
    if (this.parts.isBatch) {
      if (this.placeWithRoom(flows, given)) return given;
      if (this.placeApart(flows, given)) return given;
    }
    const isAlone = this.placeLightly(flows, ports, given);
    return isAlone || flows.length === 1 ? given : this.lightest(flows, ports, given);
  }

  /** Flows one by one on free paths. @returns whether all found one; if not, none is placed */
  private placeWithRoom(flows: readonly PlacedFlow[], given: number[]): boolean {
    const { placer } = this.parts;
    for (const [i, flow] of flows.entries()) {
      const port = placer.portWithRoom(flow);
      if (port < 0) {
        for (let placed = 0; placed < i; placed++) placer.release(flows[placed]!.flow);
        return false;
      }
      placer.place(flow, port);
      given[i] = port;
    }
    return true;
  }

  /** Flows on paths that no other has. @returns whether there are such; if not, none is placed */
  private placeApart(flows: readonly PlacedFlow[], given: number[]): boolean {
    if (flows.length === 1) return false;
    const pairs = this.leafPairs(flows);
    const links = pairs === null ? null : this.linksInLayers(pairs, 1);
    if (links === 'impossible') return false;
    return (links !== null && this.placeByLinks(flows, given, links)) || this.placeBySearch(flows, given);
  }

  /** Links for flows over two tiers, at most so many flows on each. */
  private linksInLayers(pairs: readonly LeafPair[], layers: number): readonly Links[] | 'impossible' | null {
    return colouredLinks(this.parts.fabric, pairs, this.parts.loads.flows, layers);
  }

  private placeByLinks(flows: readonly PlacedFlow[], given: number[], links: readonly Links[]): boolean {
    const { placer, choices } = this.parts;
    for (const [i, flow] of flows.entries()) {
      const { up, down } = links[i]!;
      const port = choices.portBy({ ...flow, taken: placer.takenBy(flow) }, up, down);
      if (port < 0) {
        for (let placed = 0; placed < i; placed++) placer.release(flows[placed]!.flow);
        return false;
      }
      placer.place(flow, port);
      given[i] = port;
    }
    return true;
  }

  private placeBySearch(flows: readonly PlacedFlow[], given: number[]): boolean {
    const { placer, choices } = this.parts;
    if (flows.length > mostSearched || flows.some(({ pinned }) => pinned !== null)) return false;
    const all = flows.map((flow) => choices.all({ ...flow, taken: placer.takenBy(flow) }));
    if (!all.every((own) => own !== null && own.length > 0)) return false;
    const chosen = disjointChoices(all as NonNullable<(typeof all)[number]>[]);
    if (chosen === null) return false;
    for (const [i, flow] of flows.entries()) placer.place(flow, (given[i] = chosen[i]!.port));
    return true;
  }

  /** Flows, the largest first, on a free path or the least one. @returns whether all found a free one */
  private placeLightly(flows: readonly PlacedFlow[], ports: readonly number[], given: number[]): boolean {
    const { placer } = this.parts;
    const order = flows.map((_, i) => i).sort((a, b) => flows[b]!.sizeBytes - flows[a]!.sizeBytes || a - b);
    let isAlone = true;
    for (const i of order) {
      const flow = flows[i]!;
      let port = placer.portWithRoom(flow);
      if (port < 0) {
        isAlone = false;
        port = placer.leastPort(flow);
      }
      // one that may take no path holds none
      given[i] = port < 0 ? ports[i]! : placer.place(flow, port);
    }
    return isAlone;
  }

  /** Tries what else there is, once flows are placed lightly, and ends with the lightest. */
  private lightest(flows: readonly PlacedFlow[], ports: readonly number[], lightly: readonly number[]): number[] {
    let best = [...lightly];
    let leastBytes = this.heaviestBytes(flows);
    this.removeAll(flows);
    const given = [...ports];
    for (const place of [() => this.placeByFewestLayers(flows, given), () => this.placeAsGiven(flows, ports, given)]) {
      if (!place()) continue;
      const bytes = this.heaviestBytes(flows);
      if (bytes < leastBytes) {
        leastBytes = bytes;
        best = [...given];
      }
      this.removeAll(flows);
    }
    for (const [i, flow] of flows.entries())
      if (!this.parts.placer.takenBy(flow).has(best[i]!)) this.parts.placer.place(flow, best[i]!);
    this.lighten(flows, best);
    return best;
  }

  private placeByFewestLayers(flows: readonly PlacedFlow[], given: number[]): boolean {
    const pairs = this.parts.isBatch ? this.leafPairs(flows) : null;
    if (pairs === null) return false;
    const fewest = fewestLayers(pairs, this.parts.loads.flows);
    for (const layers of [fewest, fewest + 1]) {
      const links = this.linksInLayers(pairs, layers);
      if (links !== null && links !== 'impossible') return this.placeByLinks(flows, given, links);
    }
    return false;
  }

  /** Flows where the ports that they came with lead; by another port of that path if somebody of the pair has it. */
  private placeAsGiven(flows: readonly PlacedFlow[], ports: readonly number[], given: number[]): boolean {
    const { placer, choices } = this.parts;
    for (const [i, flow] of flows.entries()) {
      const taken = placer.takenBy(flow);
      const port = taken.has(ports[i]!) ? choices.portAs({ ...flow, taken }, ports[i]!) : ports[i]!;
      if (port < 0) {
        for (let placed = 0; placed < i; placed++) placer.release(flows[placed]!.flow);
        return false;
      }
      placer.place(flow, port);
      given[i] = port;
    }
    return true;
  }

  /** Places flows on the heaviest hops anew, on their least paths, which never makes the heaviest hop heavier. */
  private lighten(flows: readonly PlacedFlow[], given: number[]): void {
    const { placer, loads } = this.parts;
    let heaviest = this.heaviestBytes(flows);
    for (let sweep = 0; sweep < mostSweeps; sweep++) {
      for (const [i, flow] of flows.entries()) {
        if (loads.mostBytesOf(flow.flow) < heaviest) continue;
        placer.release(flow.flow);
        const port = placer.leastPort(flow);
        placer.place(flow, (given[i] = port < 0 ? given[i]! : port));
      }
      const before = heaviest;
      heaviest = this.heaviestBytes(flows);
      if (heaviest === before) return;
    }
  }

  private heaviestBytes(flows: readonly PlacedFlow[]): number {
    let most = 0;
    for (const { flow } of flows) most = Math.max(most, this.parts.loads.mostBytesOf(flow));
    return most;
  }

  private removeAll(flows: readonly PlacedFlow[]): void {
    for (const { flow } of flows) this.parts.placer.release(flow);
  }

  /** The leaves of every flow; null if one of them does not go over two tiers, or may not take all paths. */
  private leafPairs(flows: readonly PlacedFlow[]): readonly LeafPair[] | null {
    const pairs: LeafPair[] = [];
    for (const { source, destination, pinned } of flows) {
      const pair = pinned === null ? this.parts.twoTier.between(source, destination) : null;
      if (pair === null) return null;
      pairs.push(pair);
    }
    return pairs;
  }
}

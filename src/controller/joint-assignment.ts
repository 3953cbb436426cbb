// Source ports for flows that are known at one time. Placed one by one if all find a free path that way; else, by
// policy:   batch: a path for each that no other has, over two tiers by colouring edges, elsewhere (and where that
// fails) by a     search for few flows; if there is none, the lightest of what follows;
//   both: layers of such colourings (batch), the largest flows first on the least paths, and what the hash would do;
// the     lightest of them, in which flows on the heaviest links are then placed anew while that makes these lighter.
// Flows that were placed before stay where they are.
// Invariant: the heaviest hop has no more bytes than if every flow had kept the port that it came with.

import { Int32List } from '../base/columns.js';
import type { PathTracer } from '../routing/path.js';
import { disjointChoices } from './disjoint-choices.js';
import type { HopLoads } from './hop-loads.js';
import { LeafColouring, type Links } from './leaf-colouring.js';
import type { PathChoices } from './path-choices.js';
import type { PlacedFlow } from './placed-flow.js';
import type { LeafPair, TwoTier } from './two-tier.js';
import type { PortSet } from './taken-ports.js';

/** Flows for whose paths together a search is tried. */
const mostSearched = 64;
/** How many flows on the heaviest links are placed anew at most: so many, or one in so many. */
const fewestAnew = 8;
const shareAnew = 16;

/** What a controller can do with one flow. */
interface Placer {
  /** the lowest port whose path has room, or -1 */
  portWithRoom(flow: PlacedFlow): number;
  /** the port of the least path, or -1 if the flow may take none */
  leastPort(flow: PlacedFlow): number;
  place(flow: PlacedFlow, port: number): number;
  release(flow: number): void;
  /** the ports that others of its pair have */
  takenBy(flow: PlacedFlow): PortSet;
}

export interface JointAssignmentParts {
  readonly tracer: PathTracer;
  readonly placer: Placer;
  readonly loads: HopLoads;
  /** flows on an output port; one more where others are */
  readonly flowsOn: (port: number) => number;
  readonly choices: PathChoices;
  readonly twoTier: TwoTier;
  /** whether paths that nobody shares go before light ones */
  readonly isBatch: boolean;
}

/** Where flows would be, and the bytes on their heaviest hop. */
interface Trial {
  readonly ports: readonly number[];
  readonly bytes: number;
  /** nothing can be lighter */
  readonly isBest: boolean;
}

export class JointAssignment {
  private readonly path: Int32Array;
  /** by output port, zero between calls */
  private readonly change: Float64Array;
  private readonly touched = new Int32List();

  constructor(private readonly parts: JointAssignmentParts) {
    this.path = new Int32Array(parts.tracer.maxLength);
    this.change = new Float64Array(parts.tracer.fabric.portCount);
  }

  /**
   * Places flows, none of which is placed; their ports decide their paths.
   * @param ports that they have if nobody chooses
   * @returns their ports
   */
  assign(flows: readonly PlacedFlow[], ports: readonly number[]): number[] {
    const given = [...ports];
    let layered: Trial | null = null;
    if (this.parts.isBatch) {
      const without = this.placeWithRoom(flows, given);
      if (without < 0) return given;
      // one that finds no free path even before the others have theirs: earlier flows are in its way
      const isHopeless = without === 0 || this.parts.placer.portWithRoom(flows[without]!) < 0;
      if (!isHopeless) {
        const pairs = flows.length > 1 ? this.leafPairs(flows) : null;
        const colouring = pairs === null ? null : new LeafColouring(this.parts.twoTier, pairs, this.parts.flowsOn);
        if (this.placeApart(flows, colouring, given)) return given;
        // around flows that came before, least paths do as well, and cost less
        layered = colouring === null || colouring.isBegun ? null : this.tryLayers(flows, colouring, given);
        if (layered?.isBest === true) return given;
      }
    }
    const isAlone = this.placeLightly(flows, ports, given);
    return isAlone || flows.length === 1 ? given : this.lightest(flows, ports, given, layered);
  }

  /** Flows one by one on free paths. @returns the place of the first that found none, with none placed; -1: all did */
  private placeWithRoom(flows: readonly PlacedFlow[], given: number[]): number {
    const { placer } = this.parts;
    for (const [i, flow] of flows.entries()) {
      const port = placer.portWithRoom(flow);
      if (port < 0) {
        for (let placed = 0; placed < i; placed++) placer.release(flows[placed]!.flow);
        return i;
      }
      placer.place(flow, port);
      given[i] = port;
    }
    return -1;
  }

  /** Flows on paths that no other has. @returns whether there are such; if not, none is placed */
  private placeApart(flows: readonly PlacedFlow[], colouring: LeafColouring | null, given: number[]): boolean {
    if (flows.length === 1) return false;
    const links = colouring?.inLayers(1) ?? null;
    if (links === 'impossible') return false;
    return (links !== null && this.placeByLinks(flows, given, links)) || this.placeBySearch(flows, given);
  }

  /**
   * Flows in as few layers as there can be. @returns null if that did not work out; none is placed unless it is best
   */
  private tryLayers(flows: readonly PlacedFlow[], colouring: LeafColouring, given: number[]): Trial | null {
    const fewest = colouring.fewestLayers;
    // flows of one size on links that nobody is on: no link can have fewer
    const mayBeBest = flows.every(({ sizeBytes }) => sizeBytes === flows[0]!.sizeBytes);
    for (const layers of [fewest, fewest + 1]) {
      const links = colouring.inLayers(layers);
      if (links === null || links === 'impossible') continue;
      if (!this.placeByLinks(flows, given, links)) return null;
      const trial = { ports: [...given], bytes: this.heaviestBytes(flows), isBest: mayBeBest && layers === fewest };
      if (!trial.isBest) this.releaseAll(flows);
      return trial;
    }
    return null;
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

  /** Ends with the lightest of: flows as they are placed, in layers, and by the ports that they came with. */
  private lightest(
    flows: readonly PlacedFlow[],
    ports: readonly number[],
    lightly: number[],
    layered: Trial | null,
  ): number[] {
    let best = lightly;
    let leastBytes = this.heaviestBytes(flows);
    const asGivenBytes = this.heaviestIfGiven(flows, ports);
    if (layered !== null && layered.bytes < leastBytes) {
      best = [...layered.ports];
      leastBytes = layered.bytes;
    }
    const isAsGiven = asGivenBytes < leastBytes;
    if (best !== lightly || isAsGiven) {
      this.releaseAll(flows);
      const given = [...ports];
      if (isAsGiven && this.placeAsGiven(flows, given)) best = given;
      else for (const [i, flow] of flows.entries()) this.placeIfFree(flow, best[i]!);
    }
    this.lighten(flows, best);
    return best;
  }

  /** The bytes on the heaviest hop of the flows, if they were where the ports lead that they came with. */
  private heaviestIfGiven(flows: readonly PlacedFlow[], ports: readonly number[]): number {
    const { loads, tracer } = this.parts;
    const { path, change, touched } = this;
    touched.length = 0;
    for (const { flow, sizeBytes } of flows)
      loads.eachHop(flow, (hop) => {
        touched.push(hop);
        change[hop]! -= sizeBytes;
      });
    let most = 0;
    for (const [i, { source, destination, destinationPort, sizeBytes }] of flows.entries()) {
      const length = tracer.trace(source, destination, ports[i]!, destinationPort, path);
      for (let at = 1; at < length - 1; at++) {
        const hop = path[at]!;
        touched.push(hop);
        change[hop]! += sizeBytes;
      }
    }
    for (let i = 0; i < touched.length; i++) {
      const hop = touched.values[i]!;
      most = Math.max(most, loads.bytes[hop]! + loads.otherBytes[hop]! + change[hop]!);
    }
    for (let i = 0; i < touched.length; i++) change[touched.values[i]!] = 0;
    return most;
  }

  /** Flows where the ports that they came with lead; by another port of that path if somebody of the pair has it. */
  private placeAsGiven(flows: readonly PlacedFlow[], given: number[]): boolean {
    const { placer, choices } = this.parts;
    for (const [i, flow] of flows.entries()) {
      const taken = placer.takenBy(flow);
      const port = taken.has(given[i]!) ? choices.portAs({ ...flow, taken }, given[i]!) : given[i]!;
      if (port < 0) {
        for (let placed = 0; placed < i; placed++) placer.release(flows[placed]!.flow);
        return false;
      }
      given[i] = placer.place(flow, port);
    }
    return true;
  }

  private placeIfFree(flow: PlacedFlow, port: number): void {
    if (!this.parts.placer.takenBy(flow).has(port)) this.parts.placer.place(flow, port);
  }

  /** Places flows on the heaviest hops anew, on their least paths, which never makes the heaviest hop heavier. */
  private lighten(flows: readonly PlacedFlow[], given: number[]): void {
    const { placer, loads } = this.parts;
    let heaviest = this.heaviestBytes(flows);
    let left = Math.max(fewestAnew, Math.floor(flows.length / shareAnew));
    while (left > 0) {
      for (const [i, flow] of flows.entries()) {
        if (left === 0 || loads.mostBytesOf(flow.flow) < heaviest) continue;
        left--;
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

  private releaseAll(flows: readonly PlacedFlow[]): void {
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

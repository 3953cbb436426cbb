// Reroutes all flows to one or two hosts at once: where flows to a host meet they go on together, so that one of them
// alone cannot leave a link that all of them share. From a link above its ceiling the flows to a host are taken off,
// and those to a second host now and then; they are put back one by one in random order, each on its cheapest way, the
// first of them without that link. What is worse is undone, but for a little that grows with the moves made in vain.
// Sources: G. Schrimpf, J. Schneider, H. Stamm-Wilbrandt, G. Dueck, "Record breaking optimization results using the
// ruin and recreate principle", Journal of Computational Physics 159, 2000; for the threshold G. Dueck, T. Scheuer,
// same journal 90, 1990.
// Invariants: every flow has a way before and after each move; for small fabrics: it adds up all links after every
// move.

import type { RandomStream } from '../base/random.js';
import { restoreWays } from './conflict-search.js';
import { ceilingTolerance, wayLength, type FlowRouting } from './flow-routing.js';
import type { SearchBudget } from './search-budget.js';

/** Links times phases, and flows, up to which this search is worth its time. */
const mostCells = 4096;
const mostFlows = 4096;

/** Whether a problem is small enough for it. */
export function suitsDestinationSearch({
  network: { links },
  demand: { phaseCount, flowCount },
}: FlowRouting): boolean {
  return links.length * phaseCount <= mostCells && flowCount <= mostFlows;
}

/**
 * Reroutes until no load is above its ceiling.
 * @param mostMoves ends it
 * @returns true if it got there; otherwise the ways of the least excess are restored
 */
export function rerouteDestinations(
  routing: FlowRouting,
  random: RandomStream,
  budget: SearchBudget,
  mostMoves: number,
): boolean {
  return new DestinationSearch(routing, random).run(budget, mostMoves);
}

class DestinationSearch {
  private readonly over: number[] = [];
  private readonly flows: number[] = [];
  private readonly saved: Int32Array;

  constructor(
    private readonly routing: FlowRouting,
    private readonly random: RandomStream,
  ) {
    this.saved = new Int32Array(routing.way.length);
  }

  run(budget: SearchBudget, mostMoves: number): boolean {
    const { routing, random } = this;
    let counted = routing.work;
    let now = this.excess();
    let least = now;
    let best = routing.way.slice();
    let since = 0;
    for (let moves = 0; moves < mostMoves && this.over.length > 0; moves++) {
      this.move();
      const next = this.excess();
      // up to a tenth more, the longer the more, and begin again
      const allowed = now + least * 0.1 * random.nextFraction() * ((since % 256) / 256);
      if (next <= allowed) now = next;
      else {
        this.undo();
        this.excess();
      }
      since++;
      if (now < least * (1 - 1e-9)) {
        least = now;
        best = routing.way.slice();
        since = 0;
      }
      if (moves % 16 !== 15) continue;
      if (budget.spend(routing.work - counted)) break;
      counted = routing.work;
    }
    budget.spend(routing.work - counted);
    restoreWays(routing, best);
    return this.excess() === 0;
  }

  /** Sum of the squares of what is above the ceilings; lists the cells that are. */
  private excess(): number {
    const { over } = this;
    const { load, ceiling } = this.routing;
    const { links } = this.routing.network;
    const { phaseCount } = this.routing.demand;
    over.length = 0;
    let sum = 0;
    for (let i = 0; i < links.length; i++) {
      for (let phase = 0; phase < phaseCount; phase++) {
        const cell = links[i]! * phaseCount + phase;
        const above = load[cell]! - ceiling[phase]!;
        if (above <= ceiling[phase]! * 2 * ceilingTolerance + 1e-12) continue;
        over.push(cell);
        sum += above * above;
      }
    }
    this.routing.work += links.length * phaseCount;
    return sum;
  }

  private move(): void {
    const { routing, random, flows } = this;
    const { way } = routing;
    const { phaseCount, flowOffset, rank, flowCount } = routing.demand;
    const cell = this.over[random.nextBelow(this.over.length)]!;
    const port = (cell - (cell % phaseCount)) / phaseCount;
    flows.length = 0;
    const first = rank[this.someFlowOn(port)]!;
    for (let flow = flowOffset[first]!; flow < flowOffset[first + 1]!; flow++) flows.push(flow);
    if (random.nextBelow(2) === 0) {
      const second = rank[random.nextBelow(flowCount)]!;
      if (second !== first)
        for (let flow = flowOffset[second]!; flow < flowOffset[second + 1]!; flow++) flows.push(flow);
    }
    for (const flow of flows) {
      for (let hop = wayLength * flow; hop < wayLength * flow + wayLength; hop++) this.saved[hop] = way[hop]!;
      if (way[wayLength * flow] !== -1) routing.take(flow);
    }
    for (let i = flows.length - 1; i > 0; i--) {
      const other = random.nextBelow(i + 1);
      const flow = flows[i]!;
      flows[i] = flows[other]!;
      flows[other] = flow;
    }
    // flows to the host that is to leave the link avoid it, if they can
    for (const flow of flows) {
      routing.banned = rank[flow] === first ? port : -1;
      if (routing.find(flow) === Infinity) {
        routing.banned = -1;
        if (routing.find(flow) === Infinity) continue;
      }
      routing.putFound(flow);
    }
    routing.banned = -1;
  }

  /** Any flow that takes a link; there is one if the link has load. */
  private someFlowOn(port: number): number {
    const { random } = this;
    const { way } = this.routing;
    const { flowCount } = this.routing.demand;
    const start = random.nextBelow(flowCount);
    for (let i = 0; i < flowCount; i++) {
      const flow = (start + i) % flowCount;
      for (let hop = wayLength * flow; hop < wayLength * flow + wayLength; hop++)
        if (way[hop] === port && way[wayLength * flow] !== -1) return flow;
    }
    return start;
  }

  private undo(): void {
    const { routing, flows, saved } = this;
    for (const flow of flows) if (routing.way[wayLength * flow] !== -1) routing.take(flow);
    for (const flow of flows) {
      const at = wayLength * flow;
      if (saved[at] !== -1) routing.put(flow, saved[at]!, saved[at + 1]!, saved[at + 2]!, saved[at + 3]!);
    }
  }
}

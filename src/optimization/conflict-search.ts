// Minimal conflicts with a tabu list: takes a link that is above its ceiling, looks where a few of its flows would go
// without that link, and moves the one that costs least, though it may cost something. A flow that was moved rests for
// a while.
// Sources: S. Minton, M. Johnston, A. Philips, P. Laird, "Minimizing conflicts", Artificial Intelligence 58, 1992; F.
// Glover, "Tabu search", ORSA Journal on Computing 1, 1989. Invariant: every flow has a way before and after each move.

import type { RandomStream } from '../base/random.js';
import type { ChangeLimit } from './change-limit.js';
import { ceilingTolerance, wayLength, type FlowRouting } from './flow-routing.js';
import { LinkMembers } from './link-members.js';
import type { SearchBudget } from './search-budget.js';

export interface ConflictOptions {
  /** flows looked at per move */
  readonly sample: number;
  /** ends after as many moves without fewer or smaller excesses */
  readonly patience: number;
  /** which moves are fine; null = every one */
  readonly limit: ChangeLimit | null;
}

const movesPerSpend = 64;
const movesPerRecount = 1 << 16;

/**
 * Moves flows until no load is above its ceiling.
 * @returns true if it got there; otherwise the ways of the least excess are restored
 */
export function resolveConflicts(
  routing: FlowRouting,
  random: RandomStream,
  budget: SearchBudget,
  options: ConflictOptions,
): boolean {
  return new ConflictSearch(routing, random, options).run(budget);
}

class ConflictSearch {
  private readonly members: LinkMembers;
  /** cells (port x phases + phase) above their ceilings, and the place of each among them, -1 elsewhere */
  private readonly over: number[] = [];
  private readonly overPlace: Int32Array;
  private readonly restsUntil: Int32Array;
  private readonly candidate = new Int32Array(wayLength);
  private readonly before = new Int32Array(wayLength);
  private moves = 0;

  constructor(
    private readonly routing: FlowRouting,
    private readonly random: RandomStream,
    private readonly options: ConflictOptions,
  ) {
    const { network, demand, way } = routing;
    this.members = new LinkMembers(network.portFrom.length, demand.flowCount);
    this.overPlace = new Int32Array(routing.load.length).fill(-1);
    this.restsUntil = new Int32Array(demand.flowCount);
    for (let hop = 0; hop < way.length; hop++)
      if (way[hop] !== -1 && way[hop - (hop % wayLength)] !== -1) this.members.enter(hop, way[hop]!);
    this.findOver();
  }

  run(budget: SearchBudget): boolean {
    const { routing } = this;
    let counted = routing.work;
    let least = this.excess();
    let leastMoves = 0;
    let bestWay = routing.way.slice();
    let since: number[] = [];
    while (this.over.length > 0) {
      const moved = this.relieve();
      this.moves++;
      if (moved !== -1) since.push(moved);
      const excess = this.over.length < 64 || this.moves % 16 === 0 ? this.excess() : Infinity;
      if (excess < least * (1 - 1e-6)) {
        least = excess;
        leastMoves = this.moves;
        if (since.length > 4096) bestWay = routing.way.slice();
        else
          for (const flow of since)
            bestWay.set(routing.way.subarray(wayLength * flow, wayLength * flow + wayLength), wayLength * flow);
        since = [];
      }
      if (this.moves % movesPerRecount === 0) {
        routing.recount();
        this.findOver();
      }
      if (this.moves % movesPerSpend !== 0) continue;
      const ended = budget.spend(routing.work - counted);
      counted = routing.work;
      if (ended || this.moves - leastMoves > this.options.patience) break;
    }
    budget.spend(routing.work - counted);
    if (this.over.length === 0) return true;
    restoreWays(routing, bestWay);
    return false;
  }

  private findOver(): void {
    const { over, overPlace } = this;
    const { links } = this.routing.network;
    const { phaseCount } = this.routing.demand;
    for (const cell of over) overPlace[cell] = -1;
    over.length = 0;
    for (const port of links)
      for (let phase = 0; phase < phaseCount; phase++) this.look(port * phaseCount + phase, phase);
  }

  private look(cell: number, phase: number): void {
    const { over, overPlace } = this;
    const { load, ceiling } = this.routing;
    const above = load[cell]! > ceiling[phase]! * (1 + 2 * ceilingTolerance) + 1e-12;
    const place = overPlace[cell]!;
    if (above === (place !== -1)) return;
    if (above) overPlace[cell] = over.push(cell) - 1;
    else {
      const last = over.pop()!;
      overPlace[cell] = -1;
      if (last === cell) return;
      over[place] = last;
      overPlace[last] = place;
    }
  }

  private excess(): number {
    const { load, ceiling } = this.routing;
    const { phaseCount } = this.routing.demand;
    let sum = 0;
    for (const cell of this.over) {
      const above = load[cell]! - ceiling[cell % phaseCount]!;
      sum += above * above;
    }
    return sum;
  }

  /** Moves one flow off a link above its ceiling. @returns the flow, -1 if none of those looked at can go elsewhere */
  private relieve(): number {
    const { routing, random, options, candidate, before } = this;
    const { way, found } = routing;
    const { phaseCount, partOffset, partPhase } = routing.demand;
    const cell = this.over[random.nextBelow(this.over.length)]!;
    const phase = cell % phaseCount;
    const port = (cell - phase) / phaseCount;
    const list = this.members.on(port);
    const looks = Math.min(options.sample, list.length);
    const start = random.nextBelow(list.length);
    const step = looks === list.length ? 1 : 1 + random.nextBelow(list.length - 1);
    let best = Infinity;
    let chosen = -1;
    routing.banned = port;
    // a step may meet a flow twice: it is only looked at twice
    for (let i = 0, at = start; i < looks; i++, at = (at + step) % list.length) {
      const flow = (list[at]! - (list[at]! % wayLength)) / wayLength;
      if (this.restsUntil[flow]! > this.moves) continue;
      if (phaseCount > 1 && !hasPhase(partPhase, partOffset[flow]!, partOffset[flow + 1]!, phase)) continue;
      for (let hop = 0; hop < wayLength; hop++) before[hop] = way[wayLength * flow + hop]!;
      routing.take(flow);
      let cost = routing.find(flow);
      if (cost < Infinity && options.limit !== null && !options.limit.allows(flow, before, found)) cost = Infinity;
      if (cost < Infinity) {
        routing.banned = -1;
        cost -= routing.costOfWay(flow, before[0]!);
        routing.banned = port;
      }
      if (cost < best) {
        best = cost;
        chosen = flow;
        candidate.set(found);
      }
      routing.put(flow, before[0]!, before[1]!, before[2]!, before[3]!);
    }
    routing.banned = -1;
    if (chosen !== -1) this.move(chosen);
    return chosen;
  }

  private move(flow: number): void {
    const { routing, members, candidate, before, options } = this;
    const { way } = routing;
    const first = wayLength * flow;
    for (let hop = first; hop < first + wayLength; hop++) if (way[hop] !== -1) members.leave(hop, way[hop]!);
    for (let hop = 0; hop < wayLength; hop++) before[hop] = way[first + hop]!;
    routing.take(flow);
    options.limit?.moved(flow, before, candidate);
    routing.put(flow, candidate[0]!, candidate[1]!, candidate[2]!, candidate[3]!);
    for (let hop = first; hop < first + wayLength; hop++) if (way[hop] !== -1) members.enter(hop, way[hop]!);
    this.restsUntil[flow] = this.moves + 10 + this.random.nextBelow(10 + this.over.length);
    for (const port of before) this.lookAt(flow, port);
    for (let hop = first; hop < first + wayLength; hop++) this.lookAt(flow, way[hop]!);
  }

  private lookAt(flow: number, port: number): void {
    if (port === -1) return;
    const { partOffset, partPhase, phaseCount } = this.routing.demand;
    for (let part = partOffset[flow]!; part < partOffset[flow + 1]!; part++)
      this.look(port * phaseCount + partPhase[part]!, partPhase[part]!);
  }
}

function hasPhase(partPhase: Uint16Array, first: number, end: number, phase: number): boolean {
  for (let part = first; part < end; part++) if (partPhase[part] === phase) return true;
  return false;
}

/** Puts all flows on other ways that agree with each other. */
export function restoreWays(routing: FlowRouting, ways: Int32Array): void {
  routing.clear();
  for (let flow = 0; flow < routing.demand.flowCount; flow++) {
    const at = wayLength * flow;
    if (ways[at] !== -1) routing.put(flow, ways[at]!, ways[at + 1]!, ways[at + 2]!, ways[at + 3]!);
  }
}

// Routes with the fewest links above a load, however far above: what 5.4.1 of Taffet's dissertation (docs/SOURCES.md)
// calls the special formulation. Tables of the optimizer in the beginning; then again and again all flows of a link
// above the load, and now and then those of a link beside it, are taken off and put back one by one, each on its
// cheapest way: a link costs x^2, and a fixed price once it is above the load. A link above it takes more for nothing
// but its squares, so that few links carry what fits nowhere. What costs more is undone, but for a little of squares.
// Sources: G. Schrimpf and others, "Record breaking optimization results using the ruin and recreate principle",
// Journal of Computational Physics 159, 2000 (as destination-search.ts).
// Invariants: links above the load never become more; every flow has a way before and after each move; the same seed
// and work give the same routes.

import { RandomStream } from '../base/random.js';
import type { FatTree } from '../fabric/fat-tree.js';
import type { Traffic } from '../flows/traffic/matrix.js';
import { restoreWays } from './conflict-search.js';
import { wayLength, FlowRouting } from './flow-routing.js';
import { routableTraffic } from './leaf-traffic.js';
import { LinkMembers } from './link-members.js';
import type { OptimizedRoutes, OptimizerOptions } from './optimize-routes.js';
import { fewestLinksAbove } from './route-bounds.js';
import { heaviestFirst, routeDemand } from './route-demand.js';
import { RouteNetwork } from './route-network.js';
import { scoreRoutes } from './route-score.js';
import { SearchBudget } from './search-budget.js';
import { spreadLoads } from './spread-loads.js';
import { tablesOfWays } from './tables-of-ways.js';

/** Moves in vain after which the search ends, at least, and for every link above the load. */
const leastPatience = 2000;
const patiencePerLink = 200;
/** flows of a link that a move takes off, at most */
const mostFlows = 64;
/** share of the squares by which a move may raise them, at most, and moves in vain after which it may again be none */
const slack = 0.02;
const slackMoves = 256;
const movesPerSpend = 16;
/** work of the spreading at most */
const mostSpreading = 2e7;

/**
 * Lowers the number of links between switches above a load, summed over phases.
 * @param found routes to begin with
 * @param load in units of traffic on a link of the base rate
 */
export function leaveFewestAbove(
  tree: FatTree,
  traffic: Traffic,
  found: OptimizedRoutes,
  load: number,
  { seed, mostWork, patience = 1, background, stopped }: OptimizerOptions,
): OptimizedRoutes {
  const demand = routeDemand(tree, traffic);
  const { phaseCount } = demand;
  const given =
    background === undefined
      ? null
      : Float64Array.from(
          { length: background.length * phaseCount },
          (_, i) => background[Math.floor(i / phaseCount)]!,
        );
  const routing = new FlowRouting(new RouteNetwork(tree), demand, given);
  routing.follow(found.tables);
  const leastLinks = traffic.phases.reduce(
    (sum, { matrix }) => sum + fewestLinksAbove(routableTraffic(tree, matrix), load),
    0,
  );
  const progress = { incumbent: found.score.maxLoad, bound: found.trace.bound.at(-1) ?? 0, provenWork: null };
  const budget = new SearchBudget(
    mostWork - found.work,
    (work) => stopped?.({ work: found.work + work, ...progress, stage: 'fewest above', best: () => null }) === true,
  );
  new HotLinkSearch(routing, load, new RandomStream(seed, 'fewest above')).run(budget, leastLinks, patience);
  spreadLoads(routing, heaviestFirst(demand), budget, mostSpreading);
  routing.recount();
  const score = scoreRoutes(routing, { load });
  const work = found.work + budget.work;
  return {
    tables: tablesOfWays(routing, found.tables),
    score,
    trace: found.trace,
    work,
    proven: score.linksAboveThreshold <= leastLinks,
    provenWork: score.linksAboveThreshold <= leastLinks ? work : null,
    leastLinksAbove: leastLinks,
  };
}

class HotLinkSearch {
  private readonly members: LinkMembers;
  /** cells (port x phases + phase) above the load when it was looked last */
  private readonly hot: number[] = [];
  private readonly flows: number[] = [];
  private readonly saved: Int32Array;
  private readonly price: number;
  /** what all links cost; and of that the squares */
  private squares = 0;

  constructor(
    private readonly routing: FlowRouting,
    load: number,
    private readonly random: RandomStream,
  ) {
    const { network, demand, way } = routing;
    this.members = new LinkMembers(network.portFrom.length, demand.flowCount);
    this.saved = new Int32Array(way.length);
    for (let hop = 0; hop < way.length; hop++)
      if (way[hop] !== -1 && way[hop - (hop % wayLength)] !== -1) this.members.enter(hop, way[hop]!);
    const whole = routing.load.reduce((sum, own) => sum + own, 0);
    // one link less is worth more than any squares
    this.price = whole * whole;
    routing.hotLoad = load * (1 + 1e-9);
    routing.hotPrice = this.price;
    routing.penalty = 0;
    routing.ceiling.fill(Infinity);
  }

  /** Ends where no routes have fewer, or nothing became better for long; leaves the best ways. */
  run(budget: SearchBudget, leastLinks: number, patience: number): void {
    const { routing } = this;
    let counted = routing.work;
    let count = this.look();
    let best = { count, squares: this.squares, ways: routing.way.slice() };
    let since = 0;
    for (let moves = 1; count > leastLinks && since < patience * (leastPatience + patiencePerLink * count); moves++) {
      const change = this.move(slack * this.squares * this.random.nextFraction() * ((since % slackMoves) / slackMoves));
      since++;
      if (change < 0 || moves % movesPerSpend === 0) count = this.look();
      if (count < best.count || (count === best.count && this.squares < best.squares * (1 - 1e-6))) {
        if (count < best.count) since = 0;
        best = { count, squares: this.squares, ways: routing.way.slice() };
      }
      if (moves % movesPerSpend !== 0) continue;
      if (budget.spend(routing.work - counted)) break;
      counted = routing.work;
    }
    budget.spend(routing.work - counted);
    restoreWays(routing, best.ways);
  }

  /** Lists what is above the load. @returns how many that are */
  private look(): number {
    const { hot, routing } = this;
    const { load, hotLoad, network, demand } = routing;
    hot.length = 0;
    this.squares = 0;
    for (const port of network.links)
      for (let phase = 0; phase < demand.phaseCount; phase++) {
        const own = load[port * demand.phaseCount + phase]!;
        this.squares += own * own;
        if (own > hotLoad) hot.push(port * demand.phaseCount + phase);
      }
    routing.work += network.links.length;
    return hot.length;
  }

  /**
   * Takes off what is on a link above the load, and puts it back.
   * @param allowed squares that it may cost
   * @returns what all links cost more; 0 if it was undone
   */
  private move(allowed: number): number {
    const { routing, random, hot, flows, members, saved } = this;
    const { way } = routing;
    const { phaseCount, weight } = routing.demand;
    const cell = hot[random.nextBelow(hot.length)]!;
    const port = (cell - (cell % phaseCount)) / phaseCount;
    flows.length = 0;
    this.add(port);
    if (random.nextBelow(2) === 0) this.add(this.linkBeside(port));
    let change = 0;
    for (const flow of flows) {
      const at = wayLength * flow;
      for (let hop = at; hop < at + wayLength; hop++) {
        saved[hop] = way[hop]!;
        if (way[hop] !== -1) members.leave(hop, way[hop]!);
      }
      const up = way[at]!;
      routing.take(flow);
      change -= routing.costOfWay(flow, up);
    }
    this.shuffle();
    if (random.nextBelow(2) === 0) flows.sort((a, b) => weight[b]! - weight[a]!);
    let put = 0;
    for (; put < flows.length; put++) {
      const cost = routing.find(flows[put]!);
      if (cost === Infinity) break;
      change += cost;
      routing.putFound(flows[put]!);
    }
    if (put === flows.length && change <= allowed) {
      for (const flow of flows) this.enter(flow);
      return change;
    }
    for (let i = 0; i < put; i++) routing.take(flows[i]!);
    for (const flow of flows) {
      const at = wayLength * flow;
      routing.put(flow, saved[at]!, saved[at + 1]!, saved[at + 2]!, saved[at + 3]!);
      this.enter(flow);
    }
    return 0;
  }

  /** Adds flows of a link, not more than are moved at once. */
  private add(port: number): void {
    const { flows, random } = this;
    const list = this.members.on(port);
    const start = list.length === 0 ? 0 : random.nextBelow(list.length);
    for (let i = 0; i < Math.min(list.length, mostFlows); i++) {
      const flow = Math.floor(list[(start + i) % list.length]! / wayLength);
      if (!flows.includes(flow)) flows.push(flow);
    }
  }

  /** Another link from where a link comes, or to where it leads. */
  private linkBeside(port: number): number {
    const { random } = this;
    const { portNode, portNeighbour, portOffset, portPeer } = this.routing.network.tree.fabric;
    const isFrom = random.nextBelow(2) === 0;
    const node = isFrom ? portNode[port]! : portNeighbour[port]!;
    const first = portOffset[node]!;
    const other = first + random.nextBelow(portOffset[node + 1]! - first);
    return isFrom ? other : portPeer[other]!;
  }

  private enter(flow: number): void {
    const { way } = this.routing;
    for (let hop = wayLength * flow; hop < wayLength * flow + wayLength; hop++)
      if (way[hop] !== -1) this.members.enter(hop, way[hop]!);
  }

  private shuffle(): void {
    const { flows, random } = this;
    for (let i = flows.length - 1; i > 0; i--) {
      const other = random.nextBelow(i + 1);
      [flows[i], flows[other]] = [flows[other]!, flows[i]!];
    }
  }
}

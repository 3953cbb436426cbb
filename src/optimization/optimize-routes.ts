// The optimizer: static routes for given traffic whose largest load is as small as it can be found, with a proof where
// it meets the bound. Given tables (ftree) -> greedy -> for a ceiling between the bound and the best so far: leaf
// layer, cores, conflicts; the ceiling halves its distance to the bound or to the best so far, until nothing is left
// between them; then again with more patience. Objectives in order: the largest load, summed over phases; links above a
// threshold; the l2 norm (route-score.ts).
// Invariants: the best routes so far are always at hand; the same seed and work give the same routes; nothing is called
// proven but by route-bounds.ts. Sources: Taffet's dissertation (docs/SOURCES.md), chapter 3 (problem, bounds,
// merging); what the stages rest on stands in their files.

import { RandomStream } from '../base/random.js';
import type { FatTree } from '../fabric/fat-tree.js';
import type { Traffic } from '../flows/traffic/matrix.js';
import type { ForwardingTables } from '../routing/forwarding-tables.js';
import { ChangeLimit } from './change-limit.js';
import { closTree, endsOfWays, isOneToOne, matchCores, matchLeaves, type ClosTree } from './clos-matching.js';
import { resolveConflicts, restoreWays } from './conflict-search.js';
import { FlowRouting } from './flow-routing.js';
import { routeCores, routeGreedily } from './greedy-routes.js';
import { LeafLayer } from './leaf-annealing.js';
import { rerouteDestinations, suitsDestinationSearch } from './destination-search.js';
import { heaviestFirst, routeDemand, type RouteDemand } from './route-demand.js';
import { RouteNetwork } from './route-network.js';
import { withMinimalEntries } from './minimal-tables.js';
import { isBetter, scoreRoutes, type HotThreshold, type RouteScore } from './route-score.js';
import { boundTolerance } from './schedule-bound.js';
import { SearchBudget } from './search-budget.js';
import { nearestWays } from './nearest-routes.js';
import { spreadLoads } from './spread-loads.js';
import { tablesOfWays, waysOfPorts } from './tables-of-ways.js';

export interface OptimizerOptions {
  readonly seed: number;
  /** which of several searches with this seed: each draws from a random stream of its own; 0 if not given */
  readonly place?: number;
  /** links looked at, about 20 million per second; the search ends there */
  readonly mostWork: number;
  /** above what links between switches are hot; 0.9 of the adaptive bound between switches if left out */
  readonly hot?: HotThreshold;
  /** how long to go on without finding anything better, against the usual; 1 if not given */
  readonly patience?: number;
  /** tables in use, and how many of their entries may change at most; the search begins with them then */
  readonly limit?: { readonly from: ForwardingTables; readonly most: number };
  /** tables in use: if the bound is met, routes that meet it are sought with few entries other than theirs */
  readonly near?: ForwardingTables;
  /** load that other traffic puts on each link anyhow, by sending port; the same in every phase */
  readonly background?: Float64Array;
  /** asked now and then; true ends the search with the best so far */
  readonly stopped?: (progress: OptimizerProgress) => boolean;
}

/** How far a search is. */
interface OptimizerProgress {
  readonly work: number;
  /** largest load of the best routes so far, and what no routes are below; summed over phases */
  readonly incumbent: number;
  readonly bound: number;
  readonly stage: string;
  /** work after which the best routes were proven; null = they are not */
  readonly provenWork: number | null;
  /** makes the tables of the best routes so far; null = there are none yet */
  readonly best: () => ForwardingTables | null;
}

/** Columns: after how much work which largest load was reached. */
export interface SearchTrace {
  readonly work: readonly number[];
  readonly incumbent: readonly number[];
  readonly bound: readonly number[];
  readonly stage: readonly string[];
}

export interface OptimizedRoutes {
  readonly tables: ForwardingTables;
  /** as counted by the search; evaluate-routes.ts counts by itself */
  readonly score: RouteScore;
  readonly trace: SearchTrace;
  /** work done: as `mostWork` it repeats the search */
  readonly work: number;
  /** the bound was met, between switches as well */
  readonly proven: boolean;
  /** work after which it was; null = it was not */
  readonly provenWork: number | null;
  /** of a search for the fewest links above a load: no routes leave fewer above it */
  readonly leastLinksAbove?: number;
}

/**
 * Finds routes.
 * @param starts tables to begin with, at least one; the best lends its entries where no traffic goes. With a limit on
 * changes the tables in use are the only start. Entries that are not on minimal ports are replaced
 */
export function optimizeRoutes(
  tree: FatTree,
  traffic: Traffic,
  starts: readonly ForwardingTables[],
  options: OptimizerOptions,
): OptimizedRoutes {
  return new RouteOptimizer(
    tree,
    routeDemand(tree, traffic),
    options.limit === undefined ? starts : [options.limit.from],
    options,
  ).run();
}

/** moves and proposals of the first round, fewer for few flows */
const firstPatience = 3000;
const patiencePerFlow = 50;
const firstProposals = 1 << 20;
const proposalsPerFlow = 1024;
const firstExchanges = 1 << 12;
const nextExchanges = 1 << 16;
/** what counts as better: by this share of the load */
const notableGain = 1e-4;
/**
 * work without anything better: at least, more per share that the bound is missed by, and at most; beside twice what
 * the first routes took
 */
const leastPatience = 1e7;
const patiencePerGap = 3e9;
const mostPatience = 1e8;
/** ceilings closer together than this share of the bound are one */
const ceilingStep = 2e-4;
const mostRounds = 4;
/** moves of all flows to a host, in the first round */
const destinationMoves = 256;
/** of several phases: other divisions of the load among them */
const tradesPerRound = 8;
/** work of spreading at most: about a second */
const mostSpreading = 2e7;

class RouteOptimizer {
  private readonly routing: FlowRouting;
  private readonly budget: SearchBudget;
  private readonly order: Int32Array;
  private readonly random: RandomStream;
  private readonly bound: number;
  /** null where flows merge or the tree is not whole */
  private readonly clos: ClosTree | null;
  /** by phase: what no routes are below, with the links of hosts and between switches alone */
  private readonly ownBound: readonly number[];
  private readonly netBound: readonly number[];
  private readonly hot: HotThreshold;
  private readonly trace = {
    work: [] as number[],
    incumbent: [] as number[],
    bound: [] as number[],
    stage: [] as string[],
  };
  private readonly limit: ChangeLimit | null;
  private readonly near: ForwardingTables | null;
  private best: { score: RouteScore; ways: Int32Array; start: ForwardingTables } | null = null;
  private stage = 'start';
  private readonly patience: number;
  /** work of the first routes, and the load since which there is patience */
  private firstWork = 0;
  private patientLoad = Infinity;
  private provenWork: number | null = null;

  constructor(
    tree: FatTree,
    private readonly demand: RouteDemand,
    private readonly starts: readonly ForwardingTables[],
    options: OptimizerOptions,
  ) {
    const network = new RouteNetwork(tree);
    const { phaseCount } = demand;
    const { background } = options;
    this.routing = new FlowRouting(
      network,
      demand,
      background === undefined
        ? null
        : Float64Array.from(
            { length: background.length * phaseCount },
            (_, cell) => background[Math.floor(cell / phaseCount)]!,
          ),
    );
    this.limit =
      options.limit === undefined ? null : new ChangeLimit(this.routing, options.limit.from, options.limit.most);
    this.near = options.near ?? null;
    this.clos = isOneToOne(demand) && background === undefined && this.limit === null ? closTree(network) : null;
    const given = network.links.reduce((most, port) => Math.max(most, background?.[port] ?? 0), 0);
    this.ownBound = demand.bounds.map((own) => Math.max(own.static, given));
    this.bound = sumOf(this.ownBound);
    this.netBound = demand.bounds.map(({ staticNet }) => Math.max(staticNet, given));
    this.hot = options.hot ?? 0.9;
    this.patience = options.patience ?? 1;
    const { stopped } = options;
    this.budget = new SearchBudget(
      options.mostWork,
      (work) =>
        stopped?.({
          work,
          incumbent: this.best?.score.maxLoad ?? Infinity,
          bound: this.bound,
          stage: this.stage,
          provenWork: this.provenWork,
          best: this.bestTables,
        }) === true,
    );
    this.order = heaviestFirst(demand);
    this.random = new RandomStream(
      options.seed,
      (options.place ?? 0) === 0 ? 'route optimizer' : `route optimizer ${options.place}`,
    );
  }

  run(): OptimizedRoutes {
    const { routing, budget, demand, order } = this;
    this.setCeiling(this.netBound);
    for (const given of this.starts) {
      const start = withMinimalEntries(routing.network.tree, given);
      routing.clear();
      routing.follow(start);
      routeGreedily(routing, order, budget);
      this.consider(start);
    }
    budget.spend(demand.flowCount);
    if (this.limit === null && this.goesOn()) this.greedy();
    this.firstWork = budget.work;
    this.renewPatience();
    // matching meets the bound or comes close at once: it is worth trying harder there before anything else
    for (let round = 0; this.clos !== null && round < 3 && this.goesOn(); round++) this.attempt(this.netBound, round);
    for (let round = 0; round < mostRounds && this.goesOn(); round++) {
      this.closeIn(round);
      if (this.demand.phaseCount > 1) this.trade(round);
    }
    budget.patienceEnd = Infinity;
    if (this.limit === null && !budget.ended) {
      if (this.near === null || !this.proven()) this.spread();
      else this.approach(this.near);
    }
    const { score, ways, start } = this.best!;
    restoreWays(routing, ways);
    return {
      tables: tablesOfWays(routing, start),
      score,
      trace: this.trace,
      work: budget.work,
      proven: this.proven(),
      provenWork: this.provenWork,
    };
  }

  /** Patience begins anew if the load is notably smaller than when it did last. */
  private renewPatience(): void {
    const { netMaxLoad } = this.best!.score;
    if (netMaxLoad > this.patientLoad * (1 - notableGain)) return;
    this.patientLoad = netMaxLoad;
    const bound = sumOf(this.netBound);
    const gap = bound > 0 ? (netMaxLoad - bound) / bound : 0;
    this.budget.patienceEnd =
      this.budget.work +
      this.patience * (2 * this.firstWork + Math.min(mostPatience, leastPatience + patiencePerGap * gap));
  }

  /** Lowers what stands behind the largest loads, which stay what they are. */
  private spread(): void {
    this.stage = 'spreading';
    restoreWays(this.routing, this.best!.ways);
    this.setCeiling(this.best!.score.phaseMax);
    spreadLoads(this.routing, this.order, this.budget, mostSpreading);
    this.routing.recount();
    this.consider(this.best!.start);
  }

  /** Looks for routes with few entries other than those of tables in use, whose largest loads are as proven. */
  private approach(near: ForwardingTables): void {
    const { routing, budget, order, random } = this;
    const { score: proven, ways: found, start: foundStart } = this.best!;
    this.stage = 'fewest changes';
    this.setCeiling(proven.phaseMax);
    const start = withMinimalEntries(routing.network.tree, near);
    const ways = nearestWays(routing, near, start, order, random, budget);
    if (ways === null) return;
    restoreWays(routing, ways);
    this.best = { score: scoreRoutes(routing, this.hot), ways, start };
    if (!this.proven()) this.best = { score: proven, ways: found, start: foundStart };
  }

  private greedy(): void {
    this.stage = 'greedy';
    this.routing.clear();
    routeGreedily(this.routing, this.order, this.budget);
    this.consider(this.best!.start);
    if (this.demand.ways === null) return;
    restoreWays(this.routing, waysOfPorts(this.demand.ways));
    this.consider(this.best!.start);
  }

  /** Searches below ceilings between the bound (or what was tried in vain) and the best so far. */
  private closeIn(round: number): void {
    const least = this.netBound;
    let floor = least;
    for (let ceiling = least; ;) {
      if (!this.attempt(ceiling, round)) floor = ceiling;
      if (!this.goesOn()) return;
      const { phaseMax } = this.best!.score;
      const left = phaseMax.map((own, phase) => Math.max(0, own - floor[phase]!));
      if (sumOf(left) <= ceilingStep * sumOf(least)) return;
      ceiling = left.map((own, phase) => floor[phase]! + own / 2);
    }
  }

  /**
   * Searches where some phases have less and others more than now, but all together less. What the links of hosts have
   * to carry in a phase costs nothing between switches.
   */
  private trade(round: number): void {
    const { random, ownBound } = this;
    for (let i = 0; i < tradesPerRound && this.goesOn(); i++) {
      const { phaseMax } = this.best!.score;
      const most = sumOf(phaseMax.map((own, phase) => Math.max(own, ownBound[phase]!)));
      const slack = Math.max(0, most * (1 - ceilingStep) - sumOf(ownBound));
      const shares = ownBound.map(() => random.nextFraction());
      const whole = sumOf(shares);
      this.attempt(
        ownBound.map((least, phase) => least + (slack * shares[phase]!) / whole),
        round,
      );
    }
  }

  /** Leaf layer, cores and conflicts below a ceiling. @returns true if nothing is above it */
  private attempt(ceiling: readonly number[], round: number): boolean {
    const { routing, budget, random } = this;
    const effort = 1 << round;
    this.setCeiling(ceiling);
    restoreWays(routing, this.best!.ways);
    this.limit?.recount();
    if (this.limit === null) this.routeByLayers(ceiling, effort);
    if (!this.goesOn()) return true;
    this.stage = 'conflicts';
    const met = resolveConflicts(routing, random, budget, {
      sample: 8,
      patience: Math.min(firstPatience, patiencePerFlow * this.demand.flowCount) * effort,
      limit: this.limit,
    });
    this.consider(this.best!.start);
    if (met || this.limit !== null || !suitsDestinationSearch(routing) || !this.goesOn()) return met;
    this.stage = 'destinations';
    const metThen = rerouteDestinations(routing, random, budget, destinationMoves * effort);
    this.consider(this.best!.start);
    return metThen;
  }

  /** The leaf layer below a ceiling, then cores for its ends; leaves the routing as good as that made it. */
  private routeByLayers(ceiling: readonly number[], effort: number): void {
    const { routing, demand, budget, random, order, clos } = this;
    this.stage = 'leaf layer';
    const proposals = Math.min(firstProposals, proposalsPerFlow * demand.flowCount) * effort;
    const exchanges = effort === 1 ? firstExchanges : (nextExchanges / 2) * effort;
    const begins = [{ ends: endsOfWays(routing), warmth: 0.3 }];
    if (clos !== null) begins.unshift({ ends: matchLeaves(clos, routing, random, budget, exchanges), warmth: 3e-4 });
    for (const { ends, warmth } of begins) {
      const layer = new LeafLayer(routing, Float64Array.from(ceiling), ends);
      if (!layer.anneal(random, budget, proposals, warmth)) continue;
      this.stage = 'cores';
      if (clos === null) routeCores(routing, order, layer, budget);
      else matchCores(clos, routing, layer, random, budget, exchanges);
      this.consider(this.best!.start);
      return;
    }
  }

  private readonly bestTables = (): ForwardingTables | null => {
    const { network, demand } = this.routing;
    return this.best === null ? null : tablesOfWays({ network, demand, way: this.best.ways }, this.best.start);
  };

  private setCeiling(ceiling: readonly number[]): void {
    this.routing.ceiling.set(ceiling);
  }

  private consider(start: ForwardingTables): void {
    const score = scoreRoutes(this.routing, this.hot);
    if (this.best !== null && !isBetter(score, this.best.score)) return;
    this.best = { score, ways: this.routing.way.slice(), start };
    this.trace.work.push(this.budget.work);
    // secondary objectives may be better at a load that differs by rounding
    this.trace.incumbent.push(Math.min(score.maxLoad, this.trace.incumbent.at(-1) ?? Infinity));
    this.trace.bound.push(this.bound);
    this.trace.stage.push(this.stage);
    if (this.provenWork === null && this.proven()) this.provenWork = this.budget.work;
    if (this.budget.patienceEnd < Infinity) this.renewPatience();
  }

  private goesOn(): boolean {
    return !this.proven() && !this.budget.ended;
  }

  private proven(): boolean {
    return this.best!.score.phaseMax.every((own, phase) => own <= this.netBound[phase]! * (1 + boundTolerance));
  }
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, own) => sum + own, 0);
}

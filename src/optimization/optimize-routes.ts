// The optimizer: static routes for given traffic whose largest load is as small as it can be found, with a proof where it meets the bound.
// Given tables (ftree) -> greedy -> for a ceiling between the bound and the best so far: leaf layer, cores, conflicts; the ceiling halves its
// distance to the bound or to the best so far, until nothing is left between them; then again with more patience.
// Objectives in order: the largest load, summed over phases; links above a threshold; the l2 norm (route-score.ts).
// Invariants: the best routes so far are always at hand; the same seed and work give the same routes; nothing is called proven but by
// route-bounds.ts. Sources: the dissertation, chapter 3 (problem, bounds, merging); what the stages rest on stands in their files.

import { RandomStream } from '../base/random.js';
import type { FatTree } from '../fabric/fat-tree.js';
import type { Traffic } from '../flows/traffic/matrix.js';
import type { ForwardingTables } from '../routing/forwarding-tables.js';
import { closTree, endsOfWays, isOneToOne, matchCores, matchLeaves, type ClosTree } from './clos-matching.js';
import { resolveConflicts, restoreWays } from './conflict-search.js';
import { routeCores } from './core-stage.js';
import { FlowRouting } from './flow-routing.js';
import { routeGreedily } from './greedy-routes.js';
import { LeafLayer } from './leaf-annealing.js';
import { heaviestFirst, routeDemand, type RouteDemand } from './route-demand.js';
import { RouteNetwork } from './route-network.js';
import { isBetter, scoreRoutes, type RouteScore } from './route-score.js';
import { boundTolerance } from './schedule-bound.js';
import { SearchBudget } from './search-budget.js';
import { tablesOfWays } from './tables-of-ways.js';

export interface OptimizerOptions {
  readonly seed: number;
  /** links looked at, about 20 million per second; the search ends there */
  readonly mostWork: number;
  /** links above this share of the adaptive bound between switches count as hot */
  readonly thresholdShare?: number;
  /** asked now and then; true ends the search with the best so far */
  readonly stopped?: (progress: OptimizerProgress) => boolean;
}

/** How far a search is. */
export interface OptimizerProgress {
  readonly work: number;
  /** largest load of the best routes so far, and what no routes are below; summed over phases */
  readonly incumbent: number;
  readonly bound: number;
  readonly stage: string;
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
}

/** Finds routes. @param starts complete tables to begin with, at least one; the best lends its entries where no traffic goes */
export function optimizeRoutes(tree: FatTree, traffic: Traffic, starts: readonly ForwardingTables[], options: OptimizerOptions): OptimizedRoutes {
  return new RouteOptimizer(tree, routeDemand(tree, traffic), starts, options).run();
}

const firstPatience = 3000;
const firstProposals = 1 << 20;
const firstExchanges = 1 << 16;
/** ceilings closer together than this share of the bound are one */
const ceilingStep = 2e-4;
const mostRounds = 4;

class RouteOptimizer {
  private readonly routing: FlowRouting;
  private readonly budget: SearchBudget;
  private readonly order: Int32Array;
  private readonly random: RandomStream;
  private readonly bound: number;
  /** null where flows merge or the tree is not whole */
  private readonly clos: ClosTree | null;
  private readonly netBound: readonly number[];
  private readonly thresholdShare: number;
  private readonly trace = { work: [] as number[], incumbent: [] as number[], bound: [] as number[], stage: [] as string[] };
  private best: { score: RouteScore; ways: Int32Array; start: ForwardingTables } | null = null;
  private stage = 'start';

  constructor(tree: FatTree, private readonly demand: RouteDemand, private readonly starts: readonly ForwardingTables[], options: OptimizerOptions) {
    const network = new RouteNetwork(tree);
    this.routing = new FlowRouting(network, demand);
    this.clos = isOneToOne(demand) ? closTree(network) : null;
    this.bound = demand.bounds.reduce((sum, own) => sum + own.static, 0);
    this.netBound = demand.bounds.map(({ staticNet }) => staticNet);
    this.thresholdShare = options.thresholdShare ?? 0.9;
    const { stopped } = options;
    this.budget = new SearchBudget(options.mostWork, (work) => stopped?.({ work, incumbent: this.best?.score.maxLoad ?? Infinity, bound: this.bound, stage: this.stage }) === true);
    this.order = heaviestFirst(demand);
    this.random = new RandomStream(options.seed, 'route optimizer');
  }

  run(): OptimizedRoutes {
    const { routing, budget, demand, order } = this;
    this.setCeiling(this.netBound);
    for (const start of this.starts) {
      routing.clear();
      routing.follow(start);
      routeGreedily(routing, order, budget);
      this.consider(start);
    }
    budget.spend(demand.flowCount);
    if (!this.proven() && !budget.ended) this.greedy();
    for (let round = 0; round < mostRounds && !this.proven() && !budget.ended; round++) this.closeIn(round);
    const { score, ways, start } = this.best!;
    restoreWays(routing, ways);
    return { tables: tablesOfWays(routing, start), score, trace: this.trace, work: budget.work, proven: this.proven() };
  }

  private greedy(): void {
    this.stage = 'greedy';
    this.routing.clear();
    routeGreedily(this.routing, this.order, this.budget);
    this.consider(this.best!.start);
  }

  /** Searches below ceilings between the bound and the best so far. */
  private closeIn(round: number): void {
    const least = this.netBound;
    let low = 0;
    for (let first = true; !this.proven() && !this.budget.ended; first = false) {
      const { phaseMax } = this.best!.score;
      const gap = phaseMax.reduce((sum, own) => sum + own, 0) - least.reduce((sum, own) => sum + own, 0);
      if (gap * (1 - low) <= ceilingStep * least.reduce((sum, own) => sum + own, 0)) return;
      const share = first ? 0 : (low + 1) / 2;
      const before = this.best!.score.netMaxLoad;
      const met = this.attempt(least.map((own, phase) => own + share * Math.max(0, phaseMax[phase]! - own)), round);
      if (met) low = this.rescaled(low, gap);
      else if (this.best!.score.netMaxLoad < before) low = Math.min(1, Math.max(this.rescaled(low, gap), 0));
      else low = share;
      if (first && !met) low = 0;
      if (first) continue;
      if (low >= 1) return;
    }
  }

  /** A share of the old gap as a share of the gap that is left. */
  private rescaled(low: number, gap: number): number {
    const { phaseMax } = this.best!.score;
    const left = phaseMax.reduce((sum, own) => sum + own, 0) - this.netBound.reduce((sum, own) => sum + own, 0);
    return left <= 0 ? 1 : (low * gap) / left;
  }

  /** Leaf layer, cores and conflicts below a ceiling. @returns true if nothing is above it */
  private attempt(ceiling: readonly number[], round: number): boolean {
    const { routing, budget, random, order, clos } = this;
    const effort = 1 << round;
    this.setCeiling(ceiling);
    restoreWays(routing, this.best!.ways);
    this.stage = 'leaf layer';
    const begins = [{ ends: endsOfWays(routing), warmth: 0.3 }];
    if (clos !== null) begins.unshift({ ends: matchLeaves(clos, routing, random, budget, firstExchanges * effort), warmth: 3e-4 });
    for (const { ends, warmth } of begins) {
      const layer = new LeafLayer(routing, Float64Array.from(ceiling), ends);
      if (!layer.anneal(random, budget, firstProposals * effort, warmth)) continue;
      this.stage = 'cores';
      const met = clos === null ? routeCores(routing, order, layer, budget) === 0 : matchCores(clos, routing, layer, random, budget, firstExchanges * effort);
      this.consider(this.best!.start);
      if (met && clos !== null) return true;
      break;
    }
    this.stage = 'conflicts';
    const met = resolveConflicts(routing, random, budget, { sample: 8, patience: firstPatience * effort });
    this.consider(this.best!.start);
    return met;
  }

  private setCeiling(ceiling: readonly number[]): void {
    this.routing.ceiling.set(ceiling);
  }

  private consider(start: ForwardingTables): void {
    const score = scoreRoutes(this.routing, this.thresholdShare);
    if (this.best !== null && !isBetter(score, this.best.score)) return;
    this.best = { score, ways: this.routing.way.slice(), start };
    this.trace.work.push(this.budget.work);
    this.trace.incumbent.push(score.maxLoad);
    this.trace.bound.push(this.bound);
    this.trace.stage.push(this.stage);
  }

  private proven(): boolean {
    return this.best!.score.phaseMax.every((own, phase) => own <= this.netBound[phase]! * (1 + boundTolerance));
  }
}

// Tables and traffic -> what the routes are worth: loads, gaps, bounds and validity, for every phase and in all.
// Invariant: everything is computed from tables and matrices here; nothing is taken over from whoever made the tables.
// Loads and bounds are of the same flows, those that arrive, so that no bound is above its load (route-verdicts.ts).
// With several phases the largest loads, one of each phase, add up: each phase lasts as long as its worst link.

import type { FatTree } from '../fabric/fat-tree.js';
import { collapsed, type Traffic, type TrafficMatrix } from '../flows/traffic/matrix.js';
import type { TablesByOffset } from '../routing/lid-offsets.js';
import { adaptiveInterval, type BoundInterval } from './adaptive-spread.js';
import { LidShare, loadsByOffset, together, usualLidUse, type LidUse } from './lid-use.js';
import { interSwitchPorts, keepsToMinimalWays } from './table-loads.js';
import { gap, summariseLoads, type LoadSummary } from './load-summary.js';
import type { HotThreshold } from './route-score.js';
import { loadStep, roundedUp } from './distance-bound.js';
import { leastLoad, suitsLeastLoad, withLeastLoad } from './least-load.js';
import { exactTolerance, routeBounds, withAdaptiveNet, withSpineCuts, type RouteBounds } from './route-bounds.js';
import { UpDownReach } from '../routing/up-down-reach.js';
import { routableTraffic, type LeafTraffic } from './leaf-traffic.js';
import { checkRoutes, type RouteValidity } from './route-validity.js';
import { boundTolerance } from './schedule-bound.js';

export interface PhaseEvaluation {
  readonly name: string;
  readonly loads: LoadSummary;
  readonly bounds: RouteBounds;
  /**
   * no static routes do better in this phase, by more than rounding, or exactTolerance where the adaptive bound is not
   * a closed form
   */
  readonly provenOptimal: boolean;
  /** flows (leaf, destination) that do not arrive; loads and bounds leave them out */
  readonly lostFlows: number;
  /** of these, flows that some up-down routes would carry */
  readonly lostFlowsWithWay: number;
  /** load of every link, by sending port */
  readonly load: Float64Array;
}

export interface RouteEvaluation {
  readonly phases: readonly PhaseEvaluation[];
  /** all phases at once; the only phase if there is one */
  readonly collapsed: PhaseEvaluation;
  /** sums over the phases */
  readonly maxLoad: number;
  readonly adaptiveBound: number;
  readonly lowerBound: number;
  readonly arGap: number;
  readonly netGap: number;
  readonly provenOptimal: boolean;
  readonly validity: RouteValidity;
}

/** Adaptive bounds between switches, where they are known better than by cuts. */
export interface SolvedBounds {
  readonly phases: readonly BoundInterval[];
  /** of all phases at once */
  readonly collapsed: BoundInterval;
}

/**
 * How the adaptive bound of a tree that is not whole is found: by cuts alone, a lower bound, or by spreading the
 * traffic.
 */
export type AdaptiveBoundBy = 'cuts' | 'spread';

/**
 * Evaluates tables.
 * @param tables by LID offset
 * @param hot above what a link between switches is hot
 * @param adaptive how adaptive bounds are found where the closed form does not hold, or what a linear programme came to
 * @param use of the LIDs of hosts, if they have several
 */
export function evaluateRoutes(
  tree: FatTree,
  tables: TablesByOffset,
  traffic: Traffic,
  hot: HotThreshold = 0.9,
  adaptive: AdaptiveBoundBy | SolvedBounds = 'spread',
  use: LidUse = usualLidUse,
): RouteEvaluation {
  const routable = (matrix: TrafficMatrix): LeafTraffic =>
    tables.length === 1
      ? routableTraffic(tree, matrix)
      : together(tables.map((_, offset) => routableTraffic(tree, new LidShare(matrix, use, tables.length, offset))));
  const between = interSwitchPorts(tree);
  const solved = typeof adaptive === 'string' ? null : adaptive;
  const evaluate = (name: string, matrix: TrafficMatrix, known: BoundInterval | null): PhaseEvaluation => {
    const { load, lostFlows, lostFlowsWithWay, traffic: flows } = loadsByOffset(tree, tables, matrix, use);
    const cuts = routeBounds(flows);
    // bounds over minimal ways are none for tables that take others, and what was solved is of all flows with a way
    // detours add to the loads of all others, so that bounds of those that have an up-down way hold as well
    const own = UpDownReach.of(tree).complete || lostFlowsWithWay > 0 ? flows : routable(matrix);
    const detoured = own.leaf.length < flows.leaf.length;
    const isMinimal = tree.isTree && cuts.inexact !== null && tables.every((offset) => keepsToMinimalWays(offset, own));
    // what was solved for a fabric that is no tree holds of all ways
    const holds = tree.isTree
      ? isMinimal && (adaptive === 'spread' || known !== null)
      : cuts.inexact !== null && known !== null && lostFlows === 0;
    const interval = !holds
      ? null
      : known !== null && lostFlowsWithWay === 0
        ? known
        : adaptiveInterval(own, detoured ? routeBounds(own).adaptiveNet : cuts.adaptiveNet);
    const ofAllWays =
      interval === null
        ? cuts
        : tree.isTree
          ? withAdaptiveNet(cuts, detoured ? { lower: interval.lower, upper: Infinity } : interval)
          : inWholeSteps(withAdaptiveNet(cuts, interval), loadStep(flows));
    const spread = isMinimal ? withSpineCuts(ofAllWays, own) : ofAllWays;
    // that search knows one way to each destination of a leaf, not one for each of its LIDs
    const bounds =
      tables.length === 1 && suitsLeastLoad(own) && keepsToMinimalWays(tables[0]!, own)
        ? withLeastLoad(spread, leastLoad(own, spread.staticNet))
        : spread;
    const tolerance = interval === null ? boundTolerance : exactTolerance;
    const loads = summariseLoads(load, between, bounds, hot);
    return {
      name,
      loads,
      bounds,
      provenOptimal: lostFlowsWithWay === 0 && loads.maxLoad <= bounds.static * (1 + 2 * tolerance),
      lostFlows,
      lostFlowsWithWay,
      load,
    };
  };
  const phases = traffic.phases.map(({ name, matrix }, phase) => evaluate(name, matrix, solved?.phases[phase] ?? null));
  const all = phases.length === 1 ? phases[0]! : evaluate('all phases', collapsed(traffic), solved?.collapsed ?? null);
  const sum = (value: (phase: PhaseEvaluation) => number): number =>
    phases.reduce((total, phase) => total + value(phase), 0);
  const maxLoad = sum(({ loads }) => loads.maxLoad);
  const adaptiveBound = sum(({ bounds }) => bounds.adaptive);
  return {
    phases,
    collapsed: all,
    maxLoad,
    adaptiveBound,
    lowerBound: sum(({ bounds }) => bounds.static),
    arGap: gap(maxLoad, adaptiveBound),
    netGap: gap(
      sum(({ loads }) => loads.netMaxLoad),
      sum(({ bounds }) => bounds.adaptiveNet),
    ),
    provenOptimal: phases.every((phase) => phase.provenOptimal),
    validity: checkRoutes(tree, tables),
  };
}

/** Bounds of routes that split no flow, rounded up to loads that there can be. */
function inWholeSteps(bounds: RouteBounds, step: number): RouteBounds {
  const staticNet = roundedUp(bounds.staticNet, step);
  return { ...bounds, staticNet, static: Math.max(bounds.static, staticNet) };
}

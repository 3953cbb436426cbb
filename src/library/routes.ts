/**
 * `@weft-sim/weft/routes`: static routes for InfiniBand fat trees: tables by any algorithm of `weft route compute`, and
 * what they are worth for given traffic. Runs in a browser worker as in Node.
 *
 * ```ts
 * import { computeRoutes } from '@weft-sim/weft/routes';
 * const routes = await computeRoutes({
 *   fabric: { family: 'fat-tree', parameters: { k: 8 } },
 *   traffic: 'random-permutation',
 *   algorithm: 'weft',
 *   mostWork: 5_000_000,
 * });
 * console.log(routes.evaluation.maxLoad, routes.evaluation.lowerBound);
 * ```
 *
 * `writeForwardingTables` and `writeIbnetdiscover` of `@weft-sim/weft/formats` write what OpenSM reads.
 *
 * @module @weft-sim/weft/routes
 */

export {
  exactAlgorithms,
  routeAlgorithms,
  type AnyAlgorithm,
  type ExactAlgorithm,
  type RouteAlgorithm,
} from '../app/routes/algorithms/catalogue.js';
export {
  checkFabric,
  type Cable,
  type CableEnd,
  type FabricChanges,
  type FabricCheck,
  type FabricCheckRequest,
  type FabricFindingReport,
  type FabricHealth,
  type FoundCable,
  type NodeChange,
} from '../app/check-fabric.js';
export {
  fabricHealth,
  type CheckedFabricHealth,
  type CountedLink,
  type CountedPort,
  type FabricHealthRequest,
  type HealthReport,
  type HealthTables,
  type LidSummary,
  type LinkCounters,
} from '../app/fabric-health.js';
export {
  compareRoutes,
  type ComparedTables,
  type ComparisonRequest,
  type RouteComparison,
} from '../app/routes/compare-routes.js';
export {
  computeRoutes,
  type ComputedRoutes,
  type ReportedRoutes,
  type RouteRequest,
} from '../app/routes/compute-routes.js';
export { evaluateTables, type EvaluatedTables, type EvaluationRequest } from '../app/routes/evaluate-tables.js';
export type { FabricRequest } from '../app/routes/fabric-input.js';
export type { GivenText } from '../app/routes/file-kinds.js';
export type { MadeTables, RouteHost } from '../app/routes/make-tables.js';
export { routeTransition, type ReportedTransition, type TransitionRequest } from '../app/routes/plan-transition.js';
export { repairRoutes, type RepairedRoutes, type RepairRequest } from '../app/routes/repair-routes.js';
export type { RouteSolver, SearchReport } from '../app/routes/route-algorithm.js';
export type { BackgroundRequest } from '../app/routes/route-background.js';
export {
  judgeTables,
  type JudgedTables,
  type LidReport,
  type PassedTables,
  type ProblemRequest,
  type ReportedTables,
} from '../app/routes/route-problem.js';
export {
  routeSourcePorts,
  type FoundSourcePorts,
  type SourcePortLoads,
  type SourcePorts,
  type SourcePortsRequest,
} from '../app/routes/source-ports.js';
export type { TablesRequest } from '../app/routes/tables-input.js';
export type { FtreeOfStart, SearchHistory, SearchState } from '../app/routes/search-control.js';
export type { TrafficColumns, TrafficRequest } from '../app/routes/traffic-input.js';
export type { FatTree, NotAFatTree } from '../fabric/fat-tree.js';
export type { FabricSummary } from '../fabric/summary.js';
export type { PortIdentity } from '../fabric/port-identity.js';
export type { RoutedFabric } from '../fabric/routed-fabric.js';
export type { AllocationKind } from '../flows/traffic/allocation.js';
export type { Omission } from '../formats/opensm-lfts-writer.js';
export type {
  AdaptiveBoundBy,
  PhaseEvaluation,
  RouteEvaluation,
  SolvedBounds,
} from '../optimization/evaluate-routes.js';
export type { LoadSummary } from '../optimization/load-summary.js';
export type { RouteBounds } from '../optimization/route-bounds.js';
export type { LidUse } from '../optimization/lid-use.js';
export type { SearchTrace } from '../optimization/optimize-routes.js';
export type { Transition, TransitionFault, TransitionStep } from '../optimization/route-transition.js';
export type { MixedFault } from '../optimization/mixed-tables.js';
export type { HotThreshold, RouteScore } from '../optimization/route-score.js';
export type { RouteObjective } from '../app/routes/route-objective.js';
export type { PathLengths } from '../optimization/path-lengths.js';
export type { FaultExample, RouteFault, RouteValidity } from '../optimization/route-validity.js';
export type { RouteVerdict } from '../optimization/route-verdicts.js';
export type { ChannelCycle, DeadlockCheck } from '../routing/channel-dependencies.js';
export type { ForwardingTables } from '../routing/forwarding-tables.js';
export type { TablesByOffset } from '../routing/lid-offsets.js';
export type { FlowLevels, LaneRule } from '../routing/route-lanes.js';

/**
 * `@weft-sim/weft`: a scenario as text, the plan that it becomes, and its run. Works in Node and, bundled, in a browser
 * or a worker: files and clocks come in through a host, and without one nothing but memory is needed.
 *
 * ```ts
 * import { planFromText, simulate } from '@weft-sim/weft';
 * const plan = await planFromText(yamlText);
 * const run = await simulate(plan);
 * console.log(run.fct.meanNs, run.digest);
 * ```
 *
 * Invariant: what is exported here and by the other entries (routes, collectives, formats, node) is the whole
 * interface; files inside dist may move.
 *
 * @module @weft-sim/weft
 */

export type {
  CongestionPoint,
  LatencyStatistics,
  PauseCauses,
  PauseStorm,
  ProbeSummary,
  WatchdogAction,
  WatchdogFigures,
} from '../execution/network-figures.js';
export { formatDiagnostic, InputError } from '../base/diagnostics.js';
export type { Diagnostic, DiagnosticDetail, Position, Severity } from '../base/diagnostics.js';
export { InvariantError } from '../base/fail.js';
export { HostFileError, type Host, type RunningDigest } from '../base/host.js';
export type { Progress, RunSummary } from '../app/run-progress.js';
export type { NetworkCounters, Verdict } from '../execution/network.js';
export type { SenderPace, SenderPaces } from '../execution/sender-paces.js';
export type { InferenceReport } from '../inference/inference-report.js';
export type { FastForwardFigures, LeapFigures } from '../jobs/fast-forward/fast-forward-figures.js';
export type { CommunicationKind, JobReport, LayerFigures, PassFigures, RankFigures } from '../jobs/job-report.js';
export type { TransferJob, TransferJobFigures } from '../jobs/transfer-jobs.js';
export type { JobMemory, StageMemory } from '../jobs/memory-figures.js';
export type { StateBytes } from '../workload/state-bytes.js';
export type { CollisionCount } from '../measurement/collisions.js';
export type { LostByCause, LostCause, LostTimeReport, NamedPlace, SlowLink } from '../measurement/lost-causes.js';
export type { ControllerFigures } from '../measurement/controller-figures.js';
export type { CompletionStatistics } from '../measurement/completion.js';
export type { SlowdownStatistics } from '../measurement/slowdowns.js';
export type { UnfinishedFigures, UnfinishedFlowFigures } from '../measurement/unfinished-figures.js';
export { LinkLoads, type TierLoad } from '../measurement/link-loads.js';
export type { InputRole, PlanInput } from '../scenario/input-files.js';
export type { WeakMasks } from '../sampling/link-hash.js';
export type { SamplingSummary } from '../sampling/packet-sampler.js';
export type { ReceiveBuffer } from '../backends/packet/settings.js';
export type { PartCosts } from '../fabric/bill-of-materials.js';
export type { Fabric } from '../fabric/fabric.js';
export {
  fabricFamilies,
  type FabricFamily,
  type ParameterProblem,
  type ParameterValues,
} from '../fabric/generators/catalogue.js';
export { flowTable, hopTable, unfinishedTable } from '../records/flow-records.js';
export { MemorySink } from '../records/memory-sink.js';
export type { Batch, ColumnSchema, ColumnType, RecordColumn, RecordSink, TableSchema } from '../records/schema.js';
export { scenarioJsonSchemaText } from '../scenario/json-schema.js';
export type { ControllerSettings, Plan } from '../scenario/plan.js';
export { generateFabric } from './fabrics.js';
export { memoryHost, type MemoryHostAbilities } from '../app/memory-host.js';
export type { Additions } from './additions.js';
export type { SaidFinding, SaidLink } from '../app/diagnose/judge-run.js';
export { diagnose, type DiagnosisOptions } from './diagnose.js';
export { planFromFile, planFromText, type ScenarioOptions } from './plan-scenario.js';
export { rowsOf, simulate, type SimulationOptions } from './simulate-plan.js';

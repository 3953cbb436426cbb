// A run of the fluid backend put together by hand: fabric and transfers in, rows and the parts out (engine-run.ts is
// its twin).

import { FluidNetwork, type FluidSettings, type WorkLimits } from '#weft/backends/fluid/fluid-network.js';
import { CentralController } from '#weft/controller/central-controller.js';
import { CountedPorts } from '#weft/execution/admission.js';
import { ControlledPorts } from '#weft/execution/controlled-ports.js';
import { ControllerRequests } from '#weft/execution/controller-requests.js';
import { Executor } from '#weft/execution/executor.js';
import { Frontier } from '#weft/execution/frontier.js';
import type { RunState, Verdict } from '#weft/execution/network.js';
import type { Fabric } from '#weft/fabric/fabric.js';
import type { WorkSource } from '#weft/flows/work-source.js';
import { CompletionTimes } from '#weft/measurement/completion.js';
import { MemorySink } from '#weft/records/memory-sink.js';
import { EqualCostRoutes } from '#weft/routing/equal-cost.js';
import { PathTracer } from '#weft/routing/path.js';
import { broken, type FlowRow, flowRows, listed, type Transfer } from './engine-run.js';

/** With how much work exact rates may be, and when flows are a crowd. */
export interface FluidOptions extends WorkLimits {
  /** source ports by the central controller */
  readonly controlled?: boolean;
}

export interface FluidRun {
  readonly state: RunState;
  readonly executor: Executor;
  readonly network: FluidNetwork;
  readonly flows: readonly FlowRow[];
  readonly verdicts: readonly Verdict[];
}

/** Bytes and nothing else: no headers, no acknowledgements. What closed forms of streams speak of. */
export const bytesAlone: FluidSettings = { payloadBytes: 1, overheadBytes: 0, acknowledgementBytes: 0 };

/** Runs transfers, or any other work, to the end. Nothing is checked: that is the test's part. */
export function fluidRun(
  fabric: Fabric,
  work: readonly Transfer[] | WorkSource,
  settings: FluidSettings,
  options: FluidOptions = {},
): FluidRun {
  const tracer = new PathTracer(new EqualCostRoutes(fabric, 'descending-node-id'));
  const source = 'nextStartPs' in work ? work : listed(work);
  const network = new FluidNetwork(fabric, tracer, settings, null, options);
  const frontier = new Frontier();
  const counted = new CountedPorts(frontier, fabric.nodeCount);
  const admission =
    options.controlled === true
      ? new ControlledPorts(new ControllerRequests(frontier, tracer, new CentralController(tracer)), counted)
      : counted;
  const sink = new MemorySink();
  const executor = new Executor({
    tracer,
    source,
    network,
    frontier,
    admission,
    sink,
    completions: new CompletionTimes(),
    sendLatencyPs: 0,
    queuePairsPerFlow: 1,
    payloadBytes: settings.payloadBytes,
    overheadBytes: settings.overheadBytes,
  });
  let state: RunState = 'running';
  while (state === 'running') state = executor.advance(100_000);
  executor.close();
  return { state, executor, network, flows: flowRows(sink), verdicts: executor.verdicts(state) };
}

/** The same to an end that must be a good one. @throws Error if the run's own checks found anything */
export function soundFluidRun(
  fabric: Fabric,
  work: readonly Transfer[] | WorkSource,
  settings: FluidSettings,
  options: FluidOptions = {},
): FluidRun {
  const run = fluidRun(fabric, work, settings, options);
  const problems = broken(run);
  if (problems.length > 0) throw new Error(problems.join('; '));
  return run;
}

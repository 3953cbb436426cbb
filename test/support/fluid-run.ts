// A run of the fluid backend put together by hand, for tests: fabric and transfers in, rows out.

import { FluidNetwork, type FluidSettings } from '../../src/backends/fluid/fluid-network.js';
import { CountedPorts } from '../../src/execution/admission.js';
import { Executor } from '../../src/execution/executor.js';
import { Frontier } from '../../src/execution/frontier.js';
import type { RunState, Verdict } from '../../src/execution/network.js';
import type { Fabric } from '../../src/fabric/fabric.js';
import { TransferList } from '../../src/flows/transfer-list.js';
import { CollisionCounter } from '../../src/measurement/collisions.js';
import { CompletionTimes } from '../../src/measurement/completion.js';
import { MemorySink } from '../../src/records/memory-sink.js';
import { EqualCostRoutes } from '../../src/routing/equal-cost.js';
import { PathTracer } from '../../src/routing/path.js';
import { type FlowRow, flowRows, type Transfer } from './engine-run.js';

export interface FluidRun {
  readonly state: RunState;
  readonly flows: readonly FlowRow[];
  readonly verdicts: readonly Verdict[];
}

export function fluidRun(fabric: Fabric, transfers: readonly Transfer[], settings: FluidSettings): FluidRun {
  const tracer = new PathTracer(new EqualCostRoutes(fabric, 'descending-node-id'));
  const source = new TransferList();
  for (const [from, to, sizeBytes, startPs = 0] of transfers) source.add(from, to, sizeBytes, startPs);
  const network = new FluidNetwork(fabric, tracer, settings);
  const frontier = new Frontier();
  const sink = new MemorySink();
  const executor = new Executor({
    tracer, source, network, frontier, admission: new CountedPorts(frontier, fabric.nodeCount), sink, collisions: new CollisionCounter(fabric, tracer.maxLength),
    completions: new CompletionTimes(), sendLatencyPs: 0, queuePairsPerFlow: 1, payloadBytes: settings.payloadBytes, overheadBytes: settings.overheadBytes,
  });
  let state: RunState = 'running';
  while (state === 'running') state = executor.advance(100_000);
  executor.close();
  return { state, flows: flowRows(sink), verdicts: executor.verdicts(state) };
}

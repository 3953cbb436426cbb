// A scenario run with mechanisms that are not Weft's: planned and simulated as the program does it.

import { simulate, type SimulateOptions } from '../../src/app/simulate.js';
import type { RunSummary } from '../../src/app/run-progress.js';
import { builtInBackends } from '../../src/backends/catalogue.js';
import { type Mechanisms, mechanisms } from '../../src/backends/packet/mechanisms.js';
import { packetBackendWith } from '../../src/backends/packet/packet-backend.js';
import { HopColumn, hopTable } from '../../src/records/flow-records.js';
import { MemorySink } from '../../src/records/memory-sink.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { memoryHost } from '../memory-host.js';

export interface SeamRun {
  readonly summary: RunSummary;
  readonly sink: MemorySink;
  /** verdicts that are not green */
  readonly broken: readonly string[];
}

/** Runs a scenario (YAML) with more mechanisms than Weft has. */
export async function runWith(
  more: Partial<Mechanisms>,
  text: string,
  options: Partial<SimulateOptions> = {},
  files: Readonly<Record<string, string>> = {},
): Promise<SeamRun> {
  const all = mechanisms as Mechanisms;
  const catalogue: Mechanisms = {
    transports: { ...all.transports, ...more.transports },
    congestionControls: { ...all.congestionControls, ...more.congestionControls },
    flowControls: { ...all.flowControls, ...more.flowControls },
    balancers: { ...all.balancers, ...more.balancers },
    lossModels: { ...all.lossModels, ...more.lossModels },
  };
  const packet = packetBackendWith(catalogue);
  const backends = builtInBackends.map((backend) => (backend.name === packet.name ? packet : backend));
  const host = memoryHost({ ...files, 's.yaml': text });
  const plan = await makePlan('s.yaml', { host, overrides: [], catalogues: { backends } });
  const sink = new MemorySink();
  const summary = await simulate(plan, { host, sink, ...options });
  const broken = summary.verdicts.filter(({ ok }) => !ok).map(({ name, detail }) => `${name}: ${detail}`);
  return { summary, sink, broken };
}

/** How many different ports of a node each flow took, by the records. */
export function portsTaken(sink: MemorySink, flow: number, node: number): number {
  const column = (name: keyof typeof HopColumn): Float64Array => sink.column(hopTable, HopColumn[name]);
  const [flows, nodes, ports] = [column('flow'), column('node'), column('interface')];
  return new Set(Array.from(ports).filter((_, i) => flows[i] === flow && nodes[i] === node)).size;
}

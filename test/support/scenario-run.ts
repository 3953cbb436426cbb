// A whole scenario run in memory, for tests of what settings do: YAML and --set in; summary, records and warnings out.

import { simulate, type SimulateOptions } from '../../src/app/simulate.js';
import type { RunSummary } from '../../src/app/run-progress.js';
import type { Fabric } from '../../src/fabric/fabric.js';
import { MemorySink } from '../../src/records/memory-sink.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { memoryHost } from '../memory-host.js';

/** What came of a run. */
export interface ScenarioRun {
  readonly summary: RunSummary;
  readonly sink: MemorySink;
  readonly fabric: Fabric;
  /** messages of the plan's warnings */
  readonly warnings: readonly string[];
}

/**
 * Plans and runs a scenario.
 * @param set texts of --set
 * @param files that the scenario names
 * @param options of the run, such as when it stops
 * @throws InputError
 */
export async function scenarioRun(
  text: string,
  set: readonly string[],
  files: Readonly<Record<string, string>> = {},
  options: Partial<SimulateOptions> = {},
): Promise<ScenarioRun> {
  const host = memoryHost({ ...files, 's.yaml': text });
  const plan = await makePlan('s.yaml', { host, overrides: set });
  const sink = new MemorySink();
  const summary = await simulate(plan, { host, sink, ...options });
  return { summary, sink, fabric: plan.fabric, warnings: plan.warnings.map(({ message }) => message) };
}

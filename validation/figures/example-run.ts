// Examples run in memory, for figures that are drawn from their records.

import type { RunSummary } from '#weft/app/run-progress.js';
import { simulate } from '#weft/app/simulate.js';
import type { Fabric } from '#weft/fabric/fabric.js';
import { MemorySink } from '#weft/records/memory-sink.js';
import { makePlan } from '#weft/scenario/make-plan.js';
import { nodeHost } from '#weft/storage/node-host.js';
import { pathOf } from './pages.js';

export interface ExampleRun {
  readonly fabric: Fabric;
  readonly summary: RunSummary;
  readonly sink: MemorySink;
}

/**
 * Runs a scenario of the repository.
 * @param outcome how it has to end
 * @throws Error if a verdict failed or it ended otherwise
 */
export async function exampleRun(
  file: string,
  overrides: readonly string[],
  outcome: RunSummary['outcome'] = 'finished',
): Promise<ExampleRun> {
  const host = nodeHost();
  const sink = new MemorySink();
  const plan = await makePlan(pathOf(file), { host, overrides: [...overrides] });
  const summary = await simulate(plan, { host, sink });
  const failed = summary.verdicts.filter(({ ok }) => !ok);
  if (summary.outcome !== outcome || failed.length > 0)
    throw new Error(`${file} ${overrides.join(' ')}: ${summary.outcome}, ${failed.map(({ name }) => name).join()}`);
  return { fabric: plan.fabric, summary, sink };
}

// A plan -> the figures of its run, and the rows of its records.

import type { RunSummary } from '../app/run-progress.js';
import { simulate as drive, type SimulateOptions } from '../app/simulate.js';
import type { Host } from '../base/host.js';
import type { MemorySink } from '../records/memory-sink.js';
import type { TableSchema } from '../records/schema.js';
import type { Plan } from '../scenario/plan.js';
import { memoryHost } from '../app/memory-host.js';

/** How a plan is run; everything may be left out. */
export interface SimulationOptions extends Omit<SimulateOptions, 'host'> {
  /** clock and breath of the run, and a faster SHA-256 if there is one; without it there is no clock */
  readonly host?: Host;
}

/**
 * Runs a plan to its end, or until `stopRequested` says so.
 * @param plan from `planFromText` or `planFromFile`; it can be run again, with the same digest
 * @returns the figures: completion times, collisions, jobs, counters, self-checks (`verdicts`) and the digest of the
 * records; the records themselves went to `sink`
 * @throws InvariantError if Weft contradicts itself; InputError if a file changed after the plan was made, or if it has
 * a source of traffic of others that can be read once, and was run before
 */
export function simulate(plan: Plan, options: SimulationOptions = {}): Promise<RunSummary> {
  return drive(plan, { ...options, host: options.host ?? memoryHost() });
}

/**
 * The rows of a table of a small run as objects, in the order in which they were written.
 * @param table such as `flowTable` or `hopTable`; its columns have names, units and descriptions
 */
export function* rowsOf(records: MemorySink, table: TableSchema): Generator<Record<string, number>> {
  const columns = table.columns.map(({ name }, index) => ({ name, values: records.column(table, index) }));
  for (let row = 0; row < records.rowCount(table); row++)
    yield Object.fromEntries(columns.map(({ name, values }) => [name, values[row]!]));
}

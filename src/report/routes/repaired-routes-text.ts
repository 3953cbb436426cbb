// What `weft route repair` prints: for people, 80 columns, and as JSON.
// Invariant: both say the same; a self-check that fails is never left out.

import { tablesLines, tablesObject, type ReportedTables } from './computed-routes-text.js';

/** CPU time by what it went to. */
export interface RepairCpu {
  readonly readSeconds: number;
  readonly repairSeconds: number;
  readonly checkSeconds: number;
  readonly writeSeconds: number;
}

/** Tables that were repaired, and from what. */
export interface RepairedRoutes extends ReportedTables {
  /** switches whose tables change, and how many of their entries */
  readonly changes: readonly { readonly node: number; readonly entries: number }[];
  readonly notes: readonly string[];
  readonly cpu: RepairCpu;
  /** file that was written, null if none */
  readonly out: string | null;
}

/** Repaired tables as JSON. */
export function repairedObject(repaired: RepairedRoutes): Record<string, unknown> {
  const { source, changes, notes, cpu, out, warnings } = repaired;
  return {
    ...tablesObject(repaired),
    changedSwitches: changes.map(({ node, entries }) => ({ switch: source.identity.nodeName[node]!, entries })),
    cpu,
    notes,
    out,
    warnings,
  };
}

/** Repaired tables for people. */
export function repairedLines(repaired: RepairedRoutes): string[] {
  const { changedEntries, changedFrom, changes, notes, cpu, out } = repaired;
  return [
    ...tablesLines('repair', repaired),
    `  changed        ${changedEntries} entries of ${changes.length} switches against ${changedFrom}`,
    ...notes.map((note) => `  note           ${note}`),
    `  CPU time       ${cpu.readSeconds.toFixed(2)} s reading, ${cpu.repairSeconds.toFixed(2)} s repairing, ${cpu.checkSeconds.toFixed(2)} s checking, ${cpu.writeSeconds.toFixed(2)} s writing`,
    ...(out === null ? [] : [`  written        ${out}`]),
  ];
}

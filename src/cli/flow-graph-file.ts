// A graph of flows as a file under a name that the user chose: JSON lines or Parquet, by its ending.
// Invariant: memory does not grow with the graph.

import { InputError } from '../base/diagnostics.js';
import { formatSizeBytes } from '../base/units.js';
import { type CausedFlows, type FlowCounts, flowLines, flowRecords } from '../formats/single-flows.js';
import { grouped } from '../report/text-style.js';
import type { CommandContext } from './context.js';
import { writeStoppable } from './stoppable-file.js';
import { checkOutputs } from './whole-file.js';

type Pieces = (records: ReturnType<typeof flowRecords>) => Iterable<string | Uint8Array>;

/** What writes each form, loaded when it is wanted. */
const forms = {
  '.jsonl': (): Promise<Pieces> => Promise.resolve(flowLines),
  '.parquet': async (): Promise<Pieces> => (await import('../storage/flow-graph-parquet.js')).flowParquet,
} as const;

/** What was written; `stoppedWith`: nothing, since a signal came, and the code to exit with. */
export type FlowGraphResult = FlowCounts & { readonly stoppedWith: number | null };

/** Refuses a name whose form is not known, or that could not be written. @throws InputError, OutputError */
export async function checkFlowGraphPath(option: string, path: string, force: boolean): Promise<void> {
  if (formOf(path) === null)
    throw InputError.about('flow-graph-form', option, 'the ending says no form', {
      got: path,
      wanted: 'a file that ends in .jsonl or .parquet',
    });
  await checkOutputs([path], force, false);
}

/** Writes a graph. @param path from checkFlowGraphPath @throws InputError, OutputError; nothing is left behind then */
export async function writeFlowGraph(
  path: string,
  graph: Iterable<CausedFlows>,
  options: { readonly force: boolean; readonly quiet: boolean },
  context: CommandContext,
): Promise<FlowGraphResult> {
  const counts: FlowCounts = { collectives: 0, flows: 0, sizeBytes: 0 };
  const form = await forms[formOf(path)!]();
  const state = (): string => `${grouped(counts.flows)} flows, ${formatSizeBytes(counts.sizeBytes)}`;
  const stoppedWith = await writeStoppable(path, form(flowRecords(graph, counts)), state, options, context);
  return { ...counts, stoppedWith };
}

function formOf(path: string): keyof typeof forms | null {
  return (Object.keys(forms) as (keyof typeof forms)[]).find((ending) => path.endsWith(ending)) ?? null;
}

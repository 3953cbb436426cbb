// A graph of flows as a file under a name that the user chose: JSON lines or Parquet, by its ending.
// Invariants: the file appears whole or not at all, also if it is stopped; memory does not grow with the graph;
// progress is told, and Ctrl-C heard, between pieces.

import { InputError, wholeFile } from '../base/diagnostics.js';
import { Stopped } from '../base/host.js';
import { formatSizeBytes } from '../base/units.js';
import { type CausedFlows, type FlowCounts, flowLines, flowRecords } from '../formats/single-flows.js';
import { grouped } from '../report/text-style.js';
import type { CommandContext } from './context.js';
import { announcer, Interrupt } from './interrupt.js';
import { StageProgress } from './stage-progress.js';
import { checkOutputs, writeStreamedFile } from './whole-file.js';

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
    throw InputError.at('flow-graph-form', option, wholeFile, 'the ending says no form', {
      got: path,
      wanted: 'a file that ends in .jsonl or .parquet',
    });
  await checkOutputs([path], force, false);
}

/**
 * Writes a graph.
 * @param path from checkFlowGraphPath
 * @throws InputError, OutputError; nothing is left behind then
 */
export async function writeFlowGraph(
  path: string,
  graph: Iterable<CausedFlows>,
  { force, quiet }: { readonly force: boolean; readonly quiet: boolean },
  { host, stderr }: CommandContext,
): Promise<FlowGraphResult> {
  const counts: FlowCounts = { collectives: 0, flows: 0, sizeBytes: 0 };
  const progress = quiet ? null : new StageProgress(stderr, () => host.wallMs());
  const interrupt = new Interrupt(announcer(stderr, () => null));
  const form = await forms[formOf(path)!]();
  async function* pieces(): AsyncGenerator<string | Uint8Array> {
    for (const piece of form(flowRecords(graph, counts))) {
      yield piece;
      progress?.update(`${path}: ${grouped(counts.flows)} flows, ${formatSizeBytes(counts.sizeBytes)}`);
      await host.breathe();
      if (interrupt.requested) throw new Stopped();
    }
  }
  try {
    await writeStreamedFile(path, pieces(), force);
    return { ...counts, stoppedWith: null };
  } catch (error) {
    if (error instanceof Stopped) {
      stderr.write(`stopped: ${path} is not written\n`);
      return { ...counts, stoppedWith: interrupt.exitCode };
    }
    throw error;
  } finally {
    progress?.stop();
    interrupt.close();
  }
}

function formOf(path: string): keyof typeof forms | null {
  return (Object.keys(forms) as (keyof typeof forms)[]).find((ending) => path.endsWith(ending)) ?? null;
}

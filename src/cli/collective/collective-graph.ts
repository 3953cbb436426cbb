// `weft collective --flow-graph`: the flows of a collective and what each waits for, written and not simulated.

import { FlowGraph } from '../../collectives/flow-graph.js';
import { formatSizeBytes } from '../../base/units.js';
import { grouped, reportColumns, wrapped } from '../../report/text-style.js';
import type { CommandContext } from '../context.js';
import { ExitCode } from '../exit-codes.js';
import { writeFlowGraph } from '../flow-graph-file.js';
import type { CollectiveOptions, Measurement } from './measurement.js';
import { titleLines } from './measurement-output.js';
import { weftVersion } from '../version.js';

/** Writes the graph of the one size of a measurement. @returns the exit code @throws InputError, OutputError */
export async function writeCollectiveGraph(
  measurement: Measurement,
  path: string,
  { force, json, quiet }: CollectiveOptions,
  context: CommandContext,
): Promise<number> {
  const { setup, kind, fabricName, collectives } = measurement;
  const { communicator, groupKind, profile } = setup;
  const { choice, schedule, task } = collectives[0]!;
  const cause = {
    collective: 0,
    operation: kind,
    group: groupKind,
    layer: -1,
    pass: '',
    microBatch: 0,
    iteration: 0,
  };
  const flows = new FlowGraph(communicator, schedule, choice);
  const written = await writeFlowGraph(path, [{ cause, flows }], { force, quiet }, context);
  const { algorithm, protocol, channels, chunks, reason } = choice;
  const isWhole = written.stoppedWith === null;
  if (json)
    context.stdout.write(
      `${JSON.stringify({
        weftVersion: weftVersion(),
        kind,
        fabric: fabricName,
        ranks: communicator.rankCount,
        groupKind,
        profile,
        sizeBytes: task.sizeBytes,
        algorithm,
        protocol,
        channels,
        chunks,
        reason,
        outcome: isWhole ? 'finished' : 'stopped',
        file: isWhole ? path : null,
        flows: written.flows,
        flowBytes: written.sizeBytes,
        warnings: measurement.plan.warnings,
      })}\n`,
    );
  else if (isWhole && !quiet)
    context.stdout.write(
      `${titleLines(measurement)}${choiceLines(`${algorithm}, ${protocol}, ${channels} channels, ${chunks} chunks: ${reason}`)}${path}: ` +
        `${grouped(written.flows)} flows, ${formatSizeBytes(written.sizeBytes)}\n`,
    );
  return written.stoppedWith ?? ExitCode.ok;
}

/** What was chosen, and why, as comments that fit the report's columns. */
function choiceLines(text: string): string {
  return wrapped(text, reportColumns - 2)
    .map((line) => `# ${line}\n`)
    .join('');
}

// weft workload flows: every flow of a scenario's jobs and what each waits for, as a graph; nothing is simulated.

import { formatDiagnostic } from '../../base/diagnostics.js';
import { formatSizeBytes } from '../../base/units.js';
import { jobFlows } from '../../jobs/job-flows.js';
import { grouped } from '../../report/text-style.js';
import type { CommandContext } from '../context.js';
import { ExitCode, exitCodeHelp } from '../exit-codes.js';
import { checkFlowGraphPath, writeFlowGraph } from '../flow-graph-file.js';
import { declaredCommand, toggle, type OptionValues, required, text } from '../options/declared-command.js';
import { weftVersion } from '../version.js';
import { forceHelp } from '../whole-file.js';
import { jobOf, jobOption, jobChanges } from './workload-job.js';

const options = [
  required(text('--out <file>', 'the file, .parquet or .jsonl')),
  jobOption,
  jobChanges,
  toggle('--force', forceHelp),
  toggle('--json', 'print what was written as one JSON object'),
  toggle('--quiet', 'no progress, no warnings'),
] as const;

/** The subcommand. */
export const workloadFlowsCommand = declaredCommand({
  name: 'flows',
  description: 'write every flow of a job and what it waits for, without running it',
  argument: ['<scenario>', 'scenario file (YAML) with a job'],
  options,
  after: `
Examples:
  weft workload flows examples/training/training.yaml --out flows.parquet
  weft workload flows scenario.yaml --set collectives.profile=document \\
    --out flows.jsonl

The columns are in docs/formats/flow-graph.md. Collectives follow each other by
iteration, pipeline stage and operation; the file is written piece by piece, and
appears when it is whole.

${exitCodeHelp}`,
  run: (call) => writeJobFlows(call.argument, call.options, call.context),
});

/** @returns the exit code @throws InputError, HostFileError, OutputError */
async function writeJobFlows(
  path: string,
  { out, job: named, set, force, json, quiet }: OptionValues<typeof options>,
  context: CommandContext,
): Promise<number> {
  const { host, stdout, stderr } = context;
  await checkFlowGraphPath('--out', out, force);
  const plan = await context.makePlan(path, { overrides: set, host });
  if (!quiet) for (const warning of plan.warnings) stderr.write(`${formatDiagnostic(warning)}\n`);
  const job = jobOf(plan.jobs, named, path);
  const graph = jobFlows(job, plan.fabric, plan.collectives);
  const { collectives, flows, sizeBytes, stoppedWith } = await writeFlowGraph(out, graph, { force, quiet }, context);
  if (json)
    stdout.write(
      `${JSON.stringify({
        weftVersion: weftVersion(),
        job: job.name,
        profile: plan.collectives.profile,
        outcome: stoppedWith === null ? 'finished' : 'stopped',
        file: stoppedWith === null ? out : null,
        collectives,
        flows,
        flowBytes: sizeBytes,
        warnings: plan.warnings,
      })}\n`,
    );
  else if (stoppedWith === null && !quiet)
    stdout.write(
      `${out}: ${grouped(flows)} flows of ${grouped(collectives)} collectives and messages of ${job.name}, ${formatSizeBytes(sizeBytes)}\n`,
    );
  return stoppedWith ?? ExitCode.ok;
}

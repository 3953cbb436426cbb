// weft workload flows: every flow of a scenario's jobs and what each waits for, as a graph; nothing is simulated.

import { Command } from 'commander';
import { formatDiagnostic } from '../../base/diagnostics.js';
import { formatSizeBytes } from '../../base/units.js';
import { jobFlows } from '../../jobs/job-flows.js';
import { grouped } from '../../report/text-style.js';
import type { CommandContext } from '../context.js';
import { ExitCode, exitCodeHelp } from '../exit-codes.js';
import { checkFlowGraphPath, writeFlowGraph } from '../flow-graph-file.js';
import { refuseRepeats } from '../options/repeated-options.js';
import { weftVersion } from '../version.js';
import { forceHelp } from '../whole-file.js';
import { collect, jobOf } from './workload-job.js';

interface FlowsOptions {
  readonly out: string;
  readonly job?: string;
  readonly set?: string[];
  readonly force?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** The subcommand. */
export function workloadFlowsCommand(context: CommandContext): Command {
  const command = new Command('flows')
    .description('write every flow of a job and what it waits for, without running it')
    .argument('<scenario>', 'scenario file (YAML) with a job')
    .requiredOption('--out <file>', 'the file, .parquet or .jsonl')
    .option('--job <name>', 'which job, if the scenario has several')
    .option('--set <path=value>', 'change a setting of the scenario; may be repeated', collect)
    .option('--force', forceHelp)
    .option('--json', 'print what was written as one JSON object')
    .option('--quiet', 'no progress, no warnings')
    .addHelpText(
      'after',
      `
Examples:
  weft workload flows examples/training/training.yaml --out flows.parquet
  weft workload flows scenario.yaml --set collectives.profile=document \\
    --out flows.jsonl

The columns are in docs/formats/flow-graph.md. Collectives follow each other by
iteration, pipeline stage and operation; the file is written piece by piece, and
appears when it is whole.

${exitCodeHelp}`,
    )
    .action(async (path: string, options: FlowsOptions) => {
      context.endWith(await writeJobFlows(path, options, context));
    });
  return refuseRepeats(command, ['set']);
}

/** @returns the exit code @throws InputError, HostFileError, OutputError */
async function writeJobFlows(path: string, options: FlowsOptions, context: CommandContext): Promise<number> {
  const { out, set = [], force = false, json = false, quiet = false } = options;
  const { host, stdout, stderr } = context;
  await checkFlowGraphPath('--out', out, force);
  const plan = await context.makePlan(path, { overrides: set, host });
  if (!quiet) for (const warning of plan.warnings) stderr.write(`${formatDiagnostic(warning)}\n`);
  const job = jobOf(plan.jobs, options.job, path);
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

// weft workload write: the workload of a scenario as a file of SimAI and AICB.
// Invariant: nothing is written that would read back as something else without a word: what the format has no place for
// is an error, what it rounds or leaves out a warning.

import { Command, InvalidArgumentError } from 'commander';
import { Diagnostics, formatDiagnostic, InputError, wholeFile, type Diagnostic } from '../../base/diagnostics.js';
import { unwritable, writeSimaiWorkload } from '../../formats/simai-workload-text.js';
import type { Job } from '../../jobs/job.js';
import { passNames } from '../../workload/policies.js';
import type { Workload } from '../../workload/workload.js';
import type { CommandContext } from '../context.js';
import { refuseRepeats } from '../options/repeated-options.js';
import { forceHelp, writeWholeFile } from '../whole-file.js';
import { workloadFlowsCommand } from './workload-flows.js';
import { collect, jobOf } from './workload-job.js';

interface WriteOptions {
  readonly out?: string;
  readonly job?: string;
  readonly stage: number;
  readonly set?: string[];
  readonly force?: boolean;
  readonly json?: boolean;
}

/** The command `workload` with its subcommands. */
export function workloadCommand(context: CommandContext): Command {
  const workload = new Command('workload').description("workloads of scenarios as SimAI's and AICB's files");
  workload.addCommand(
    refuseRepeats(
      new Command('write')
        .description('write the workload of a scenario as a workload file')
        .argument('<scenario>', 'scenario file (YAML) with a job')
        .option('--out <file>', 'the file; without it the text is printed')
        .option('--job <name>', 'which job, if the scenario has several')
        .option('--stage <number>', 'the pipeline stage whose layers are written', parseStage, 0)
        .option('--set <path=value>', 'change a setting of the scenario; may be repeated', collect)
        .option('--force', forceHelp)
        .option('--json', 'print what was written as one JSON object; needs --out')
        .addHelpText(
          'after',
          `
Examples:
  weft workload write examples/training/training.yaml --out llama.txt
  weft workload write scenario.yaml --job first --stage 1 --out stage1.txt
  weft workload write scenario.yaml --set workload.sequenceLength=8192 | head

The form is in docs/formats/simai-workload.md. SimAI and weft run -w read it.`,
        )
        .action(async (path: string, options: WriteOptions, command: Command) => {
          if (options.json === true && options.out === undefined)
            command.error('error: --json needs --out\n  hint:   without --out the text itself is printed', {
              code: 'weft.inputs',
              exitCode: 2,
            });
          await write(path, options, context);
        }),
      ['set'],
    ),
  );
  workload.addCommand(workloadFlowsCommand(context));
  return workload;
}

function parseStage(value: string): number {
  if (!/^\d{1,7}$/.test(value)) throw new InvalidArgumentError('Give a whole number, counted from 0.');
  return Number(value);
}

/** @throws InputError, HostFileError, OutputError */
async function write(path: string, options: WriteOptions, context: CommandContext): Promise<void> {
  const { out, stage, set = [], force = false, json = false } = options;
  const { host, stdout, stderr } = context;
  const plan = await context.makePlan(path, { overrides: set, host });
  const job = jobOf(plan.jobs, options.job, path);
  const { workload } = job;
  if (stage >= workload.groups.pipeline)
    throw InputError.at('workload-stage', '--stage', wholeFile, `${job.name} has no stage ${stage}`, {
      got: String(stage),
      wanted: `a number from 0 to ${workload.groups.pipeline - 1}`,
    });
  const reason = unwritable(workload, stage);
  if (reason !== null)
    throw InputError.at(
      'workload-unwritable',
      path,
      wholeFile,
      `a workload file has no words for ${job.name}: ${reason}`,
    );
  const text = writeSimaiWorkload(workload, stage);
  const warnings = leftOut(job, stage, text, path);
  if (out === undefined) stdout.write(text);
  else await writeWholeFile(out, text, force);
  for (const warning of warnings) stderr.write(`${formatDiagnostic(warning)}\n`);
  const layers = text.split('\n').length - 3;
  if (json)
    stdout.write(`${JSON.stringify({ file: out, job: job.name, stage, layers, groups: workload.groups, warnings })}\n`);
  else if (out !== undefined) stdout.write(`${out}: ${layers} layers of ${job.name}\n`);
}

/** What the file does not say of the job. */
function leftOut({ name, workload, iterations }: Job, stage: number, text: string, path: string): Diagnostic[] {
  const messages = [
    ...(workload.groups.pipeline > 1
      ? [`${name} has ${workload.groups.pipeline} stages: the file has the layers of stage ${stage} alone`]
      : []),
    ...(hasFractions(workload) ? ['times are rounded up to whole nanoseconds'] : []),
    ...(/\t[A-Z]+_(?:TP|DP)\t/.test(text)
      ? ['collectives over TP or DP groups have _TP or _DP behind their names, which SimAI does not know']
      : []),
    ...(iterations > 1 ? [`${name} runs ${iterations} iterations: the file has one`] : []),
  ];
  const diagnostics = new Diagnostics();
  for (const message of messages) diagnostics.warning('workload-left-out', path, wholeFile, message);
  return diagnostics.warnings;
}

function hasFractions({ layers }: Workload): boolean {
  return passNames.some((pass) => layers[pass].computePs.some(isFraction)) || layers.updatePs.some(isFraction);
}

function isFraction(timePs: number): boolean {
  return timePs % 1000 !== 0;
}

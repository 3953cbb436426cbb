// weft workload write: the workload of a scenario as a file of SimAI and AICB.
// Invariant: nothing is written that would read back as something else without a word: what the format has no place for
// is an error, what it rounds or leaves out a warning.

import { Diagnostics, formatDiagnostic, InputError, wholeFile, type Diagnostic } from '../../base/diagnostics.js';
import { unwritable, writeSimaiWorkload } from '../../formats/simai-workload-text.js';
import type { Job } from '../../jobs/job.js';
import { passNames } from '../../workload/policies.js';
import type { Workload } from '../../workload/workload.js';
import type { CommandContext } from '../context.js';
import {
  commandGroup,
  declaredCommand,
  toggle,
  type OptionValues,
  refuseInputs,
  text,
  value,
} from '../options/declared-command.js';
import { wholeNumberFrom } from '../options/option-values.js';
import { forceHelp, writeWholeFile } from '../whole-file.js';
import { workloadFlowsCommand } from './workload-flows.js';
import { jobOf, jobOption, jobChanges } from './workload-job.js';

const options = [
  text('--out <file>', 'the file; without it the text is printed'),
  jobOption,
  value(
    '--stage <number>',
    'the pipeline stage whose layers are written',
    wholeNumberFrom(0, 9_999_999, 'a whole number, counted from 0.'),
    0,
  ),
  jobChanges,
  toggle('--force', forceHelp),
  toggle('--json', 'print what was written as one JSON object; needs --out'),
] as const;

const writeCommand = declaredCommand({
  name: 'write',
  description: 'write the workload of a scenario as a workload file',
  argument: ['<scenario>', 'scenario file (YAML) with a job'],
  options,
  after: `
Examples:
  weft workload write examples/training/training.yaml --out llama.txt
  weft workload write scenario.yaml --job first --stage 1 --out stage1.txt
  weft workload write scenario.yaml --set workload.sequenceLength=8192 | head

The form is in docs/formats/simai-workload.md. SimAI and weft run -w read it.`,
  run: async (call) => {
    if (call.options.json && call.options.out === undefined)
      refuseInputs(call.command, '--json needs --out', 'without --out the text itself is printed');
    await write(call.argument, call.options, call.context);
  },
});

/** The command `workload` with its subcommands. */
export default commandGroup('workload', "workloads of scenarios as SimAI's and AICB's files", [
  writeCommand,
  workloadFlowsCommand,
]);

/** @throws InputError, HostFileError, OutputError */
async function write(
  path: string,
  { out, job: named, stage, set, force, json }: OptionValues<typeof options>,
  { host, makePlan, stdout, stderr }: CommandContext,
): Promise<void> {
  const plan = await makePlan(path, { overrides: set, host });
  const job = jobOf(plan.jobs, named, path);
  const { workload } = job;
  if (stage >= workload.groups.pipeline)
    throw InputError.about('workload-stage', '--stage', `${job.name} has no stage ${stage}`, {
      got: String(stage),
      wanted: `a number from 0 to ${workload.groups.pipeline - 1}`,
    });
  const reason = unwritable(workload, stage);
  if (reason !== null)
    throw InputError.about('workload-unwritable', path, `a workload file has no words for ${job.name}: ${reason}`);
  const file = writeSimaiWorkload(workload, stage);
  const warnings = leftOut(job, stage, file, path);
  if (out === undefined) stdout.write(file);
  else await writeWholeFile(out, file, force);
  for (const warning of warnings) stderr.write(`${formatDiagnostic(warning)}\n`);
  const layers = file.split('\n').length - 3;
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

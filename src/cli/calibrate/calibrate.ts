// `weft calibrate`: a profile of collectives from what a cluster measured.
// Invariants: everything is checked before anything runs; the profile is written whole or not at all, and not if the
// command is stopped.

import type { Command } from 'commander';
import { calibrate, type Calibration } from '../../app/calibrate/calibrate.js';
import {
  closedForms,
  mostSimulatedRanks,
  prepareCalibration,
  type PreparedCalibration,
  simulatedOn,
} from '../../app/calibrate/measured-cases.js';
import type { SimulateAll } from '../../app/calibrate/simulate-all.js';
import type { Progress } from '../../app/run-progress.js';
import { backendNames } from '../../backends/catalogue.js';
import { formatDiagnostic, type InputError } from '../../base/diagnostics.js';
import type { TaskEngine } from '../../campaign/task-engine.js';
import { resultsInOrder } from '../../campaign/task-queue.js';
import type { CalibratedProfile } from '../../collectives/calibrated-profile.js';
import { ncclProfiles } from '../../collectives/nccl-figures.js';
import { protocols, tunedAlgorithms } from '../../collectives/protocols.js';
import { collectiveKinds } from '../../collectives/schedule.js';
import type { Fabric } from '../../fabric/fabric.js';
import { type CalibrationFigures, calibrationText, errorsObject } from '../../report/calibration-text.js';
import type { Plan } from '../../scenario/plan.js';
import { profileText } from '../../scenario/profile-file.js';
import { type CollectivesOnFabric, collectiveTask } from '../collective/collective-task.js';
import { groupOptions, groupSetup } from '../collective/measurement.js';
import type { CommandContext } from '../context.js';
import { ExitCode, exitCodeHelp } from '../exit-codes.js';
import {
  declaredCommand,
  oneOf,
  type OptionValues,
  repeated,
  text,
  toggle,
  value,
} from '../options/declared-command.js';
import { fabricFromOption, fabricOption } from '../options/fabric-option.js';
import { type OptionFile, optionFileText } from '../options/option-file.js';
import { optionMistake, readBy } from '../options/option-values.js';
import { parseRanks } from '../options/rank-list.js';
import { workersOption } from '../options/run-options.js';
import { printResult } from '../terminal.js';
import { durationText } from '../progress.js';
import { withRuns } from '../simultaneous-runs.js';
import { barText, StageProgress } from '../stage-progress.js';
import { weftVersion } from '../version.js';
import { checkOutputs, forceHelp, writeWholeFile } from '../whole-file.js';

const measuredFile: OptionFile = {
  option: '--measured',
  called: 'the file of measurements',
  wanted: 'what nccl-tests, NCCL Inspector or perftest wrote',
};
const share = readBy(
  (given) => (/^\d*\.?\d+$/.test(given) && Number(given) <= 0.9 ? Number(given) : null),
  'a number from 0 to 0.9.',
);

const commandOptions = [
  fabricOption,
  repeated(
    '--measured <file>',
    'what nccl-tests, NCCL Inspector or perftest printed;\nseveral files after it, or the option again',
  ),
  text('--out <file>', 'the profile, such as ours.yaml'),
  value('--hold-out <share>', 'of the sizes that are not fitted, 0 to 0.9;\n0.5: every second', share, 0.5),
  oneOf('--base <name>', 'whose figures count where measurements say nothing', ncclProfiles, 'nccl'),
  oneOf('--kind <name>', 'of tables that do not say their collective', collectiveKinds),
  text('--ranks <list>', 'that were measured, such as 0-127:8; without it as the\ntables say, else all'),
  oneOf(
    '--backend <name>',
    `${backendNames.join(', ')}; without it ${simulatedOn} up to ${mostSimulatedRanks}\nranks, beyond it ${closedForms}`,
    backendNames,
  ),
  oneOf('--algorithm <name>', 'that was measured', ['auto', ...tunedAlgorithms], 'auto'),
  oneOf('--protocol <name>', 'that was measured', ['auto', ...protocols], 'auto'),
  ...groupOptions,
  repeated('--set <path=value>', 'change a setting; may be repeated'),
  workersOption('rows'),
  toggle('--force', forceHelp),
  toggle('--json', 'print one JSON object'),
  toggle('--quiet', 'no progress, no warnings'),
] as const;

/** The command for the command line. */
export default declaredCommand({
  name: 'calibrate',
  summary: 'a profile of collectives from what a cluster measured',
  description:
    'Fit a profile of collectives to measurements, write it, and say how far rows lie\nfrom it that it was not fitted to.',
  usage: '--fabric <file|family> --measured <file...> --out <file>',
  words: ['[parameters...]', 'of the family of fabrics: weft topology generate FAMILY --help'],
  options: commandOptions,
  after: `
Examples:
  weft calibrate --fabric spectrum-x --gpus 16 --measured nccl.log --out us.yaml
  weft calibrate --fabric cluster.yaml --measured a.log b.log --out us.yaml
  weft calibrate --fabric spectrum-x --gpus 16 --measured a.log ib_bw.log \\
    --hold-out 0 --out us.yaml --force --json
  weft collective allreduce --fabric cluster.yaml --profile us.yaml

Fitted are latencies by protocol and kind of link, shares of links' rates, and
how many times as long each measured size takes beside them. Of the sizes of a
table every second is held out, and the profile keeps their errors as the error
band of its figures; --hold-out 0 fits all and knows no band.
Parameters of a family: weft topology generate FAMILY --help.

${exitCodeHelp}`,
  run: ({ options, command, context }) => runCalibration(command.args, options, command, context),
});

type CalibrateOptions = OptionValues<typeof commandOptions>;

async function runCalibration(
  words: readonly string[],
  options: CalibrateOptions,
  command: Command,
  context: CommandContext,
): Promise<number> {
  const { host, stderr } = context;
  const { out = '', quiet, force, holdOut } = options;
  if (out === '') throw mistake('--out', 'where does the profile go?', undefined, 'a file such as ours.yaml');
  if (!/\.ya?ml$/i.test(out)) throw mistake('--out', 'profiles are YAML', out, 'a file such as ours.yaml');
  const { files, rest } = measuredFiles(options.measured, words);
  const { name, fabric, warnings } = await fabricFromOption(options.fabric, rest, command, host);
  const ranks = options.ranks === undefined ? null : parseRanks(options.ranks, fabric.hosts.length);
  await checkOutputs([out], force, false);
  const texts: { name: string; text: string }[] = [];
  for (const file of files) texts.push({ name: file, text: await optionFileText(file, host, measuredFile) });
  const { base, kind, backend, set: overrides } = options;
  const setupOf = (profile: CalibratedProfile) => groupSetup(options, profile, 'dp', 0);
  const request = { name: out, base, files: texts, kind, ranks, holdOut, backend, overrides, setupOf };
  const prepared = await prepareCalibration(fabric, request, host);
  if (!quiet) for (const warning of [...warnings, ...prepared.warnings]) stderr.write(`${formatDiagnostic(warning)}\n`);
  const calibration = await carriedOut(prepared, fabric, options, context);
  if (typeof calibration === 'number') {
    stderr.write(`stopped: ${out} is not written\n`);
    return calibration;
  }
  const { profile, fitted } = calibration;
  const about = `weft calibrate on ${name}: ${files.map((file) => file.replace(/^.*[\\/]/, '')).join(', ')}`;
  await writeWholeFile(out, profileText(profile, about, fitted), force);
  const inputs = { fabric: name, base, backend: prepared.backend, files, holdOut, out };
  printResult(
    context,
    options.json,
    jsonObject(calibration, inputs),
    () =>
      `# weft ${weftVersion()}: calibrated on ${name}, ${prepared.backend}, base ${base}\n${calibrationText(calibration)}# written: ${out}\n`,
  );
  return ExitCode.ok;
}

/** Calibrates, with as many processes as are worth it. @returns the exit code if it was stopped */
function carriedOut(
  { plan, planOptions, base, collectives, transfers }: PreparedCalibration,
  fabric: Fabric,
  { workers, quiet }: CalibrateOptions,
  context: CommandContext,
): Promise<Calibration | number> {
  const { host, stderr } = context;
  const shared: CollectivesOnFabric = { fabric, options: planOptions };
  const display = quiet ? null : new StageProgress(stderr, () => host.wallMs());
  const runs = { kind: 'collective' as const, shared: () => shared, workers, count: collectives.length, display };
  const startMs = host.wallMs();
  return withRuns(runs, context, async ({ engine, interrupt }) => {
    const calibration = await calibrate({
      plan,
      base,
      collectives,
      transfers,
      simulateAll: onEngine(engine, plan, context),
      options: { host, stopRequested: () => interrupt.requested },
      onProgress: (what, share) => display?.update(progressText(what, share, (host.wallMs() - startMs) / 1000)),
    });
    return calibration ?? interrupt.exitCode;
  });
}

/** Simulates on an engine. */
function onEngine(engine: TaskEngine, plan: Plan, context: CommandContext): SimulateAll {
  return async (runs, onDone) => {
    const shares = runs.map(() => 0);
    const tell = (place: number, share: number): void => {
      shares[place] = Math.max(shares[place]!, share);
      onDone(shares.reduce((sum, one) => sum + one, 0));
    };
    const timed = await resultsInOrder(
      engine,
      runs.map(({ setup, task }) => collectiveTask(plan, setup, task, context)),
      {
        onProgress: (place, state) => tell(place, (state as Progress).share ?? 0),
        onEnd: (place) => tell(place, 1),
      },
    );
    return timed.map((one) => (one === null || one.summary.outcome === 'stopped' ? null : one));
  };
}

function jsonObject(
  { rows, parameters, paces, fitted, heldOut, before }: CalibrationFigures,
  { out, ...inputs }: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return {
    weftVersion: weftVersion(),
    ...inputs,
    profile: out,
    fitted: errorsObject(fitted),
    heldOut: errorsObject(heldOut),
    before: { fitted: errorsObject(before.fitted), heldOut: errorsObject(before.heldOut) },
    parameters,
    paces,
    rows: rows.map((row) => ({
      ...row,
      errorBefore: row.beforeUs / row.measuredUs - 1,
      errorAfter: row.afterUs / row.measuredUs - 1,
    })),
  };
}

function isOption(word: string | undefined): boolean {
  return word?.startsWith('-') === true;
}

/** The files of --measured: what stands after it without being an option or a parameter's value is one of them, too. */
function measuredFiles(
  named: readonly string[],
  words: readonly string[],
): { readonly files: readonly string[]; readonly rest: readonly string[] } {
  if (named.length === 0)
    throw mistake('--measured', 'which measurements?', undefined, 'one file or several, such as nccl.log');
  const more = words.filter((word, i) => !isOption(word) && !isOption(words[i - 1]));
  return { files: [...named, ...more], rest: words.filter((word) => !more.includes(word)) };
}

/** @param seconds since it began: shares are of time */
function progressText(what: string, share: number, seconds: number): string {
  const left = share === 0 ? 'left unknown' : `${durationText((seconds * (1 - share)) / share)} left`;
  return `${barText(share, 20)} ${Math.floor(100 * share)}%  ${what}  ${left}`;
}

function mistake(option: string, message: string, got: string | undefined, wanted: string): InputError {
  return optionMistake('calibrate', option, message, got, wanted);
}

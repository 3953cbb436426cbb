// `weft calibrate`: a profile of collectives from what a cluster measured.
// Invariants: everything is checked before anything runs; the profile is written whole or not at all, and not if the
// command is stopped.

import type { Command } from 'commander';
import { calibrate, type Calibration } from '../../app/calibrate/calibrate.js';
import type { SimulateAll } from '../../app/calibrate/simulate-all.js';
import type { Progress } from '../../app/run-progress.js';
import { backendNames, builtInBackends } from '../../backends/catalogue.js';
import { Diagnostics, formatDiagnostic, InputError, wholeFile } from '../../base/diagnostics.js';
import type { RunPool } from '../../campaign/run-pool.js';
import { ncclProfiles } from '../../collectives/nccl-figures.js';
import { protocols, tunedAlgorithms } from '../../collectives/protocols.js';
import { profileOn } from '../../collectives/taken-figures.js';
import { type CalibrationFigures, calibrationText, errorsObject } from '../../report/calibration-text.js';
import { collectiveKinds } from '../../collectives/schedule.js';
import { profileText } from '../../scenario/profile-file.js';
import type { Plan } from '../../scenario/plan.js';
import { planOnFabric } from '../../scenario/plan-on-fabric.js';
import { type CollectivesOnFabric, collectiveTask } from '../collective/collective-task.js';
import { parseRanks } from '../options/rank-list.js';
import { groupSetup } from '../collective/measurement.js';
import type { CommandContext } from '../context.js';
import { ExitCode, exitCodeHelp } from '../exit-codes.js';
import { announcer, Interrupt } from '../interrupt.js';
import { declaredCommand, toggle, oneOf, type OptionValues, repeated, text } from '../options/declared-command.js';
import { fabricFromOption, fabricOption } from '../options/fabric-option.js';
import { poolFor, workersOption } from '../options/workers-option.js';
import { durationText } from '../progress.js';
import { barText, StageProgress } from '../stage-progress.js';
import { weftVersion } from '../version.js';
import { checkOutputs, forceHelp, writeWholeFile } from '../whole-file.js';
import { collectiveCases, measuredTables, transferCases } from './measured-cases.js';

/** Groups of more ranks are calibrated on closed forms unless --backend says otherwise. */
const mostSimulatedRanks = 64;
const defaultBackend = 'fluid';
const closedForms = builtInBackends.find(({ collectives }) => collectives.kind === 'closed-form')!.name;

const commandOptions = [
  fabricOption,
  repeated(
    '--measured <file>',
    'what nccl-tests, NCCL Inspector or perftest printed;\nseveral files after it, or the option again',
  ),
  text('--out <file>', 'the profile, such as ours.yaml'),
  text('--hold-out <share>', 'of the sizes that are not fitted, 0 to 0.9;\n0.5: every second', '0.5'),
  oneOf('--base <name>', 'whose figures count where measurements say nothing', ncclProfiles, 'nccl'),
  oneOf('--kind <name>', 'of tables that do not say their collective', collectiveKinds),
  text('--ranks <list>', 'that were measured, such as 0-127:8; without it as the\ntables say, else all'),
  oneOf(
    '--backend <name>',
    `${backendNames.join(', ')}; without it ${defaultBackend} up to ${mostSimulatedRanks}\nranks, beyond it ${closedForms}`,
    backendNames,
  ),
  oneOf('--algorithm <name>', 'that was measured', ['auto', ...tunedAlgorithms], 'auto'),
  oneOf('--protocol <name>', 'that was measured', ['auto', ...protocols], 'auto'),
  toggle('--no-nvls', 'no reductions in NVSwitches'),
  toggle('--pxn', 'over NICs of other GPUs of the server, by NVLink'),
  toggle('--collnet', 'consider reductions between servers in trees'),
  repeated('--env <NAME=value>', "of NCCL's environment while it was measured; may be repeated"),
  repeated('--set <path=value>', 'change a setting; may be repeated'),
  workersOption('rows'),
  toggle('--force', forceHelp),
  toggle('--json', 'print one JSON object'),
  toggle('--quiet', 'no progress, no warnings'),
] as const;

/** The command for the command line. */
export const calibrateCommand = declaredCommand({
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

async function runCalibration(
  words: readonly string[],
  options: OptionValues<typeof commandOptions>,
  command: Command,
  context: CommandContext,
): Promise<number> {
  const { host, stdout, stderr } = context;
  const { out, json, quiet, force } = options;
  const holdOut = holdOutOf(options.holdOut);
  if (out === undefined || out === '')
    throw mistake('--out', 'where does the profile go?', undefined, 'a file such as ours.yaml');
  if (!/\.ya?ml$/i.test(out)) throw mistake('--out', 'profiles are YAML', out, 'a file such as ours.yaml');
  const { files, rest } = measuredFiles(options.measured, words);
  const { name, fabric, warnings } = await fabricFromOption(options.fabric, rest, command, host);
  const ranks = options.ranks === undefined ? null : parseRanks(options.ranks, fabric.hosts.length);
  await checkOutputs([out], force, false);
  const diagnostics = new Diagnostics();
  const tables = await measuredTables(files, options.kind, host, diagnostics);
  const mostRanks = Math.max(
    0,
    ...tables.collectives.map(({ table }) => ranks?.length ?? table.ranks ?? fabric.hosts.length),
  );
  const backend = options.backend ?? (mostRanks <= mostSimulatedRanks ? defaultBackend : closedForms);
  const onFabric: CollectivesOnFabric = {
    fabric,
    options: {
      name: 'calibrate',
      settings: [{ path: 'backend', value: backend, option: '--backend' }],
      overrides: options.set,
    },
  };
  const plan = await planOnFabric(fabric, { ...onFabric.options, host });
  const base = profileOn(out, options.base, plan.fabric.gpuType);
  const parts = {
    plan,
    setup: groupSetup(options, base, 'dp', 0),
    ranks,
    holdOut,
  };
  const collectives = collectiveCases(tables, parts, diagnostics);
  const transfers = transferCases(tables, parts, diagnostics);
  if (![...collectives, ...transfers].some((one) => !one.isHeldOut))
    throw InputError.at('measured-nothing', files[0]!, wholeFile, 'no row of the files counts', {
      wanted: 'rows with bytes and a time',
    });
  if (!quiet)
    for (const warning of [...warnings, ...plan.warnings, ...diagnostics.warnings])
      stderr.write(`${formatDiagnostic(warning)}\n`);
  const progress = quiet ? null : new StageProgress(stderr, () => host.wallMs());
  const pool = poolFor(
    { module: new URL('../collective/collective-task.js', import.meta.url), shared: () => onFabric },
    options.workers,
    collectives.length,
    context,
  );
  const interrupt = new Interrupt(
    announcer(
      stderr,
      () => progress,
      () => pool.stop(),
    ),
  );
  const startMs = host.wallMs();
  let calibration: Calibration | null;
  try {
    calibration = await calibrate({
      plan,
      base,
      collectives,
      transfers,
      simulateAll: inPool(pool, plan, context),
      options: { host, stopRequested: () => interrupt.requested },
      onProgress: (what, share) => progress?.update(progressText(what, share, (host.wallMs() - startMs) / 1000)),
    });
  } finally {
    progress?.stop();
    interrupt.close();
    await pool.close();
  }
  if (calibration === null) {
    stderr.write(`stopped: ${out} is not written\n`);
    return interrupt.exitCode;
  }
  const { profile, fitted } = calibration;
  const about = `weft calibrate on ${name}: ${files.map((file) => file.replace(/^.*[\\/]/, '')).join(', ')}`;
  await writeWholeFile(out, profileText(profile, about, fitted), force);
  const figures = figuresOf(calibration);
  stdout.write(
    json
      ? `${JSON.stringify(jsonObject(figures, { fabric: name, base: options.base, backend, files, holdOut, out }))}\n`
      : `# weft ${weftVersion()}: calibrated on ${name}, ${backend}, base ${options.base}\n${calibrationText(figures)}# written: ${out}\n`,
  );
  return ExitCode.ok;
}

/** Simulates in the processes of a pool. */
function inPool(pool: RunPool, plan: Plan, context: CommandContext): SimulateAll {
  return async (runs, onDone) => {
    const shares = runs.map(() => 0);
    const tell = (place: number, share: number): void => {
      shares[place] = Math.max(shares[place]!, share);
      onDone(shares.reduce((sum, one) => sum + one, 0));
    };
    const timed = await pool.run(
      runs.map(({ setup, task }) => collectiveTask(plan, setup, task, context)),
      {
        onProgress: (place, state) => tell(place, (state as Progress).share ?? 0),
        onEnd: (place) => tell(place, 1),
      },
    );
    return timed.map((one) => (one === null || one.summary.outcome === 'stopped' ? null : one));
  };
}

function figuresOf({ profile, parameters, rows, fitted, heldOut, before }: Calibration): CalibrationFigures {
  return {
    rows,
    parameters: parameters.map(({ parameter: { name, unit, start }, value }) => ({
      name,
      unit,
      before: start,
      after: value,
    })),
    paces: profile.paces.reduce((sum, { sizeBytes }) => sum + sizeBytes.length, 0),
    fitted,
    heldOut,
    before,
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

function holdOutOf(given: string): number {
  const share = Number(given);
  if (!/^\d*\.?\d+$/.test(given) || !(share <= 0.9))
    throw mistake('--hold-out', 'not a share of the sizes', given, 'a number from 0 to 0.9');
  return share;
}

/** @param seconds since it began: shares are of time */
function progressText(what: string, share: number, seconds: number): string {
  const left = share === 0 ? 'left unknown' : `${durationText((seconds * (1 - share)) / share)} left`;
  return `${barText(share, 20)} ${Math.floor(100 * share)}%  ${what}  ${left}`;
}

function mistake(option: string, message: string, got: string | undefined, wanted: string): InputError {
  return InputError.at(`calibrate-${option.replace(/^-+/, '')}`, option, wholeFile, message, { got, wanted });
}

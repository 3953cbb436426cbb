// What `weft collective` is asked for: its options read and checked, the plan, and every size with its choice.
// Invariant: what comes out can run; every mistake in the options is an InputError that names the option.

import type { Command } from 'commander';
import { type PreparedCollectives, prepareCollectives } from '../../app/prepare-collectives.js';
import type { GroupSetup } from '../../app/simulate-collective.js';
import { InputError } from '../../base/diagnostics.js';
import { algorithmsFor } from '../../collectives/build-schedule.js';
import { maxCollectiveBytes } from '../../collectives/collective-run.js';
import {
  ncclEnvironment,
  type NcclEnvironment,
  ncclVariables,
  variableProblem,
} from '../../collectives/nccl-environment.js';
import { type GroupKind, groupKinds } from '../../collectives/parallel-groups.js';
import { protocols } from '../../collectives/protocols.js';
import { type AlgorithmName, type CollectiveKind, collectiveKinds } from '../../collectives/schedule.js';
import { isNccl, type Profile, profileName } from '../../collectives/selection.js';
import { hasRoot } from '../../report/figures/collectives.js';
import type { OptionSetting } from '../../scenario/plan-on-fabric.js';
import type { Plan } from '../../scenario/plan.js';
import { topSettings } from '../../scenario/form/schema.js';
import { didYouMean } from '../../scenario/suggest.js';
import type { CommandContext } from '../context.js';
import { checkFlowGraphPath } from '../flow-graph-file.js';
import { toggle, oneOf, type OptionValues, repeated, text, value } from '../options/declared-command.js';
import { fabricFromOption, fabricOption } from '../options/fabric-option.js';
import { checkFigurePath } from '../options/option-file.js';
import { profileFromOption, profileHelp } from '../options/profile-option.js';
import { optionMistake, wholeNumberFrom } from '../options/option-values.js';
import { parseRanks } from '../options/rank-list.js';
import { backendOption, reportHelp, workersOption } from '../options/run-options.js';
import { seedOption, settingOption } from '../options/setting-options.js';
import { checkOutputs, forceHelp } from '../whole-file.js';
import { parseSizes } from './collective-lists.js';
import type { CollectivesOnFabric } from './collective-task.js';
import type { MeasuredFile } from '../../app/calibrate/compared-tables.js';
import { measuredFile } from './measured-tables.js';

/** What is measured if --sizes is left out, and explained. */
const defaultSizes = '1KiB..64MiB';
const defaultExplainedSize = '16MiB';
const algorithms: readonly AlgorithmName[] = [...new Set(collectiveKinds.flatMap(algorithmsFor))];

/** Options of all commands about collectives: what a group may use. */
export const groupOptions = [
  toggle('--no-nvls', 'no reductions in NVSwitches'),
  toggle('--pxn', 'over NICs of other GPUs of the server, by NVLink'),
  toggle('--collnet', 'consider reductions between servers in trees (profile nccl)'),
  repeated('--env <NAME=value>', "of NCCL's environment, such as NCCL_ALGO=Ring;\nmay be repeated (profiles of NCCL)"),
] as const;

/** The options of the command. */
export const collectiveOptions = [
  fabricOption,
  text('--ranks <list>', 'such as 0-127, 0,8,16 or 0-127:8; all without it'),
  text(
    '--sizes <list>',
    `such as 1KiB..1GiB or 8B,1MiB (default ${defaultSizes};\nwith --explain one size, ${defaultExplainedSize})`,
  ),
  value('--factor <number>', 'from one size of a range to the next', wholeNumberFrom(2), 2),
  value('--root <rank>', 'rank of the group that is the root of a broadcast or reduce', wholeNumberFrom(0), 0),
  oneOf('--group-kind <kind>', 'of parallelism, for the rules of profiles', groupKinds, 'dp'),
  text('--profile <name|file>', profileHelp, 'nccl'),
  oneOf('--algorithm <name>', "instead of the profile's", ['auto', ...algorithms], 'auto'),
  oneOf('--protocol <name>', "instead of the profile's", ['auto', ...protocols], 'auto'),
  value('--channels <number>', "instead of the profile's", wholeNumberFrom(0, 1024), 0),
  ...groupOptions,
  backendOption,
  settingOption('--send-latency <time>', topSettings.sendLatency),
  repeated('--set <path=value>', 'change a setting; may be repeated'),
  seedOption,
  workersOption('sizes'),
  toggle('--explain', 'one size: groups, channels, moves, links and times'),
  text(
    '--compare <file>',
    'measured sizes and times (nccl-tests, NCCL Inspector) beside\nsimulated ones, with the errors',
  ),
  text('--figure <file>', 'with --compare: draw both bandwidths, as SVG'),
  text('-o, --out <dir>', 'write the run of one size into this folder, for weft report'),
  text('--report <file>', `of one size: ${reportHelp}`),
  text(
    '--flow-graph <file>',
    'write the flows of one size and what each waits for,\nas .parquet or .jsonl; nothing is timed',
  ),
  toggle('--force', forceHelp),
  toggle('--json', 'print one JSON object'),
  toggle('--quiet', 'no progress, no warnings'),
] as const;
export type CollectiveOptions = OptionValues<typeof collectiveOptions>;

/** What runs: checked, every size with its choice. */
export interface Measurement extends PreparedCollectives {
  readonly kind: CollectiveKind;
  readonly fabricName: string;
  /** what the plan is made of */
  readonly onFabric: CollectivesOnFabric;
  /** what --compare names */
  readonly measured: MeasuredFile | null;
}

/**
 * Reads and checks everything.
 * @param words what stands beside the options: the kind, and parameters of the family of fabrics
 * @throws InputError, CommanderError
 */
export async function preparedMeasurement(
  words: readonly string[],
  options: CollectiveOptions,
  command: Command,
  { host }: CommandContext,
): Promise<Measurement> {
  const at = Math.max(
    0,
    words.findIndex((word) => (collectiveKinds as readonly string[]).includes(word)),
  );
  const kind = kindOf(words[at]);
  const {
    name: fabricName,
    fabric,
    warnings,
  } = await fabricFromOption(
    options.fabric,
    words.filter((_, i) => i !== at),
    command,
    host,
  );
  const profile = await profileFromOption(options.profile, host);
  const ranks = parseRanks(options.ranks ?? `0-${fabric.hosts.length - 1}`, fabric.hosts.length);
  await checkComparison(options);
  const measured =
    options.compare === undefined
      ? null
      : await measuredFile(options.compare, { kind, ranks: ranks.length, largestBytes: maxCollectiveBytes }, host);
  const sizes = measured?.sizes ?? wishedSizes(options);
  const { root, channels } = options;
  if (root !== 0 && !hasRoot(kind))
    throw mistake('--root', `${kind} has no root`, `${root}`, 'broadcast or reduce, or no --root');
  if (root >= ranks.length)
    throw mistake(
      '--root',
      'not a whole number in its range',
      `${root}`,
      `a whole number from 0 to ${ranks.length - 1}`,
    );
  const request = {
    kind,
    sizesBytes: sizes,
    ranks,
    root,
    setup: groupSetup(options, profile, options.groupKind, channels),
    planOptions: { name: kind, settings: settingsOf(options), overrides: options.set },
  };
  const { plan: made, ...prepared } = await prepareCollectives(fabric, request, host, (option) => `--${option}`);
  // hosts that reach no other matter for the ranks alone: prepareCollectives
  const ofFabric = warnings.filter(({ code }) => code === 'scenario-only-fabric' || code === 'data-sheet-rate');
  const plan: Plan = { ...made, warnings: [...ofFabric, ...made.warnings] };
  return { kind, fabricName, plan, ...prepared, onFabric: { fabric, options: request.planOptions }, measured };
}

/** A group as the options say that are common to all commands about collectives. @throws InputError */
export function groupSetup<P extends Profile>(
  {
    algorithm,
    protocol,
    nvls,
    pxn,
    collnet,
    env,
  }: OptionValues<typeof groupOptions> & Pick<CollectiveOptions, 'algorithm' | 'protocol'>,
  profile: P,
  groupKind: GroupKind,
  channels: number,
): GroupSetup & { readonly profile: P } {
  const environment = ncclOption(env, profile);
  return { groupKind, profile, wish: { algorithm, protocol }, nvls, pxn, collnet, channels, environment };
}

/** @throws InputError */
function wishedSizes({ explain, flowGraph, out, report, sizes: wished, factor }: CollectiveOptions): readonly number[] {
  const isKept = out !== undefined || report !== undefined;
  const isOne = explain || isKept || flowGraph !== undefined;
  const sizes = parseSizes(wished ?? (isOne ? defaultExplainedSize : defaultSizes), factor);
  if (isOne && sizes.length > 1)
    throw mistake(
      '--sizes',
      explain
        ? 'one collective is explained at a time'
        : isKept
          ? 'one collective is kept at a time'
          : 'a graph is of one collective',
      `${sizes.length} sizes`,
      'one size, such as 16MiB',
    );
  return sizes;
}

/** What options say that a scenario could say. @throws InputError */
function settingsOf({ backend, sendLatency, seed }: CollectiveOptions): readonly OptionSetting[] {
  return [
    { path: 'backend', value: backend, option: '--backend' },
    ...(sendLatency === undefined
      ? []
      : [{ path: 'sendLatency', value: `${sendLatency}ps`, option: '--send-latency' }]),
    ...(seed === undefined ? [] : [{ path: 'seed', value: seed, option: '--seed' }]),
  ];
}

/** Options that do not go together, and a figure that could not be written. @throws InputError */
async function checkComparison({
  compare: file,
  sizes,
  explain: isExplained,
  figure,
  flowGraph,
  force,
  out,
  report,
}: CollectiveOptions): Promise<void> {
  const kept = report !== undefined ? '--report' : out !== undefined ? '--out' : null;
  const otherwise = file !== undefined ? '--compare' : isExplained ? '--explain' : flowGraph ? '--flow-graph' : null;
  if (kept !== null && otherwise !== null)
    throw mistake(kept, 'a run that is kept prints its row alone', otherwise, `${kept} without ${otherwise}`);
  if (flowGraph !== undefined && (file !== undefined || isExplained))
    throw mistake(
      '--flow-graph',
      'a graph is written instead of being timed',
      file === undefined ? '--explain' : '--compare',
      '--flow-graph without --explain and --compare',
    );
  if (flowGraph !== undefined) await checkFlowGraphPath('--flow-graph', flowGraph, force);
  if (file !== undefined && sizes !== undefined)
    throw mistake('--sizes', 'the sizes are those that were measured', sizes, '--compare without --sizes');
  if (file !== undefined && isExplained)
    throw mistake('--explain', 'one collective is explained at a time', file, '--explain without --compare');
  if (file === undefined && figure !== undefined)
    throw mistake('--figure', 'only a comparison is drawn', figure, '--compare FILE beside it');
  checkFigurePath('--figure', figure);
  if (figure !== undefined) await checkOutputs([figure], force, true);
}

function kindOf(word: string | undefined): CollectiveKind {
  if ((collectiveKinds as readonly (string | undefined)[]).includes(word)) return word as CollectiveKind;
  throw InputError.about(
    'collective-kind',
    'weft collective',
    word === undefined || word.startsWith('-') ? 'which collective?' : 'there is no such collective',
    {
      got: word,
      wanted: collectiveKinds.join(', '),
      hint:
        didYouMean(word ?? '', collectiveKinds) ?? 'such as: weft collective allreduce --fabric spectrum-x --gpus 16',
    },
  );
}

function mistake(option: string, message: string, got: string, wanted: string): InputError {
  return optionMistake('collective', option, message, got, wanted);
}

/**
 * `--env NAME=value`: variables of NCCL's environment; undefined without any. They are taken from options alone, never
 * from the environment of the process: a simulation depends on what its command says, wherever it runs.
 * @throws InputError
 */
function ncclOption(texts: readonly string[], profile: Profile): NcclEnvironment | undefined {
  if (texts.length === 0) return undefined;
  if (!isNccl(profile))
    throw ncclMistake(
      `profile ${profileName(profile)} does not read NCCL's environment`,
      texts.join(', '),
      'a profile of NCCL, or no --env',
    );
  const values: Record<string, string> = {};
  for (const text of texts) {
    const [, name, value] = /^\s*([^=\s]+)\s*=(.*)$/.exec(text) ?? [];
    if (name === undefined || value === undefined)
      throw ncclMistake('is no variable with a value', text, 'NAME=value, such as NCCL_ALGO=Ring');
    if (Object.hasOwn(values, name)) throw ncclMistake(`${name} is given twice`, text, 'each variable once');
    const problem = variableProblem(name, value);
    if (problem !== null) {
      const known = ncclVariables.map((one) => one.name);
      const hint = problem.hint ?? (known.includes(name) ? undefined : didYouMean(name, known));
      throw ncclMistake(`${name} ${problem.message}`, text, problem.wanted, hint);
    }
    values[name] = value.trim();
  }
  return ncclEnvironment(values);
}

function ncclMistake(message: string, got: string, wanted: string, hint?: string): InputError {
  return optionMistake('collective', '--env', message, got, wanted, hint);
}

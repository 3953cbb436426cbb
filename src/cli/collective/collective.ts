// Long because it declares, checks and carries out the options of one command.
// `weft collective`: one collective on an idle fabric at several sizes, as the table of nccl-tests; --explain takes one
// of them apart.
// Invariants: everything is checked before anything runs; rows that are done stay printed if the run is stopped.

import { Command, Option } from 'commander';
import {
  type CollectiveSetup,
  type MeasuredCollective,
  otherChoices,
  planCollective,
  type PlannedCollective,
  simulateCollective,
  unconnectedRanks,
} from '../../app/simulate-collective.js';
import { backendNames, backendHelp } from '../../backends/catalogue.js';
import { formatDiagnostic, InputError, wholeFile } from '../../base/diagnostics.js';
import { formatSizeBytes } from '../../base/units.js';
import { algorithmsFor } from '../../collectives/build-schedule.js';
import { maxCollectiveBytes } from '../../collectives/collective-run.js';
import { Communicator } from '../../collectives/communicator.js';
import { type GroupKind, groupKinds } from '../../collectives/parallel-groups.js';
import { type Protocol, protocols } from '../../collectives/protocols.js';
import type { AlgorithmName, CollectiveKind } from '../../collectives/schedule.js';
import { type SelectionProfile, selectionProfiles } from '../../collectives/selection.js';
import { LinkLoads } from '../../measurement/link-loads.js';
import { explainCollective, type OtherTime } from '../../report/collective-explanation.js';
import { explanationObject, explanationText } from '../../report/collective-explanation-text.js';
import {
  collectiveHeader,
  collectiveLine,
  collectiveObject,
  type CollectiveRow,
  hasRoot,
} from '../../report/collective-table.js';
import type { Plan } from '../../scenario/plan.js';
import { type OptionSetting, planOnFabric } from '../../scenario/plan-on-fabric.js';
import { nearest } from '../../scenario/suggest.js';
import { ncclOption } from './nccl-option.js';
import { parseFactor, parseRanks, parseSizes } from './collective-lists.js';
import type { CommandContext } from '../context.js';
import { ExitCode, exitCodeHelp } from '../exit-codes.js';
import { fabricFromOption } from '../options/fabric-option.js';
import { announcer, Interrupt } from '../interrupt.js';
import { ProgressDisplay } from '../progress.js';
import { refuseRepeats } from '../options/repeated-options.js';
import { checkFigurePath } from '../route/figure-options.js';
import { terminalStyle } from '../terminal.js';
import { weftVersion } from '../version.js';
import { checkOutputs, forceHelp, writeWholeFile } from '../whole-file.js';
import {
  comparedTables,
  comparisonFigure,
  comparisonJson,
  measuredComparisonText,
  type MeasuredFile,
  measuredFile,
} from './measured-tables.js';

const kinds: readonly CollectiveKind[] = [
  'allreduce',
  'allgather',
  'reducescatter',
  'alltoall',
  'broadcast',
  'reduce',
  'sendrecv',
];
const algorithms: readonly AlgorithmName[] = [...new Set(kinds.flatMap(algorithmsFor))];

/** What is measured if --sizes is left out, and explained. */
const defaultSizes = '1KiB..64MiB';
const defaultExplainedSize = '16MiB';
/** moves that --explain --json lists */
const movesListed = 10_000;
/** moves up to which --explain simulates what else could have been chosen: some seconds */
const mostMovesOfOthers = 2_000_000;

interface CollectiveOptions {
  readonly fabric?: string;
  readonly ranks?: string;
  readonly sizes?: string;
  readonly factor: string;
  readonly root: string;
  readonly groupKind: GroupKind;
  readonly profile: SelectionProfile;
  readonly algorithm: AlgorithmName | 'auto';
  readonly protocol: Protocol | 'auto';
  readonly channels: string;
  readonly nvls: boolean;
  readonly pxn?: boolean;
  readonly collnet?: boolean;
  readonly env?: string[];
  readonly backend: string;
  readonly sendLatency?: string;
  readonly seed?: string;
  readonly set?: string[];
  readonly explain?: boolean;
  readonly compare?: string;
  readonly figure?: string;
  readonly force?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** What runs: checked, every size with its choice. */
interface Measurement {
  readonly kind: CollectiveKind;
  readonly fabricName: string;
  readonly setup: CollectiveSetup;
  readonly plan: Plan;
  readonly collectives: readonly PlannedCollective[];
  /** what --compare names */
  readonly measured: MeasuredFile | null;
}

/** The command for the command line. */
export function collectiveCommand(context: CommandContext): Command {
  const command = new Command('collective')
    .summary('time a collective on an idle fabric, as nccl-tests does')
    .description(
      'Time a collective on an idle fabric at several sizes: the table of nccl-tests,\nsimulated; or take one apart with --explain.',
    )
    .usage('<kind> --fabric <file|family> [options]')
    .argument('[kind]', kinds.join(', '))
    .argument('[parameters...]', 'of the family of fabrics: weft topology generate FAMILY --help')
    .allowUnknownOption()
    .option('--fabric <file|family>', 'topology file, scenario (.yaml) with a fabric, or a family\nwith its parameters')
    .option('--ranks <list>', 'such as 0-127, 0,8,16 or 0-127:8; all without it')
    .option(
      '--sizes <list>',
      `such as 1KiB..1GiB or 8B,1MiB (default ${defaultSizes};\nwith --explain one size, ${defaultExplainedSize})`,
    )
    .option('--factor <number>', 'from one size of a range to the next', '2')
    .option('--root <rank>', 'rank of the group that is the root of a broadcast or reduce', '0')
    .addOption(
      new Option('--group-kind <kind>', 'of parallelism, for the rules of profiles').choices(groupKinds).default('dp'),
    )
    .addOption(
      new Option('--profile <name>', 'who chooses algorithm, protocol and channels')
        .choices(selectionProfiles)
        .default('nccl'),
    )
    .addOption(
      new Option('--algorithm <name>', "instead of the profile's").choices(['auto', ...algorithms]).default('auto'),
    )
    .addOption(
      new Option('--protocol <name>', "instead of the profile's").choices(['auto', ...protocols]).default('auto'),
    )
    .option('--channels <number>', "instead of the profile's", '0')
    .option('--no-nvls', 'no reductions in NVSwitches')
    .option('--pxn', 'over NICs of other GPUs of the server, by NVLink')
    .option('--collnet', 'consider reductions between servers in trees (profile nccl)')
    .option(
      '--env <NAME=value>',
      "of NCCL's environment, such as NCCL_ALGO=Ring;\nmay be repeated (profiles of NCCL)",
      (value: string, earlier: string[] = []) => [...earlier, value],
    )
    .addOption(new Option('--backend <name>', backendHelp()).choices(backendNames).default('fluid'))
    .option('--send-latency <time>', 'software time before every transfer, such as 1us')
    .option('--set <path=value>', 'change a setting; may be repeated', (value: string, earlier: string[] = []) => [
      ...earlier,
      value,
    ])
    .option('--seed <number>', 'seed of all random decisions')
    .option('--explain', 'one size: groups, channels, moves, links and times')
    .option(
      '--compare <file>',
      'measured sizes and times (nccl-tests, NCCL Inspector) beside\nsimulated ones, with the errors',
    )
    .option('--figure <file>', 'with --compare: draw both bandwidths, as SVG')
    .option('--force', forceHelp)
    .option('--json', 'print one JSON object')
    .option('--quiet', 'no progress, no warnings')
    .addHelpText(
      'after',
      `
Examples:
  weft collective allreduce --fabric spectrum-x --gpus 16 --sizes 1KiB..16MiB
  weft collective allreduce --fabric my.topo --ranks 0-127:8 --algorithm tree
  weft collective alltoall --fabric dcn+ --gpus 32 --sizes 1MiB --pxn --explain
  weft collective allreduce --fabric spectrum-x --gpus 16 --compare nccl.log

Sizes are the whole buffer of a rank, times end with the last arrival, base
latency included; busbw has the factors of nccl-tests. An allreduce over
128 ranks takes about a CPU second with --backend fluid, whatever its size, and
7 for 64 MiB with packet, which shows what queues, marks and pauses do.
Parameters of a family: weft topology generate FAMILY --help.

${exitCodeHelp}`,
    )
    .action(async (_kind: string | undefined, _parameters: string[], options: CollectiveOptions) => {
      context.endWith(await runCollective(command.args, options, command, context));
    });
  return refuseRepeats(command, ['set', 'env']);
}

async function runCollective(
  words: readonly string[],
  options: CollectiveOptions,
  command: Command,
  context: CommandContext,
): Promise<number> {
  const measurement = await prepared(words, options, command, context);
  const { stderr, stdout, host } = context;
  if (options.quiet !== true)
    for (const warning of measurement.plan.warnings) stderr.write(`${formatDiagnostic(warning)}\n`);
  const progress = options.quiet === true ? null : new ProgressDisplay(stderr, () => host.wallMs());
  const interrupt = new Interrupt(announcer(stderr, () => progress));
  const rows: CollectiveRow[] = [];
  const { measured: measuredRows } = measurement;
  const isTable = options.json !== true && options.explain !== true && measuredRows === null;
  try {
    if (isTable) stdout.write(`${titleLines(measurement)}${collectiveHeader()}`);
    for (const planned of measurement.collectives) {
      if (progress !== null) progress.label = formatSizeBytes(planned.task.sizeBytes);
      const linkLoads = options.explain === true ? new LinkLoads(measurement.plan.fabric) : null;
      const measured = await simulateCollective(measurement.plan, measurement.setup, planned, context.simulate, {
        host,
        ...(linkLoads === null ? {} : { linkLoads }),
        onProgress: (state) => progress?.update(state),
        stopRequested: () => interrupt.requested,
      });
      progress?.hide();
      if (measured.summary.outcome === 'stopped') break;
      const row = rowOf(measured, measurement.setup);
      rows.push(row);
      if (isTable) stdout.write(collectiveLine(row));
      if (linkLoads !== null) {
        const others = await timesOfOthers(measurement, planned, context, () => interrupt.requested);
        explain(measured, others, measurement, linkLoads, options.json === true, context);
      }
    }
    if (measuredRows !== null) await compare(rows, measurement, measuredRows, options, context);
    else if (isTable) stdout.write(footer(rows, measurement));
    else if (options.explain !== true) stdout.write(`${JSON.stringify(resultObject(rows, measurement))}\n`);
    for (const { sizeBytes, problems } of rows)
      for (const problem of problems) stderr.write(`failed: ${sizeBytes} B: ${problem}\n`);
    if (interrupt.requested) return interrupt.exitCode;
    return rows.every(({ problems }) => problems.length === 0) ? ExitCode.ok : ExitCode.failed;
  } finally {
    progress?.stop();
    interrupt.close();
  }
}

/** Reads and checks everything. @throws InputError, CommanderError */
async function prepared(
  words: readonly string[],
  options: CollectiveOptions,
  command: Command,
  { host }: CommandContext,
): Promise<Measurement> {
  const at = Math.max(
    0,
    words.findIndex((word) => (kinds as readonly string[]).includes(word)),
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
  const ranks = parseRanks(options.ranks ?? `0-${fabric.hosts.length - 1}`, fabric.hosts.length);
  await checkComparison(options);
  const measured =
    options.compare === undefined
      ? null
      : await measuredFile(options.compare, kind, ranks.length, maxCollectiveBytes, host);
  const sizes =
    measured?.sizes ??
    parseSizes(
      options.sizes ?? (options.explain === true ? defaultExplainedSize : defaultSizes),
      parseFactor(options.factor),
    );
  if (options.explain === true && sizes.length > 1)
    throw mistake(
      '--sizes',
      'one collective is explained at a time',
      `${sizes.length} sizes`,
      'one size, such as 16MiB',
    );
  if (options.root !== '0' && !hasRoot(kind))
    throw mistake('--root', `${kind} has no root`, options.root, 'broadcast or reduce, or no --root');
  const root = countOf('--root', options.root, ranks.length - 1);
  const channels = countOf('--channels', options.channels, 1024);
  const settings: OptionSetting[] = [
    { path: 'backend', value: options.backend, option: '--backend' },
    ...(options.sendLatency === undefined
      ? []
      : [{ path: 'sendLatency', value: options.sendLatency, option: '--send-latency' }]),
    ...(options.seed === undefined
      ? []
      : [{ path: 'seed', value: countOf('--seed', options.seed, Number.MAX_SAFE_INTEGER), option: '--seed' }]),
  ];
  const planned = await planOnFabric(fabric, { name: kind, settings, overrides: options.set ?? [], host });
  // hosts that reach no other matter for the ranks alone: checkConnected
  const ofScenario = warnings.filter(({ code }) => code === 'scenario-only-fabric');
  const plan: Plan = { ...planned, warnings: [...ofScenario, ...planned.warnings] };
  const { groupKind, profile, nvls, algorithm, protocol } = options;
  const environment = ncclOption(options.env ?? [], profile);
  const setup: CollectiveSetup = {
    communicator: new Communicator(plan.fabric, ranks),
    groupKind,
    profile,
    wish: { algorithm, protocol },
    nvls,
    pxn: options.pxn ?? false,
    collnet: options.collnet ?? false,
    channels,
    ...(environment === null ? {} : { environment }),
  };
  const collectives = sizes.map((sizeBytes) => {
    const planned = planCollective(setup, { kind, sizeBytes, root });
    if (typeof planned === 'string')
      throw mistake(
        algorithm === 'auto' ? '--protocol' : '--algorithm',
        planned,
        algorithm === 'auto' ? protocol : algorithm,
        algorithm === 'auto' ? 'auto, or a protocol of the algorithm' : `auto, ${algorithmsFor(kind).join(', ')}`,
      );
    return planned;
  });
  checkConnected(setup.communicator, collectives);
  return { kind, fabricName, setup, plan, collectives, measured };
}

/** Options that do not go together, and a figure that could not be written. @throws InputError */
async function checkComparison({
  compare: file,
  sizes,
  explain: isExplained,
  figure,
  force,
}: CollectiveOptions): Promise<void> {
  if (file !== undefined && sizes !== undefined)
    throw mistake('--sizes', 'the sizes are those that were measured', sizes, '--compare without --sizes');
  if (file !== undefined && isExplained === true)
    throw mistake('--explain', 'one collective is explained at a time', file, '--explain without --compare');
  if (file === undefined && figure !== undefined)
    throw mistake('--figure', 'only a comparison is drawn', figure, '--compare FILE beside it');
  checkFigurePath('--figure', figure);
  if (figure !== undefined) await checkOutputs([figure], force === true, true);
}

/** Prints and draws what was simulated beside what was measured. @throws InputError, OutputError */
async function compare(
  rows: readonly CollectiveRow[],
  measurement: Measurement,
  measured: MeasuredFile,
  { json, figure, force, quiet }: CollectiveOptions,
  { stdout, stderr }: CommandContext,
): Promise<void> {
  if (quiet !== true) for (const warning of measured.warnings) stderr.write(`${formatDiagnostic(warning)}\n`);
  const compared = comparedTables(measured, rows);
  stdout.write(
    json === true
      ? `${JSON.stringify({ ...resultObject(rows, measurement), comparison: comparisonJson(measured, compared) })}\n`
      : `${titleLines(measurement)}${measuredComparisonText(measured, compared)}`,
  );
  const svg = comparisonFigure(`${measurement.kind} on ${measurement.fabricName}`, measured, compared);
  if (figure !== undefined && svg !== null) await writeWholeFile(figure, svg, force === true);
}

function kindOf(word: string | undefined): CollectiveKind {
  if ((kinds as readonly (string | undefined)[]).includes(word)) return word as CollectiveKind;
  const near = word === undefined ? null : nearest(word, kinds);
  throw InputError.at(
    'collective-kind',
    'weft collective',
    wholeFile,
    word === undefined || word.startsWith('-') ? 'which collective?' : 'there is no such collective',
    {
      ...(word === undefined ? {} : { got: word }),
      wanted: kinds.join(', '),
      hint:
        near === null ? 'such as: weft collective allreduce --fabric spectrum-x --gpus 16' : `did you mean ${near}?`,
    },
  );
}

function countOf(option: string, text: string, maximum: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > maximum)
    throw mistake(option, 'not a whole number in its range', text, `a whole number from 0 to ${maximum}`);
  return value;
}

function mistake(option: string, message: string, got: string, wanted: string): InputError {
  return InputError.at(`collective-${option.replace(/^-+/, '')}`, option, wholeFile, message, { got, wanted });
}

/**
 * On a fabric of which not every host reaches every other, whoever sends must reach whom it sends to.
 * @throws InputError
 */
function checkConnected(communicator: Communicator, collectives: readonly PlannedCollective[]): void {
  const found = unconnectedRanks(communicator, collectives);
  if (found === null) return;
  const { source, destination, withoutNic } = found;
  throw InputError.at(
    'collective-unconnected',
    '--fabric',
    wholeFile,
    `no path leads from rank ${source} to rank ${destination}${withoutNic === null ? '' : `: rank ${withoutNic} has no NIC`}`,
    {
      wanted: 'ranks that reach each other through switches',
      ...(withoutNic === null
        ? {}
        : { hint: '--pxn sends over the NICs of other GPUs of the server (rings, alltoall)' }),
    },
  );
}

function rowOf(measured: MeasuredCollective, { communicator }: CollectiveSetup): CollectiveRow {
  const { task, choice, timePs, algorithmBandwidth, busBandwidth, summary } = measured;
  return {
    kind: task.kind,
    ranks: communicator.rankCount,
    sizeBytes: task.sizeBytes,
    root: task.root,
    choice,
    timePs,
    algorithmBandwidth,
    busBandwidth,
    flows: summary.flows,
    cpuSeconds: summary.cpuSeconds,
    digest: summary.digest,
    problems: summary.verdicts.filter(({ ok }) => !ok).map(({ name, detail }) => `${name}: ${detail}`),
  };
}

function titleLines({ kind, setup, fabricName, plan, collectives }: Measurement): string {
  const { communicator, profile } = setup;
  const root = hasRoot(kind) ? `, root ${collectives[0]!.task.root}` : '';
  return `# weft ${weftVersion()}: ${kind}${root} on ${fabricName}, ${plan.backend.insteadOfPackets === null ? plan.backend.description : plan.backend.name}, seed ${plan.seed}\n# ${communicator.rankCount} ranks on ${communicator.servers.length} servers; profile ${profile}\n#\n`;
}

function footer(rows: readonly CollectiveRow[], { collectives }: Measurement): string {
  const mean = rows.length === 0 ? 0 : rows.reduce((sum, { busBandwidth }) => sum + busBandwidth, 0) / rows.length;
  const stopped =
    rows.length < collectives.length ? `# stopped after ${rows.length} of ${collectives.length} sizes\n` : '';
  return `# Avg bus bandwidth    : ${(mean / 1e9).toFixed(4)}\n${stopped}`;
}

function resultObject(
  rows: readonly CollectiveRow[],
  { kind, fabricName, setup, plan, collectives }: Measurement,
): Record<string, unknown> {
  return {
    weftVersion: weftVersion(),
    kind,
    fabric: fabricName,
    ranks: Array.from(setup.communicator.ranks),
    servers: setup.communicator.servers.length,
    groupKind: setup.groupKind,
    profile: setup.profile,
    backend: plan.backend.name,
    seed: plan.seed,
    outcome: rows.length < collectives.length ? 'stopped' : 'finished',
    rows: rows.map(collectiveObject),
    warnings: plan.warnings,
  };
}

/** What the other algorithms that NCCL could have chosen take, on the same fabric. */
async function timesOfOthers(
  { plan, setup }: Measurement,
  planned: PlannedCollective,
  { host, simulate }: CommandContext,
  stopRequested: () => boolean,
): Promise<readonly OtherTime[]> {
  const times: OtherTime[] = [];
  for (const other of otherChoices(setup, planned)) {
    if (stopRequested()) break;
    const { algorithm, protocol } = other.choice;
    const isTooLong = other.schedule.moveCount > mostMovesOfOthers;
    const measured = isTooLong ? null : await simulateCollective(plan, setup, other, simulate, { host, stopRequested });
    if (measured === null || measured.summary.outcome !== 'stopped')
      times.push({ algorithm, protocol, timePs: measured?.timePs ?? null });
  }
  return times;
}

function explain(
  measured: MeasuredCollective,
  others: readonly OtherTime[],
  { setup }: Measurement,
  linkLoads: LinkLoads,
  json: boolean,
  { stdout, environment }: CommandContext,
): void {
  const explanation = explainCollective({ ...measured, ...setup, others }, linkLoads.byTier(), json ? movesListed : 0);
  stdout.write(
    json
      ? `${JSON.stringify({ ...explanationObject(explanation), row: collectiveObject(rowOf(measured, setup)) })}\n`
      : explanationText(explanation, terminalStyle(stdout, environment)),
  );
}

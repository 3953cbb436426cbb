// `weft collective`: one collective on an idle fabric at several sizes, as the table of nccl-tests; --explain takes one
// of them apart.
// Invariants: everything is checked before anything runs; rows that are done stay printed if the run is stopped.

import { Command, Option } from 'commander';
import {
  otherChoices,
  type PlannedCollective,
  simulateCollective,
  type CollectiveTime,
} from '../../app/simulate-collective.js';
import { backendNames, backendHelp } from '../../backends/catalogue.js';
import { formatDiagnostic } from '../../base/diagnostics.js';
import { formatSizeBytes } from '../../base/units.js';
import { algorithmsFor } from '../../collectives/build-schedule.js';
import { groupKinds } from '../../collectives/parallel-groups.js';
import { protocols } from '../../collectives/protocols.js';
import { type AlgorithmName, collectiveKinds } from '../../collectives/schedule.js';
import { LinkLoads } from '../../measurement/link-loads.js';
import type { OtherTime } from '../../report/collective-explanation.js';
import { collectiveHeader, collectiveLine, type CollectiveRow } from '../../report/collective-table.js';
import type { CommandContext } from '../context.js';
import { ExitCode, exitCodeHelp } from '../exit-codes.js';
import { profileHelp } from '../options/profile-option.js';
import { refuseRepeats } from '../options/repeated-options.js';
import { workersOption } from '../options/workers-option.js';
import { SimultaneousRuns } from '../simultaneous-runs.js';
import { forceHelp } from '../whole-file.js';
import {
  defaultSizes,
  defaultExplainedSize,
  type CollectiveOptions,
  type Measurement,
  preparedMeasurement,
} from './measurement.js';
import { collectiveTask } from './collective-task.js';
import { writeCollectiveGraph } from './collective-graph.js';
import { titleLines, footer, resultObject, compare, explain, rowOf } from './measurement-output.js';

const algorithms: readonly AlgorithmName[] = [...new Set(collectiveKinds.flatMap(algorithmsFor))];
/** moves up to which --explain simulates what else could have been chosen: some seconds */
const mostMovesOfOthers = 2_000_000;
/** bytes whose packets take as long as everything else of a collective */
const leastPacketBytes = 1 << 20;

/** The command for the command line. */
export function collectiveCommand(context: CommandContext): Command {
  const command = new Command('collective')
    .summary('time a collective on an idle fabric, as nccl-tests does')
    .description(
      'Time a collective on an idle fabric at several sizes: the table of nccl-tests,\nsimulated; or take one apart with --explain.',
    )
    .usage('<kind> --fabric <file|family> [options]')
    .argument('[kind]', collectiveKinds.join(', '))
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
    .option('--profile <name|file>', profileHelp, 'nccl')
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
    .addOption(workersOption('sizes'))
    .option('--explain', 'one size: groups, channels, moves, links and times')
    .option(
      '--compare <file>',
      'measured sizes and times (nccl-tests, NCCL Inspector) beside\nsimulated ones, with the errors',
    )
    .option('--figure <file>', 'with --compare: draw both bandwidths, as SVG')
    .option(
      '--flow-graph <file>',
      'write the flows of one size and what each waits for,\nas .parquet or .jsonl; nothing is timed',
    )
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
  weft collective allreduce --fabric spectrum-x --gpus 16 --sizes 1MiB \\
    --profile document --flow-graph flows.jsonl
  weft collective allreduce --fabric dcn+ --gpus 16 --profile ours.yaml

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
  const measurement = await preparedMeasurement(words, options, command, context);
  const { stderr, stdout } = context;
  if (options.quiet !== true)
    for (const warning of measurement.plan.warnings) stderr.write(`${formatDiagnostic(warning)}\n`);
  if (options.flowGraph !== undefined) return writeCollectiveGraph(measurement, options.flowGraph, options, context);
  const { workers, quiet } = options;
  const together = new SimultaneousRuns(
    {
      module: new URL('./collective-task.js', import.meta.url),
      shared: () => measurement.onFabric,
      workers,
      count: measurement.collectives.length,
      quiet,
    },
    context,
  );
  const { progress } = together;
  const rows: CollectiveRow[] = [];
  const { measured: measuredRows } = measurement;
  const isTable = options.json !== true && options.explain !== true && measuredRows === null;
  try {
    if (isTable) stdout.write(`${titleLines(measurement)}${collectiveHeader()}`);
    if (options.explain === true) await explained(measurement, options, { together, rows }, context);
    else
      await timeSizes(together, measurement, context, (row) => {
        rows.push(row);
        if (!isTable) return;
        progress?.hide();
        stdout.write(collectiveLine(row));
      });
    progress?.stop();
    if (measuredRows !== null) await compare(rows, measurement, measuredRows, options, context);
    else if (isTable) stdout.write(footer(rows, measurement));
    else if (options.explain !== true) stdout.write(`${JSON.stringify(resultObject(rows, measurement))}\n`);
    for (const { sizeBytes, problems } of rows)
      for (const problem of problems) stderr.write(`failed: ${sizeBytes} B: ${problem}\n`);
    if (together.exitCode !== null) return together.exitCode;
    return rows.every(({ problems }) => problems.length === 0) ? ExitCode.ok : ExitCode.failed;
  } finally {
    await together.close();
  }
}

/** Simulates every size; rows come in the order of the sizes. */
async function timeSizes(
  together: SimultaneousRuns,
  { plan, setup, collectives }: Measurement,
  context: CommandContext,
  onRow: (row: CollectiveRow) => void,
): Promise<void> {
  const hasPackets = plan.backend.insteadOfPackets === null;
  await together.run(
    collectives.map(({ task }) => collectiveTask(plan, setup, task, context)),
    collectives.map(({ task: { sizeBytes } }) => ({
      name: formatSizeBytes(sizeBytes),
      // packets take as long as they are many, streams the same for every size
      weight: hasPackets ? Math.max(leastPacketBytes, sizeBytes) : 1,
    })),
    (place, timed: CollectiveTime) => {
      if (timed.summary.outcome !== 'stopped') onRow(rowOf({ ...collectives[place]!, ...timed }, setup));
    },
  );
}

/** Simulates one size and prints where its time goes. */
async function explained(
  measurement: Measurement,
  { json }: CollectiveOptions,
  { together: { progress, interrupt }, rows }: { together: SimultaneousRuns; rows: CollectiveRow[] },
  context: CommandContext,
): Promise<void> {
  const { plan, setup, collectives } = measurement;
  const planned = collectives[0]!;
  const linkLoads = new LinkLoads(plan.fabric);
  if (progress !== null) progress.label = formatSizeBytes(planned.task.sizeBytes);
  const measured = await simulateCollective(plan, setup, planned, context.simulate, {
    host: context.host,
    linkLoads,
    onProgress: (state) => progress?.update(state),
    stopRequested: () => interrupt.requested,
  });
  progress?.stop();
  if (measured.summary.outcome === 'stopped') return;
  rows.push(rowOf(measured, setup));
  const others = await timesOfOthers(measurement, planned, context, () => interrupt.requested);
  explain(measured, others, measurement, linkLoads, json === true, context);
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

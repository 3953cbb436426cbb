// `weft collective`: one collective on an idle fabric at several sizes, as the table of nccl-tests; --explain takes one
// of them apart.
// Invariants: everything is checked before anything runs; rows that are done stay printed if the run is stopped.

import type { CollectiveRow } from '../../report/figures/collectives.js';
import {
  otherChoices,
  type PlannedCollective,
  simulateCollective,
  type CollectiveTime,
} from '../../app/simulate-collective.js';
import { formatDiagnostic } from '../../base/diagnostics.js';
import { formatSizeBytes } from '../../base/units.js';
import { collectiveKinds } from '../../collectives/schedule.js';
import { LinkLoads } from '../../measurement/link-loads.js';
import type { OtherTime } from '../../report/collective-explanation.js';
import { collectiveHeader, collectiveLine } from '../../report/collective-table.js';
import type { CommandContext } from '../context.js';
import { ExitCode, exitCodeHelp } from '../exit-codes.js';
import type { ReportedRuns } from '../report/after-run.js';
import { declaredCommand } from '../options/declared-command.js';
import { type SimultaneousRuns, withRuns } from '../simultaneous-runs.js';
import { collectiveOptions, type CollectiveOptions, type Measurement, preparedMeasurement } from './measurement.js';
import { collectiveTask } from './collective-task.js';
import { writeCollectiveGraph } from './collective-graph.js';
import { titleLines, footer, resultObject, compare, explain, rowOf } from './measurement-output.js';

/** moves up to which --explain simulates what else could have been chosen: some seconds */
const mostMovesOfOthers = 2_000_000;
/** bytes whose packets take as long as everything else of a collective */
const leastPacketBytes = 1 << 20;

/** The command for the command line. */
export default declaredCommand({
  name: 'collective',
  summary: 'time a collective on an idle fabric, as nccl-tests does',
  description:
    'Time a collective on an idle fabric at several sizes: the table of nccl-tests,\nsimulated; or take one apart with --explain.',
  usage: '<kind> --fabric <file|family> [options]',
  argument: ['[kind]', collectiveKinds.join(', ')],
  words: ['[parameters...]', 'of the family of fabrics: weft topology generate FAMILY --help'],
  options: collectiveOptions,
  after: `
Examples:
  weft collective allreduce --fabric spectrum-x --gpus 16 --sizes 1KiB..16MiB
  weft collective allreduce --fabric my.topo --ranks 0-127:8 --algorithm tree
  weft collective alltoall --fabric dcn+ --gpus 32 --sizes 1MiB --pxn --explain
  weft collective allreduce --fabric spectrum-x --gpus 16 --compare nccl.log
  weft collective allreduce --fabric spectrum-x --gpus 16 --sizes 1MiB \\
    --profile document --flow-graph flows.jsonl
  weft collective allreduce --fabric dcn+ --gpus 16 --profile ours.yaml
  weft collective allreduce --fabric dcn+ --gpus 16 --sizes 4MiB \\
    --report page.html

Sizes are the whole buffer of a rank, times end with the last arrival, base
latency included; busbw has the factors of nccl-tests. An allreduce over
128 ranks takes about a CPU second with --backend fluid, whatever its size, and
7 for 64 MiB with packet, which shows what queues, marks and pauses do.
Parameters of a family: weft topology generate FAMILY --help.

${exitCodeHelp}`,
  run: async ({ options, command, context }) => {
    const measurement = await preparedMeasurement(command.args, options, command, context);
    if (!options.quiet)
      for (const warning of measurement.plan.warnings) context.stderr.write(`${formatDiagnostic(warning)}\n`);
    const { flowGraph, report, out, json, quiet, force } = options;
    if (flowGraph !== undefined) return writeCollectiveGraph(measurement, flowGraph, options, context);
    if (report === undefined) return (await timed(measurement, options, out, context)).exitCode;
    const { withReport } = await import('../report/after-run.js');
    const asked = { report, out, force, isSilent: json || quiet, lead: '# ' };
    return withReport(asked, (folder) => timed(measurement, options, folder, context), context);
  },
});

/** Simulates what is asked. @param kept the folder of the run; left out: it is not kept */
function timed(
  measurement: Measurement,
  options: CollectiveOptions,
  kept: string | undefined,
  context: CommandContext,
): Promise<ReportedRuns> {
  const { stderr, stdout } = context;
  const { workers, quiet, json, explain: isExplained } = options;
  const rows: CollectiveRow[] = [];
  const { kind, measured: measuredRows, collectives, onFabric } = measurement;
  const isTable = !json && !isExplained && measuredRows === null;
  const runs = { kind: 'collective' as const, shared: () => onFabric, workers, count: collectives.length, quiet };
  return withRuns(runs, context, async (together) => {
    const { progress } = together;
    if (isTable) stdout.write(`${titleLines(measurement)}${collectiveHeader()}`);
    const told = (row: CollectiveRow): void => {
      rows.push(row);
      if (!isTable) return;
      progress?.hide();
      stdout.write(collectiveLine(row));
    };
    let stored: readonly string[] = [];
    if (isExplained) await explained(measurement, options, { together, rows }, context);
    else if (kept === undefined) await timeSizes(together, measurement, context, told);
    else {
      const run = await (await import('./stored-collective.js')).keepCollective(measurement, kept, together, context);
      together.tellKeptAside(run.stored.keptAside);
      stored = [run.stored.path];
      if (run.row !== null) told(run.row);
    }
    progress?.stop();
    if (measuredRows !== null) await compare(rows, measurement, measuredRows, options, context);
    else if (isTable)
      stdout.write(`${footer(rows, measurement)}${options.out === undefined ? '' : `# results: ${stored[0]!}\n`}`);
    else if (!isExplained) stdout.write(`${JSON.stringify(resultObject(rows, measurement))}\n`);
    for (const { sizeBytes, problems } of rows)
      for (const problem of problems) stderr.write(`failed: ${sizeBytes} B: ${problem}\n`);
    const isWhole = rows.every(({ problems }) => problems.length === 0);
    const labels = options.out === undefined ? [kind] : undefined;
    return { exitCode: together.exitCode ?? (isWhole ? ExitCode.ok : ExitCode.failed), stored, labels };
  });
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
  explain(measured, others, measurement, linkLoads, json, context);
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

// weft analyze collisions: which flows share links, of runs or of a trace that is hashed, per tier of links.

import type { Command } from 'commander';
import {
  collisionsOfCompletions,
  collisionsOfPaths,
  collisionsOfRun,
  collisionsOfTrace,
  usualRouting,
} from '../../app/analysis/count-collisions.js';
import { type FlowWindow, sourcePortRules, traceFlowPaths } from '../../app/trace-paths.js';
import { Diagnostics } from '../../base/diagnostics.js';
import type { Fabric } from '../../fabric/fabric.js';
import type { TransferList } from '../../flows/transfer-list.js';
import { loadTrace, scanTrace } from '../../formats/trace-source.js';
import { overlapObject, overlapText, type CountedSet } from '../../report/overlap-text.js';
import { runSettings } from '../../scenario/form/schema.js';
import { nodeRunFiles } from '../../storage/node-run-files.js';
import { openFiles } from '../../storage/run-reader.js';
import { fabricOfRun, readFabricFile } from '../../stored-runs/run-reader.js';
import type { CommandContext } from '../context.js';
import {
  declaredCommand,
  toggle,
  oneOf,
  type OptionValues,
  refuseInputs,
  text,
  value,
} from '../options/declared-command.js';
import type { StageProgress } from '../stage-progress.js';
import { printResult } from '../terminal.js';
import { notNegative, toldRuns, watchedRun, withProgress } from './analyze-options.js';

const commandOptions = [
  text('--topology <file>', 'the fabric: of a trace, and of files without one'),
  text('--trace <file>', 'hash the transfers of this trace; nothing is simulated'),
  oneOf('--ports <rule>', 'source ports of the trace: both rules without it', sourcePortRules),
  text('--cc <file>', "paths.csv of a run with the controller, as analyze_collisions.py's"),
  text('--nocc <file>', 'fct.txt of a run without it: its ports are hashed; needs --topology'),
  value(
    '--bw-gbps <number>',
    'how fast a transfer of the trace is taken to be\n(default: the slower NIC)',
    notNegative,
  ),
  value('--send-lat-ns <number>', 'how long after its time it begins (default 0)', notNegative),
  oneOf(
    '--next-hop-order <order>',
    `order of equal-cost next hops that ports are hashed to, as\nrouting.nextHopOrder of scenarios (default ${usualRouting.nextHopOrder})`,
    runSettings.routing.nextHopOrder.choices,
  ),
  toggle('--json', 'print one JSON object'),
] as const;

/** The command `collisions`. */
export const collisionsCommand = declaredCommand({
  name: 'collisions',
  description: 'flows that share links between switches, per tier of links',
  argument: ['[runs...]', 'folders of weft run --out'],
  options: commandOptions,
  after: `
Examples:
  weft analyze collisions results
  weft analyze collisions --topology my.topo --trace trace.csv --json
  weft analyze collisions --cc cc/paths.csv --nocc nocc/fct.txt \\
    --topology my.topo --trace trace.csv --bw-gbps 100 --send-lat-ns 3000

Flows of a trace are taken to be under way for size / rate; those of runs were
under way when their records say. docs/models/collision-analysis.md`,
  run: async ({ argument: runs, options, command, context }) => {
    const sets = await withProgress(context, (progress) => countedSets(runs, options, progress, command, context));
    printResult(context, options.json, overlapObject(sets), (style) => overlapText(sets, style));
  },
});

async function countedSets(
  paths: readonly string[],
  options: OptionValues<typeof commandOptions>,
  progress: StageProgress,
  command: Command,
  context: CommandContext,
): Promise<CountedSet[]> {
  const { topology, trace, cc, nocc, ports, bwGbps, sendLatNs = 0 } = options;
  if (paths.length === 0 && trace === undefined && cc === undefined && nocc === undefined)
    refuseInputs(command, 'nothing to analyse', 'give folders of runs, or --trace with --topology');
  const own = topology === undefined ? null : await readFabricFile(nodeRunFiles, topology);
  const sets: CountedSet[] = [];
  const say = (what: string): void => progress.update(what);
  for (const path of paths)
    for (const run of await toldRuns([path], context.stderr)) {
      const watched = watchedRun(run, progress);
      sets.push(await collisionsOfRun(watched, own ?? (await fabricOfRun(run)), say));
    }
  if (trace === undefined) {
    for (const [option, value] of [
      ['--ports', ports],
      ['--bw-gbps', bwGbps],
      ['--send-lat-ns', options.sendLatNs],
    ] as const)
      if (value !== undefined) refuseInputs(command, `${option} has no effect without --trace`, 'leave it out');
  } else if (own === null && cc === undefined)
    refuseInputs(command, '--trace needs --topology', 'the paths of a trace depend on the fabric');
  if (options.nextHopOrder !== undefined && nocc === undefined && (trace === undefined || cc !== undefined))
    refuseInputs(command, '--next-hop-order has no effect: nothing is hashed', 'it is for --trace, and for --nocc');
  const routing = { ...usualRouting, nextHopOrder: options.nextHopOrder ?? usualRouting.nextHopOrder };
  const window: FlowWindow = {
    sendLatencyPs: Math.round(sendLatNs * 1000),
    rateBps: bwGbps === undefined ? null : bwGbps * 1e9,
  };
  const list = trace === undefined || own === null ? null : await traceOf(trace, own, context);
  if (cc !== undefined) {
    const run = watchedRun(await openFiles([cc], cc), progress);
    if (!run.tables.has('hops'))
      refuseInputs(command, '--cc is no paths.csv', 'flow_id,sip,dip,sport,dport,n_hops,hops');
    const isTimed = list !== null && own !== null;
    const traced = isTimed ? traceFlowPaths(list.fromStart(), own, usualRouting, 'counter', window) : null;
    sets.push(await collisionsOfPaths(run, own, traced));
  }
  if (nocc !== undefined) {
    if (own === null) return refuseInputs(command, '--nocc needs --topology', 'its ports are hashed on the fabric');
    const run = watchedRun(await openFiles([nocc], nocc), progress);
    sets.push(await collisionsOfCompletions(run, own, routing));
  }
  if (list !== null && own !== null && cc === undefined && nocc === undefined)
    for (const rule of ports === undefined ? sourcePortRules : [ports]) {
      say(`hashing ${trace!}: ${rule}`);
      sets.push(collisionsOfTrace(list, own, routing, rule, window));
    }
  return sets;
}

/** The transfers of a trace. @throws InputError */
async function traceOf(file: string, fabric: Fabric, { host }: CommandContext): Promise<TransferList> {
  const diagnostics = new Diagnostics();
  const scan = await scanTrace(host.readBytes(file), file, fabric, diagnostics);
  diagnostics.throwIfErrors();
  return loadTrace(() => host.readBytes(file), file, fabric, scan);
}

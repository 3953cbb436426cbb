// weft analyze collisions: which flows share links, of runs or of a trace that is hashed, per tier of links.

import type { Command } from 'commander';
import {
  sourcePortRules,
  traceFlowPaths,
  type FlowWindow,
  type SourcePortRule,
  type TracedFlows,
} from '../../app/trace-paths.js';
import { Diagnostics } from '../../base/diagnostics.js';
import type { Fabric } from '../../fabric/fabric.js';
import type { TransferList } from '../../flows/transfer-list.js';
import { loadTrace, scanTrace } from '../../formats/trace-source.js';
import { concurrentOverlap, staticOverlap, type FlowPaths } from '../../measurement/flow-overlap.js';
import { overlapObject, overlapText, type CountedSet } from '../../report/overlap-text.js';
import type { RoutingRules } from '../../routing/equal-cost.js';
import { PathTracer } from '../../routing/path.js';
import { routesByRules } from '../../routing/table-routes.js';
import { destinationPort } from '../../execution/admission.js';
import { runSettings } from '../../scenario/form/schema.js';
import { Int32List } from '../../base/columns.js';
import { fabricOfRun, openFiles, readFabricFile, type RunReader } from '../../storage/run-reader.js';
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
import { printResult } from '../terminal.js';
import type { StageProgress } from '../stage-progress.js';
import {
  countedPaths,
  countedTiers,
  flowsOnSeveralWays,
  hopsOf,
  storedFlows,
  type CountedPaths,
  type StoredFlows,
} from './joined-flows.js';
import { notNegative, toldRuns, watchedRun, withProgress } from './analyze-options.js';

/** How a fabric routes unless a scenario says otherwise: the defaults of scenarios. */
const usualRouting: RoutingRules = {
  nextHopOrder: runSettings.routing.nextHopOrder.default,
  withinServers: runSettings.routing.withinServers.default,
};

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
  const own = topology === undefined ? null : await readFabricFile(topology);
  const sets: CountedSet[] = [];
  for (const path of paths)
    for (const run of await toldRuns([path], context.stderr)) sets.push(await ofRun(run, own, progress));
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
  const routing: RoutingRules = { ...usualRouting, nextHopOrder: options.nextHopOrder ?? usualRouting.nextHopOrder };
  const window: FlowWindow = {
    sendLatencyPs: Math.round(sendLatNs * 1000),
    rateBps: bwGbps === undefined ? null : bwGbps * 1e9,
  };
  const list = trace === undefined || own === null ? null : await traceOf(trace, own, context);
  if (cc !== undefined) sets.push(await ofPaths(cc, own, list, window, progress, command));
  if (nocc !== undefined) {
    if (own === null) return refuseInputs(command, '--nocc needs --topology', 'its ports are hashed on the fabric');
    sets.push(await ofCompletions(nocc, own, routing, progress));
  }
  if (list !== null && own !== null && cc === undefined && nocc === undefined)
    for (const rule of ports === undefined ? sourcePortRules : [ports]) {
      progress.update(`hashing ${trace!}: ${rule}`);
      sets.push(ofTraced(rule, own, traceFlowPaths(list.fromStart(), own, routing, rule, window)));
    }
  return sets;
}

async function ofRun(stored: RunReader, given: Fabric | null, progress: StageProgress): Promise<CountedSet> {
  const run = watchedRun(stored, progress);
  const fabric = given ?? (await fabricOfRun(run));
  const flows = await storedFlows(run);
  const hops = await hopsOf(run, flows);
  progress.update(`counting flows that share links: ${run.shown}`);
  return {
    ...counted(run.shown, countedPaths(flows, hops, fabric, run.shown), hops.unmatchedPaths),
    severalWays: flowsOnSeveralWays(hops),
  };
}

/** Flows of a paths.csv; when they were under way, a trace says, in the order of each pair of hosts. */
async function ofPaths(
  file: string,
  fabric: Fabric | null,
  list: TransferList | null,
  window: FlowWindow,
  progress: StageProgress,
  command: Command,
): Promise<CountedSet> {
  const run = watchedRun(await openFiles([file], file), progress);
  if (run.tables.get('hops') === undefined)
    refuseInputs(command, '--cc is no paths.csv', 'flow_id,sip,dip,sport,dport,n_hops,hops');
  const flows = await pathsAsFlows(run);
  const hops = await hopsOf(run, flows, true);
  const own = countedPaths(flows, hops, fabric, file);
  if (list === null || fabric === null) return { ...counted(file, own, 0), concurrent: null };
  const traced = traceFlowPaths(list.fromStart(), fabric, usualRouting, 'counter', window);
  const matched = withWindows(own.paths, flows, traced);
  return counted(file, { ...own, paths: matched }, 0);
}

async function pathsAsFlows(run: RunReader): Promise<StoredFlows> {
  const known = new Map<number, readonly [number, number, number]>();
  for await (const piece of run.tables.get('hops')!.pieces(['flowId', 'source', 'destination', 'sourcePort'])) {
    const ids = piece.numbers('flowId');
    for (let row = 0; row < piece.rows; row++)
      if (!known.has(ids[row]!))
        known.set(ids[row]!, [
          piece.numbers('source')[row]!,
          piece.numbers('destination')[row]!,
          piece.numbers('sourcePort')[row]!,
        ]);
  }
  const ids = Float64Array.from(known.keys()).sort();
  const column = (at: 0 | 1 | 2): Float64Array => Float64Array.from(ids, (id) => known.get(id)![at]);
  const nothing = new Float64Array(ids.length);
  return {
    flows: ids.length,
    flowId: ids,
    source: column(0),
    destination: column(1),
    sourcePort: column(2),
    sizeBytes: nothing,
    startPs: nothing,
    finishPs: nothing,
    idealPs: nothing,
  };
}

/** Windows of the k-th flow of each pair of hosts are those of the k-th transfer of the trace. */
function withWindows(paths: FlowPaths, flows: StoredFlows, traced: TracedFlows): FlowPaths {
  const waiting = new Map<string, number[]>();
  for (let i = traced.flows - 1; i >= 0; i--) {
    const key = `${traced.source[i]!} ${traced.destination[i]!}`;
    const known = waiting.get(key);
    if (known === undefined) waiting.set(key, [i]);
    else known.push(i);
  }
  const startPs = new Float64Array(flows.flows);
  const finishPs = new Float64Array(flows.flows);
  for (let flow = 0; flow < flows.flows; flow++) {
    const place = waiting.get(`${flows.source[flow]!} ${flows.destination[flow]!}`)?.pop();
    if (place === undefined) continue;
    startPs[flow] = traced.startPs[place]!;
    finishPs[flow] = traced.finishPs[place]!;
  }
  return { ...paths, startPs, finishPs };
}

/** Flows of an fct.txt on the paths that their ports hash to. */
async function ofCompletions(
  file: string,
  fabric: Fabric,
  routing: RoutingRules,
  progress: StageProgress,
): Promise<CountedSet> {
  const flows = await storedFlows(watchedRun(await openFiles([file], file), progress));
  const tracer = new PathTracer(routesByRules(fabric, routing));
  const path = new Int32Array(tracer.maxLength);
  const offsets = new Int32Array(flows.flows + 1);
  const ports = new Int32List();
  for (let flow = 0; flow < flows.flows; flow++) {
    const { source, destination, sourcePort } = flows;
    const isHost = (node: number): boolean => fabric.hosts.includes(node);
    const length =
      isHost(source[flow]!) && isHost(destination[flow]!)
        ? tracer.trace(source[flow]!, destination[flow]!, sourcePort[flow]!, destinationPort, path)
        : 0;
    for (let i = 0; i < length; i++) ports.push(path[i]!);
    offsets[flow + 1] = ports.length;
  }
  const { startPs, finishPs } = flows;
  const paths = { flows: flows.flows, startPs, finishPs, offsets, ports: ports.toArray() };
  return counted(file, { paths, tiers: countedTiers(fabric) }, 0);
}

function ofTraced(rule: SourcePortRule, fabric: Fabric, traced: TracedFlows): CountedSet {
  const name = rule === 'counter' ? 'ports by counter' : 'collision-free ports';
  return { ...counted(name, { paths: traced, tiers: countedTiers(fabric) }, 0), controller: traced.controller };
}

function counted(name: string, { paths, tiers }: CountedPaths, unmatchedPaths: number): CountedSet {
  let withoutPath = 0;
  for (let flow = 0; flow < paths.flows; flow++) {
    let counts = false;
    for (let i = paths.offsets[flow]!; i < paths.offsets[flow + 1]!; i++)
      counts ||= tiers.tierOf[paths.ports[i]!]! >= 0;
    if (!counts) withoutPath++;
  }
  return {
    name,
    flows: paths.flows,
    withoutPath,
    unmatchedPaths,
    severalWays: 0,
    controller: null,
    static: staticOverlap(paths, tiers),
    concurrent: concurrentOverlap(paths, tiers),
  };
}

/** The transfers of a trace. @throws InputError */
async function traceOf(file: string, fabric: Fabric, { host }: CommandContext): Promise<TransferList> {
  const diagnostics = new Diagnostics();
  const scan = await scanTrace(host.readBytes(file), file, fabric, diagnostics);
  diagnostics.throwIfErrors();
  return loadTrace(() => host.readBytes(file), file, fabric, scan);
}

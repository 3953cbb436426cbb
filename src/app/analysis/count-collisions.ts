// Which flows share links, of runs, of files of others, or of a trace that is hashed, per tier of links.
// Invariant: nothing is simulated; flows without a path are counted, never dropped in silence.

import { Int32List } from '../../base/columns.js';
import { destinationPort } from '../../execution/admission.js';
import type { Fabric } from '../../fabric/fabric.js';
import type { TransferList } from '../../flows/transfer-list.js';
import { concurrentOverlap, staticOverlap, type FlowPaths } from '../../measurement/flow-overlap.js';
import type { RunTables } from '../../records/run-tables.js';
import type { CountedSet } from '../../report/overlap-text.js';
import type { RoutingRules } from '../../routing/equal-cost.js';
import { PathTracer } from '../../routing/path.js';
import { routesByRules } from '../../routing/table-routes.js';
import { runSettings } from '../../scenario/form/schema.js';
import { type FlowWindow, type SourcePortRule, traceFlowPaths, type TracedFlows } from '../trace-paths.js';
import {
  countedPaths,
  type CountedPaths,
  countedTiers,
  flowsOnSeveralWays,
  hopsOf,
  storedFlows,
  type StoredFlows,
} from './joined-flows.js';

/** Told what is being done. */
type Say = (what: string) => void;

/** How a fabric routes unless a scenario says otherwise: the defaults of scenarios. */
export const usualRouting: RoutingRules = {
  nextHopOrder: runSettings.routing.nextHopOrder.default,
  withinServers: runSettings.routing.withinServers.default,
};

/** Flows of a run. @param fabric null: ports are known by node and interface alone @throws InputError, HostFileError */
export async function collisionsOfRun(run: RunTables, fabric: Fabric | null, say: Say): Promise<CountedSet> {
  const flows = await storedFlows(run);
  const hops = await hopsOf(run, flows);
  say(`counting flows that share links: ${run.shown}`);
  return {
    ...counted(run.shown, countedPaths(flows, hops, fabric, run.shown), hops.unmatchedPaths),
    severalWays: flowsOnSeveralWays(hops),
  };
}

/**
 * Flows of a paths.csv; when they were under way, a trace says, in the order of each pair of hosts.
 * @param traced null: nobody says it @throws InputError, HostFileError
 */
export async function collisionsOfPaths(
  run: RunTables,
  fabric: Fabric | null,
  traced: TracedFlows | null,
): Promise<CountedSet> {
  const flows = await pathsAsFlows(run);
  const own = countedPaths(flows, await hopsOf(run, flows, true), fabric, run.shown);
  if (traced === null) return { ...counted(run.shown, own, 0), concurrent: null };
  return counted(run.shown, { ...own, paths: withWindows(own.paths, flows, traced) }, 0);
}

async function pathsAsFlows(run: RunTables): Promise<StoredFlows> {
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

/** Flows of an fct.txt on the paths that their ports hash to. @throws InputError, HostFileError */
export async function collisionsOfCompletions(
  run: RunTables,
  fabric: Fabric,
  routing: RoutingRules,
): Promise<CountedSet> {
  const flows = await storedFlows(run);
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
  return counted(run.shown, { paths, tiers: countedTiers(fabric) }, 0);
}

/** Transfers of a trace on the paths that the ports of a rule hash to. */
export function collisionsOfTrace(
  list: TransferList,
  fabric: Fabric,
  routing: RoutingRules,
  rule: SourcePortRule,
  window: FlowWindow,
): CountedSet {
  const traced = traceFlowPaths(list.fromStart(), fabric, routing, rule, window);
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

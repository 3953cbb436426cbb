// Whether switches may get new tables in any order, and if not, in which steps: `weft route transition`.

import { InputError } from '../../base/diagnostics.js';
import { hostLidCount, maxRadix } from '../../fabric/identity.js';
import { lidOfNode, mostLidHosts, samePort, withLidHosts } from '../../fabric/lid-hosts.js';
import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import { planTransition, type Transition } from '../../optimization/route-transition.js';
import type { ReportedTransition } from '../../report/routes/transition-text.js';
import { changedByOffset, joinedOffsets, type TablesByOffset } from '../../routing/lid-offsets.js';
import type { FlowLevels } from '../../routing/route-lanes.js';
import type { FabricRequest } from './fabric-input.js';
import type { GivenText } from './file-kinds.js';
import type { RouteHost } from './make-tables.js';
import { refuseSeveralLids } from './route-algorithm.js';
import { loadLevels } from './route-lanes.js';
import { readProblem } from './route-problem.js';
import { loadTables, readTables, type TablesRequest } from './tables-input.js';

export type { ReportedTransition } from '../../report/routes/transition-text.js';

/** Tables in use, and those that are to be written. */
export interface TransitionRequest extends FabricRequest {
  readonly old: TablesRequest;
  readonly new: TablesRequest;
  /** service levels of pairs of hosts, each a lane: path records, as a file or a text; left out: one lane */
  readonly lanes?: string | GivenText;
  /** those with the new tables, if they differ */
  readonly newLanes?: string | GivenText;
}

/**
 * Plans a transition.
 * @throws InputError if the request has mistakes, or a switch has more ports to LIDs than tables can tell apart
 */
export async function routeTransition(request: TransitionRequest, host: RouteHost): Promise<ReportedTransition> {
  if (request.newLanes !== undefined && request.lanes === undefined)
    throw InputError.about('missing-levels', '--new-lanes', 'the lanes of the old tables are missing', {
      hint: 'add --lanes FILE',
    });
  const { source, files, warnings } = await readProblem(request, host, (fabric) => {
    const lids = hostLidCount(fabric.fabric, fabric.identity);
    if (mostLidHosts(fabric, lids) < lids)
      refuseSeveralLids(
        fabric,
        'weft route transition',
        `a switch has more than ${maxRadix} ports, a port to each LID`,
      );
  });
  host.stage?.('reading tables');
  // circles of the old tables are what new ones are for, those of new ones are a mistake
  const before = await readTables(files, request.old, source);
  const after = await loadTables(files, request.new, source);
  const lanes = await Promise.all(
    [request.lanes, request.newLanes].flatMap((from) =>
      from === undefined ? [] : [loadLevels(files, from, undefined, source)],
    ),
  );
  for (const read of [before, after, ...lanes]) warnings.push(...read.warnings);
  const levels = lanes[0] === undefined ? null : { before: lanes[0].levels, after: (lanes[1] ?? lanes[0]).levels };
  host.stage?.('looking at mixtures');
  return {
    source,
    old: before.name,
    new: after.name,
    plan: planOf(source, before.tables, after.tables, levels),
    changedEntries: changedByOffset(source.identity, before.tables, after.tables),
    warnings,
    lanes: levels === null ? 1 : Math.max(levels.before.count, levels.after.count),
  };
}

/** The plan for tables of all LIDs, each LID a destination of its own. */
function planOf(
  source: RoutedFabric,
  old: TablesByOffset,
  next: TablesByOffset,
  levels: { readonly before: FlowLevels; readonly after: FlowLevels } | null,
): Transition {
  if (old.length === 1) return planTransition(old[0]!, next[0]!, levels);
  const { fabric } = source;
  const { fabric: joined } = withLidHosts(source, old.length);
  const ofHosts = (own: FlowLevels): FlowLevels => ({
    count: own.count,
    ...(own.lanes === undefined ? {} : { lanes: own.lanes }),
    levels: (from, destination) => {
      const { node, lidOffset } = lidOfNode(fabric, destination);
      return own.levels(from, node, lidOffset);
    },
  });
  const { safe, steps, violations } = planTransition(
    joinedOffsets(joined, old),
    joinedOffsets(joined, next),
    levels === null ? null : { before: ofHosts(levels.before), after: ofHosts(levels.after) },
  );
  const ofLid = <T extends { readonly destination: number }>(own: T): T => {
    const { node, lidOffset } = lidOfNode(fabric, own.destination);
    return Object.assign({}, own, { destination: node }, lidOffset === 0 ? {} : { lidOffset });
  };
  return {
    safe,
    steps: steps.map((step) =>
      step.kind === 'destinations' ? { kind: step.kind, destinations: step.destinations.map(ofLid) } : step,
    ),
    violations: violations.map((fault) =>
      fault.kind === 'deadlock'
        ? {
            kind: fault.kind,
            during: fault.during,
            cycle: { ...fault.cycle, ports: fault.cycle.ports.map((port) => samePort(joined, fabric, port)) },
          }
        : ofLid(fault),
    ),
  };
}

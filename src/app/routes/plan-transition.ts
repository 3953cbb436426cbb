// Whether switches may get new tables in any order, and if not, in which steps: `weft route transition`.

import { InputError } from '../../base/diagnostics.js';
import { planTransition } from '../../optimization/route-transition.js';
import type { ReportedTransition } from '../../report/routes/transition-text.js';
import { changedEntries } from '../../routing/forwarding-tables.js';
import type { FabricRequest } from './fabric-input.js';
import type { GivenText } from './file-kinds.js';
import type { RouteHost } from './make-tables.js';
import { refuseSeveralLids } from './route-algorithm.js';
import { loadLevels } from './route-lanes.js';
import { readProblem } from './route-problem.js';
import { loadTables, type TablesRequest } from './tables-input.js';

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

/** Plans a transition. @throws InputError if the request has mistakes, or hosts have several LIDs */
export async function routeTransition(request: TransitionRequest, host: RouteHost): Promise<ReportedTransition> {
  if (request.newLanes !== undefined && request.lanes === undefined)
    throw InputError.about('missing-levels', '--new-lanes', 'the lanes of the old tables are missing', {
      hint: 'add --lanes FILE',
    });
  const { source, files, warnings } = await readProblem(request, host, (fabric) =>
    refuseSeveralLids(fabric, 'weft route transition', 'it looks at one way to each host'),
  );
  host.stage?.('reading tables');
  const before = await loadTables(files, request.old, source);
  const after = await loadTables(files, request.new, source);
  const lanes = await Promise.all(
    [request.lanes, request.newLanes].flatMap((from) =>
      from === undefined ? [] : [loadLevels(files, from, undefined, source)],
    ),
  );
  for (const read of [before, after, ...lanes]) warnings.push(...read.warnings);
  const levels = lanes[0] === undefined ? null : { before: lanes[0].levels, after: (lanes[1] ?? lanes[0]).levels };
  host.stage?.('looking at mixtures');
  const [[old], [next]] = [before.tables, after.tables];
  return {
    source,
    old: before.name,
    new: after.name,
    plan: planTransition(old!, next!, levels),
    changedEntries: changedEntries(old!, next!),
    warnings,
    lanes: levels === null ? 1 : Math.max(levels.before.count, levels.after.count),
  };
}

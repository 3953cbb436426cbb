// Failures that cannot meet any traffic: a spine fails, and everything that is sent stays below the spines, as rail
// traffic does where one leaf takes a whole rail.
// Invariant: what is said to be idle is on no shortest path of any transfer. All shortest paths of a pair have the same
// length, and one of 2 x n links reaches level n at most (fabric/switch-levels.ts), so the longest one decides. Not
// found: failures that could meet traffic by their level and never do; work that is too large to count; traces.

import type { Fabric } from '../../fabric/fabric.js';
import { NodeNames } from '../../fabric/node-names.js';
import { switchLevels } from '../../fabric/switch-levels.js';
import { TransferList } from '../../flows/transfer-list.js';
import { PathTracer } from '../../routing/path.js';
import { routesByRules } from '../../routing/table-routes.js';
import type { Plan } from '../../scenario/plan.js';
import { planWork } from '../plan-work.js';
import { nowhere, WorkCount } from './work-count.js';

/** Steps of counting, about a second; of larger work nothing is said. */
const mostSteps = 500_000;

/** What fails in vain. */
export interface IdleFailures {
  /** names of the switches at the upper ends of the links, such as `spine[3]` */
  readonly switches: readonly string[];
  /** links that fail and that no traffic can meet, and all that fail */
  readonly links: number;
  readonly allLinks: number;
  /** most links on the path of any transfer */
  readonly longestPath: number;
}

/** What fails without any traffic that it could meet; null if there is nothing of the kind, or nobody knows. */
export function idleFailures(plan: Plan): IdleFailures | null {
  const { fabric, failures, source } = plan;
  if (failures.changes.count === 0) return null;
  const own = source.total === 0 ? new TransferList() : source instanceof TransferList ? source.fromStart() : null;
  if (own === null) return null;
  const tracer = new PathTracer(routesByRules(fabric, plan.routing));
  const work = planWork({ ...plan, source: own }, tracer, nowhere, null);
  const count = new WorkCount(plan, work, tracer);
  count.advance(mostSteps);
  if (!count.isComplete || count.flows === 0) return null;
  const levels = switchLevels(fabric);
  const failing = new Set(failures.changes.link);
  const idle = [...failing].filter((link) => count.longestPath < 2 * levels[upperEnd(fabric, levels, link)]!);
  if (idle.length === 0) return null;
  const names = new NodeNames(fabric);
  const switches = new Set(idle.map((link) => names.nameOf(upperEnd(fabric, levels, link))));
  return {
    switches: [...switches],
    links: idle.length,
    allLinks: failing.size,
    longestPath: count.longestPath,
  };
}

/** The end of a link that is farther from the hosts. */
function upperEnd({ linkPorts, portNode }: Fabric, levels: Float64Array, link: number): number {
  const [a, b] = [portNode[linkPorts[2 * link]!]!, portNode[linkPorts[2 * link + 1]!]!];
  return levels[a]! > levels[b]! ? a : b;
}

// Remedies for what a diagnosis found, each tried: the same run with one change.
//   routes         tables of ftree, tables computed for its flows (on credit), adaptive ways, or the central controller,
//                  whichever the run can have
//   mapping        ranks placed as proposed (propose-mapping.ts)
//   slow-part      hosts and links as fast as their kind
//   other-traffic  the same as for routes; ranks placed elsewhere among their hosts, or on hosts that nobody uses
// Not tried: another order of messages, more links, fewer senders. They are other programs and other fabrics.

import { InputError } from '../../base/diagnostics.js';
import type { Cause, CauseFinding } from '../../diagnosis/finding.js';
import type { JobMapping } from '../../diagnosis/flow-findings.js';
import type { ObservedFlows } from '../../diagnosis/observed-flows.js';
import { NodeKind } from '../../fabric/fabric.js';
import type { Plan } from '../../scenario/plan.js';
import { endOfJobs } from './end-of-jobs.js';
import type { Diagnosis } from './diagnose-run.js';
import type { PlanChanges } from './stored-plan.js';
import type { RunSummary } from '../run-progress.js';

/** A change of a run. */
export interface Remedy extends PlanChanges {
  /** what it is for */
  readonly causes: readonly Cause[];
  /** in words */
  readonly change: string;
  /** by number of the job: nodes of its ranks */
  readonly nodes: ReadonlyMap<number, Int32Array>;
  /** flows that tables are computed for; null: ways are as settings say */
  readonly routedFor: ObservedFlows | null;
  /** when they would have ended, in picoseconds */
  readonly predictedPs: number;
  /** why it cannot be tried; empty: it can */
  readonly reason: string;
}

/** A remedy that was tried. */
export interface Trial extends Remedy {
  /** when the jobs that were held up had ended, in picoseconds; null: it did not finish, or the settings do not go together */
  readonly totalPs: number | null;
}

/** What can be tried. @param totalPs when the jobs that were held up had ended */
export function remediesFor(
  plan: Plan,
  findings: readonly CauseFinding[],
  diagnosis: Pick<Diagnosis, 'observed' | 'mappings' | 'awayFromOthers' | 'latestPs'>,
  totalPs: number,
): Remedy[] {
  const byChange = new Map<string, Remedy>();
  for (const finding of findings)
    for (const remedy of changesFor(plan, finding, diagnosis)) {
      const known = byChange.get(remedy.change);
      const causes = [...(known?.causes ?? []), finding.cause];
      byChange.set(remedy.change, {
        ...remedy,
        causes,
        predictedPs: Math.min(
          totalPs,
          Math.max(diagnosis.latestPs, totalPs - savedBy(findings, causes, remedy.nodes.size > 0)),
        ),
      });
    }
  return [...byChange.values()];
}

/**
 * By how much a run becomes shorter without some causes: jobs run beside each other, and the one that lost most counts.
 * @param moves ranks go elsewhere
 */
function savedBy(findings: readonly CauseFinding[], causes: readonly Cause[], moves: boolean): number {
  const saved = new Map<number, number>();
  for (const finding of findings)
    if (causes.includes(finding.cause))
      for (const [job, own] of finding.jobs)
        saved.set(job, (saved.get(job) ?? 0) + own * (moves ? 1 : promised(finding)));
  return Math.max(0, ...saved.values());
}

/**
 * Share of a loss that other routes take away with its cause, 0 to 1. What followed from flows that met goes with it; a
 * congestion tree of others stays, and of what was lost in it nothing is promised.
 */
function promised({ cause, lostPs, unexplainedPs }: CauseFinding): number {
  return cause === 'other-traffic' && lostPs > 0 ? 1 - unexplainedPs / lostPs : 1;
}

type Change = Pick<Remedy, 'change' | 'overrides' | 'without' | 'nodes' | 'routedFor' | 'reason'>;

const unchanged = { overrides: [], without: [], routedFor: null, reason: '' } as const;

function changesFor(
  plan: Plan,
  { cause, jobs }: CauseFinding,
  { observed, mappings: all, awayFromOthers }: Pick<Diagnosis, 'observed' | 'mappings' | 'awayFromOthers'>,
): Change[] {
  const mappings = cause === 'mapping' ? all : awayFromOthers;
  const nodes = new Map<number, Int32Array>();
  const names = new Set<string>();
  for (const job of jobs.keys()) {
    const own = mappings.get(job);
    if (own === undefined || !isBetter(own)) continue;
    nodes.set(job, own.best.nodes);
    names.add(own.best.name);
  }
  const placed = { ...unchanged, change: `ranks placed otherwise (${[...names].join(', ')})`, nodes };
  switch (cause) {
    case 'routes':
      return routeChanges(plan, observed.flows);
    case 'other-traffic':
      return [
        ...routeChanges(plan, observed.flows),
        ...(nodes.size === 0 ? [] : [placed]),
        toFreeHosts(observed, [...jobs.keys()]),
      ];
    case 'mapping':
      return nodes.size === 0 ? [] : [placed];
    case 'slow-part':
      return [
        {
          ...unchanged,
          change: 'hosts and links as fast as their kind',
          without: ['stragglers', 'failures'],
          nodes: new Map(),
        },
      ];
    default:
      return [];
  }
}

/** Ranks of jobs on hosts that nobody else uses, in the same order. */
function toFreeHosts({ fabric, flows, jobs }: Diagnosis['observed'], which: readonly number[]): Change {
  const change = 'ranks on hosts that nobody uses';
  const refused = (reason: string): Change => ({ ...unchanged, change, nodes: new Map(), reason });
  const movable = which.filter((job) => job >= 0 && jobs[job]!.nodes !== null && jobs[job]!.mayMove);
  if (movable.length < which.length) return refused('not tried: it has hosts of its own, and no ranks that could move');
  if (fabric.nodeKind.includes(NodeKind.nvswitch)) return refused('not tried: ranks belong to servers');
  const used = new Set([...flows.source, ...flows.destination, ...jobs.flatMap(({ nodes }) => [...(nodes ?? [])])]);
  const free = fabric.hosts.filter((host) => !used.has(host));
  const own = new Set(movable.flatMap((job) => [...jobs[job]!.nodes!]));
  if (free.length < own.size) return refused(`not tried: ${free.length} hosts are free, and it needs ${own.size}`);
  const placeOf = new Map([...own].sort((a, b) => a - b).map((node, i) => [node, free[i]!]));
  const nodes = new Map(movable.map((job) => [job, jobs[job]!.nodes!.map((node) => placeOf.get(node)!)]));
  return { ...unchanged, change, nodes };
}

/** A mapping is worth a trial if its busiest link needs this much less. */
function isBetter({ now, best }: JobMapping): boolean {
  return Math.max(best.hostsPs, best.switchesPs) < 0.95 * Math.max(now.hostsPs, now.switchesPs);
}

function settings(change: string, overrides: readonly string[]): Change {
  return { ...unchanged, change, overrides, nodes: new Map() };
}

/** Other ways that a run can have, those that it has left out. */
function routeChanges({ resolved, backend }: Plan, flows: ObservedFlows): Change[] {
  const hasTransport = Object.hasOwn(resolved, 'transport');
  const routing = (resolved['routing'] ?? {}) as Readonly<Record<string, unknown>>;
  const isControlled = (resolved['controller'] as { readonly enabled?: unknown } | undefined)?.enabled === true;
  const changes: (Change | null)[] = [
    // packets that overtake each other need a transport that takes them
    routing['balancing'] === 'adaptive'
      ? null
      : settings('adaptive routing', [
          'routing.algorithm=equal-cost',
          'routing.balancing=adaptive',
          ...(hasTransport ? ['transport.algorithm=irn'] : []),
        ]),
    routing['algorithm'] === 'ftree'
      ? null
      : settings('static routes of ftree', ['routing.balancing=ecmp', 'routing.algorithm=ftree']),
    // tables are what InfiniBand has, and virtual lanes with it
    backend.hasLanes
      ? {
          ...settings('static routes by weft route compute', [
            'routing.balancing=ecmp',
            'routing.algorithm=equal-cost',
          ]),
          routedFor: flows,
        }
      : null,
    isControlled
      ? null
      : settings('the central controller', [
          'routing.algorithm=equal-cost',
          'routing.balancing=ecmp',
          'controller.enabled=true',
        ]),
  ];
  return changes.filter((change) => change !== null);
}

/** The jobs that findings name, ascending. */
export function jobsOf(findings: readonly CauseFinding[]): number[] {
  return [...new Set(findings.flatMap(({ jobs }) => [...jobs.keys()]))].sort((a, b) => a - b);
}

/** A plan with ranks elsewhere. */
function withNodes(plan: Plan, nodes: Remedy['nodes']): Plan {
  if (nodes.size === 0) return plan;
  const rankOf = new Map(Array.from(plan.fabric.hosts, (host, rank) => [host, rank]));
  return {
    ...plan,
    jobs: plan.jobs.map((job, i) => {
      const own = nodes.get(i);
      return own === undefined ? job : { ...job, ranks: own.map((node) => rankOf.get(node)!) };
    }),
    programs: plan.programs.map((program, i) => {
      const own = nodes.get(plan.jobs.length + i);
      return own === undefined ? program : { ...program, hosts: own };
    }),
  };
}

/** A plan that goes by tables for some flows. @throws InputError if its fabric cannot have them */
async function withRoutes(plan: Plan, flows: ObservedFlows | null): Promise<Plan> {
  if (flows === null) return plan;
  const { computedRoutes } = await import('./computed-routes.js');
  return { ...plan, routing: { ...plan.routing, tables: computedRoutes(plan.fabric, flows) } };
}

/**
 * Runs a change.
 * @param makePlan the run's plan with some settings changed @param run simulates it
 * @param jobs whose end counts, by number
 */
export async function tryRemedy(
  remedy: Remedy,
  makePlan: (changes: PlanChanges) => Promise<Plan>,
  run: (plan: Plan) => Promise<RunSummary>,
  jobs: readonly number[],
): Promise<Trial> {
  if (remedy.reason !== '') return { ...remedy, totalPs: null };
  try {
    const summary = await run(await withRoutes(withNodes(await makePlan(remedy), remedy.nodes), remedy.routedFor));
    const { outcome } = summary;
    return outcome === 'finished'
      ? { ...remedy, totalPs: endOfJobs(summary, jobs), reason: '' }
      : { ...remedy, totalPs: null, reason: `the run ${outcome}` };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return { ...remedy, totalPs: null, reason: error.diagnostics[0]!.message };
  }
}

// Remedies for what a diagnosis found, each tried: the same run with one change.
//   routes         tables of ftree, adaptive ways, or the central controller, whichever the run can have
//   mapping        ranks placed as proposed (propose-mapping.ts)
//   slow-part      hosts and links as fast as their kind
//   other-traffic  adaptive ways
// Not tried: another order of messages, more links, fewer senders. They are other programs and other fabrics.

import { InputError } from '../../base/diagnostics.js';
import type { Cause, CauseFinding } from '../../diagnosis/finding.js';
import type { JobMapping } from '../../diagnosis/flow-findings.js';
import type { Plan } from '../../scenario/plan.js';
import type { RunSummary } from '../run-progress.js';

/** A change of a run. */
export interface Remedy {
  /** what it is for */
  readonly causes: readonly Cause[];
  /** in words */
  readonly change: string;
  /** settings of the scenario, `path=value` */
  readonly overrides: readonly string[];
  /** by number of the job: nodes of its ranks */
  readonly nodes: ReadonlyMap<number, Int32Array>;
  /** what the run would take, in picoseconds */
  readonly predictedPs: number;
}

/** A remedy that was tried. */
export interface Trial extends Remedy {
  /** what the run took, in picoseconds; null: it did not finish, or the settings do not go together */
  readonly totalPs: number | null;
  /** why there is no time */
  readonly reason: string;
}

/** What can be tried. @param totalPs what the run took */
export function remediesFor(
  plan: Plan,
  findings: readonly CauseFinding[],
  mappings: ReadonlyMap<number, JobMapping>,
  totalPs: number,
): Remedy[] {
  const byChange = new Map<string, Remedy>();
  for (const finding of findings)
    for (const remedy of changesFor(plan, finding, mappings)) {
      const known = byChange.get(remedy.change);
      const causes = [...(known?.causes ?? []), finding.cause];
      byChange.set(remedy.change, { ...remedy, causes, predictedPs: totalPs - savedBy(findings, causes) });
    }
  return [...byChange.values()];
}

/** By how much a run becomes shorter without some causes: jobs run beside each other, and the one that lost most counts. */
function savedBy(findings: readonly CauseFinding[], causes: readonly Cause[]): number {
  const saved = new Map<number, number>();
  for (const { cause, jobs } of findings)
    if (causes.includes(cause)) for (const [job, lostPs] of jobs) saved.set(job, (saved.get(job) ?? 0) + lostPs);
  return Math.max(0, ...saved.values());
}

type Change = Pick<Remedy, 'change' | 'overrides' | 'nodes'>;

function changesFor(plan: Plan, { cause, jobs }: CauseFinding, mappings: ReadonlyMap<number, JobMapping>): Change[] {
  const nodes = new Map<number, Int32Array>();
  switch (cause) {
    case 'routes':
    case 'other-traffic':
      return routeChanges(plan).map(([change, overrides]) => ({ change, overrides, nodes }));
    case 'mapping': {
      const names = new Set<string>();
      for (const job of jobs.keys()) {
        const own = mappings.get(job);
        if (own === undefined) continue;
        nodes.set(job, own.best.nodes);
        names.add(own.best.name);
      }
      return [{ change: `ranks placed otherwise (${[...names].join(', ')})`, overrides: [], nodes }];
    }
    case 'slow-part':
      return [{ change: 'hosts and links as fast as their kind', overrides: ['stragglers=[]', 'failures=[]'], nodes }];
    default:
      return [];
  }
}

/** Other ways that a run can have. */
function routeChanges(plan: Plan): (readonly [string, readonly string[]])[] {
  const hasTransport = Object.hasOwn(plan.resolved, 'transport');
  return [
    // packets that overtake each other need a transport that takes them
    [
      'adaptive routing',
      [
        'routing.algorithm=equal-cost',
        'routing.balancing=adaptive',
        ...(hasTransport ? ['transport.algorithm=irn'] : []),
      ],
    ],
    ['static routes of ftree', ['routing.balancing=ecmp', 'routing.algorithm=ftree']],
    ...(hasTransport
      ? [
          [
            'the central controller',
            ['routing.algorithm=equal-cost', 'routing.balancing=ecmp', 'controller.enabled=true'],
          ] as const,
        ]
      : []),
  ];
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

/**
 * Runs a change.
 * @param makePlan the run's plan with some settings changed @param run simulates it
 */
export async function tryRemedy(
  remedy: Remedy,
  makePlan: (overrides: readonly string[]) => Promise<Plan>,
  run: (plan: Plan) => Promise<Pick<RunSummary, 'outcome' | 'simulatedPs'>>,
): Promise<Trial> {
  try {
    const { outcome, simulatedPs } = await run(withNodes(await makePlan(remedy.overrides), remedy.nodes));
    return outcome === 'finished'
      ? { ...remedy, totalPs: simulatedPs, reason: '' }
      : { ...remedy, totalPs: null, reason: `the run ${outcome}` };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return { ...remedy, totalPs: null, reason: error.diagnostics[0]!.message };
  }
}

// What `weft diagnose` says of cases whose cause is known.

import { diagnoseRun, type Diagnosis } from '#weft/app/diagnose/diagnose-run.js';
import { keptRun } from '#weft/app/diagnose/kept-run.js';
import type { PlanChanges } from '#weft/app/diagnose/stored-plan.js';
import { endOfJobs } from '#weft/app/diagnose/end-of-jobs.js';
import { jobsOf, remediesFor, tryRemedy } from '#weft/app/diagnose/try-remedies.js';
import { memoryHost } from '#weft/app/memory-host.js';
import { simulate } from '#weft/app/simulate.js';
import type { Cause } from '#weft/diagnosis/finding.js';
import { flowTable, hopTable } from '#weft/records/flow-records.js';
import { MemorySink } from '#weft/records/memory-sink.js';
import { messageTable } from '#weft/records/message-records.js';
import { linkSampleTable } from '#weft/sampling/sample-records.js';
import type { Plan } from '#weft/scenario/plan.js';
import { makePlan } from '#weft/scenario/make-plan.js';
import type { DiagnosisCase } from './cases.js';

/** Who asks. */
export const viewpoints = ['operator', 'owner'] as const;
type Viewpoint = (typeof viewpoints)[number];

/** The cause that is said to have cost most, null: none; and all that are named. */
interface Said {
  readonly first: Cause | null;
  readonly all: readonly Cause[];
}

/** What came of a case. */
export interface Outcome {
  readonly said: Record<Viewpoint, Said>;
  /** share of what the causes cost that the best remedy brought back; null: none could be tried */
  readonly recovered: number | null;
}

/** Runs a case, asks both, and tries what can be changed. */
export async function diagnosed({ scenario, job }: DiagnosisCase): Promise<Outcome> {
  const host = memoryHost();
  const planned = ({ overrides, without }: PlanChanges): Promise<Plan> => {
    const kept = Object.fromEntries(Object.entries(scenario).filter(([key]) => !without.includes(key)));
    return makePlan('case.yaml', { overrides, host: memoryHost({ 'case.yaml': JSON.stringify(kept) }) });
  };
  const plan = await planned({ overrides: [], without: [] });
  const sink = new MemorySink();
  const summary = await simulate(plan, { host, sink });
  const tables = [flowTable, hopTable, linkSampleTable, ...(plan.programs.length > 0 ? [messageTable] : [])];
  const run = keptRun(plan, sink, tables);
  const hasJobs = plan.jobs.length + plan.programs.length + plan.transferJobs.length > 0;
  const operator = await diagnoseRun(run, plan.fabric, plan, { as: 'operator', job: null });
  const owner = await diagnoseRun(run, plan.fabric, plan, { as: 'owner', job: hasJobs ? job : null });
  const jobs = jobsOf(operator.findings);
  const endPs = endOfJobs(summary, jobs);
  let recovered: number | null = null;
  for (const remedy of remediesFor(plan, operator.findings, operator, endPs)) {
    const { predictedPs, totalPs } = await tryRemedy(remedy, planned, (changed) => simulate(changed, { host }), jobs);
    if (totalPs === null || predictedPs >= endPs) continue;
    recovered = Math.max(recovered ?? 0, (endPs - totalPs) / (endPs - predictedPs));
  }
  return { said: { operator: saidBy(operator), owner: saidBy(owner) }, recovered };
}

function saidBy({ findings }: Diagnosis): Said {
  return { first: findings[0]?.cause ?? null, all: findings.map(({ cause }) => cause) };
}

/** How often each kind of case was called what. */
export class Confusions {
  private readonly counts = new Map<string, number>();

  add(truth: Cause | null, said: Cause | null): void {
    const key = `${truth} ${said}`;
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
  }

  /** Of the cases of a cause those that were called so, and of those that were called so its own; 1 without any. */
  of(cause: Cause | null): { readonly recall: number; readonly precision: number; readonly confused: string } {
    let [right, cases, called] = [0, 0, 0];
    const confused: string[] = [];
    for (const [key, count] of this.counts) {
      const [truth, said] = key.split(' ');
      if (truth === String(cause)) {
        cases += count;
        if (said === truth) right += count;
        else confused.push(`${said === 'null' ? 'none' : said!} ${count}`);
      }
      if (said === String(cause)) called += count;
    }
    return {
      recall: cases === 0 ? 1 : right / cases,
      precision: called === 0 ? 1 : right / called,
      confused: confused.join(', '),
    };
  }
}

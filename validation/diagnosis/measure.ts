// What `weft diagnose` says of cases whose cause is known.

import { diagnoseRun, type Diagnosis } from '#weft/app/diagnose/diagnose-run.js';
import { keptRun } from '#weft/app/diagnose/kept-run.js';
import type { PlanChanges } from '#weft/app/diagnose/stored-plan.js';
import { endOfJobs } from '#weft/app/diagnose/end-of-jobs.js';
import { jobsOf, remediesFor, tryRemedy } from '#weft/app/diagnose/try-remedies.js';
import { memoryHost } from '#weft/app/memory-host.js';
import type { RunSummary } from '#weft/app/run-progress.js';
import { simulate } from '#weft/app/simulate.js';
import type { Cause } from '#weft/diagnosis/finding.js';
import { flowTable, hopTable } from '#weft/records/flow-records.js';
import { MemorySink } from '#weft/records/memory-sink.js';
import { messageTable } from '#weft/records/message-records.js';
import { linkSampleTable } from '#weft/sampling/sample-records.js';
import type { Plan } from '#weft/scenario/plan.js';
import { makePlan } from '#weft/scenario/make-plan.js';
import type { DiagnosisCase, Scenario } from './cases.js';
import type { PairedCase } from './paired-cases.js';

/** Who asks. */
export const viewpoints = ['operator', 'owner'] as const;
type Viewpoint = (typeof viewpoints)[number];

/** By viewpoint: the cause that is said to have cost most, null: none. */
type Said = Readonly<Record<Viewpoint, Cause | null>>;

/** A remedy that was tried: when the jobs ended, how early they should have, and when they did. */
export interface TriedRemedy {
  readonly endPs: number;
  readonly predictedPs: number;
  readonly totalPs: number;
}

/** What came of a case. */
export interface Outcome {
  readonly said: Said;
  readonly tried: readonly TriedRemedy[];
}

/** What came of a case beside the same run without its cause. */
export interface PairOutcome {
  readonly said: Said;
  /** of the run without the cause */
  readonly quick: Said;
  /** how many times as long the job took with the cause */
  readonly slower: number;
}

/** Share of what the causes cost that the best remedy brought back; null: none could be tried. */
export function recovered(tried: readonly TriedRemedy[]): number | null {
  const shares = tried.map(({ endPs, predictedPs, totalPs }) => (endPs - totalPs) / (endPs - predictedPs));
  return shares.length === 0 ? null : Math.max(...shares);
}

/** A run with what both say of it. */
interface Played {
  readonly plan: Plan;
  readonly summary: RunSummary;
  readonly said: Said;
  readonly operator: Diagnosis;
}

function planned(scenario: Scenario, { overrides, without }: PlanChanges): Promise<Plan> {
  const kept = Object.fromEntries(Object.entries(scenario).filter(([key]) => !without.includes(key)));
  return makePlan('case.yaml', { overrides, host: memoryHost({ 'case.yaml': JSON.stringify(kept) }) });
}

/** @param job that the owner asks about; null: all @param operatorJob the same of the operator */
async function played(scenario: Scenario, job: number | null, operatorJob: number | null): Promise<Played> {
  const plan = await planned(scenario, { overrides: [], without: [] });
  const sink = new MemorySink();
  const summary = await simulate(plan, { host: memoryHost(), sink });
  const tables = [flowTable, hopTable, linkSampleTable, ...(plan.programs.length > 0 ? [messageTable] : [])];
  const run = keptRun(plan, sink, tables);
  const hasJobs = plan.jobs.length + plan.programs.length + plan.transferJobs.length > 0;
  const asked = (of: number | null): number | null => (hasJobs ? of : null);
  const operator = await diagnoseRun(run, plan.fabric, plan, { as: 'operator', job: asked(operatorJob) });
  const owner = await diagnoseRun(run, plan.fabric, plan, { as: 'owner', job: asked(job) });
  return { plan, summary, operator, said: { operator: firstOf(operator), owner: firstOf(owner) } };
}

function firstOf({ findings }: Diagnosis): Cause | null {
  return findings[0]?.cause ?? null;
}

/** Runs a case, asks both, and tries what can be changed. */
export async function diagnosed({ scenario, job }: DiagnosisCase): Promise<Outcome> {
  const own = await played(scenario, job, null);
  return { said: own.said, tried: await triedRemedies(scenario, own) };
}

async function triedRemedies(scenario: Scenario, { plan, summary, operator }: Played): Promise<TriedRemedy[]> {
  const jobs = jobsOf(operator.findings);
  const endPs = endOfJobs(summary, jobs);
  const tried: TriedRemedy[] = [];
  for (const remedy of remediesFor(plan, operator.findings, operator, endPs)) {
    const { predictedPs, totalPs } = await tryRemedy(
      remedy,
      (changes) => planned(scenario, changes),
      (changed) => simulate(changed, { host: memoryHost() }),
      jobs,
    );
    if (totalPs !== null && predictedPs < endPs) tried.push({ endPs, predictedPs, totalPs });
  }
  return tried;
}

/** Runs a case with its cause and without. Both are asked about its job: what holds up another one is its own matter. */
export async function diagnosedPair({ cause, quick, slow, job }: PairedCase): Promise<PairOutcome> {
  const before = await played(quick, job, job);
  if (cause === null) return { quick: before.said, said: before.said, slower: 1 };
  const after = await played(slow, job, job);
  const endPs = ({ summary }: Played): number => endOfJobs(summary, job === null ? [] : [job]);
  return { quick: before.said, said: after.said, slower: endPs(after) / endPs(before) };
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

// What `weft diagnose` says of cases whose cause is known.

import { diagnoseRun } from '#weft/app/diagnose/diagnose-run.js';
import { keptRun } from '#weft/app/diagnose/kept-run.js';
import { memoryHost } from '#weft/app/memory-host.js';
import { simulate } from '#weft/app/simulate.js';
import type { Cause } from '#weft/diagnosis/finding.js';
import { flowTable, hopTable } from '#weft/records/flow-records.js';
import { MemorySink } from '#weft/records/memory-sink.js';
import { messageTable } from '#weft/records/message-records.js';
import { linkSampleTable } from '#weft/sampling/sample-records.js';
import { makePlan } from '#weft/scenario/make-plan.js';
import type { DiagnosisCase } from './cases.js';

/** Who asks. */
export const viewpoints = ['operator', 'owner'] as const;
export type Viewpoint = (typeof viewpoints)[number];

/** The cause that is said to have cost most, null: none; and all that are named. */
export interface Said {
  readonly first: Cause | null;
  readonly all: readonly Cause[];
}

/** Runs a case and asks both. */
export async function diagnosed({ scenario, job }: DiagnosisCase): Promise<Record<Viewpoint, Said>> {
  const host = memoryHost({ 'case.yaml': JSON.stringify(scenario) });
  const plan = await makePlan('case.yaml', { overrides: [], host });
  const sink = new MemorySink();
  await simulate(plan, { host, sink });
  const tables = [flowTable, hopTable, linkSampleTable, ...(plan.programs.length > 0 ? [messageTable] : [])];
  const run = keptRun(plan, sink, tables);
  const hasJobs = plan.jobs.length + plan.programs.length + plan.transferJobs.length > 0;
  const said = async (as: Viewpoint): Promise<Said> => {
    const request = { as, job: as === 'owner' && hasJobs ? job : null };
    const { findings } = await diagnoseRun(run, plan.fabric, plan, request);
    return { first: findings[0]?.cause ?? null, all: findings.map(({ cause }) => cause) };
  };
  return { operator: await said('operator'), owner: await said('owner') };
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

// What a run is labelled with in its figures, out of its plan.

import { jobBand } from '../report/error-band.js';
import type { RunLabel } from '../report/run-figures.js';
import type { Plan } from '../scenario/plan.js';

/** What a plan says of its run beforehand. @param weftVersion of the program that runs it */
export function runLabel(plan: Plan, weftVersion: string): RunLabel {
  return {
    weftVersion,
    name: plan.name,
    seed: plan.seed,
    warnings: plan.warnings,
    planned: plannedFlows(plan),
    ...(plan.jobs.length === 0 ? {} : { errorBand: jobBand(plan.collectives.profile) }),
  };
}

/** How many flows there would be, if the run is not stopped; null if the source does not know. */
function plannedFlows({ source, jobs, inference, inputs }: Plan): Exclude<RunLabel['planned'], undefined> {
  if (jobs.length > 0 || inference !== null || !Number.isFinite(source.total)) return null;
  return {
    flows: source.total,
    where: inputs.some(({ role }) => role === 'trace' || role === 'flows') ? 'trace' : 'scenario',
  };
}

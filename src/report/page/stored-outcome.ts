// What of a stored run is compared with others: from its summary.

import type { ComparedOutcome } from '../outcome-comparison.js';
import { cameToItsEnd } from '../run-figures.js';
import { type Json, jsonAt, listAt, numberAt, textAt } from './report-run.js';

/** The outcome of a run. @param name what the verdict calls it @param summary as `summary.json` has it */
export function storedOutcome(name: string, summary: Json): ComparedOutcome {
  const jobs = listAt(summary, 'jobs');
  const only = jsonAt(summary, 'workload');
  const times = [...jobs, ...(jobs.length === 0 && only !== undefined ? [only] : [])].flatMap(
    (job) => numberAt(job, 'ranks', 'max') ?? numberAt(job, 'totalNs') ?? [],
  );
  const meanNs = numberAt(summary, 'fct', 'meanNs') ?? 0;
  const collectiveUs = numberAt(summary, 'collective', 'timeUs');
  const outcome = textAt(summary, 'outcome');
  return {
    name,
    isFinished: outcome === '' || cameToItsEnd(outcome),
    jobPs: collectiveUs !== null ? 1e6 * collectiveUs : times.length === 0 ? null : 1000 * Math.max(...times),
    isCollective: collectiveUs !== null,
    flowPs: meanNs > 0 ? 1000 * meanNs : null,
    lostPs: new Map(
      listAt(summary, 'lostTime', 'causes').map((own) => [textAt(own, 'cause'), 1000 * (numberAt(own, 'lostNs') ?? 0)]),
    ),
    bandPercent:
      numberAt(summary, 'errorBand', 'p90Percent') ?? numberAt(summary, 'collective', 'errorBand', 'p90Percent'),
  };
}

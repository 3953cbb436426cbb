// `weft collective --out` and `--report`: one size as a run that is kept, so that weft report makes the same page of it as
// of others.
// Invariant: the row and the verdict in the folder are those that the command prints.

import { planOfCollective, timedCollective, writeMoves } from '../../app/simulate-collective.js';
import type { Progress, RunSummary } from '../../app/run-progress.js';
import { formatSizeBytes } from '../../base/units.js';
import type { CollectiveRow, StoredCollective } from '../../report/figures/collectives.js';
import { counted } from '../../report/text-style.js';
import type { Plan } from '../../scenario/plan.js';
import type { StoredRun } from '../../storage/run-directory.js';
import type { CommandContext } from '../context.js';
import { foldersFor, runPlan, stoppedResults } from '../run/run-plan.js';
import type { SimultaneousRuns } from '../simultaneous-runs.js';
import type { Measurement } from './measurement.js';
import { rowOf, verdictOf } from './measurement-output.js';

/**
 * Simulates the one size of a measurement, and keeps the run. @param out the folder
 * @returns its row, none if it was stopped, and where the run is
 * @throws InputError, OutputError, InvariantError; no results are left behind then
 */
export async function keepCollective(
  measurement: Measurement,
  out: string,
  { progress, interrupt }: SimultaneousRuns,
  context: CommandContext,
): Promise<{ readonly row: CollectiveRow | null; readonly stored: StoredRun }> {
  const { setup, plan, kind, fabricName, collectives } = measurement;
  const planned = collectives[0]!;
  const size = formatSizeBytes(planned.task.sizeBytes);
  if (progress !== null) progress.label = size;
  const own: Plan = {
    ...planOfCollective(plan, setup, planned),
    name: `${kind} of ${size}, ${counted(setup.communicator.rankCount, 'rank')} on ${fabricName}`,
  };
  const rowFor = (summary: RunSummary): CollectiveRow => rowOf(timedCollective(plan, setup, planned, summary), setup);
  const collectiveOf = (summary: RunSummary): StoredCollective => {
    const row = rowFor(summary);
    return { row, verdict: verdictOf([row], measurement) };
  };
  const { summary, stored } = await runPlan(
    own,
    await foldersFor(out),
    { stopRequested: () => interrupt.requested, report: (state) => progress?.update(state as Progress) },
    context,
    {
      addition: {
        write: (sink) => writeMoves(planned, sink),
        figures: (summary) => (summary.outcome === 'stopped' ? {} : { collective: collectiveOf(summary) }),
      },
    },
  );
  if (summary.outcome !== 'stopped') return { row: rowFor(summary), stored: stored! };
  context.stderr.write(`results: ${stoppedResults(stored!.path, out)}\n`);
  return { row: null, stored: stored! };
}

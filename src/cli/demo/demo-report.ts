// `weft demo --report FILE`: both runs of the demonstration once more, into a temporary folder, and the page about
// them.

import { basename, join } from 'node:path';
import type { CommandContext } from '../context.js';
import { ExitCode } from '../exit-codes.js';
import { withReport } from '../report/after-run.js';
import { foldersFor, runPlan } from '../run/run-plan.js';

/** Writes the page. @param exampleOf the path of a file of the example @throws InputError, OutputError */
export async function demoReport(
  report: string,
  force: boolean,
  isSilent: boolean,
  context: CommandContext,
  exampleOf: (file: string) => string,
): Promise<void> {
  const carriedOut = async (folder: string) => {
    const stored = ['no-controller', 'controller'].map((name) => join(folder, name));
    for (const path of stored) {
      const plan = await context.makePlan(exampleOf(`${basename(path)}.yaml`), { overrides: [], host: context.host });
      await runPlan(plan, await foldersFor(path), { stopRequested: () => false, report: () => {} }, context);
    }
    return { exitCode: ExitCode.ok, stored, labels: ['without controller', 'with controller'] };
  };
  await withReport({ report, force, isSilent, lead: 'Its report:        ' }, carriedOut, context);
}

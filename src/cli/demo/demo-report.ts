// `weft demo --report FILE`: both runs of the demonstration once more, into a temporary folder, and the page about them.

import { join } from 'node:path';
import type { CommandContext } from '../context.js';
import { ReportAfterRun } from '../report/after-run.js';
import { reportLine } from '../report/report.js';
import { foldersFor, runPlan } from '../run/run-plan.js';

/** Writes the page. @param exampleOf the path of a file of the example @throws InputError, OutputError */
export async function demoReport(
  path: string,
  force: boolean,
  isSilent: boolean,
  context: CommandContext,
  exampleOf: (file: string) => string,
): Promise<void> {
  const report = await ReportAfterRun.plan(path, undefined, force);
  try {
    const folders: string[] = [];
    for (const name of ['no-controller', 'controller']) {
      const plan = await context.makePlan(exampleOf(`${name}.yaml`), { overrides: [], host: context.host });
      const folder = join(report.runFolder, name);
      const watch = { stopRequested: () => false, onProgress: () => {} };
      await runPlan(plan, await foldersFor(folder), watch, context);
      folders.push(folder);
    }
    const written = await report.write(folders, ['without controller', 'with controller'], context, isSilent);
    if (!isSilent) context.stdout.write(`Its report:        ${reportLine(written)}`);
  } finally {
    await report.close();
  }
}

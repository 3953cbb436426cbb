// `weft run --report FILE`: a run, or one on each of several backends, and the page about it.
// Invariant: the page is of what was stored, also if the run was stopped; without --out the results go with the command.

import { stat } from 'node:fs/promises';
import type { CommandContext } from '../context.js';
import { ReportAfterRun } from '../report/after-run.js';
import { reportLine } from '../report/report.js';
import type { RunRequest } from './run-plan.js';

/**
 * Runs a scenario and writes the report of it.
 * @param run carries the request out @returns its exit code
 * @throws InputError, HostFileError, OutputError, InvariantError
 */
export async function runWithReport(
  request: RunRequest,
  path: string,
  force: boolean,
  run: (request: RunRequest, context: CommandContext) => Promise<number>,
  context: CommandContext,
): Promise<number> {
  const report = await ReportAfterRun.plan(path, request.out, force);
  try {
    const code = await run({ ...request, out: report.runFolder, isTemporary: request.out === undefined }, context);
    const folders = await standing([report.runFolder, `${report.runFolder}.partial`]);
    if (folders.length === 0) return code;
    const { backends = [], json, quiet } = request;
    const isOne = backends.length < 2;
    const written = await report.write(
      folders.slice(0, 1),
      isOne && request.out === undefined ? ['run'] : null,
      context,
      json || quiet,
    );
    if (!json && !quiet) context.stdout.write(`  report       ${reportLine(written)}`);
    return code;
  } finally {
    await report.close();
  }
}

async function standing(paths: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const path of paths) if ((await stat(path).catch(() => null)) !== null) found.push(path);
  return found;
}

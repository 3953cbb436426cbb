// `weft run --report FILE`: a run, or one on each of several backends, and the page about it.

import { stat } from 'node:fs/promises';
import type { CommandContext } from '../context.js';
import { withReport } from '../report/after-run.js';
import type { RunRequest } from './run-plan.js';

/**
 * Runs a scenario and writes the report of it.
 * @param run carries the request out @returns its exit code
 * @throws InputError, HostFileError, OutputError, InvariantError
 */
export async function runWithReport(
  request: RunRequest,
  report: string,
  force: boolean,
  run: (request: RunRequest, context: CommandContext) => Promise<number>,
  context: CommandContext,
): Promise<number> {
  const { out, backends = [], json, quiet } = request;
  const isTemporary = out === undefined;
  const asked = { report, out, force, isSilent: json || quiet, lead: '  report       ' };
  const carriedOut = async (folder: string) => {
    const exitCode = await run({ ...request, out: folder, isTemporary }, context);
    const labels = isTemporary && backends.length < 2 ? ['run'] : undefined;
    for (const path of [folder, `${folder}.partial`])
      if ((await stat(path).catch(() => null)) !== null) return { exitCode, stored: [path], labels };
    return { exitCode, stored: [] };
  };
  return withReport(asked, carriedOut, context);
}

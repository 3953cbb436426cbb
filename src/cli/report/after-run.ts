// `--report FILE` of commands that run something: the runs, and the page about them. Their folder is the user's, or a
// temporary one if the results are not to be kept.
// Invariants: the place of the page is looked at before a run begins; the page is of what was stored, also if a run was
// stopped; a temporary folder goes in any case.

import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Finding } from '../../report/page/report.js';
import type { CommandContext } from '../context.js';
import type { RunRequest } from '../run/run-plan.js';
import { checkOutputs } from '../whole-file.js';
import { reportLine, writeReportOf } from './report.js';

/** What was asked of a report. */
export interface ReportRequest {
  /** the page */
  readonly report: string;
  /** the folder that the user gave for the results */
  readonly out?: string | undefined;
  readonly force: boolean;
  /** nothing is said of the page: --json or --quiet */
  readonly isSilent: boolean;
  /** in front of the line that says what was written */
  readonly lead: string;
}

/** What runs came to. */
export interface ReportedRuns {
  readonly exitCode: number;
  /** their folders as they are called now; none: there is no page */
  readonly stored: readonly string[];
  /** what the page calls them; left out: as their folders are called */
  readonly labels?: readonly string[] | undefined;
  /** what the page says first */
  readonly findings?: readonly Finding[];
}

/**
 * Carries runs out and writes the page about them.
 * @param run puts results into the folder given
 * @returns the exit code of the runs
 * @throws InputError, HostFileError, OutputError, what `run` throws
 */
export async function withReport<Runs extends ReportedRuns>(
  { report, out, force, isSilent, lead }: ReportRequest,
  run: (folder: string) => Promise<Runs>,
  context: CommandContext,
): Promise<number> {
  // it has CPU times in it, so it never has the same content
  await checkOutputs([report], force, false);
  const temporary = out === undefined ? await mkdtemp(join(tmpdir(), 'weft-report-')) : null;
  try {
    const { exitCode, stored, labels, findings = [] } = await run(out ?? join(temporary!, 'run'));
    if (stored.length === 0) return exitCode;
    const named = labels?.map((label) => label.replaceAll(',', ' ')).join(',');
    const written = await writeReportOf(
      stored,
      { out: report, force, quiet: isSilent, findings, labels: named },
      context,
    );
    if (!isSilent) context.stdout.write(`${lead}${reportLine(written)}`);
    return exitCode;
  } finally {
    if (temporary !== null) await rm(temporary, { recursive: true, force: true }).catch(() => {});
  }
}

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

// `weft compare-fabrics --report FILE`: the comparison, and the page about its runs.
// Invariant: the page is of what was stored by this comparison, in the order of its fabrics, also if it was stopped;
// without --out the results go with the command.

import { InputError, wholeFile } from '../../base/diagnostics.js';
import { type Finding, mostRuns } from '../../report/page/report.js';
import { counted } from '../../report/text-style.js';
import type { CommandContext } from '../context.js';
import { ReportAfterRun } from '../report/after-run.js';
import { reportLine } from '../report/report.js';

/** What a comparison came to. */
export interface ComparisonEnd {
  readonly exitCode: number;
  /** folders of its runs, with what they are called; none if they are not kept */
  readonly stored: readonly { readonly label: string; readonly path: string }[];
  /** what the page says first */
  readonly findings: readonly Finding[];
}

/** What the user asked of comparison and report. */
export interface ReportedComparison {
  readonly report: string;
  readonly fabrics: readonly string[];
  readonly out?: string;
  readonly force: boolean;
  /** nothing is said of the report: --json or --quiet */
  readonly isSilent: boolean;
}

/**
 * Compares and writes the report.
 * @param run carries the comparison out, its results in the folder given
 * @returns the exit code
 * @throws InputError, HostFileError, OutputError, InvariantError, LostWorkerError
 */
export async function comparisonWithReport(
  { report: path, fabrics, out, force, isSilent }: ReportedComparison,
  run: (out: string) => Promise<ComparisonEnd>,
  context: CommandContext,
): Promise<number> {
  if (fabrics.length > mostRuns)
    throw InputError.at('compare-report', '--report', wholeFile, 'too many fabrics for one report', {
      got: counted(fabrics.length, 'fabric'),
      wanted: `${mostRuns} at most`,
      hint: 'keep the runs with --out DIR, and give weft report some of them',
    });
  const report = await ReportAfterRun.plan(path, out, force);
  try {
    const { exitCode, stored, findings } = await run(report.runFolder);
    if (stored.length === 0) return exitCode;
    const written = await report.write(
      stored.map((own) => own.path),
      stored.map(({ label }) => label),
      context,
      isSilent,
      findings,
    );
    if (!isSilent) context.stdout.write(`report: ${reportLine(written)}`);
    return exitCode;
  } finally {
    await report.close();
  }
}

// A report that a command writes of the run that it carries out (`--report FILE`): the run's folder is the user's, or a
// temporary one if the results are not to be kept.
// Invariant: the place of the report is looked at before the run begins; a temporary folder goes in any case.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CommandContext } from '../context.js';
import { checkOutputs } from '../whole-file.js';
import type { Finding } from '../../report/page/report.js';
import { type WrittenReport, writeReportOf } from './report.js';

/** A report to be. */
export class ReportAfterRun {
  private constructor(
    readonly path: string,
    /** where the run's results are to go */
    readonly runFolder: string,
    private readonly temporary: string | null,
    private readonly force: boolean,
  ) {}

  /** @param out the folder that the user gave for the results @throws InputError, OutputError */
  static async plan(path: string, out: string | undefined, force: boolean): Promise<ReportAfterRun> {
    // it has CPU times in it, so it never has the same content
    await checkOutputs([path], force, false);
    if (out !== undefined) return new ReportAfterRun(path, out, null, force);
    const temporary = await mkdtemp(join(tmpdir(), 'weft-report-'));
    return new ReportAfterRun(path, join(temporary, 'run'), temporary, force);
  }

  /**
   * Writes it. @param folders of the runs, as they are called now @param findings what it says first @throws InputError, HostFileError, OutputError
   */
  async write(
    folders: readonly string[],
    labels: readonly string[] | null,
    context: CommandContext,
    quiet: boolean,
    findings: readonly Finding[] = [],
  ): Promise<WrittenReport> {
    return await writeReportOf(
      folders,
      {
        out: this.path,
        force: this.force,
        quiet,
        findings,
        ...(labels === null ? {} : { labels: labels.map((label) => label.replaceAll(',', ' ')).join(',') }),
      },
      context,
    );
  }

  /** Removes what was only for the report. Never throws. */
  async close(): Promise<void> {
    if (this.temporary !== null) await rm(this.temporary, { recursive: true, force: true }).catch(() => {});
  }
}

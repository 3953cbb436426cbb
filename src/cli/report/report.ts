// `weft report`: one run, or several beside each other, as one HTML file that needs nothing else, and their charts as
// pictures and CSV.
// Invariant: the page's place is looked at before anything is read; charts are written before the page, so that a page is
// the last thing to appear.

import { Command } from 'commander';
import { InputError, wholeFile } from '../../base/diagnostics.js';
import { formatSizeBytes } from '../../base/units.js';
import type { Figure } from '../../report/page/figures.js';
import { figuresOf, mostRuns, reportOf } from '../../report/page/report.js';
import { counted, grouped } from '../../report/text-style.js';
import { openRuns, type RunReader } from '../../storage/run-reader.js';
import type { CommandContext } from '../context.js';
import { ExitCode } from '../exit-codes.js';
import { refuseRepeats } from '../options/repeated-options.js';
import { StageProgress } from '../stage-progress.js';
import { checkOutputs, forceHelp, writeWholeFiles } from '../whole-file.js';
import { readReportRun } from './read-run.js';
import { chartFiles, pageFile, type ChartFolders, type ReportFile } from './report-files.js';

export interface ReportOptions extends ChartFolders {
  readonly out: string;
  readonly labels?: string;
  readonly force?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** The command for the command line. */
export function reportCommand(context: CommandContext): Command {
  const command = new Command('report')
    .summary('runs as one HTML page with charts')
    .description(
      'Write a page about one run, or about several beside each other: completion times,\nloads of links, the fabric, queues and rates, collectives, self-checks, scenario.\nThe page is one file and needs no network.',
    )
    .argument('<run...>', 'folders of weft run --out; also fct.txt and folders of SimAI and HPCC')
    .option('-o, --out <file>', 'the page', 'report.html')
    .option('--labels <list>', 'what the runs are called, with commas between them')
    .option('--csv <dir>', 'also the figures of each chart as CSV, into this folder')
    .option('--svg <dir>', 'also each chart as SVG')
    .option('--png <dir>', 'also each chart as PNG')
    .option('--force', forceHelp)
    .option('--json', 'print what was written as one JSON object')
    .option('--quiet', 'no progress, no report')
    .addHelpText(
      'after',
      `
Examples:
  weft run examples/server-pair/controller.yaml --out with
  weft run examples/server-pair/no-controller.yaml --out without
  weft report without with --labels ECMP,controller
  weft report with --out with.html --png pictures

Changes are beside the first run. weft run --report FILE makes the page of a run
at once. What stands in it: docs/report.md.`,
    )
    .action(async (paths: string[], options: ReportOptions) => {
      context.endWith(await writeReport(paths, options, context));
    });
  return refuseRepeats(command);
}

/** What was written. */
export interface WrittenReport {
  readonly path: string;
  readonly sizeBytes: number;
  readonly runs: readonly string[];
  readonly figures: readonly Figure[];
  /** of charts, by folder */
  readonly charts: ReadonlyMap<string, readonly ReportFile[]>;
}

/** @returns the exit code @throws InputError, HostFileError, OutputError; nothing is written then */
async function writeReport(paths: readonly string[], options: ReportOptions, context: CommandContext): Promise<number> {
  const { stdout } = context;
  const written = await writeReportOf(paths, options, context);
  const { path, sizeBytes, runs, figures, charts } = written;
  if (options.json === true)
    stdout.write(
      `${JSON.stringify({
        report: path,
        sizeBytes,
        runs,
        figures: figures.map(({ id, kind, title }) => ({ id, kind, title })),
        files: [...charts.values()].flat().map((file) => file.path),
      })}\n`,
    );
  else if (options.quiet !== true)
    stdout.write(
      `${reportLine(written)}${[...charts].map(([folder, files]) => `${folder}: ${counted(files.length, 'file')}\n`).join('')}`,
    );
  return ExitCode.ok;
}

/** A line that says what was written. */
export function reportLine({ path, sizeBytes, runs, figures }: WrittenReport): string {
  return `${path}: ${counted(runs.length, 'run')}, ${counted(figures.length, 'chart')}, ${formatSizeBytes(Math.round(sizeBytes / 1000) * 1000)}\n`;
}

/**
 * Writes the report of stored runs.
 * @throws InputError, HostFileError, OutputError; no page is written then
 */
export async function writeReportOf(
  paths: readonly string[],
  options: ReportOptions,
  { host, stderr }: CommandContext,
): Promise<WrittenReport> {
  const { out, force = false, quiet = false } = options;
  await checkOutputs([out], force, true);
  const readers = (await Promise.all(paths.map((path) => openRuns(path)))).flat();
  if (readers.length > mostRuns)
    throw InputError.at('report-runs', readers[mostRuns]!.shown, wholeFile, 'too many runs for one report', {
      got: `${readers.length} runs`,
      wanted: `${mostRuns} at most`,
    });
  const labels = labelsOf(readers, options.labels);
  const progress = quiet ? null : new StageProgress(stderr, () => host.wallMs());
  try {
    const runs = [];
    for (const [i, reader] of readers.entries())
      runs.push(
        await readReportRun(reader, labels[i]!, (rows) =>
          progress?.update(`reading ${labels[i]!}: ${grouped(rows)} rows`),
        ),
      );
    progress?.update('drawing charts');
    const report = reportOf(runs);
    const page = await pageFile(report, out);
    const charts = await chartFiles(report, options);
    for (const [folder, files] of charts) await writeWholeFiles(files, force, folder);
    await writeWholeFiles([page], force);
    return {
      path: out,
      sizeBytes: Buffer.byteLength(page.text as string),
      runs: labels,
      figures: figuresOf(report),
      charts,
    };
  } finally {
    progress?.stop();
  }
}

/** What runs are called: as given, else by their folders, with the folder above where two have the same name. */
function labelsOf(readers: readonly RunReader[], given: string | undefined): string[] {
  if (given !== undefined) {
    const labels = given.split(',').map((label) => label.trim());
    if (labels.length !== readers.length || labels.some((label) => label === ''))
      throw InputError.at('report-labels', '--labels', wholeFile, 'every run needs a label', {
        got: given,
        wanted: counted(readers.length, 'label'),
      });
    return labels;
  }
  const own = readers.map(({ label }) => label);
  if (new Set(own).size === own.length) return own;
  return readers.map(({ shown }) => shown);
}

// `weft report`: one run, several beside each other, or a sweep, as one HTML file that needs nothing else, and the
// charts as pictures and CSV.
// Invariant: the page's place is looked at before anything is read; charts are written before the page, so that a page
// is the last thing to appear.

import { InputError } from '../../base/diagnostics.js';
import { formatSizeBytes } from '../../base/units.js';
import type { Figure } from '../../report/page/figures.js';
import { type Finding, figuresOf, mostRuns, type Picture, picturesOf, reportOf } from '../../report/page/report.js';
import { counted, grouped } from '../../report/text-style.js';
import { chartsOfSweep } from '../../report/page/sweep-front-figure.js';
import { choiceObject, choiceOf, refuseMissing } from './sweep-choice-options.js';
import { SweepFigures } from '../../report/page/sweep-figures.js';
import { openRuns } from '../../storage/run-reader.js';
import { type RunReader } from '../../stored-runs/run-reader.js';
import { StoredSweep } from '../../storage/sweep/read-sweep.js';
import type { CommandContext } from '../context.js';
import { declaredCommand, toggle, type OptionValues, text, value } from '../options/declared-command.js';
import { numberThat } from '../options/option-values.js';
import { StageProgress } from '../stage-progress.js';
import { tellUnchecked } from '../analyze/analyze-options.js';
import { checkOutputs, forceHelp, writeWholeFiles } from '../whole-file.js';
import { fabricOptions } from './fabric-options.js';
import { readReportRun } from '../../app/read-run.js';
import { chartFiles, pageOfRuns, pageOfSweep, type ChartFolders, type ReportFile } from './report-files.js';

const packets = numberThat((number) => number > 0, 'a number of packets above 0.');

const commandOptions = [
  text('-o, --out <file>', 'the page', 'report.html'),
  text('--labels <list>', 'what the runs are called, with commas between them'),
  text('--pareto <figures>', 'of a sweep: the front of two or three, such as p99,cost'),
  text('--best-per <setting>', 'of a sweep: the best combination for each of its values'),
  text('--csv <dir>', 'also the figures of each chart as CSV, into this folder'),
  text('--svg <dir>', 'also each chart as SVG'),
  text('--png <dir>', 'also each chart as PNG'),
  value('--packets-per-pixel <n>', 'width of links where congestion was sampled', packets),
  toggle('--force', forceHelp),
  toggle('--json', 'print what was written as one JSON object'),
  toggle('--quiet', 'no progress, no report'),
  ...fabricOptions,
] as const;

/** What a report is asked for. */
export interface ReportOptions extends ChartFolders {
  readonly out: string;
  readonly labels?: string | undefined;
  /** of a sweep */
  readonly pareto?: string | undefined;
  readonly bestPer?: string | undefined;
  readonly force: boolean;
  readonly quiet: boolean;
  /** width of lines in congested-fraction plots */
  readonly packetsPerPixel?: number | undefined;
  /** what the page says first; of the command that made the runs */
  readonly findings?: readonly Finding[];
}

/** The command for the command line. */
export default declaredCommand({
  name: 'report',
  summary: 'runs, or the health of a fabric, as one HTML page',
  description:
    'Write a page about one run, or about several beside each other: completion times,\nloads of links, the ' +
    'fabric, queues and rates, collectives, self-checks, scenario.\nWith --fabric in place of runs: about the ' +
    'health of a fabric.\nThe page is one file and needs no network.',
  argument: [
    '[run...]',
    'folders of weft run --out, or one of weft sweep; also fct.txt and\nfolders of SimAI and HPCC',
  ],
  options: commandOptions,
  after: `
Examples:
  weft run examples/server-pair/controller.yaml --out with
  weft run examples/server-pair/no-controller.yaml --out without
  weft report without with --labels ECMP,controller
  weft report with --out with.html --png pictures
  weft report incast.sweep --out sweep.html
  weft report --fabric fabric.net --against yesterday.net --out health.html
  weft report --fabric fabric.net --counters after.txt --before before.txt \\
    --interval 60s --tables now.lfts --guid2lid guid2lid --out health.html

--fabric ends with 1 where something is at fault or changed. Changes of runs are
beside the first run. weft run --report FILE makes the page of a run at once.
What stands in it: docs/report.md.`,
  run: async ({ argument = [], options, context }) => {
    if (isOfFabric(argument, options)) return (await import('./fabric-report.js')).writeFabricReport(options, context);
    if (argument.length === 0)
      throw InputError.about('missing-runs', 'weft report', 'what is the report to be about?', {
        wanted: 'folders of runs, or --fabric FILE',
        hint: 'weft run SCENARIO --out RUN makes a run; weft report --help has examples',
      });
    return writeReport(argument, options, context);
  },
});

/** Whether a fabric is asked for. @throws InputError where words belong to the other kind of report */
function isOfFabric(runs: readonly string[], options: OptionValues<typeof commandOptions>): boolean {
  const isGiven = (name: string): boolean => options[name as keyof typeof options] !== undefined;
  const own = (options.fabric === undefined ? fabricOptions.map((option) => option.attributeName()) : runNames).find(
    isGiven,
  );
  if (own !== undefined || (options.fabric !== undefined && runs.length > 0))
    throw InputError.about(
      'mixed-report',
      own === undefined ? runs[0]! : `--${own}`,
      options.fabric === undefined ? 'this is told of a fabric' : 'this belongs to a report of runs',
      {
        wanted: 'runs, or a fabric',
        hint: options.fabric === undefined ? 'add --fabric FILE' : 'leave out --fabric, or this',
      },
    );
  return options.fabric !== undefined;
}

/** Options of reports of runs alone. */
const runNames: readonly string[] = ['labels', 'pareto', 'bestPer', 'csv', 'svg', 'png', 'packetsPerPixel'];

/** What was written. */
export interface WrittenReport {
  readonly path: string;
  readonly sizeBytes: number;
  readonly runs: readonly string[];
  readonly figures: readonly Figure[];
  /** of charts, by folder */
  readonly charts: ReadonlyMap<string, readonly ReportFile[]>;
  /** of a sweep: what helps to choose; left out: it is none */
  readonly choice?: object | undefined;
}

/** @throws InputError, HostFileError, OutputError; nothing is written then */
async function writeReport(
  paths: readonly string[],
  options: OptionValues<typeof commandOptions>,
  context: CommandContext,
): Promise<void> {
  const { stdout } = context;
  const written = await writeReportOf(paths, options, context);
  const { path, sizeBytes, runs, figures, charts, choice } = written;
  if (options.json)
    stdout.write(
      `${JSON.stringify({
        report: path,
        sizeBytes,
        runs,
        figures: figures.map(({ id, kind, title }) => ({ id, kind, title })),
        files: [...charts.values()].flat().map((file) => file.path),
        ...choice,
      })}\n`,
    );
  else if (!options.quiet)
    stdout.write(
      `${reportLine(written)}${[...charts].map(([folder, files]) => `${folder}: ${counted(files.length, 'file')}\n`).join('')}`,
    );
}

/** A line that says what was written. */
export function reportLine({ path, sizeBytes, runs, figures }: WrittenReport): string {
  return (
    `${path}: ${runs.length === 0 ? '' : `${counted(runs.length, 'run')}, `}${counted(figures.length, 'chart')}, ` +
    `${formatSizeBytes(Math.round(sizeBytes / 1000) * 1000)}\n`
  );
}

/** A page, and what stands beside it. */
interface MadeReport {
  readonly page: ReportFile;
  readonly labels: readonly string[];
  readonly figures: readonly Figure[];
  readonly pictures: readonly Picture[];
  readonly choice?: object;
}

/**
 * Writes the report of stored runs, or of a sweep.
 * @throws InputError, HostFileError, OutputError; no page is written then
 */
export async function writeReportOf(
  paths: readonly string[],
  options: ReportOptions,
  { host, stderr }: CommandContext,
): Promise<WrittenReport> {
  const { out, force, quiet } = options;
  await checkOutputs([out], force, true);
  const progress = quiet ? null : new StageProgress(stderr, () => host.wallMs());
  try {
    const sweep = (await Promise.all(paths.map(async (path) => ({ path, is: await StoredSweep.isSweep(path) })))).find(
      ({ is }) => is,
    );
    const { page, labels, figures, pictures, choice } =
      sweep === undefined
        ? await reportOfRuns(paths, options, progress, stderr)
        : await reportOfSweep(sweep.path, paths, options, progress);
    const charts = await chartFiles(figures, pictures, options);
    for (const [folder, files] of charts) await writeWholeFiles(files, force, folder);
    await writeWholeFiles([page], force);
    return { path: out, sizeBytes: Buffer.byteLength(page.text as string), runs: labels, figures, charts, choice };
  } finally {
    progress?.stop();
  }
}

async function reportOfRuns(
  paths: readonly string[],
  { out, labels: given, pareto, bestPer, findings, packetsPerPixel }: ReportOptions,
  progress: StageProgress | null,
  stderr: CommandContext['stderr'],
): Promise<MadeReport> {
  const readers = (await Promise.all(paths.map((path) => openRuns(path)))).flat();
  const ofSweep = pareto === undefined ? bestPer : pareto;
  if (ofSweep !== undefined)
    throw InputError.about('report-sweep', paths[0]!, 'a choice among combinations is of a sweep', {
      wanted: 'the folder of weft sweep',
      hint: 'leave out --pareto and --best-per',
    });
  if (progress !== null) tellUnchecked(stderr, readers);
  if (readers.length > mostRuns)
    throw InputError.about('report-runs', readers[mostRuns]!.shown, 'too many runs for one report', {
      got: `${readers.length} runs`,
      wanted: `${mostRuns} at most`,
    });
  const labels = labelsOf(readers, given);
  const runs = [];
  for (const [i, reader] of readers.entries())
    runs.push(
      await readReportRun(reader, labels[i]!, (rows) =>
        progress?.update(`reading ${labels[i]!}: ${grouped(rows)} rows`),
      ),
    );
  progress?.update('drawing charts');
  const report = reportOf(runs, { findings, packetsPerPixel });
  return {
    page: await pageOfRuns(report, out),
    labels,
    figures: figuresOf(report),
    pictures: picturesOf(report),
  };
}

async function reportOfSweep(
  path: string,
  paths: readonly string[],
  { out, labels, pareto, bestPer }: ReportOptions,
  progress: StageProgress | null,
): Promise<MadeReport> {
  if (paths.length > 1 || labels !== undefined)
    throw InputError.about('report-sweep', path, 'a sweep has a report of its own', {
      got: labels === undefined ? counted(paths.length, 'folder') : '--labels',
      wanted: 'the folder of one sweep, and nothing else',
    });
  const stored = await StoredSweep.open(path);
  try {
    const { description } = stored;
    const choice = choiceOf(stored.settings, pareto, bestPer);
    const sweep = new SweepFigures(stored.settings, stored.ignored(), stored.drawn());
    for (const row of stored.rows()) {
      sweep.add(row);
      progress?.update(`reading ${path}: ${grouped(sweep.runs)} of ${counted(description.runs, 'run')}`);
    }
    refuseMissing(sweep, choice);
    return {
      page: await pageOfSweep({ ...description, settings: stored.settings }, sweep, out, choice),
      labels: [],
      figures: chartsOfSweep(sweep, choice),
      pictures: [],
      choice: choiceObject(sweep, choice),
    };
  } finally {
    stored.close();
  }
}

/** What runs are called: as given, else by their folders, with the folder above where two have the same name. */
function labelsOf(readers: readonly RunReader[], given: string | undefined): string[] {
  if (given !== undefined) {
    const labels = given.split(',').map((label) => label.trim());
    if (labels.length !== readers.length || labels.some((label) => label === ''))
      throw InputError.about('report-labels', '--labels', 'every run needs a label', {
        got: given,
        wanted: counted(readers.length, 'label'),
      });
    return told(labels);
  }
  const own = readers.map(({ label }) => label);
  return told(new Set(own).size === own.length ? own : readers.map(({ shown }) => shown));
}

/**
 * Labels of which no two are the same, and none is a name that the library of charts cannot have: it keeps series in
 * plain objects by their names.
 */
function told(labels: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return labels.map((label) => {
    const times = (seen.get(label) ?? 0) + 1;
    seen.set(label, times);
    const own = label === '__proto__' ? `"${label}"` : label;
    return times === 1 ? own : `${own} (${times})`;
  });
}

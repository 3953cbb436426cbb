// weft analyze fct and weft analyze ports: distributions of completion times, and of source ports.

import { slowdownOf } from '../../measurement/slowdowns.js';
import { Command } from 'commander';
import {
  cumulativePoints,
  percentilesByGroup,
  percentilesOf,
  sizeBucket,
  sizeBuckets,
} from '../../measurement/distribution.js';
import {
  completionText,
  sourcePortText,
  type CompletionAnalysis,
  type PortAnalysis,
} from '../../report/completion-text.js';
import type { RunReader } from '../../storage/run-reader.js';
import type { CommandContext } from '../context.js';
import { ExitCode } from '../exit-codes.js';
import { refuseRepeats } from '../options/repeated-options.js';
import { terminalStyle } from '../terminal.js';
import { forceHelp, writeWholeFile } from '../whole-file.js';
import { addFileOptions, namedRuns, type FileOptions } from './analyze-options.js';
import { hopsOf, isChosenPort, storedFlows, switchesOf } from './joined-flows.js';
import { watchedRun, withProgress } from './reading-progress.js';

interface DistributionOptions extends FileOptions {
  readonly cc?: string;
  readonly nocc?: string;
  readonly csv?: string;
  readonly force?: boolean;
  readonly json?: boolean;
}

/** The command `fct`. */
export function fctCommand(context: CommandContext): Command {
  return refuseRepeats(
    addFileOptions(
      new Command('fct')
        .description('completion times: percentiles by size and by switches, CDF')
        .argument('[runs...]', 'folders of weft run --out'),
    )
      .option('--cc <file>', "fct.txt with the controller, as plot_fct_cdf.py's")
      .option('--nocc <file>', 'the same without it')
      .option('--csv <file>', 'write the cumulative distributions: run,share,fct_ns')
      .option('--force', forceHelp)
      .option('--json', 'print one JSON object, with the cumulative distribution')
      .addHelpText(
        'after',
        '\nExamples:\n  weft analyze fct with without --csv cdf.csv\n  weft analyze fct --fct fct.txt --json',
      )
      .action(async (paths: string[], options: DistributionOptions, command: Command) => {
        const { cc, nocc } = options;
        const named = [...paths, ...[cc, nocc].filter((file) => file !== undefined)];
        const runs = await ofEach<CompletionAnalysis>(
          await namedRuns(named, options, command, context.stderr),
          completionOf,
          context,
        );
        if (options.csv !== undefined)
          await writeWholeFile(
            options.csv,
            `run,share,fct_ns\n${runs.flatMap(({ run, cdf }) => cdf.map(({ share, value }) => `${quoted(run)},${share},${value}\n`)).join('')}`,
            options.force === true,
          );
        const { stdout, environment } = context;
        stdout.write(
          options.json === true
            ? `${JSON.stringify({ runs })}\n`
            : completionText(runs, terminalStyle(stdout, environment)),
        );
        context.endWith(ExitCode.ok);
      }),
  );
}

/** One run after the other, with progress. */
function ofEach<T>(
  runs: readonly RunReader[],
  analyse: (run: RunReader) => Promise<T>,
  context: CommandContext,
): Promise<T[]> {
  return withProgress(context, async (progress) => {
    const analysed: T[] = [];
    for (const run of runs) analysed.push(await analyse(watchedRun(run, progress)));
    return analysed;
  });
}

/** A name as a field of a CSV file. */
function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Completion times of a run in groups. @throws InputError, HostFileError */
async function completionOf(run: RunReader): Promise<CompletionAnalysis> {
  const flows = await storedFlows(run);
  const timesNs = flows.finishPs.map((finishPs, i) => (finishPs - flows.startPs[i]!) / 1000);
  const hops = run.tables.has('hops') ? await hopsOf(run, flows) : null;
  const switches = hops === null ? null : Int32Array.from(flows.flowId, (_id, flow) => switchesOf(hops, flow));
  const mostSwitches = switches === null ? 0 : switches.reduce((a, b) => Math.max(a, b), 0);
  const alone = flows.idealPs.map((idealPs, i) => (idealPs > 0 ? slowdownOf(timesNs[i]! * 1000, idealPs) : NaN));
  return {
    run: run.shown,
    flows: flows.flows,
    bySize: [
      percentilesOf('all', timesNs),
      ...percentilesByGroup(timesNs, (flow) => sizeBucket(flows.sizeBytes[flow]!), sizeBuckets),
    ],
    byHops:
      switches === null
        ? []
        : percentilesByGroup(
            timesNs,
            (flow) => `${switches[flow]!}`,
            Array.from({ length: mostSwitches + 1 }, (_, count) => `${count}`),
          ),
    slowdown: percentilesOf(
      'slowdown',
      alone.filter((value) => !Number.isNaN(value)),
    ),
    cdf: cumulativePoints(timesNs),
  };
}

/** The command `ports`. */
export function portsCommand(context: CommandContext): Command {
  return refuseRepeats(
    addFileOptions(
      new Command('ports')
        .description('source ports that the controller chose, and how deep it searched')
        .argument('[runs...]', 'folders of weft run --out'),
    )
      .option('--json', 'print one JSON object')
      .addHelpText('after', '\nExamples:\n  weft analyze ports results --json\n  weft analyze ports --fct cc/fct.txt')
      .action(async (paths: string[], options: DistributionOptions, command: Command) => {
        const runs = await ofEach<PortAnalysis>(
          await namedRuns(paths, options, command, context.stderr),
          portsOf,
          context,
        );
        const { stdout, environment } = context;
        stdout.write(
          options.json === true
            ? `${JSON.stringify({ runs })}\n`
            : sourcePortText(runs, terminalStyle(stdout, environment)),
        );
        context.endWith(ExitCode.ok);
      }),
  );
}

/** Source ports of the flows of a run. @throws InputError, HostFileError */
async function portsOf(run: RunReader): Promise<PortAnalysis> {
  const flows = await storedFlows(run);
  const hops = run.tables.has('hops') ? await hopsOf(run, flows) : null;
  const counts = new Map<number, number>();
  let counted = 0;
  let assigned = 0;
  for (let flow = 0; flow < flows.flows; flow++) {
    if (hops !== null && switchesOf(hops, flow) < 2) continue;
    counted++;
    const port = flows.sourcePort[flow]!;
    if (!isChosenPort(run, port)) continue;
    assigned++;
    counts.set(port, (counts.get(port) ?? 0) + 1);
  }
  const ports = [...counts].map(([port, own]) => ({ port, flows: own, share: own / assigned }));
  ports.sort((a, b) => a.port - b.port);
  return { run: run.shown, flows: counted, assigned, deepest: ports.at(-1)?.port ?? 0, ports };
}

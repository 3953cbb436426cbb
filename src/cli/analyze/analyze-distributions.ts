// weft analyze fct and weft analyze ports: distributions of completion times, and of source ports.

import { slowdownOf } from '../../measurement/slowdowns.js';
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
import { declaredCommand, toggle, text } from '../options/declared-command.js';
import { printResult } from '../terminal.js';
import { forceHelp, writeWholeFile } from '../whole-file.js';
import { csvField, fileOptions, namedRuns, watchedRun, withProgress } from './analyze-options.js';
import { hopsOf, isChosenPort, storedFlows, switchesOf } from './joined-flows.js';

/** The command `fct`. */
export const fctCommand = declaredCommand({
  name: 'fct',
  description: 'completion times: percentiles by size and by switches, CDF',
  argument: ['[runs...]', 'folders of weft run --out'],
  options: [
    ...fileOptions,
    text('--cc <file>', "fct.txt with the controller, as plot_fct_cdf.py's"),
    text('--nocc <file>', 'the same without it'),
    text('--csv <file>', 'write the cumulative distributions: run,share,fct_ns'),
    toggle('--force', forceHelp),
    toggle('--json', 'print one JSON object, with the cumulative distribution'),
  ],
  after: '\nExamples:\n  weft analyze fct with without --csv cdf.csv\n  weft analyze fct --fct fct.txt --json',
  run: async ({ argument: paths, options: { cc, nocc, csv, force, json, ...files }, command, context }) => {
    const named = [...paths, ...[cc, nocc].filter((file) => file !== undefined)];
    const runs = await ofEach(await namedRuns(named, files, command, context.stderr), completionOf, context);
    if (csv !== undefined)
      await writeWholeFile(
        csv,
        `run,share,fct_ns\n${runs.flatMap(({ run, cdf }) => cdf.map(({ share, value }) => `${csvField(run)},${share},${value}\n`)).join('')}`,
        force,
      );
    printResult(context, json, { runs }, (style) => completionText(runs, style));
  },
});

/** The command `ports`. */
export const portsCommand = declaredCommand({
  name: 'ports',
  description: 'source ports that the controller chose, and how deep it searched',
  argument: ['[runs...]', 'folders of weft run --out'],
  options: [...fileOptions, toggle('--json', 'print one JSON object')],
  after: '\nExamples:\n  weft analyze ports results --json\n  weft analyze ports --fct cc/fct.txt',
  run: async ({ argument: paths, options: { json, ...files }, command, context }) => {
    const runs = await ofEach(await namedRuns(paths, files, command, context.stderr), portsOf, context);
    printResult(context, json, { runs }, (style) => sourcePortText(runs, style));
  },
});

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

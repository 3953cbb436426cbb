// weft route compute: forwarding tables for a fabric, with what they are worth for given traffic.
// Invariants: nothing is written before the tables were checked; bad input ends with 2, tables that do not lead
// everywhere with 1.

import { Command, Option } from 'commander';
import { InputError, wholeFile } from '../../base/diagnostics.js';
import { lftTexts } from '../../formats/opensm-lfts-writer.js';
import { pathRecordTexts } from '../../formats/opensm-path-records.js';
import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import { changedByOffset } from '../../routing/lid-offsets.js';
import { loadBackground, loadsWithBackground, type BackgroundOptions } from '../../app/routes/route-background.js';
import { levelZero } from '../../routing/route-lanes.js';
import type { CommandContext } from '../context.js';
import { ExitCode } from '../exit-codes.js';
import { refuseRepeats } from '../options/repeated-options.js';
import {
  exactAlgorithms,
  ftreeOrNull,
  isExact,
  isSearch,
  routeAlgorithms,
  type ExactAlgorithm,
  type RouteAlgorithm,
} from '../../app/routes/route-algorithms.js';
import { checkFigure, checkTraceFigure, figureHelp, traceFigureHelp } from './figure-options.js';
import { chartSvg } from '../report/page-program.js';
import { routeFigure, traceFigure } from '../../report/routes/route-figure.js';
import { loadFabric, requireTree } from '../../app/routes/fabric-input.js';
import { loadTables } from '../../app/routes/tables-input.js';
import { loadTraffic } from '../../app/routes/traffic-input.js';
import { makeWatched } from './route-making.js';
import { judgeTables } from '../../app/routes/compute-routes.js';
import {
  checkLidOffset,
  fabricAndTrafficOptions,
  factor,
  fraction,
  lidOptions,
  seconds,
  trafficHelp,
  wholeNumber,
  workerCount,
  type RouteOptions,
} from './route-options.js';
import { computedLines, computedObject, type ReportedRoutes } from '../../report/routes/computed-routes-text.js';
import { reportText } from '../../report/routes/route-text.js';
import { bundledSolver, solverOption, type SolverName } from './solver-option.js';
import { StageProgress } from '../stage-progress.js';
import { checkOutputs, forceHelp, writeWholeFiles } from '../whole-file.js';

interface ComputeOptions extends RouteOptions, BackgroundOptions {
  readonly algorithm: RouteAlgorithm | ExactAlgorithm;
  readonly current?: string;
  readonly time: number;
  readonly work?: number;
  readonly patience?: number;
  readonly workers?: number;
  readonly mostChanges?: number;
  readonly solver: SolverName;
  readonly out?: string;
  readonly lanesOut?: string;
  readonly figure?: string;
  readonly traceFigure?: string;
  readonly force?: boolean;
}

/** The command `route compute`. */
export function computeCommand(context: CommandContext): Command {
  const command = lidOptions(
    fabricAndTrafficOptions(new Command('compute').description('compute forwarding tables'), trafficHelp),
  )
    .addOption(
      new Option('--algorithm <name>', 'how').choices([...routeAlgorithms, ...exactAlgorithms]).makeOptionMandatory(),
    )
    .option('--current <file>', 'tables in use: entries that change are counted against them, not against ftree')
    .addOption(
      new Option('--time <time>', 'stop searching after this time and keep the best')
        .argParser(seconds)
        .default(30, '30s'),
    )
    .option('--work <count>', 'weft: stop searching after this much work, as a former run reports it', wholeNumber)
    .option('--patience <factor>', 'weft: go on that much longer without finding anything better', factor)
    .option('--workers <count>', 'weft: searches at the same time, each in a thread; the best is kept', workerCount)
    .option('--most-changes <count>', 'weft: change at most as many entries of --current', wholeNumber)
    .addOption(solverOption())
    .option(
      '--background <file>',
      'weft: counters of ports, for what other traffic puts on links (perfquery, ibqueryerrors)',
    )
    .option('--background-before <file>', 'an earlier reading of these counters')
    .option('--threshold <share>', 'links above this share of the adaptive bound count as hot', fraction, 0.9)
    .option('--out <file>', "write the tables as OpenSM's file engine reads them")
    .option('--lanes-out <file>', 'write the service level of every pair of hosts (path records): its lane')
    .option('--figure <file>', figureHelp)
    .option('--trace-figure <file>', traceFigureHelp)
    .option('--force', forceHelp)
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
Algorithms:
  ftree   OpenSM's, entry for entry
  random  a random minimal port
  dmodk   by the digits of the destination
  minhop  OpenSM's, entry for entry, on any fabric: shortest ways, evenly; may
          deadlock where there are circles
  updn    OpenSM's, entry for entry, on any fabric: up to --roots, then down
  sssp    on any fabric: shortest ways over the links with the fewest pairs
  dfsssp  sssp with lanes that free it of deadlock
  afar    ftree, then greedily off the hottest links (needs --traffic)
  weft    searches for the smallest largest load, phase by phase, and says
          whether it is proven (needs --traffic); begins with --current, too,
          and if it is proven changes few of its entries. On fabrics that are
          no trees: any ways, with lanes, from dfsssp's (or updn's, where dfsssp
          needs more than 8 lanes), never worse than these; its bound is a
          linear programme over all ways
  basic-mcf, partitioned-binary, combined
          integer programmes for HiGHS (need --traffic): the whole problem, with
          a proof, for some 64 hosts; layer by layer; both at once

Examples:
  weft route compute --fabric quartz1 --algorithm ftree --out ftree.lfts
  weft route compute --fabric fabric.net --guid2lid guid2lid --algorithm afar \\
    --traffic jobs.csv --current opensm-lfts.dump --out new.lfts
  weft route compute --fabric quartz1 --algorithm weft --traffic lulesh \\
    --time 10s --out new.lfts --figure loads.svg
  weft route compute --fabric quartz1 --algorithm weft --workers 4 \\
    --traffic multigrid-c-star --patience 3 --time 5min --out new.lfts
  weft route compute --fabric quartz1 --algorithm random --seed 7 \\
    --traffic stencil --json
  weft route compute --fabric torus --algorithm dfsssp --out new.lfts \\
    --lanes-out new.lanes
  weft route compute --fabric quartz1 --failed-links 1% --algorithm weft \\
    --traffic bs-random-shuffle
  weft route compute --fabric fabric.net --lmc 1 --algorithm weft \\
    --traffic jobs.csv --out two-lids.lfts

Ctrl-C ends a search with the best tables so far, writes them and ends with
130; a second Ctrl-C ends at once.`,
    )
    .action(async (options: ComputeOptions) => {
      await compute(options, context);
    });
  return refuseRepeats(command);
}

async function compute(options: ComputeOptions, context: CommandContext): Promise<void> {
  const { host } = context;
  for (const [option, path] of [
    ['--out', options.out],
    ['--lanes-out', options.lanesOut],
  ] as const)
    if (path === '') throw InputError.at('output-path', option, wholeFile, 'the path is empty', { wanted: 'a file' });
  checkOptions(options);
  checkFigure(options.figure, options.traffic);
  checkTraceFigure(options.traceFigure, options.algorithm);
  const outputs = [options.out, options.lanesOut, options.figure, options.traceFigure].filter(
    (path) => path !== undefined,
  );
  await checkOutputs(outputs, options.force === true, !isSearch(options.algorithm) && !isExact(options.algorithm));
  const progress = new StageProgress(context.stderr, () => host.wallMs());
  const source = await loadFabric(host, options);
  if (options.figure !== undefined || options.traceFigure !== undefined) requireTree(source);
  refuseOfTrees(options, source);
  checkLidOffset(source, options.lidOffset);
  const given =
    options.traffic === undefined ? null : await loadTraffic(host, { ...options, traffic: options.traffic }, source);
  const current = options.current === undefined ? null : await loadTables(host, options.current, source);
  const background = given === null ? null : await loadBackground(host, options, source, given.traffic);
  const made = await makeWatched(
    options.algorithm,
    source,
    {
      traffic: given?.traffic ?? null,
      seed: options.seed,
      seconds: options.time,
      mostWork: options.work ?? Infinity,
      current: current?.tables ?? null,
      mostChanges: options.mostChanges ?? null,
      threshold: options.threshold,
      patience: options.patience ?? 1,
      workers: options.workers ?? 1,
      background: background?.load ?? null,
      lidUse: options.lidOffset,
      ...(current === null ? {} : { currentOffsets: current.offsets }),
    },
    options.solver,
    context,
    progress,
  );
  const { tables, interrupted } = made;
  const offsets = made.offsets ?? [tables];
  const ftree =
    options.algorithm === 'ftree'
      ? tables
      : offsets.length > 1
        ? null
        : made.ftree === undefined
          ? ftreeOrNull(source)
          : made.ftree;
  const reference = current?.offsets ?? (ftree === null ? null : [ftree]);
  progress.update('evaluating');
  // a search that counts other traffic as well has other loads
  const judged = judgeTables(source, offsets, given?.traffic ?? null, options.threshold, {
    ...(background === null ? made : {}),
    lidUse: options.lidOffset,
  });
  const { evaluation } = judged;
  progress.update('writing');
  const remarks =
    background === null ? [] : ['loads of this traffic alone: those of other traffic (--background) are left out'];
  const searchRemarks =
    background === null
      ? []
      : [
          'the search counts the loads of other traffic (--background) as well; gaps are to the adaptive bound of this traffic alone',
        ];
  await writeWholeFiles(
    [
      ...(options.out === undefined ? [] : [{ path: options.out, text: lftTexts(source, offsets) }]),
      ...(options.lanesOut === undefined
        ? []
        : [{ path: options.lanesOut, text: pathRecordTexts(source, made.lanes ?? levelZero) }]),
      ...(options.figure === undefined
        ? []
        : [
            {
              path: options.figure,
              text: routeFigure(
                source,
                given!.traffic,
                [{ name: options.algorithm, evaluation: evaluation! }],
                remarks,
              ),
            },
          ]),
      ...(options.traceFigure === undefined
        ? []
        : [
            {
              path: options.traceFigure,
              text: await chartSvg(
                traceFigure(source, given!.traffic, options.algorithm, evaluation!, made, searchRemarks),
              ),
            },
          ]),
    ],
    options.force === true,
  );
  progress.stop();
  const routes: ReportedRoutes = {
    algorithm: options.algorithm,
    source,
    traffic: given?.traffic ?? null,
    seed: options.seed,
    ...judged,
    ...made,
    workers: options.workers ?? 1,
    background:
      evaluation === null || background === null
        ? null
        : { file: options.background!, ...loadsWithBackground(evaluation, background) },
    changedEntries: reference === null ? null : changedByOffset(source.identity, reference, offsets),
    changedFrom: options.current ?? (reference === null ? null : 'ftree'),
    interrupted: interrupted !== null,
    out: options.out ?? null,
    lanesOut: options.lanesOut ?? null,
    figure: options.figure ?? null,
    traceFigure: options.traceFigure ?? null,
    warnings: [
      ...source.warnings,
      ...(given?.warnings ?? []),
      ...(current?.warnings ?? []),
      ...(background?.warnings ?? []),
    ],
  };
  context.stdout.write(
    options.json === true
      ? `${JSON.stringify(computedObject(routes), null, 2)}\n`
      : reportText(computedLines(routes), routes.warnings),
  );
  if (interrupted !== null) context.endWith(interrupted);
  else if (!judged.verdicts.every(({ ok }) => ok)) context.endWith(ExitCode.failed);
}

/** Refuses what weft heeds on fat trees alone. @throws InputError */
function refuseOfTrees({ algorithm, current, background, mostChanges }: ComputeOptions, source: RoutedFabric): void {
  if (algorithm !== 'weft' || source.noTree === null) return;
  for (const [option, value] of [
    ['--most-changes', mostChanges],
    ['--background', background],
    ['--current', current],
  ] as const)
    if (value !== undefined)
      throw InputError.at('unused-option', option, wholeFile, 'on what is no fat tree weft does not heed it', {
        hint: 'changed entries: weft route evaluate --current FILE',
      });
}

function checkOptions({
  algorithm,
  traffic,
  current,
  work,
  patience,
  workers,
  mostChanges,
  background,
  backgroundBefore,
  solver,
}: ComputeOptions): void {
  if (!isExact(algorithm) && solver !== bundledSolver)
    throw InputError.at('unused-option', '--solver', wholeFile, `${algorithm} needs no solver`, {
      hint: 'it belongs to --algorithm basic-mcf, partitioned-binary, combined',
    });
  if (backgroundBefore !== undefined && background === undefined)
    throw InputError.at(
      'missing-background',
      '--background-before',
      wholeFile,
      'the counters from afterwards are missing',
      { hint: 'add --background FILE' },
    );
  if ((isSearch(algorithm) || isExact(algorithm)) && traffic === undefined)
    throw InputError.at('missing-traffic', '--algorithm', wholeFile, `${algorithm} routes for given traffic`, {
      hint: 'add --traffic PATTERN or --traffic FILE',
    });
  const unused = Object.entries({
    '--work': work,
    '--patience': patience,
    '--workers': workers,
    '--background': background,
    '--most-changes': mostChanges,
  }).find(([, value]) => value !== undefined);
  if (algorithm !== 'weft' && unused !== undefined)
    throw InputError.at('unused-option', unused[0], wholeFile, `${algorithm} does not heed it`, {
      hint: 'it belongs to --algorithm weft',
    });
  if (mostChanges !== undefined && current === undefined)
    throw InputError.at('missing-current', '--most-changes', wholeFile, 'changes are counted against tables in use', {
      hint: 'add --current FILE',
    });
}

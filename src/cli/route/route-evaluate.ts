// weft route evaluate: what given tables are worth for given traffic, and whether they lead everywhere.
// Invariants: bad input ends with 2, tables that do not lead everywhere with 1.

import { Command, Option } from 'commander';
import { InputError, wholeFile } from '../../base/diagnostics.js';
import type { AdaptiveBoundBy } from '../../optimization/evaluate-routes.js';
import { judgeTables } from '../../app/routes/compute-routes.js';
import { changedByOffset } from '../../routing/lid-offsets.js';
import type { CommandContext } from '../context.js';
import { ExitCode } from '../exit-codes.js';
import { refuseRepeats } from '../options/repeated-options.js';
import { checkFigure, figureHelp } from './figure-options.js';
import { routeFigure } from '../../report/routes/route-figure.js';
import { loadFabric, requireTree } from '../../app/routes/fabric-input.js';
import { checkLaneOptions, loadLevels } from '../../app/routes/route-lanes.js';
import { loadTables } from '../../app/routes/tables-input.js';
import { loadTraffic } from '../../app/routes/traffic-input.js';
import { adaptiveBoundsByLp } from './route-model.js';
import {
  checkLidOffset,
  fabricAndTrafficOptions,
  fraction,
  laneOptions,
  lidOptions,
  seconds,
  trafficHelp,
  type RouteOptions,
} from './route-options.js';
import { evaluatedLines, evaluatedObject, type ReportedTables } from '../../report/routes/computed-routes-text.js';
import { reportText } from '../../report/routes/route-text.js';
import { bundledSolver, solverOption, type SolverName } from './solver-option.js';
import { StageProgress } from '../stage-progress.js';
import { forceHelp, writeWholeFile } from '../whole-file.js';

/** Limit of a linear programme. */
const programmeSeconds = 60;

interface EvaluateOptions extends RouteOptions {
  readonly tables: string;
  readonly current?: string;
  readonly adaptiveBound: AdaptiveBoundBy | 'lp';
  readonly time?: number;
  readonly solver: SolverName;
  readonly figure?: string;
  readonly force?: boolean;
  readonly lanes?: string;
  readonly sl2vl?: string;
}

/** The command `route evaluate`. */
export function evaluateCommand(context: CommandContext): Command {
  const command = lidOptions(
    fabricAndTrafficOptions(
      new Command('evaluate').description(
        'say what tables are worth: loads, gaps to the bounds, whether they lead everywhere',
      ),
      trafficHelp,
    ),
  )
    .requiredOption('--tables <file>', 'opensm-lfts.dump, or what dump_lfts or ibroute print')
    .option('--current <file>', 'other tables: count the entries that differ')
    .addOption(
      new Option(
        '--adaptive-bound <how>',
        'on trees that are not whole: by spreading the traffic, from above and below; by cuts alone, a lower bound; by a linear programme',
      )
        .choices(['spread', 'cuts', 'lp'])
        .default('spread'),
    )
    .addOption(solverOption())
    .addOption(
      new Option(
        '--time <time>',
        `for each linear programme of --adaptive-bound lp (default: ${programmeSeconds}s)`,
      ).argParser(seconds),
    )
    .option('--threshold <share>', 'links above this share of the adaptive bound count as hot', fraction, 0.9)
    .option('--figure <file>', figureHelp)
    .option('--force', forceHelp)
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
Examples:
  weft route evaluate --fabric fabric.net --tables opensm-lfts.dump \\
    --traffic all-to-all
  weft route evaluate --fabric quartz1 --tables a.lfts --traffic stencil --json
  weft route evaluate --fabric broken.net --tables opensm-lfts.dump \\
    --traffic jobs.csv --adaptive-bound lp
  weft route evaluate --fabric torus.net --tables opensm-lfts.dump \\
    --lanes opensm-path-records.dump --sl2vl opensm-sl2vl.dump
  weft route evaluate --fabric quartz1 --tables a.lfts --traffic lulesh \\
    --figure loads.svg
  weft route evaluate --fabric fabric.net --tables two-lids.lfts --lmc 1 \\
    --traffic all-to-all --lid-offset hash

Without --traffic only whether the tables lead everywhere. Exit code 1 if they
do not, 2 if a file has mistakes or packets go round in circles.`,
    )
    .action(async (options: EvaluateOptions) => {
      await evaluate(options, context);
    });
  return refuseRepeats(laneOptions(command));
}

async function evaluate(options: EvaluateOptions, context: CommandContext): Promise<void> {
  const { host } = context;
  if (options.adaptiveBound !== 'lp' && options.solver !== bundledSolver)
    throw InputError.at('unused-option', '--solver', wholeFile, 'nothing is solved', {
      hint: 'it belongs to --adaptive-bound lp',
    });
  if (options.adaptiveBound !== 'lp' && options.time !== undefined)
    throw InputError.at('unused-option', '--time', wholeFile, 'nothing here is limited by time', {
      hint: 'it belongs to --adaptive-bound lp',
    });
  checkLaneOptions(options.lanes, options.sl2vl);
  checkFigure(options.figure, options.traffic);
  const progress = new StageProgress(context.stderr, () => host.wallMs());
  const source = await loadFabric(host, options);
  if (options.figure !== undefined) requireTree(source);
  checkLidOffset(source, options.lidOffset);
  progress.update('reading tables');
  const { offsets, warnings: tableWarnings } = await loadTables(host, options.tables, source);
  const lanes = options.lanes === undefined ? null : await loadLevels(host, options.lanes, options.sl2vl, source);
  const current = options.current === undefined ? null : await loadTables(host, options.current, source);
  const given =
    options.traffic === undefined ? null : await loadTraffic(host, { ...options, traffic: options.traffic }, source);
  const startSeconds = host.cpuSeconds();
  const bound =
    given === null || options.adaptiveBound !== 'lp'
      ? null
      : await adaptiveBoundsByLp(
          source,
          given.traffic,
          { time: options.time ?? programmeSeconds, solver: options.solver },
          context,
          progress,
        );
  progress.update('evaluating');
  const judged = judgeTables(
    source,
    offsets,
    given?.traffic ?? null,
    options.threshold,
    { ...(lanes === null ? {} : { lanes: lanes.levels }), lidUse: options.lidOffset },
    bound?.solved ?? (options.adaptiveBound === 'cuts' ? 'cuts' : 'spread'),
  );
  const cpuSeconds = host.cpuSeconds() - startSeconds;
  if (options.figure !== undefined)
    await writeWholeFile(
      options.figure,
      routeFigure(source, given!.traffic, [{ name: options.tables, evaluation: judged.evaluation! }]),
      options.force === true,
    );
  progress.stop();
  const figure = options.figure ?? null;
  const reported: ReportedTables = {
    source,
    traffic: given?.traffic ?? null,
    seed: options.seed,
    ...judged,
    cpuSeconds,
    changedEntries: current === null ? null : changedByOffset(source.identity, current.offsets, offsets),
    changedFrom: options.current ?? null,
    warnings: [
      ...source.warnings,
      ...tableWarnings,
      ...(lanes?.warnings ?? []),
      ...(current?.warnings ?? []),
      ...(given?.warnings ?? []),
      ...(bound?.warnings ?? []),
    ],
  };
  context.stdout.write(
    options.json === true
      ? `${JSON.stringify(evaluatedObject(options.tables, reported, figure), null, 2)}\n`
      : reportText(evaluatedLines(options.tables, reported, figure), reported.warnings),
  );
  if (bound !== null && bound.interrupted !== null) context.endWith(bound.interrupted);
  else if (!judged.verdicts.every(({ ok }) => ok)) context.endWith(ExitCode.failed);
}

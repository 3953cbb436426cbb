// weft route compare: several tables, computed or from files, side by side for one traffic.
// Invariants: every row is evaluated in the same way, from the tables alone; bad input ends with 2, tables that do not
// lead everywhere with 1. An algorithm that does not route the fabric is a row that says so. Ctrl-C ends a search with
// its best, and what comes after it is left out.

import { Command, InvalidArgumentError, Option } from 'commander';
import { InputError, wholeFile, type Diagnostic } from '../../base/diagnostics.js';
import { compareAlgorithms, comparedRow } from '../../app/routes/compare-tables.js';
import type { MadeTables } from '../../app/routes/make-tables.js';
import type { CommandContext } from '../context.js';
import { ExitCode } from '../exit-codes.js';
import { refuseRepeats } from '../options/repeated-options.js';
import {
  exactAlgorithms,
  ftreeOrNull,
  routeAlgorithms,
  type ExactAlgorithm,
  type RouteAlgorithm,
} from '../../app/routes/route-algorithms.js';
import {
  routeComparisonObject,
  comparisonLines,
  type ComparedTables,
  type RouteComparison,
} from '../../report/routes/route-comparison-text.js';
import { checkFigure, figureHelp } from './figure-options.js';
import { routeFigure } from '../../report/routes/route-figure.js';
import { loadFabric, requireTree } from '../../app/routes/fabric-input.js';
import { loadLevels } from '../../app/routes/route-lanes.js';
import { loadTables } from '../../app/routes/tables-input.js';
import { loadTraffic } from '../../app/routes/traffic-input.js';
import { makeWatched } from './route-making.js';
import { bundledSolver } from './solver-option.js';
import {
  checkLidOffset,
  fabricAndTrafficOptions,
  fraction,
  lidOptions,
  seconds,
  trafficHelp,
  type RouteOptions,
} from './route-options.js';
import { hostLidCount } from '../../fabric/identity.js';
import { warningText } from '../../report/routes/route-text.js';
import { StageProgress } from '../stage-progress.js';
import { checkOutputs, forceHelp, writeWholeFile } from '../whole-file.js';

type AnyAlgorithm = RouteAlgorithm | ExactAlgorithm;

interface CompareOptions extends RouteOptions {
  readonly traffic: string;
  readonly algorithms?: readonly AnyAlgorithm[];
  readonly tables?: readonly string[];
  readonly lanes?: readonly string[];
  readonly current?: string;
  readonly time: number;
  readonly figure?: string;
  readonly force?: boolean;
}

const everyAlgorithm: readonly string[] = [...routeAlgorithms, ...exactAlgorithms];

/** The command `route compare`. */
export function compareCommand(context: CommandContext): Command {
  const command = lidOptions(
    fabricAndTrafficOptions(
      new Command('compare').description('compare tables, computed or from files, for one traffic'),
      trafficHelp,
    ),
  )
    .option(
      '--algorithms <names...>',
      `which to compute, with commas between them: ${everyAlgorithm.join(', ')} (default: ftree,afar,weft, without --tables)`,
      algorithmList,
    )
    .option('--tables <files...>', 'tables from files')
    .option(
      '--lanes <files...>',
      'service levels of pairs of hosts, a file for each of --tables in the same order; - = one lane',
    )
    .option(
      '--current <file>',
      'tables in use: entries that differ are counted against them, not against ftree; weft begins with them, too',
    )
    .addOption(
      new Option('--time <time>', 'stop each search after this time and keep the best')
        .argParser(seconds)
        .default(30, '30s'),
    )
    .option('--threshold <share>', 'links above this share of the adaptive bound count as hot', fraction, 0.9)
    .option('--figure <file>', `${figureHelp}, a picture for each table`)
    .option('--force', forceHelp)
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
Examples:
  weft route compare --fabric quartz1 --traffic lulesh
  weft route compare --fabric quartz1 --traffic bs-random-shuffle \\
    --algorithms ftree,random,dmodk,weft --time 10s --json
  weft route compare --fabric fabric.net --traffic jobs.csv \\
    --algorithms ftree,weft --tables opensm-lfts.dump new.lfts \\
    --figure loads.svg

  weft route compare --fabric torus.net --traffic all-to-all \\
    --tables a.lfts b.lfts --lanes a.lanes -

Exit code 1 if some tables do not lead everywhere, 2 if a file has mistakes.
Ctrl-C ends the search under way with its best and leaves out what is to come.`,
    )
    .action(async (options: CompareOptions) => {
      await compare(options, context);
    });
  return refuseRepeats(command, ['tables', 'lanes', 'algorithms']);
}

/**
 * Names of algorithms with commas or spaces between them.
 * @param former words of the option before this one
 * @throws InvalidArgumentError
 */
function algorithmList(text: string, former?: readonly AnyAlgorithm[]): AnyAlgorithm[] {
  // what a comma stands beside may be a word of its own: ftree, weft
  const names = [
    ...(former ?? []),
    ...text
      .split(',')
      .map((name) => name.trim())
      .filter((name, i, all) => name !== '' || (i > 0 && i < all.length - 1)),
  ];
  for (const [place, name] of names.entries()) {
    if (!everyAlgorithm.includes(name))
      throw new InvalidArgumentError(`Allowed are ${everyAlgorithm.join(', ')}, with commas between them.`);
    if (names.indexOf(name) !== place) throw new InvalidArgumentError(`${name} stands there twice.`);
  }
  return names as AnyAlgorithm[];
}

/** In place of a file of --lanes: tables that need none. */
const oneLane = '-';

/** @throws InputError if there are not as many files of lanes as of tables */
function checkLaneCount({ lanes, tables = [] }: CompareOptions): void {
  if (lanes !== undefined && lanes.length !== tables.length)
    throw InputError.at('lane-files', '--lanes', wholeFile, 'every file of --tables has its lanes', {
      got: `${lanes.length} for ${tables.length}`,
      wanted: 'as many as --tables, in the same order; - for tables on one lane',
    });
}

async function compare(options: CompareOptions, context: CommandContext): Promise<void> {
  const { host } = context;
  if (options.traffic === undefined)
    throw InputError.at('missing-traffic', '--traffic', wholeFile, 'tables are compared for given traffic', {
      hint: 'add --traffic PATTERN or --traffic FILE',
    });
  checkFigure(options.figure, options.traffic);
  if (options.figure !== undefined) await checkOutputs([options.figure], options.force === true, false);
  checkLaneCount(options);
  const progress = new StageProgress(context.stderr, () => host.wallMs());
  const source = await loadFabric(host, options);
  if (options.figure !== undefined) requireTree(source);
  const given = await loadTraffic(host, options, source);
  const current = options.current === undefined ? null : await loadTables(host, options.current, source);
  checkLidOffset(source, options.lidOffset);
  const ftree = hostLidCount(source.fabric, source.identity) > 1 || current !== null ? null : ftreeOrNull(source);
  const reference = current?.offsets ?? (ftree === null ? null : [ftree]);
  const warnings: Diagnostic[] = [...source.warnings, ...given.warnings, ...(current?.warnings ?? [])];
  const basis = { source, traffic: given.traffic, threshold: options.threshold, reference, lidUse: options.lidOffset };
  const say = (name: string): void => {
    progress.update(`${name}: evaluating`);
  };
  const rows: ComparedTables[] = [];
  if (current !== null && options.tables?.includes(options.current!) !== true)
    rows.push(comparedRow(basis, options.current!, current.offsets));
  // files first: a mistake in one of them is said before anything is computed
  for (const [place, file] of (options.tables ?? []).entries()) {
    const { offsets, warnings: own } = await loadTables(host, file, source);
    const levels = options.lanes?.[place] ?? oneLane;
    const lanes = levels === oneLane ? null : await loadLevels(host, levels, undefined, source);
    warnings.push(...own, ...(lanes?.warnings ?? []));
    say(file);
    rows.push(comparedRow(basis, file, offsets, lanes === null ? {} : { lanes: lanes.levels }));
  }
  const algorithms = options.algorithms ?? (options.tables === undefined ? (['ftree', 'afar', 'weft'] as const) : []);
  let interrupted: number | null = null;
  const settings = {
    traffic: given.traffic,
    seed: options.seed,
    seconds: options.time,
    mostWork: Infinity,
    current: current?.tables ?? null,
    mostChanges: null,
    threshold: options.threshold,
    lidUse: options.lidOffset,
    ...(current === null ? {} : { currentOffsets: current.offsets }),
  };
  const make = async (algorithm: AnyAlgorithm): Promise<MadeTables & { stopped: boolean }> => {
    const made = await makeWatched(algorithm, source, settings, bundledSolver, context, progress);
    interrupted = made.interrupted;
    return { ...made, stopped: interrupted !== null };
  };
  const computed = await compareAlgorithms(basis, algorithms, make, rows.length === 0, say);
  const comparison: RouteComparison = {
    source,
    traffic: given.traffic,
    seed: options.seed,
    changedFrom: options.current ?? (reference === null ? null : 'ftree'),
    rows: [...computed, ...rows],
    leftOut: algorithms.slice(computed.length),
    interrupted: interrupted !== null,
    figure: options.figure ?? null,
  };
  if (options.figure !== undefined)
    await writeWholeFile(
      options.figure,
      routeFigure(
        source,
        given.traffic,
        comparison.rows.flatMap(({ name, evaluation }) => (evaluation === null ? [] : [{ name, evaluation }])),
      ),
      options.force === true,
    );
  progress.stop();
  if (options.json === true)
    context.stdout.write(`${JSON.stringify({ ...routeComparisonObject(comparison), warnings }, null, 2)}\n`);
  else context.stdout.write(`${comparisonLines(comparison).join('\n')}\n${warningText(warnings)}`);
  if (interrupted !== null) context.endWith(interrupted);
  else if (comparison.rows.some(({ verdicts }) => verdicts.some(({ ok }) => !ok))) context.endWith(ExitCode.failed);
}

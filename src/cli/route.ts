// weft route compute | evaluate: static routes for a fabric, and what given tables are worth for given traffic.
// Invariants: nothing is written before the tables were checked; bad input ends with 2, tables that do not lead everywhere with 1.

import { Command, InvalidArgumentError, Option } from 'commander';
import { InputError, wholeFile } from '../base/diagnostics.js';
import { parseTimePs } from '../base/units.js';
import { omittedEntries, lftTexts } from '../formats/opensm-lfts-writer.js';
import { evaluateRoutes, type RouteEvaluation } from '../optimization/evaluate-routes.js';
import { checkRoutes } from '../optimization/route-validity.js';
import { changedEntries } from '../routing/forwarding-tables.js';
import type { CommandContext } from './context.js';
import { ExitCode } from './exit-codes.js';
import { refuseRepeats } from './repeated-options.js';
import { computeTables, exactAlgorithms, ftreeOrNull, isExact, routeAlgorithms, type AlgorithmInputs, type ExactAlgorithm, type RouteAlgorithm } from './route-algorithms.js';
import { computeExact } from './route-exact.js';
import { adaptiveBoundsByLp, modelCommand } from './route-model.js';
import { loadFabric, loadTables, loadTraffic, type FabricOptions } from './route-inputs.js';
import { evaluationLines, evaluationObject, fabricLine, fabricObject, validityLines, validityObject, warningText } from './route-text.js';
import { StageProgress } from './stage-progress.js';
import { forceHelp, writeWholeFile } from './whole-file.js';

/** Options that both subcommands have. */
interface SharedOptions extends FabricOptions {
  readonly traffic?: string;
  readonly seed: number;
  readonly allocation: 'contiguous' | 'fragmented';
  readonly threshold: number;
  readonly json?: boolean;
}

interface ComputeOptions extends SharedOptions {
  readonly algorithm: RouteAlgorithm | ExactAlgorithm;
  readonly current?: string;
  readonly time: number;
  readonly work?: number;
  readonly mostChanges?: number;
  readonly out?: string;
  readonly force?: boolean;
}

interface EvaluateOptions extends SharedOptions {
  readonly tables: string;
  readonly current?: string;
  readonly adaptiveBound: 'cuts' | 'lp';
  readonly time: number;
}

/** The command `route` with its subcommands. */
export function routeCommand(context: CommandContext): Command {
  const route = new Command('route').description('static routes for InfiniBand fat trees: compute tables, evaluate them');
  route.addCommand(computeCommand(context));
  route.addCommand(evaluateCommand(context));
  route.addCommand(modelCommand(context, (command) => fabricAndTrafficOptions(command, trafficHelp)));
  return route;
}

/** Adds the options that choose fabric and traffic. */
export function fabricAndTrafficOptions(command: Command, trafficHelp: string): Command {
  return command
    .requiredOption('--fabric <file>', 'output of ibnetdiscover, a topology file, or quartz1')
    .option('--guid2lid <file>', "LIDs: OpenSM's guid2lid")
    .option('--roots <file>', 'GUIDs of the switches of the top level, one per line')
    .option('--traffic <pattern|file>', trafficHelp)
    .option('--seed <number>', 'of random traffic, allocations and routes', wholeNumber, 1)
    .addOption(new Option('--allocation <kind>', 'hosts of jobs: in runs between those of others, or in a row').choices(['fragmented', 'contiguous']).default('fragmented'));
}

const trafficHelp = 'a pattern such as stencil, all-to-all, lulesh, lulesh-star, 100xstencil:64 (weft traffic list), or a file: CSV, MatrixMarket';

function computeCommand(context: CommandContext): Command {
  const command = fabricAndTrafficOptions(new Command('compute').description('compute forwarding tables'), trafficHelp)
    .addOption(new Option('--algorithm <name>', 'how').choices([...routeAlgorithms, ...exactAlgorithms]).makeOptionMandatory())
    .option('--current <file>', 'tables in use: entries that change are counted against them, not against ftree')
    .addOption(new Option('--time <time>', 'stop searching after this time and keep the best').argParser(seconds).default(30, '30s'))
    .option('--work <count>', 'weft: stop searching after this much work, as a former run reports it', wholeNumber)
    .option('--most-changes <count>', 'weft: change at most as many entries of --current', wholeNumber)
    .option('--threshold <share>', 'links above this share of the adaptive bound count as hot', fraction, 0.9)
    .option('--out <file>', "write the tables as OpenSM's file engine reads them")
    .option('--force', forceHelp)
    .option('--json', 'print the result as JSON')
    .addHelpText('after', `
Algorithms:
  ftree   OpenSM's, entry for entry
  random  a random minimal port
  dmodk   by the digits of the destination
  afar    ftree, then greedily off the hottest links (needs --traffic)
  weft    searches for the smallest largest load, phase by phase, and says
          whether it is proven (needs --traffic); begins with --current, too
  basic-mcf, partitioned-binary, combined
          integer programmes for HiGHS (need --traffic): the whole problem, with
          a proof, for some 64 hosts; layer by layer; both at once

Examples:
  weft route compute --fabric quartz1 --algorithm ftree --out ftree.lfts
  weft route compute --fabric fabric.net --guid2lid guid2lid --algorithm afar \\
    --traffic jobs.csv --current opensm-lfts.dump --out new.lfts
  weft route compute --fabric quartz1 --algorithm weft --traffic lulesh \\
    --time 10s --out new.lfts
  weft route compute --fabric quartz1 --algorithm random --seed 7 \\
    --traffic stencil --json`)
    .action(async (options: ComputeOptions) => {
      await compute(options, context);
    });
  return refuseRepeats(command);
}

function evaluateCommand(context: CommandContext): Command {
  const command = fabricAndTrafficOptions(new Command('evaluate').description('say what tables are worth: loads, gaps to the bounds, whether they lead everywhere'), trafficHelp)
    .requiredOption('--tables <file>', 'opensm-lfts.dump, or what dump_lfts or ibroute print')
    .option('--current <file>', 'other tables: count the entries that differ')
    .addOption(new Option('--adaptive-bound <how>', 'by cuts, exact on whole trees; or by linear programming, exact on any').choices(['cuts', 'lp']).default('cuts'))
    .addOption(new Option('--time <time>', 'for each linear programme').argParser(seconds).default(60, '60s'))
    .option('--threshold <share>', 'links above this share of the adaptive bound count as hot', fraction, 0.9)
    .option('--json', 'print the result as JSON')
    .addHelpText('after', `
Examples:
  weft route evaluate --fabric fabric.net --tables opensm-lfts.dump \\
    --traffic all-to-all
  weft route evaluate --fabric quartz1 --tables a.lfts --traffic stencil --json
  weft route evaluate --fabric broken.net --tables opensm-lfts.dump \\
    --traffic jobs.csv --adaptive-bound lp

Without --traffic only whether the tables lead everywhere. Exit code 1 if they
do not, 2 if a file has mistakes or packets go round in circles.`)
    .action(async (options: EvaluateOptions) => {
      await evaluate(options, context);
    });
  return refuseRepeats(command);
}

async function compute(options: ComputeOptions, context: CommandContext): Promise<void> {
  const { host } = context;
  if (options.out === '') throw InputError.at('output-path', '--out', wholeFile, 'the path is empty', { wanted: 'a file' });
  checkOptions(options);
  const progress = new StageProgress(context.stderr, () => host.wallMs());
  const source = await loadFabric(host, options);
  const given = options.traffic === undefined ? null : await loadTraffic(host, { ...options, traffic: options.traffic }, source);
  const current = options.current === undefined ? null : await loadTables(host, options.current, source);
  const startSeconds = host.cpuSeconds();
  const inputs: AlgorithmInputs = {
    traffic: given?.traffic ?? null, seed: options.seed, seconds: options.time, mostWork: options.work ?? Infinity, current: current?.tables ?? null,
    mostChanges: options.mostChanges ?? null, threshold: options.threshold, wallMs: () => host.wallMs(), say: (text) => { progress.update(text); },
  };
  const { tables, notes, search } = isExact(options.algorithm) ? await computeExact(options.algorithm, source, inputs) : computeTables(options.algorithm, source, inputs);
  const cpuSeconds = host.cpuSeconds() - startSeconds;
  const reference = current?.tables ?? (options.algorithm === 'ftree' ? tables : ftreeOrNull(source));
  progress.update('evaluating');
  const evaluation = given === null ? null : evaluateRoutes(source.tree, tables, given.traffic, options.threshold);
  const validity = evaluation?.validity ?? checkRoutes(source.tree, tables);
  const omitted = omittedEntries(source.tree, tables);
  const changed = reference === null ? null : changedEntries(reference, tables);
  progress.update('writing');
  if (options.out !== undefined) await writeWholeFile(options.out, lftTexts(source, tables), options.force === true);
  progress.stop();
  const warnings = [...source.warnings, ...(given?.warnings ?? []), ...(current?.warnings ?? [])];
  const against = options.current ?? (reference === null ? null : 'ftree');
  if (options.json === true) {
    const object = {
      algorithm: options.algorithm, fabric: fabricObject(source), traffic: given?.traffic.name ?? null, trafficNote: given?.traffic.note ?? '', seed: options.seed,
      ...evaluationObject(source, evaluation), cpuSeconds, changedEntries: changed, changedFrom: against,
      validity: validityObject(source, validity), omittedEntries: omitted.count, notes, ...(search === undefined ? {} : { search }), out: options.out ?? null, warnings,
    };
    context.stdout.write(`${JSON.stringify(object, null, 2)}\n`);
  } else {
    const lines = [fabricLine(source), `${options.algorithm}${given === null ? '' : ` for ${given.traffic.name}${given.traffic.note === '' ? '' : ` (${given.traffic.note})`}`}`];
    if (evaluation !== null) lines.push(...evaluationLines(source, evaluation));
    lines.push(...validityLines(source, validity));
    if (omitted.count > 0) lines.push(`  omitted        ${omitted.count} entries, as ${source.identity.nodeName[omitted.first!.node]} -> ${source.identity.nodeName[omitted.first!.destination]}`);
    if (changed !== null && against !== null && options.algorithm !== 'ftree') lines.push(`  changed        ${changed} entries against ${against}`);
    else if (options.current !== undefined) lines.push(`  changed        ${changed} entries against ${options.current}`);
    lines.push(...notes.map((note) => `  note           ${note}`), `  CPU time       ${cpuSeconds.toFixed(2)} s`);
    if (options.out !== undefined) lines.push(`  written        ${options.out}`);
    context.stdout.write(`${lines.join('\n')}\n${warningText(warnings)}`);
  }
  if (!validity.valid) context.endWith(ExitCode.failed);
}

function checkOptions({ algorithm, traffic, current, work, mostChanges }: ComputeOptions): void {
  if ((algorithm === 'afar' || algorithm === 'weft' || isExact(algorithm)) && traffic === undefined) throw InputError.at('missing-traffic', '--algorithm', wholeFile, `${algorithm} routes for given traffic`, { hint: 'add --traffic PATTERN or --traffic FILE' });
  if (algorithm !== 'weft' && (work !== undefined || mostChanges !== undefined)) throw InputError.at('unused-option', work === undefined ? '--most-changes' : '--work', wholeFile, `${algorithm} does not heed it`, { hint: 'it belongs to --algorithm weft' });
  if (mostChanges !== undefined && current === undefined) throw InputError.at('missing-current', '--most-changes', wholeFile, 'changes are counted against tables in use', { hint: 'add --current FILE' });
}

async function evaluate(options: EvaluateOptions, context: CommandContext): Promise<void> {
  const { host } = context;
  const progress = new StageProgress(context.stderr, () => host.wallMs());
  const source = await loadFabric(host, options);
  progress.update('reading tables');
  const { tables, warnings: tableWarnings } = await loadTables(host, options.tables, source);
  const current = options.current === undefined ? null : await loadTables(host, options.current, source);
  const given = options.traffic === undefined ? null : await loadTraffic(host, { ...options, traffic: options.traffic }, source);
  const startSeconds = host.cpuSeconds();
  const bound = given === null || options.adaptiveBound === 'cuts' ? null : await adaptiveBoundsByLp(source, given.traffic, options.time, progress);
  progress.update('evaluating');
  const evaluation: RouteEvaluation | null = given === null ? null : evaluateRoutes(source.tree, tables, given.traffic, options.threshold, bound?.solved ?? null);
  const validity = evaluation?.validity ?? checkRoutes(source.tree, tables);
  const cpuSeconds = host.cpuSeconds() - startSeconds;
  const changed = current === null ? null : changedEntries(current.tables, tables);
  const omitted = omittedEntries(source.tree, tables);
  progress.stop();
  const warnings = [...source.warnings, ...tableWarnings, ...(current?.warnings ?? []), ...(given?.warnings ?? []), ...(bound?.warnings ?? [])];
  if (options.json === true) {
    const object = {
      tables: options.tables, fabric: fabricObject(source), traffic: given?.traffic.name ?? null, trafficNote: given?.traffic.note ?? '', seed: options.seed,
      ...evaluationObject(source, evaluation), cpuSeconds, changedEntries: changed, changedFrom: options.current ?? null,
      validity: validityObject(source, validity), omittedEntries: omitted.count, warnings,
    };
    context.stdout.write(`${JSON.stringify(object, null, 2)}\n`);
  } else {
    const lines = [fabricLine(source), `${options.tables}${given === null ? '' : ` for ${given.traffic.name}${given.traffic.note === '' ? '' : ` (${given.traffic.note})`}`}`];
    if (evaluation !== null) lines.push(...evaluationLines(source, evaluation));
    lines.push(...validityLines(source, validity));
    if (omitted.count > 0) lines.push(`  omitted        ${omitted.count} entries, as ${source.identity.nodeName[omitted.first!.node]} -> ${source.identity.nodeName[omitted.first!.destination]}`);
    if (changed !== null) lines.push(`  changed        ${changed} entries against ${options.current}`);
    context.stdout.write(`${lines.join('\n')}\n${warningText(warnings)}`);
  }
  if (!validity.valid) context.endWith(ExitCode.failed);
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value)) throw new InvalidArgumentError('It has to be a whole number from 0 up.');
  return value;
}

function seconds(text: string): number {
  const timePs = parseTimePs(text);
  if (timePs === null || timePs === 0) throw new InvalidArgumentError('It has to be a time with a unit, such as 30s or 5min.');
  return timePs / 1e12;
}

function fraction(text: string): number {
  const value = /^\d*\.?\d+$/.test(text) ? Number(text) : NaN;
  if (!(value >= 0 && value <= 1000)) throw new InvalidArgumentError('It has to be a number from 0 up, such as 0.9.');
  return value;
}

// A sweep from its request to its tables: looks at everything, goes on where an earlier call ended, carries out what is
// left, writes the tables.
// Invariants: nothing is created before scenario, settings and folder were found good; a run is in the journal as soon
// as it has ended; the tables are the same whatever the number of processes and however often it was killed.

import { realpath } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';
import type { Progress } from '../../app/run-progress.js';
import { formatDiagnostic, InputError } from '../../base/diagnostics.js';
import type { LostWorkerError } from '../../campaign/lost-worker.js';
import { mostTries, TaskStream } from '../../campaign/task-stream.js';
import { rowWithoutRun } from '../../report/sweep/run-row.js';
import { sweepReport, SweepTotals } from '../../report/sweep/sweep-text.js';
import { counted } from '../../report/text-style.js';
import { stopLines } from '../../report/sweep/seeds-until.js';
import { type UntilTarget, untilText } from '../../report/sweep/until-target.js';
import type { Combinations } from '../../scenario/sweep/combinations.js';
import {
  descriptionObject,
  runningState,
  type SweepDescription,
  type SweepState,
  type SweepIdentity,
} from '../../storage/sweep/sweep-description.js';
import { findSweep, requireSame, SweepFolder, type FoundSweep } from '../../storage/sweep/sweep-folder.js';
import { mostParquetRows, runsName } from '../../storage/sweep/sweep-files.js';
import { removeUnfinished, runsWithoutFolder } from '../../storage/sweep/kept-runs.js';
import { SweepJournal } from '../../storage/sweep/sweep-journal.js';
import { ignoredOf } from '../../storage/sweep/sweep-rows.js';
import { writeTables } from '../../storage/sweep/sweep-tables.js';
import type { CommandContext } from '../context.js';
import { ExitCode } from '../exit-codes.js';
import type { EngineWork } from '../engines/engine.js';
import type { EngineOptions } from '../options/run-options.js';
import { withRuns } from '../simultaneous-runs.js';
import { StageProgress } from '../stage-progress.js';
import { weftVersion } from '../version.js';
import { checkCombinations, type CheckedSweep } from './check-combinations.js';
import { type ProgressForm, SweepProgress } from './sweep-progress.js';
import { WantedRuns } from './wanted-runs.js';
import performRun, { type SweepShared, type SweptResult } from './sweep-task.js';

/** What `weft sweep` was asked. */
export interface SweepRequest {
  /** path */
  readonly scenario: string;
  readonly combinations: Combinations;
  /** null: every seed runs */
  readonly until: UntilTarget | null;
  readonly out: string;
  /** runs at the same time; left out: as many as there are processors */
  readonly jobs?: number | undefined;
  /** where its runs are carried out */
  readonly engine: EngineOptions;
  /** whether the folders of its runs are kept, too */
  readonly keepsRuns: boolean;
  readonly json: boolean;
  readonly quiet: boolean;
  /** left out: a line for people, unless it is quiet */
  readonly progress?: ProgressForm;
}

/** A sweep that may begin. */
export interface PlannedSweep {
  readonly found: FoundSweep;
  readonly checked: CheckedSweep;
  readonly description: SweepDescription;
  /** why it may not run in that folder; null: it may. Thrown unless nothing is to be run */
  readonly refusal: InputError | null;
}

/**
 * Looks at everything that a sweep needs.
 * @param forecasts whether nothing is to be run; what another sweep's folder is refused for is `refusal` then
 * @throws InputError, HostFileError, OutputError
 */
export async function planSweep(
  request: SweepRequest,
  forecasts: boolean,
  context: CommandContext,
): Promise<PlannedSweep> {
  const { combinations, scenario, quiet, out } = request;
  let refusal: InputError | null = null;
  const found = await findSweep(out).catch((error: unknown): FoundSweep => {
    if (!forecasts || !(error instanceof InputError)) throw error;
    refusal = error;
    return { shown: out, path: out, earlier: null };
  });
  const identity = {
    weftVersion: weftVersion(),
    scenario: basename(scenario),
    settings: combinations.written,
    sample: combinations.sample,
    seeds: combinations.seeds?.text ?? null,
    until: request.until,
    inputs: [],
  };
  const compare = (asked: SweepIdentity): void => {
    try {
      requireSame(found, asked);
    } catch (error) {
      if (!forecasts || !(error instanceof InputError)) throw error;
      refusal ??= error;
    }
  };
  // before anything that may take long
  compare(identity);
  const checked = await checkCombinations(
    { scenario, combinations, quiet, forecasts: forecasts || request.engine.on === 'slurm' },
    context,
  );
  const { name, inputs, warnings, lookedAt, infeasible, whyInfeasible } = checked;
  const description = {
    ...identity,
    ...runningState,
    inputs: found.earlier?.inputs ?? inputs,
    name,
    combinations: combinations.count,
    runs: combinations.runs,
  };
  compare({ ...identity, inputs });
  if (!quiet) {
    for (const warning of warnings) context.stderr.write(`${formatDiagnostic(warning)}\n`);
    if (infeasible > 0)
      context.stderr.write(
        `note: ${infeasible} of ${counted(lookedAt, 'combination')} cannot run and will be rows with their reasons; the first: ${whyInfeasible}\n`,
      );
    if (lookedAt < combinations.count)
      context.stderr.write(
        `note: ${lookedAt} of ${combinations.count} combinations were looked at, every value in one of them; what is wrong with another will be in its row\n`,
      );
  }
  return { found, checked, description, refusal };
}

/** Runs that an earlier call carried out. A run that was lost is tried again. */
function isThere(journal: SweepJournal, run: number): boolean {
  const outcome = journal.outcomeOf(run);
  return outcome !== null && outcome !== 'lost';
}

function endedRuns(journal: SweepJournal): number {
  let ended = 0;
  for (let run = 0; run < journal.runs; run++) if (isThere(journal, run)) ended++;
  return ended;
}

/**
 * Carries out a sweep, or what is left of it, and says what came of it.
 * @returns the exit code
 * @throws InputError, HostFileError, OutputError; what had ended is kept then
 */
export async function runSweep(request: SweepRequest, context: CommandContext): Promise<number> {
  const { stderr, stdout } = context;
  const { found, checked, description } = await planSweep(request, false, context);
  const folder = await SweepFolder.begin(found, description);
  try {
    const journal = SweepJournal.open(folder.journalPath, description.runs);
    try {
      const before = endedRuns(journal);
      if (before > 0 && before < description.runs && !request.quiet)
        stderr.write(
          `going on: ${before} of ${request.until === null ? '' : 'at most '}${description.runs} runs are in ${folder.shown} already\n`,
        );
      const wanted = new WantedRuns(request.combinations, request.until, journal);
      const place = await realpath(folder.path);
      const runsFolder = request.keepsRuns ? join(place, runsName) : null;
      const shared = { scenario: request.scenario, files: checked.files, runsFolder };
      const campaign = { identity: identityText(description, place), folder: place, cost: checked.cost };
      if (runsFolder !== null) tellWithoutFolder(await runsWithoutFolder(runsFolder, journal), request, context);
      const form = request.progress ?? { lines: request.quiet ? 'none' : 'people', page: null };
      const display = new SweepProgress(before, description.name, form, context);
      const rest = { journal, wanted, before, campaign, display };
      const stoppedWith = await carryOutRest(request, shared, rest, context).catch(async (error: unknown) => {
        await display.close('stopped').catch(() => {});
        throw error;
      });
      if (runsFolder !== null) await removeUnfinished(runsFolder);
      const stops = wanted.endedStops();
      const totals = new SweepTotals(ignoredOf(journal, request.combinations), request.combinations.settings);
      const writing = request.quiet ? null : new StageProgress(stderr, () => context.host.wallMs());
      const columns = await writeTables(folder.path, journal, request.combinations, (row) => {
        totals.add(row);
        writing?.update(`writing the tables: ${totals.ended} rows`);
      }).finally(() => writing?.stop());
      const { ended, failed, lost, infeasible } = totals;
      const isComplete = request.until === null ? ended === description.runs : stops !== null;
      const outcome = isComplete ? 'finished' : 'stopped';
      const state: SweepState = { outcome, ended, failed, lost, infeasible, columns, stops: stops ?? [] };
      await folder.describe({ ...description, ...state });
      const label = {
        ...description,
        settings: request.combinations.settings,
        // with a target nobody knows before how many there will be
        runs: request.until !== null && isComplete ? ended : description.runs,
        target: request.until === null ? null : untilText(request.until),
        reasons: stopLines(stops ?? []),
        before,
        isStopped: !isComplete,
        folder: folder.shown,
        tables: ended > mostParquetRows ? 'runs.csv, runs-*.parquet' : 'runs.csv, runs.parquet',
      };
      if (request.json)
        stdout.write(
          `${JSON.stringify({
            ...descriptionObject({ ...description, ...state }),
            folder: folder.shown,
            before,
            verdict: totals.verdict(),
            leftOut: totals.ignored.list(),
            errors: [...totals.errors].map(([message, runs]) => ({ message, runs })),
          })}\n`,
        );
      else if (!request.quiet) stdout.write(sweepReport(label, totals));
      // last: a page that cannot be written takes nothing from what there is to say
      await display.close(outcome);
      if (outcome === 'stopped') return stoppedWith;
      return totals.failed + totals.lost + totals.unfinished === 0 ? ExitCode.ok : ExitCode.failed;
    } finally {
      journal.close();
    }
  } finally {
    await folder.end();
  }
}

/** Says how many runs of earlier calls have no folder. */
function tellWithoutFolder(count: number, { quiet }: SweepRequest, { stderr }: CommandContext): void {
  if (count > 0 && !quiet)
    stderr.write(`note: ${counted(count, 'run')} ended without --keep-runs before, and have no folder\n`);
}

/** What is to be run, and where it goes. */
interface RestOfSweep {
  readonly journal: SweepJournal;
  readonly wanted: WantedRuns;
  /** runs that are there */
  readonly before: number;
  /** of the sweep, for engines */
  readonly campaign: Pick<EngineWork, 'identity' | 'folder' | 'cost'>;
  readonly display: SweepProgress;
}

/** @returns the exit code, if it was stopped */
function carryOutRest(
  request: SweepRequest,
  shared: SweepShared,
  { journal, wanted, before, campaign, display }: RestOfSweep,
  context: CommandContext,
): Promise<number> {
  const { combinations, jobs: workers } = request;
  const kept = (run: number, result: SweptResult): void => {
    journal.append({ run, ...result });
    display.end(run, result.row, result.timing?.cpuSeconds ?? null);
  };
  const options = {
    kind: 'sweep' as const,
    shared: () => shared,
    files: shared.files,
    roots: shared.runsFolder === null ? [] : [shared.runsFolder],
    ...campaign,
    leavesToWorkers: true,
    workers,
    workersFlag: '--jobs' as const,
    count: combinations.runs - before,
    display,
    engine: request.engine,
    quiet: request.quiet,
  };
  return withRuns(options, context, async ({ engine, interrupt }) => {
    let failure: { readonly error: unknown } | null = null;
    const isOver = (): boolean => interrupt.requested || engine.isLeft === true;
    for (let runs = wanted.nextRound(); runs.length > 0 && !isOver(); runs = wanted.nextRound()) {
      display.expect(runs.length);
      const stream = new TaskStream<SweptResult | null>({
        count: runs.length,
        places: runs.values(),
        task: (run) => ({
          name: `run ${run}`,
          here: (tools) => performRun(shared, { ...combinations.at(run), run }, tools),
          input: () => ({ ...combinations.at(run), run }),
        }),
        onProgress: (run, state) => display.update(run, state as Progress),
        onResult: (run, result) => {
          if (result !== null) kept(run, result);
        },
        onError: (_run, error) => {
          failure ??= { error };
          engine.stop();
        },
        onLost: (run, error) =>
          kept(run, { row: rowWithoutRun('lost', lostText(error), combinations.at(run).seed), timing: null }),
      });
      await engine.work(stream);
      stream.throwIfFailed();
      if (failure !== null) throw (failure as { readonly error: unknown }).error;
    }
    return engine.isLeft === true ? ExitCode.ok : interrupt.exitCode;
  });
}

/** What tells a sweep from any other: what it sweeps, and where its rows go. */
function identityText(description: SweepDescription, folder: string): string {
  return JSON.stringify([hostname(), folder, descriptionObject({ ...description, ...runningState })]);
}

function lostText({ how, isFinal }: LostWorkerError): string {
  return isFinal
    ? `its process ${how}`
    : `its process ${how}, ${mostTries} times; if memory was short, run fewer at the same time: --jobs 1`;
}

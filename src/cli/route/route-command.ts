// The frame of every command of weft route: options to a request, an operation of app/routes, its result as text or
// JSON and as files, an exit code.
// Invariants: what could not be written is refused before anything is computed, and nothing is written before the
// operation has ended; bad input ends with 2, what is not as it should be with 1, a search that was stopped as its
// signal says, with its best.

import { Command, Option } from 'commander';
import type { RouteHost } from '../../app/routes/make-tables.js';
import { InputError, wholeFile, type Diagnostic } from '../../base/diagnostics.js';
import type { RouteFiles } from '../../report/routes/computed-routes-text.js';
import { reportText } from '../../report/routes/route-text.js';
import type { CommandContext } from '../context.js';
import { ExitCode } from '../exit-codes.js';
import { checkFigurePath } from '../options/figure-path.js';
import { refuseRepeats } from '../options/repeated-options.js';
import { StageProgress } from '../stage-progress.js';
import { checkOutputs, forceHelp, writeWholeFiles, type FileContent } from '../whole-file.js';
import { addScope, type RouteScope } from './route-options.js';
import { SearchSession } from './search-session.js';
import { searchInThreads } from './search-thread.js';
import { bundledSolver, otherSolverNotes, solverNamed, type SolverName } from './solver-option.js';

/** What a command came to. */
interface RouteOutcome {
  /** what is written to the files that options name */
  readonly texts?: Partial<Record<OutputName, FileContent | undefined>>;
  /** a folder that is made, and files in it */
  readonly folder?: { readonly path: string; readonly files: readonly { path: string; text: FileContent }[] };
  /** the result as JSON, but for its warnings, and for people; asked for once files are written, with their names */
  readonly object: (files: RouteFiles) => Record<string, unknown>;
  readonly lines: (files: RouteFiles) => readonly string[];
  readonly warnings: readonly Diagnostic[];
  /** something is not as it should be */
  readonly failed?: boolean;
}

/** Values of options that every command may have. */
interface SharedValues extends Partial<Record<OutputName, string>> {
  readonly force?: boolean;
  readonly json?: boolean;
  readonly solver?: SolverName;
  readonly workers?: number;
}

/** A command. */
export interface RouteCommandForm<Values> {
  readonly name: string;
  readonly description: string;
  readonly arguments?: readonly (readonly [name: string, description: string])[];
  readonly scope: RouteScope;
  /** beside those of the scope, --force and --json */
  readonly options: readonly Option[];
  /** those of its options that may be repeated, and those that name files to write */
  readonly repeatable?: readonly string[];
  readonly outputs?: readonly OutputName[];
  /** whether what stands at an output may turn out to be the same: a long search is not to be lost over it */
  readonly isQuick?: (values: Values) => boolean;
  readonly help: string;
  /** refuses options before anything is read @throws InputError */
  readonly check?: (values: Values) => void;
  readonly run: (values: Values, host: RouteHost, ...given: string[]) => Promise<RouteOutcome>;
}

/** An option that names a file to be written. */
type OutputName = keyof RouteFiles;

const outputOptions: Readonly<Record<OutputName, string>> = {
  out: '--out',
  lanesOut: '--lanes-out',
  figure: '--figure',
  traceFigure: '--trace-figure',
};

/** The command of a form. */
export function routeCommandOf<Values extends object>(
  form: RouteCommandForm<Values>,
  context: CommandContext,
): Command {
  const command = addScope(new Command(form.name).description(form.description), form.scope);
  for (const [name, description] of form.arguments ?? []) command.argument(name, description);
  for (const own of form.options) command.addOption(own);
  if (form.outputs !== undefined) command.option('--force', forceHelp);
  command.option('--json', 'print the result as JSON').addHelpText('after', `\n${form.help}`);
  command.action(async (...words: unknown[]) => {
    const given = words.slice(0, form.arguments?.length ?? 0) as string[];
    await carryOut(form, words[given.length] as Values & SharedValues, given, context);
  });
  return refuseRepeats(command, form.repeatable);
}

async function carryOut<Values extends object>(
  form: RouteCommandForm<Values>,
  values: Values & SharedValues,
  given: readonly string[],
  context: CommandContext,
): Promise<void> {
  const force = values.force === true;
  const named = namedFiles(form.outputs ?? [], values);
  form.check?.(values);
  await checkOutputs(
    Object.values(named).filter((path) => path !== null),
    force,
    form.isQuick?.(values) ?? true,
  );
  const { host, progress, exitCode } = routeHostOf(context, values);
  const outcome = await form.run(values, host, ...given);
  progress.update('writing');
  const { warnings, texts, folder } = outcome;
  const files = Object.entries(named).flatMap(([name, path]) => {
    const text = texts?.[name as OutputName];
    return path === null || text === undefined ? [] : [{ path, text }];
  });
  if (files.length > 0 || folder !== undefined)
    await writeWholeFiles([...files, ...(folder?.files ?? [])], force, folder?.path);
  progress.stop();
  context.stdout.write(
    values.json === true
      ? `${JSON.stringify({ ...outcome.object(named), warnings }, null, 2)}\n`
      : reportText(outcome.lines(named), warnings),
  );
  const ended = exitCode() ?? (outcome.failed === true ? ExitCode.failed : null);
  if (ended !== null) context.endWith(ended);
}

/** Files to be written. @throws InputError if a path is empty, or the name of a figure says another format */
function namedFiles(outputs: readonly OutputName[], values: Partial<Record<OutputName, string>>): RouteFiles {
  const named = { out: null, lanesOut: null, figure: null, traceFigure: null } as Record<OutputName, string | null>;
  for (const name of outputs) {
    const path = values[name];
    if (path === undefined) continue;
    const place = outputOptions[name];
    if (path === '') throw InputError.at('output-path', place, wholeFile, 'the path is empty', { wanted: 'a file' });
    if (name.endsWith('igure')) checkFigurePath(place, path);
    named[name] = path;
  }
  return named;
}

/** The terminal as the host of an operation: files, progress, Ctrl-C while a search goes on, threads, a solver. */
function routeHostOf(
  { host: files, stderr }: CommandContext,
  { solver = bundledSolver, workers = 1 }: SharedValues,
): { readonly host: RouteHost; readonly progress: StageProgress; readonly exitCode: () => number | null } {
  const wallMs = (): number => files.wallMs();
  const cpuSeconds = (): number => files.cpuSeconds();
  const progress = new StageProgress(stderr, wallMs);
  let session: SearchSession | null = null;
  let exitCode: number | null = null;
  let stop!: () => void;
  const whenStopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  const host: RouteHost = {
    files,
    wallMs,
    cpuSeconds,
    stage: (text) => progress.update(text),
    watch: (name, mostSeconds) => {
      const own = new SearchSession(name, stderr, progress, wallMs, mostSeconds);
      session = own;
      void own.whenStopped.then(stop);
      return () => {
        exitCode ??= own.exitCode;
        own.close();
        session = null;
      };
    },
    report: (state) => session?.report(state),
    stopRequested: () => exitCode !== null || session?.stopRequested() === true,
    whenStopped,
    solver: { solver: (say) => solverNamed(solver, say), notes: () => otherSolverNotes(solver) },
    search: async (algorithm, source, settings) => {
      const from = cpuSeconds();
      const found = await searchInThreads(algorithm, source, settings, host);
      // one thread counts its own time, several have that of the process
      return workers === 1 ? found : { ...found, cpuSeconds: cpuSeconds() - from };
    },
  };
  return { host, progress, exitCode: () => exitCode };
}

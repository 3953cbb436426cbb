// The frame of every command of weft route: options to a request, an operation of app/routes, its result as text or
// JSON and as files, an exit code.
// Invariants: what could not be written is refused before anything is computed, and nothing is written before the
// operation has ended; bad input ends with 2, what is not as it should be with 1, a search that was stopped as its
// signal says, with its best.

import type { Command } from 'commander';
import type { RouteHost } from '../../app/routes/make-tables.js';
import { InputError, type Diagnostic } from '../../base/diagnostics.js';
import type { RouteFiles } from '../../report/routes/computed-routes-text.js';
import { reportText } from '../../report/routes/route-text.js';
import type { CommandContext } from '../context.js';
import { ExitCode } from '../exit-codes.js';
import {
  declaredCommand,
  type CommandDeclaration,
  type DeclaredOption,
  type OptionValues,
  toggle,
} from '../options/declared-command.js';
import { checkFigurePath } from '../options/option-file.js';
import { pngMaker } from '../png-picture.js';
import { StageProgress } from '../stage-progress.js';
import { checkOutputs, forceHelp, writeWholeFiles, type FileContent } from '../whole-file.js';
import { SearchSession } from './search-session.js';
import { searchInThreads } from './search-thread.js';
import { bundledSolver, otherSolverNotes, solverNamed, type SolverName } from './solver-option.js';

/** Options that name files to be written. */
const outputNames = ['out', 'lanesOut', 'figure', 'traceFigure'] as const satisfies readonly (keyof RouteFiles)[];

/** What a command came to. */
interface RouteOutcome {
  /** what is written to the files that options name */
  readonly texts?: { readonly [Name in keyof RouteFiles]?: FileContent | undefined };
  /** a folder that is made, and files in it */
  readonly folder?: { readonly path: string; readonly files: readonly { path: string; text: FileContent }[] };
  /** the result as JSON, but for its warnings, and for people; asked for once files are written, with their names */
  readonly object: (files: RouteFiles) => Record<string, unknown>;
  readonly lines: (files: RouteFiles) => readonly string[];
  readonly warnings: readonly Diagnostic[];
  /** something is not as it should be */
  readonly failed?: boolean;
}

/** What values of options ask an operation for: whether there are figures, and limits by their names in requests. */
type RequestOf<Values> = Omit<Values, 'figure' | 'traceFigure' | 'time' | 'work'> & {
  readonly figure: boolean;
  readonly traceFigure: boolean;
  /** files that exist may be replaced */
  readonly force?: boolean;
  readonly seconds?: number;
  readonly mostWork?: number;
};

/** A command. */
interface RouteCommandForm<Options extends readonly DeclaredOption[], Form extends string> extends Pick<
  CommandDeclaration<Options, Form>,
  'name' | 'description' | 'argument' | 'second' | 'options'
> {
  /** --out is a folder, which the operation fills */
  readonly fillsFolder?: boolean;
  /** whether what stands at an output may turn out to be the same: a long search is not to be lost over it */
  readonly isQuick?: (values: OptionValues<Options>) => boolean;
  /** figures may be PNG, by the names of their files, and not only SVG */
  readonly drawsPng?: boolean;
  readonly help: string;
  /** refuses options before anything is read @throws InputError */
  readonly check?: (values: OptionValues<Options>) => void;
  readonly run: (
    request: RequestOf<OptionValues<Options>>,
    host: RouteHost,
    words: readonly string[],
  ) => Promise<RouteOutcome>;
}

/** The command of a form. Options that say where something is written bring --force with them. */
export function routeCommandOf<const Options extends readonly DeclaredOption[], const Form extends string = never>({
  fillsFolder = false,
  isQuick = () => true,
  drawsPng = false,
  help,
  check,
  run,
  ...form
}: RouteCommandForm<Options, Form>): (context: CommandContext) => Command {
  const outputs = fillsFolder
    ? []
    : outputNames.filter((name) => form.options.some((option) => option.attributeName() === name));
  const force = fillsFolder || outputs.length > 0 ? [toggle('--force', forceHelp)] : [];
  return declaredCommand({
    ...form,
    options: [...form.options, ...force, toggle('--json', 'print the result as JSON')],
    after: `\n${help}`,
    run: async ({ options, command, context }) => {
      const values = options as unknown as OptionValues<Options>;
      const shared = options as SharedValues;
      const named = namedFiles(outputs, command, shared, drawsPng);
      check?.(values);
      const mayReplace = shared.force === true;
      const paths = Object.values(named).filter((path) => path !== null);
      await checkOutputs(paths, mayReplace, isQuick(values));
      const pngPath = paths.find(isPng);
      const toPng = pngPath === undefined ? null : await pngMaker(pngPath);
      const { host, progress, exitCode } = routeHostOf(context, shared);
      const { texts, folder, object, lines, warnings, failed } = await run(
        requestOf(shared) as RequestOf<OptionValues<Options>>,
        host,
        command.args,
      );
      progress.update('writing');
      const files = outputs.flatMap((name) => {
        const [path, text] = [named[name], texts?.[name]];
        if (path === null || text === undefined) return [];
        const isPicture = name.endsWith('igure') && isPng(path) && typeof text === 'string';
        return [{ path, text: isPicture ? toPng!(text) : text }];
      });
      if (files.length > 0 || folder !== undefined)
        await writeWholeFiles([...files, ...(folder?.files ?? [])], mayReplace, folder?.path);
      progress.stop();
      context.stdout.write(
        shared.json
          ? `${JSON.stringify({ ...object(named), warnings }, null, 2)}\n`
          : reportText(lines(named), warnings),
      );
      return exitCode() ?? (failed === true ? ExitCode.failed : undefined);
    },
  });
}

/** Values of options that commands may have. */
interface SharedValues extends Partial<Readonly<Record<keyof RouteFiles, string>>> {
  readonly force?: boolean;
  readonly json: boolean;
  readonly solver?: SolverName;
  readonly workers?: number;
  readonly time?: number;
  readonly work?: number;
}

/** What is asked of an operation. An empty list was not given. */
function requestOf({ figure, traceFigure, time, work, ...values }: SharedValues): RequestOf<object> {
  const given = Object.entries(values).filter(([, own]) => !(Array.isArray(own) && own.length === 0));
  return {
    ...Object.fromEntries(given),
    ...(time === undefined ? {} : { seconds: time }),
    ...(work === undefined ? {} : { mostWork: work }),
    figure: figure !== undefined,
    traceFigure: traceFigure !== undefined,
  };
}

function isPng(path: string): boolean {
  return /\.png$/i.test(path);
}

/** Files to be written. @throws InputError if a path is empty, or the name of a figure says another format */
function namedFiles(
  outputs: readonly (keyof RouteFiles)[],
  command: Command,
  values: SharedValues,
  drawsPng: boolean,
): RouteFiles {
  const named = { out: null, lanesOut: null, figure: null, traceFigure: null } as Record<
    keyof RouteFiles,
    string | null
  >;
  for (const name of outputs) {
    const path = values[name];
    if (path === undefined) continue;
    const place = command.options.find((option) => option.attributeName() === name)!.long!;
    if (path === '') throw InputError.about('output-path', place, 'the path is empty', { wanted: 'a file' });
    if (name.endsWith('igure')) checkFigurePath(place, path, drawsPng);
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

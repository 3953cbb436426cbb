// An external program as a solver: the programme goes to it as an MPS file in a temporary folder, its solution is read
// back and checked.
// Invariants: the program ends with the call, with the signals that end this process, and with the process (but for
// SIGKILL, which cannot be heard: then it goes on to its time limit); the folder is removed; a program that crashes,
// and a solution that does not meet the programme's rows, are errors, not results. What it was told to begin with
// counts if it finds nothing itself. Not passed on: solutions that come while it searches (`offered`).

import { spawn, type ChildProcess } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { largestViolation, LinearProgram } from '../exact/linear-program.js';
import type { LinearSolution, LinearSolver, SolveLimits, SolverProgress } from '../exact/linear-solver.js';
import { mpsText } from '../exact/program-text.js';
import {
  externalPrograms,
  readSolutionText,
  type ExternalProgram,
  type ExternalProgramName,
} from './external-programs.js';
import { makeSolverFolder, removeSolverFolder, type SolverFolder } from './solver-folder.js';

/** How long after its limit, or after it was asked to end, a program is killed. */
const graceMs = 5000;
/** Characters kept of what a program prints, and of a line of it: what counts stands at the end. */
const mostKept = 1 << 20;
const longestLine = 10_000;
const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** What a solution may break a row by: solvers keep rows to 1e-6, before they undo their scaling. */
const largestBreach = 1e-4;

/** A program that is not there, fails, or returns what is no solution. */
export class ExternalSolverError extends Error {
  /** @param hint what to do about it */
  constructor(
    message: string,
    readonly hint: string,
  ) {
    super(message);
    this.name = 'ExternalSolverError';
  }
}

/** The programs among those on PATH, best known for speed first. */
export function programsOnPath(): ExternalProgramName[] {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const runs = (name: string): boolean =>
    folders.some((folder) => {
      try {
        accessSync(join(folder, name), constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
  return (['gurobi_cl', 'highs', 'cbc'] as const).filter(runs);
}

/**
 * The solver of that name on PATH. Throws ExternalSolverError when it solves.
 * @param say told how searches go, where the program tells
 */
export function externalSolver(
  name: ExternalProgramName,
  say: (progress: SolverProgress) => void = () => {},
): LinearSolver {
  return {
    name,
    solve: (program, objective, limits) => solveOutside(externalPrograms[name], program, objective, limits, say),
  };
}

async function solveOutside(
  external: ExternalProgram,
  program: LinearProgram,
  objective: number,
  limits: SolveLimits,
  say: (progress: SolverProgress) => void,
): Promise<LinearSolution> {
  const folder = await preparedFolder(external, program, objective, limits);
  try {
    const output = await run(external, folder, limits, say);
    const text = await readFile(folder.solution, 'utf8').catch(() => '');
    refuseCrash(external, output, text, limits.seconds);
    const solution = solutionOf(external, program, objective, output.text, text);
    return solution.values === null && limits.start !== undefined && solution.status !== 'infeasible'
      ? startSolution(program, objective, limits.start, solution.bound)
      : solution;
  } finally {
    removeSolverFolder(folder.path);
  }
}

/** A folder with the files that the program reads. @throws ExternalSolverError */
async function preparedFolder(
  external: ExternalProgram,
  program: LinearProgram,
  objective: number,
  { seconds, start }: SolveLimits,
): Promise<SolverFolder> {
  let folder: SolverFolder | null = null;
  try {
    folder = await makeSolverFolder();
    await writeFile(folder.model, mpsText(program, objective));
    await writeFile(folder.options, external.options(seconds));
    if (start !== undefined) await writeFile(folder.start, startText(program, objective, start));
    return folder;
  } catch (error) {
    if (folder !== null) removeSolverFolder(folder.path);
    throw new ExternalSolverError(
      `the model for ${external.name} cannot be written into ${tmpdir()}: ${(error as Error).message}`,
      'let the environment variable TMPDIR name a folder with room that can be written',
    );
  }
}

interface Output {
  /** the end of what it printed */
  readonly text: string;
  /** the end of what it printed as errors */
  readonly errors: string;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** it was asked to end before it did by itself */
  readonly stopped: boolean;
  readonly seconds: number;
}

/** @throws ExternalSolverError if it ended before its time and neither well nor with word of it */
function refuseCrash(external: ExternalProgram, output: Output, solution: string, limitSeconds: number): void {
  const { code, signal, stopped, seconds, text, errors } = output;
  if (stopped || (signal === null && external.saysItsEnd(text, solution))) return;
  if (code === 0 && seconds >= limitSeconds) return;
  const how =
    signal !== null ? `was ended by ${signal}` : code === 0 ? 'ended without a solution' : `ended with code ${code}`;
  throw new ExternalSolverError(
    `${external.name} ${how}, ${seconds.toFixed(1)} of its ${limitSeconds} s gone`,
    lastLines(errors.trim() === '' ? text : errors),
  );
}

async function run(
  external: ExternalProgram,
  folder: SolverFolder,
  { seconds, start, cancelled }: SolveLimits,
  say: (progress: SolverProgress) => void,
): Promise<Output> {
  const startMs = performance.now();
  const secondsSince = (): number => (performance.now() - startMs) / 1000;
  const files = { ...folder, start: start === undefined ? null : folder.start };
  // a group of its own: Ctrl-C on the terminal is for this process, which passes it on
  const child = spawn(external.name, external.args(files, seconds), {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const release = endWithProcess(() => {
    signalGroup(child, 'SIGKILL');
    removeSolverFolder(folder.path);
  });
  let stopped = false;
  let clock: NodeJS.Timeout | undefined;
  const stop = (): void => {
    if (stopped) return;
    stopped = true;
    signalGroup(child, 'SIGINT');
    clearTimeout(clock);
    clock = setTimeout(() => {
      signalGroup(child, 'SIGKILL');
    }, graceMs);
  };
  clock = setTimeout(stop, 1000 * seconds + graceMs);
  cancelled?.then(stop, stop);
  let text = '';
  let errors = '';
  let line = '';
  const hear = (piece: Buffer): void => {
    const words = piece.toString();
    text = (text + words).slice(-mostKept);
    line += words;
    const end = line.lastIndexOf('\n');
    for (const own of end === -1 ? [] : line.slice(0, end).split('\n')) {
      const progress = external.progress(own);
      if (progress !== null) say({ seconds: secondsSince(), ...progress });
    }
    line = line.slice(end + 1).slice(-longestLine);
  };
  child.stdout.on('data', hear);
  child.stderr.on('data', (piece: Buffer) => {
    errors = (errors + piece.toString()).slice(-mostKept);
    hear(piece);
  });
  try {
    return await new Promise<Output>((resolve, reject) => {
      child.on('error', (error: NodeJS.ErrnoException) => {
        reject(
          error.code === 'ENOENT'
            ? new ExternalSolverError(`there is no program ${external.name} on PATH`, external.install)
            : new ExternalSolverError(`${external.name} does not start: ${error.message}`, external.install),
        );
      });
      child.on('close', (code, signal) => {
        resolve({ text, errors, code, signal, stopped, seconds: secondsSince() });
      });
    });
  } finally {
    clearTimeout(clock);
    release();
  }
}

/**
 * Has something done before this process ends, by process.exit or by a signal that nobody else hears: without it the
 * program outside would go on alone. @returns ends that
 */
function endWithProcess(end: () => void): () => void {
  const endOutsideSolver = (signal: NodeJS.Signals): void => {
    // who else hears it asks the search to end, and that the program; other programs outside are no such listeners
    if (process.listeners(signal).some(({ name }) => name !== endOutsideSolver.name)) return;
    end();
    process.off(signal, endOutsideSolver);
    process.kill(process.pid, signal);
  };
  process.once('exit', end);
  for (const signal of endingSignals) process.on(signal, endOutsideSolver);
  return () => {
    process.off('exit', end);
    for (const signal of endingSignals) process.off(signal, endOutsideSolver);
  };
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // it has ended meanwhile
  }
}

function solutionOf(
  external: ExternalProgram,
  program: LinearProgram,
  objective: number,
  output: string,
  text: string,
): LinearSolution {
  const { status, bound } = external.result(output, text);
  if (status === 'infeasible') return { status, objective: Infinity, bound: Infinity, values: null };
  if (status === 'none') return { status, objective: Infinity, bound: bound ?? -Infinity, values: null };
  const values = readSolutionText(external, text, program.variableNames);
  const breach = largestViolation(program, values);
  if (breach > largestBreach)
    throw new ExternalSolverError(
      `${external.name} returned a solution that breaks a row by ${breach.toPrecision(3)}`,
      lastLines(output),
    );
  const reached = LinearProgram.valueOf(program.objectives[objective]!.terms, values);
  return {
    status,
    objective: reached,
    bound: status === 'optimal' ? reached : Math.min(reached, bound ?? -Infinity),
    values,
  };
}

function startSolution(program: LinearProgram, objective: number, values: Float64Array, bound: number): LinearSolution {
  const reached = LinearProgram.valueOf(program.objectives[objective]!.terms, values);
  return { status: 'feasible', objective: reached, bound: Math.min(bound, reached), values };
}

/** As cbc writes and reads solutions. */
function startText(program: LinearProgram, objective: number, values: Float64Array): string {
  const lines = [`Stopped - objective value ${LinearProgram.valueOf(program.objectives[objective]!.terms, values)}`];
  program.variableNames.forEach((name, variable) => {
    if (values[variable] !== 0) lines.push(`${variable} ${name} ${values[variable]} 0`);
  });
  return `${lines.join('\n')}\n`;
}

function lastLines(output: string): string {
  const lines = output
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '');
  return lines.length === 0 ? 'it printed nothing' : `it ended with: ${lines.slice(-4).join(' | ')}`;
}

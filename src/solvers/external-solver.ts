// An external program as a solver: the programme goes to it as an MPS file in a temporary folder, its solution is read
// back and checked.
// Invariants: the program ends with the call, with Ctrl-C and with this process; the folder is removed; a solution that
// does not meet the programme's rows is an error, not a result. What it was told to begin with counts if it finds
// nothing itself. Not passed on: solutions that come while it searches (`offered`).

import { spawn, type ChildProcess } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
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
  type ProgramFiles,
} from './external-programs.js';

/** How long after its limit, or after it was asked to end, a program is killed. */
const graceMs = 5000;
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
  const folder = await mkdtemp(join(tmpdir(), 'weft-solver-'));
  try {
    const files: ProgramFiles = {
      model: join(folder, 'model.mps'),
      solution: join(folder, 'model.sol'),
      options: join(folder, 'options'),
      start: limits.start === undefined ? null : join(folder, 'start.sol'),
    };
    await writeFile(files.model, mpsText(program, objective));
    await writeFile(files.options, external.options(limits.seconds));
    if (limits.start !== undefined) await writeFile(files.start!, startText(program, objective, limits.start));
    const output = await run(external, files, limits, say);
    const text = await readFile(files.solution, 'utf8').catch(() => '');
    const solution = solutionOf(external, program, objective, output.text, text);
    if (solution.status === 'none' && !output.stopped && limits.start === undefined && output.code !== 0)
      throw new ExternalSolverError(
        `${external.name} ended with code ${output.code ?? output.signal}`,
        lastLines(output.text),
      );
    return solution.values === null && limits.start !== undefined && solution.status !== 'infeasible'
      ? startSolution(program, objective, limits.start, solution.bound)
      : solution;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Output {
  readonly text: string;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** it was asked to end before it did by itself */
  readonly stopped: boolean;
}

async function run(
  external: ExternalProgram,
  files: ProgramFiles,
  { seconds, cancelled }: SolveLimits,
  say: (progress: SolverProgress) => void,
): Promise<Output> {
  const start = performance.now();
  // a group of its own: Ctrl-C on the terminal is for this process, which passes it on
  const child = spawn(external.name, external.args(files, seconds), {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const kill = (): void => {
    signalGroup(child, 'SIGKILL');
  };
  process.once('exit', kill);
  let stopped = false;
  let clock: NodeJS.Timeout | undefined;
  const stop = (): void => {
    if (stopped) return;
    stopped = true;
    signalGroup(child, 'SIGINT');
    clearTimeout(clock);
    clock = setTimeout(kill, graceMs);
  };
  clock = setTimeout(stop, 1000 * seconds + graceMs);
  cancelled?.then(stop, stop);
  let text = '';
  let line = '';
  const hear = (piece: Buffer): void => {
    text += piece.toString();
    line += piece.toString();
    const end = line.lastIndexOf('\n');
    for (const own of end === -1 ? [] : line.slice(0, end).split('\n')) {
      const progress = external.progress(own);
      if (progress !== null) say({ seconds: (performance.now() - start) / 1000, ...progress });
    }
    line = line.slice(end + 1);
  };
  child.stdout.on('data', hear);
  child.stderr.on('data', hear);
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
        resolve({ text, code, signal, stopped });
      });
    });
  } finally {
    clearTimeout(clock);
    process.off('exit', kill);
  }
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

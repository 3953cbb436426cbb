// HiGHS in a worker of its own for every programme, so that the program can show progress and end a search that does not heed its limit.
// Invariants: a worker never outlives its call; one that fails (out of memory, say) is told as an Error.

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { LinearProgram } from '../exact/linear-program.js';
import type { LinearSolution, LinearSolver, SolveLimits } from '../exact/linear-solver.js';
import { programArrays, type SolverProgress } from './highs-run.js';

/** How long after its limit a worker is ended: HiGHS looks at the clock between steps only. */
const graceSeconds = 5;

/** The solver that is installed with Weft. @param say told how searches go */
export function highsSolver(say: (progress: SolverProgress) => void = () => {}): LinearSolver {
  return { name: 'HiGHS (WebAssembly)', solve: (program, objective, limits) => solveInWorker(program, objective, limits, say) };
}

async function solveInWorker(program: LinearProgram, objective: number, { cancelled, ...limits }: SolveLimits, say: (progress: SolverProgress) => void): Promise<LinearSolution> {
  const worker = new Worker(workerFile(), { workerData: { arrays: programArrays(program, objective), limits } });
  let clock: NodeJS.Timeout | undefined;
  try {
    return await new Promise<LinearSolution>((resolve, reject) => {
      let last: LinearSolution = { status: 'none', objective: Infinity, bound: -Infinity, values: null };
      clock = setTimeout(() => { resolve(last); }, 1000 * (limits.seconds + graceSeconds));
      const giveUp = (): void => { resolve(last); };
      cancelled?.then(giveUp, giveUp);
      worker.on('message', (message: { progress?: SolverProgress; solution?: LinearSolution }) => {
        if (message.solution !== undefined) resolve(message.solution);
        else {
          last = { ...last, bound: message.progress!.bound };
          say(message.progress!);
        }
      });
      worker.on('error', reject);
      worker.on('exit', (code) => { reject(new Error(`the solver's thread ended with code ${code}`)); });
    });
  } finally {
    clearTimeout(clock);
    await worker.terminate();
  }
}

/** The compiled worker; from the sources (tests) that of the build beside them. */
function workerFile(): URL {
  const beside = new URL('./highs-worker.js', import.meta.url);
  return existsSync(fileURLToPath(beside)) ? beside : new URL('../../dist/solvers/highs-worker.js', import.meta.url);
}

// HiGHS in threads, so that the program can show progress and end a search that does not heed its limit. A thread that
// is done is used again by the next programme (loading HiGHS takes longer than most programmes of Partitioned Binary);
// two at once have a thread each.
// Invariants: a thread that is ended early is not used again; one that idles does not keep the process alive; one that
// fails (out of memory, say) is told as an Error; what is ended early returns the best solution that it had told of.

import { Worker } from 'node:worker_threads';
import type { LinearProgram } from '../exact/linear-program.js';
import type { LinearSolution, LinearSolver, SolveLimits, SolverProgress } from '../exact/linear-solver.js';
import { programArrays, type SolverMessage, type SolverTask } from './highs-run.js';

/** How long after its limit a thread is ended: HiGHS looks at the clock between steps only. */
const graceSeconds = 5;

/** The solver that is installed with Weft. @param say told how searches go @param begin begins a thread */
export function highsSolver(
  say: (progress: SolverProgress) => void = () => {},
  begin: () => Worker = beginHighsThread,
): LinearSolver {
  const idle: Worker[] = [];
  return {
    name: 'HiGHS (WebAssembly)',
    solve: (program, objective, limits) => solveInThread(idle.pop() ?? begin(), idle, program, objective, limits, say),
  };
}

/** A thread that waits for programmes. */
export function beginHighsThread(): Worker {
  return new Worker(new URL('./highs-worker.js', import.meta.url));
}

async function solveInThread(
  worker: Worker,
  idle: Worker[],
  program: LinearProgram,
  objective: number,
  { cancelled, ...limits }: SolveLimits,
  say: (progress: SolverProgress) => void,
): Promise<LinearSolution> {
  worker.ref();
  let clock: NodeJS.Timeout | undefined;
  let whole = false;
  try {
    return await new Promise<LinearSolution>((resolve, reject) => {
      let last: LinearSolution = { status: 'none', objective: Infinity, bound: -Infinity, values: null };
      clock = setTimeout(
        () => {
          resolve(last);
        },
        1000 * (limits.seconds + graceSeconds),
      );
      const giveUp = (): void => {
        resolve(last);
      };
      cancelled?.then(giveUp, giveUp);
      worker.on('message', (message: SolverMessage) => {
        if ('solution' in message) {
          whole = true;
          resolve(message.solution);
        } else if ('improved' in message)
          last = { ...message.improved, bound: Math.max(last.bound, message.improved.bound) };
        else {
          last = { ...last, bound: Math.max(last.bound, message.progress.bound) };
          say(message.progress);
        }
      });
      worker.on('error', reject);
      worker.on('exit', (code) => {
        reject(new Error(`the solver's thread ended with code ${code}`));
      });
      worker.postMessage({ arrays: programArrays(program, objective), limits } satisfies SolverTask, []);
    });
  } finally {
    clearTimeout(clock);
    // event by event: without a name the listeners go by which Node hands messages out
    for (const event of ['message', 'error', 'exit']) worker.removeAllListeners(event);
    if (whole) {
      worker.unref();
      idle.push(worker);
    } else await worker.terminate();
  }
}

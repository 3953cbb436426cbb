// --workers of commands that simulate one thing after the other: how many of them run at the same time.
// Invariant: results do not depend on it.

import { InvalidArgumentError, Option } from 'commander';
import { type PoolOptions, RunPool } from '../../campaign/run-pool.js';
import type { CommandContext } from '../context.js';

/** what is refused: far beyond any machine */
const mostWorkers = 1024;

/** The option. @param what is run, such as `sizes` */
export function workersOption(what: string): Option {
  return processesOption('--workers <count>', what);
}

/** An option that says how many processes are at work. @param what is run, such as `sizes` */
export function processesOption(flags: string, what: string): Option {
  return new Option(
    flags,
    `${what} at the same time, each in a process with\nmemory of its own (default: the processors there are)`,
  ).argParser(workerCount);
}

/** The pool of a command. @param given with --workers @param tasks how many there are at most */
export function poolFor(
  { module, shared }: Pick<PoolOptions, 'module' | 'shared'>,
  given: number | undefined,
  tasks: number,
  { sideBySide: { processes, worthMs } }: CommandContext,
): RunPool {
  return new RunPool({
    processes: Math.max(1, Math.min(given ?? processes, tasks)),
    module,
    ...(shared === undefined ? {} : { shared }),
    ...(worthMs === undefined ? {} : { worthMs }),
  });
}

/** Reads a number of workers. @throws InvalidArgumentError */
function workerCount(text: string): number {
  const count = Number(text);
  if (!/^\d{1,5}$/.test(text) || count < 1 || count > mostWorkers)
    throw new InvalidArgumentError(`Give a whole number from 1 to ${mostWorkers}.`);
  return count;
}

// Options of commands that simulate: on which backend, how many runs at the same time, and a page about them.
// Invariant: results do not depend on how many run at the same time.

import { backendHelp, backendNames } from '../../backends/catalogue.js';
import { type PoolOptions, RunPool } from '../../campaign/run-pool.js';
import type { CommandContext } from '../context.js';
import { type DeclaredOption, value, oneOf } from './declared-command.js';
import { wholeNumberFrom } from './option-values.js';

/** what is refused: far beyond any machine */
const mostWorkers = 1024;

/** The option. @param what is run, such as `sizes` */
export function workersOption(what: string): DeclaredOption<'workers', number | undefined> {
  return processesOption('--workers <count>', what);
}

/** An option that says how many processes are at work. @param what is run, such as `sizes` */
export function processesOption<const F extends string>(flags: F, what: string) {
  return value(
    flags,
    `${what} at the same time, each in a process with\nmemory of its own (default: the processors there are)`,
    wholeNumberFrom(1, mostWorkers),
  );
}

/** The pool of a command. @param given with --workers @param tasks how many there are at most */
export function poolFor(
  options: Omit<PoolOptions, 'processes'>,
  given: number | undefined,
  tasks: number,
  { sideBySide: { processes, worthMs } }: CommandContext,
): RunPool {
  return new RunPool({ worthMs, ...options, processes: Math.max(1, Math.min(given ?? processes, tasks)) });
}

/** The option. */
export const backendOption = oneOf('--backend <name>', backendHelp(), backendNames, 'fluid');

export const reportHelp = 'also write a page with charts about it (docs/report.md)';

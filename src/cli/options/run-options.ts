// Options of commands that simulate: on which backend, where, how many runs at the same time, and a page about them.
// Invariant: results do not depend on how many run at the same time.

import { backendHelp, backendNames } from '../../backends/catalogue.js';
import { type DeclaredOption, type OptionValues, value, oneOf } from './declared-command.js';
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

/** The engines that carry out runs (cli/engines/catalogue.ts), by the word that names each: where the runs are then. */
const engineWords = { local: 'processes of this machine' } as const;

export type EngineName = keyof typeof engineWords;

/** Options of commands whose runs may be carried out elsewhere. */
export const engineOptions = [
  oneOf(
    '--on <engine>',
    `where runs are carried out:\n${Object.entries(engineWords)
      .map(([word, where]) => `${word}: ${where}`)
      .join(';\n')}`,
    Object.keys(engineWords) as EngineName[],
    'local',
  ),
] as const;

/** What they say. */
export type EngineOptions = OptionValues<typeof engineOptions>;

/** The option. */
export const backendOption = oneOf('--backend <name>', backendHelp(), backendNames, 'fluid');

export const reportHelp = 'also write a page with charts about it (docs/report.md)';

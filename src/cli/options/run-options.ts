// Options of commands that simulate: on which backend, where, how many runs at the same time, and a page about them.
// Invariant: results do not depend on how many run at the same time.

import { backendHelp, backendNames } from '../../backends/catalogue.js';
import { parseTimePs } from '../../base/units.js';
import { type DeclaredOption, type OptionValues, text, value, oneOf, toggle } from './declared-command.js';
import { readBy, wholeNumberFrom } from './option-values.js';

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
const engineWords = {
  local: 'processes of this machine',
  slurm: 'job arrays of Slurm, over a shared file system',
  bullmq: 'machines on which weft worker runs, by a queue in Redis',
} as const;

/** Milliseconds. */
const longestRun = readBy((text) => {
  const timePs = parseTimePs(text);
  return timePs !== null && timePs >= 1e12 ? timePs / 1e9 : null;
}, 'a time of a second or more, such as 600s.');

/** The option. */
export const redisOption = text(
  '--redis <url>',
  'where Redis is: redis://HOST:PORT, with TLS rediss://\n(default: WEFT_REDIS_URL)',
);

export type EngineName = keyof typeof engineWords;

const slurmName = readBy(
  (text) => (/^[\w.,+-]{1,200}$/.test(text) ? text : null),
  'a name that Slurm may have: letters, digits and _ . , + - alone.',
);
const slurmTime = readBy(
  (text) => (/^(\d{1,5}-)?\d{1,6}(:\d{1,2}){0,2}$/.test(text) ? text : null),
  'a time such as 90 (minutes), 1:30:00 or 2-00:00:00 (days first).',
);
const slurmSize = readBy((text) => (/^[1-9]\d{0,9}[KMGT]?$/i.test(text) ? text : null), 'a size such as 500M or 2G.');

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
  redisOption,
  value('--longest-run <time>', 'end a run that takes longer, and count it as lost', longestRun),
  value('--partition <name>', 'of Slurm (default: its own)', slurmName),
  value('--account <name>', 'of Slurm that pays (default: its own)', slurmName),
  value(
    '--time <time>',
    'of a task, as sbatch takes it (default: three times the\nforecast, at least 10 minutes)',
    slurmTime,
  ),
  value('--memory <size>', 'of a task, such as 2G (default: three times the\nforecast, at least 512M)', slurmSize),
  value(
    '--array-size <count>',
    'tasks of the job array, each with as many runs\n(default: tasks of a minute, by the forecast)',
    wholeNumberFrom(1, 1_000_000),
  ),
  toggle('--detach', 'leave the runs to Slurm; the same command comes back'),
  toggle('--cancel', 'end what was left to Slurm, and keep what has ended'),
] as const;

/** What they say. */
export type EngineOptions = OptionValues<typeof engineOptions>;

/** The option. */
export const keepRunsOption = toggle('--keep-runs', 'keep the folder of each run, too: DIR/runs/0, DIR/runs/1, …');

/** What they say among the options of a command. */
export function engineOptionsOf(options: EngineOptions): EngineOptions {
  const names = engineOptions.map((option) => option.attributeName() as keyof EngineOptions);
  return Object.fromEntries(names.map((name) => [name, options[name]])) as unknown as EngineOptions;
}

/** What they say where none of them is given. */
export const onThisMachine: EngineOptions = { on: 'local', detach: false, cancel: false };

/** The option. */
export const backendOption = oneOf('--backend <name>', backendHelp(), backendNames, 'fluid');

export const reportHelp = 'also write a page with charts about it (docs/report.md)';

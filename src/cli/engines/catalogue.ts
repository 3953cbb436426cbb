// The engines, by the word that --on takes. One more is an entry here, and its options in options/run-options.ts.

import { RunPool } from '../../campaign/run-pool.js';
import { InputError } from '../../base/diagnostics.js';
import type { TaskEngine } from '../../campaign/task-engine.js';
import { isGiven } from '../options/declared-command.js';
import type { EngineName, EngineOptions } from '../options/run-options.js';
import { weftVersion } from '../version.js';
import type { EngineContext, EngineDeclaration, EngineWork } from './engine.js';
import { taskKinds } from './task-kinds.js';

const engines: Readonly<Record<EngineName, EngineDeclaration>> = {
  local: {
    options: ['longestRun'],
    begin: async ({ kind, shared, leavesToWorkers, workers, count }, { longestRun }, { sideBySide }) => {
      const { processes, worthMs } = sideBySide;
      return new RunPool({
        worthMs,
        module: taskKinds[kind].module,
        shared,
        leavesToWorkers: longestRun === undefined ? leavesToWorkers : 'always',
        mostTaskMs: longestRun,
        processes: Math.max(1, Math.min(workers ?? processes, count)),
      });
    },
  },
  slurm: {
    options: ['partition', 'account', 'time', 'memory', 'arraySize', 'detach', 'cancel'],
    begin: async (work, options, context) => (await import('./slurm.js')).beginSlurm(work, options, context),
  },
  bullmq: {
    options: ['redis', 'longestRun'],
    begin: async (work, { redis, longestRun }, { environment }) => {
      const { BullMqEngine } = await import('../../campaign/bullmq/bullmq-engine.js');
      const { redisAddress } = await import('../../campaign/bullmq/redis.js');
      return BullMqEngine.begin({
        work,
        identity: work.identity,
        address: redisAddress(redis, environment),
        version: weftVersion(),
        longestRunMs: longestRun,
        note: work.note,
      });
    },
  },
};

/** Begins the engine that was asked for. @throws InputError if an option has no meaning with it */
export async function beginEngine(
  work: EngineWork,
  options: EngineOptions,
  context: EngineContext,
): Promise<TaskEngine> {
  const { begin, options: own } = engines[options.on];
  if (options.on !== 'local' && work.workers !== undefined)
    throw InputError.about('engine-option', work.workersFlag, `has no meaning with --on ${options.on}`, {
      hint:
        options.on === 'slurm'
          ? '--array-size says how many tasks there are'
          : 'say it to the workers: weft worker --jobs 4',
    });
  for (const [name, given] of Object.entries(options))
    if (name !== 'on' && isGiven(given) && !(own as readonly string[]).includes(name))
      throw InputError.about('engine-option', flagOf(name), `has no meaning with --on ${options.on}`, {
        wanted: ownersOf(name),
        hint: `leave out ${flagOf(name)}`,
      });
  return begin(work, options, context);
}

/** `arraySize` -> `--array-size` */
function flagOf(name: string): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

function ownersOf(name: string): string {
  return Object.entries(engines)
    .filter(([, { options }]) => (options as readonly string[]).includes(name))
    .map(([word]) => `--on ${word}`)
    .join(' or ');
}

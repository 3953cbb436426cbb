// The engine `slurm` for the command line: what a task of an array takes, and what is asked of Slurm for it.

import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InputError } from '../../base/diagnostics.js';
import { workerFlags } from '../../campaign/worker-flags.js';
import type { SlurmLimits } from '../../campaign/slurm/slurm-commands.js';
import { sha256Of } from '../../campaign/slurm/array-folder.js';
import { SlurmEngine, type SlurmRequest } from '../../campaign/slurm/slurm-engine.js';
import type { EngineOptions } from '../options/run-options.js';
import { weftVersion } from '../version.js';
import type { EngineContext, EngineWork } from './engine.js';

/** The folder of the engine, in that of the command's results. */
const folderName = 'slurm';

/** The same of a command that has no folder, in the working folder. @param identity of its work */
function ownFolderName(identity: string): string {
  return `weft-slurm-${sha256Of(identity).slice(0, 12)}`;
}
/** CPU seconds of a task of the array, by the forecast, from which on it takes no more runs. */
const taskSeconds = 60;
/** Runs of a task if nothing is known of them. */
const usualRuns = 16;
/** What is asked for over what is forecast. */
const margin = 3;
const leastMinutes = 10;
const leastMebibytes = 512;

/** Begins it. @throws InputError */
export async function beginSlurm(
  { kind, shared, files, identity, count, cost, folder, roots = [], note }: EngineWork,
  { partition, account, time, memory, arraySize, detach, cancel }: EngineOptions,
  { environment }: EngineContext,
): Promise<SlurmEngine> {
  if (detach && cancel)
    throw InputError.about('engine-option', '--cancel', 'has no meaning with --detach', {
      hint: 'leave out one of them',
    });
  const usual = cost === null ? usualRuns : Math.max(1, Math.ceil(taskSeconds / cost.cpuSeconds));
  return new SlurmEngine({
    folder: folder === null ? resolve(ownFolderName(identity)) : join(folder, folderName),
    work: { kind, shared, files, roots },
    identity,
    weftVersion: weftVersion(),
    command: [process.execPath, ...workerFlags, fileURLToPath(new URL('./slurm-task.js', import.meta.url))],
    request: (runs) => slurmRequest(runs, cost, { partition, account, time, memory }),
    runsPerTask: arraySize === undefined ? usual : Math.ceil(count / arraySize),
    mostTasks: arraySize,
    detaches: detach,
    cancels: cancel,
    environment,
    note,
  });
}

/** What is asked of Slurm for tasks of so many runs, and in words. @param given by the user, which goes before */
function slurmRequest(runs: number, cost: EngineWork['cost'], given: SlurmLimits): SlurmRequest {
  const forecast =
    cost === null
      ? {}
      : {
          time: `${Math.max(leastMinutes, Math.ceil((margin * runs * cost.cpuSeconds) / 60))}`,
          memory: `${Math.max(leastMebibytes, Math.ceil((margin * cost.memoryBytes) / 2 ** 20))}M`,
        };
  const { time, memory } = { ...forecast, ...present(given) };
  const asked = (value: string | undefined, own: string | undefined, unit: string): string =>
    value === undefined
      ? "the partition's own"
      : own === undefined
        ? `${value}${unit} (${margin} times the forecast, or the least)`
        : value;
  return {
    limits: { ...forecast, ...present(given) },
    words: `time ${asked(time, given.time, ' min')}, memory ${asked(memory, given.memory, '')}`,
  };
}

/** Only what is given. */
function present(given: SlurmLimits): SlurmLimits {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

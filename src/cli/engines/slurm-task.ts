// What the script of a job array begins on a node: `node slurm-task.js FOLDER DIGEST PLACE`, where PLACE is that of the
// task in the array (campaign/slurm/array-folder.ts says what is in the folder).
// Exit codes: 0 all runs have a result; 1 not all; 2 bad words. What was refused stands in the results.

import { carryOutArrayTask } from '../../campaign/slurm/array-task.js';
import { weftVersion } from '../version.js';
import { taskKinds } from './task-kinds.js';

const [folder = '', digest = '', place = ''] = process.argv.slice(2);
let isStopping = false;
// sent by Slurm before it kills: of a job that is cancelled, or whose time is up
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
  process.on(signal, () => {
    isStopping = true;
  });

function moduleOf(kind: string): URL | null {
  if (!Object.hasOwn(taskKinds, kind)) return null;
  const { module, travels } = taskKinds[kind as keyof typeof taskKinds];
  return travels ? module : null;
}

if (folder === '' || !/^[0-9a-f]{64}$/.test(digest) || !/^\d{1,9}$/.test(place)) {
  process.stderr.write('slurm-task: wanted: FOLDER DIGEST PLACE\n');
  process.exitCode = 2;
} else
  try {
    const index = Number(place);
    const stopRequested = (): boolean => isStopping;
    const task = { folder, digest, index, weftVersion: weftVersion(), moduleOf, stopRequested };
    process.exitCode = (await carryOutArrayTask(task)) ? 0 : 1;
  } catch (error) {
    process.stderr.write(`slurm-task: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }

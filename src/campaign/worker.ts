// A worker process of a pool (run-pool.ts): one task after the other, by the module that it is told first.
// Invariants: it ends when the process that began it does, however that came about; signals of the terminal are that
// process's to act on, which then says `stop`.

import { performance } from 'node:perf_hooks';
import { Stopped } from '../base/host.js';
import { beginInputs } from '../storage/read-inputs.js';
import { carriedError } from './carried-error.js';
import { couldNotBegin } from './could-not-begin.js';
import { type TaskReach, toolsWithin } from './task-reach.js';
import { type FromWorker, type PerformTask, TaskMemory, type TaskTools, type ToWorker } from './worker-messages.js';

/** Wall-clock milliseconds between two reports of a task. */
const reportEveryMs = 100;

beginInputs();
let perform: PerformTask | null = null;
let shared: unknown = null;
let reach: TaskReach = {};
let isStopping = false;
const memory = new TaskMemory();
/** the end of the task before */
let before = Promise.resolve();

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
process.on('disconnect', () => {
  process.exit();
});
process.on('message', (message: ToWorker) => {
  if ('stop' in message) isStopping = true;
  else if ('begin' in message) void begin(message.begin);
  else {
    const { place, input } = message.task;
    before = before.then(() => carryOut(place, input));
  }
});

async function begin(given: Extract<ToWorker, { begin: unknown }>['begin']): Promise<void> {
  try {
    ({ default: perform } = (await import(given.module)) as { readonly default: PerformTask });
  } catch (error) {
    couldNotBegin(error);
  }
  ({ shared, reach } = given);
  say({ ready: true });
}

async function carryOut(place: number, input: unknown): Promise<void> {
  if (isStopping) {
    say({ place, notBegun: true });
    return;
  }
  let nextMs = 0;
  const tools: TaskTools = {
    report: (progress) => {
      const nowMs = performance.now();
      if (nowMs < nextMs) return;
      nextMs = nowMs + reportEveryMs;
      say({ place, progress });
    },
    stopRequested: () => isStopping,
    keep: memory.keep,
    ...toolsWithin(reach),
  };
  try {
    say({ place, result: await perform!(shared as never, input as never, tools) });
  } catch (error) {
    say(error instanceof Stopped ? { place, notBegun: true } : { place, error: carriedError(error) });
  }
}

function say(message: FromWorker): void {
  process.send!(message);
}

// Independent tasks, several at a time: this process takes one after the other, and so do worker processes, which begin
// once enough is left for them. For commands that simulate one thing after the other.
// Processes and not threads: CPU time and memory are those of each run then, and one that needs too much takes no other
// with it.
// Invariants: results are those of one process, handed on in the order of the tasks; no worker outlives `close` or this
// process; after `stop` nothing begins, and what is under way ends with what it has; an error of one task ends all, and
// of several the first in order is thrown. Memory is at most that of so many tasks as there are processes.
// Not modelled: what memory the machine has; whoever knows that tasks are large says how many may run at once.

import { type ChildProcess, fork } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { builtFile } from './built-file.js';
import { errorFrom } from './carried-error.js';
import { LostWorkerError } from './lost-worker.js';
import { type TaskListener, TaskQueue, type PooledTask } from './task-queue.js';
import type { FromWorker, ToWorker } from './worker-messages.js';

/** Wall-clock milliseconds between two looks at whether workers are worth beginning. */
const lookEveryMs = 200;
/** Wall-clock milliseconds of work left, as far as it can be seen, from which on they are: a worker takes
 * half a second of CPU to come up, and its first tasks run cold. */
const worthMs = 3000;

export interface PoolOptions {
  /** processes that work at a time, this one included; 1: this one alone */
  readonly processes: number;
  /** its default export (PerformTask) carries out tasks in workers */
  readonly module: URL;
  /** what that is given with every task; made once, when workers begin. Left out: null */
  readonly shared?: () => unknown;
  /** instead of three seconds of work left, for tests */
  readonly worthMs?: number;
}

interface WorkerProcess {
  readonly child: ChildProcess;
  isReady: boolean;
  /** of the task that it is at; null: of none */
  place: number | null;
}

export class RunPool {
  private readonly workers = new Set<WorkerProcess>();
  private queue: TaskQueue<unknown> | null = null;
  private isStopping = false;
  private readonly killAll = (): void => {
    for (const { child } of this.workers) child.kill('SIGKILL');
  };

  constructor(private readonly options: PoolOptions) {
    process.on('exit', this.killAll);
  }

  /**
   * Carries out tasks; one call at a time.
   * @returns their results in order; null for those that a stop left out
   * @throws what a task throws; LostWorkerError
   */
  async run<Result>(
    tasks: readonly PooledTask<Result>[],
    listener: TaskListener<Result> = {},
  ): Promise<(Result | null)[]> {
    const queue = new TaskQueue<Result>(tasks, listener, () => {
      this.stop();
    });
    if (this.isStopping) queue.close();
    this.queue = queue as TaskQueue<unknown>;
    const startMs = performance.now();
    const look = (): void => {
      if (queue.expectedMs(performance.now() - startMs) >= (this.options.worthMs ?? worthMs))
        this.beginWorkers(queue.left);
    };
    if (this.options.processes > 1) look();
    const clock = this.options.processes > 1 ? setInterval(look, lookEveryMs) : null;
    try {
      for (const worker of this.workers) this.feed(worker);
      for (let place = queue.take(); place !== null; place = queue.take()) await this.carryOut(queue, place);
      await queue.whenSettled();
    } finally {
      if (clock !== null) clearInterval(clock);
      this.queue = null;
    }
    return queue.results();
  }

  /** Lets nothing begin any more, and asks what is under way to end. */
  stop(): void {
    if (this.isStopping) return;
    this.isStopping = true;
    this.queue?.close();
    for (const { child } of this.workers) send(child, { stop: true });
  }

  /** Ends all workers. */
  async close(): Promise<void> {
    process.off('exit', this.killAll);
    const ends = [...this.workers].map(
      ({ child }) =>
        new Promise<void>((resolve) => {
          child.removeAllListeners();
          child.once('exit', () => {
            resolve();
          });
          child.once('error', () => {
            resolve();
          });
          if (!child.kill('SIGKILL')) resolve();
        }),
    );
    this.workers.clear();
    await Promise.all(ends);
  }

  /** A task in this process. */
  private async carryOut<Result>(queue: TaskQueue<Result>, place: number): Promise<void> {
    try {
      const result = await queue.tasks[place]!.here({
        report: (progress) => {
          queue.report(place, progress);
        },
        stopRequested: () => this.isStopping,
      });
      queue.settle(place, { result });
    } catch (error) {
      queue.settle(place, { error });
    }
  }

  private beginWorkers(most: number): void {
    if (this.workers.size > 0 || this.isStopping) return;
    const { processes, module, shared } = this.options;
    const begin: ToWorker = { begin: { module: builtFile(module).href, shared: shared?.() ?? null } };
    for (let i = 0; i < Math.min(processes - 1, most); i++) {
      const child = fork(builtFile(new URL('./worker.js', import.meta.url)), [], {
        serialization: 'advanced',
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      });
      const worker: WorkerProcess = { child, isReady: false, place: null };
      this.workers.add(worker);
      child.on('message', (message) => {
        this.hear(worker, message as FromWorker);
      });
      // one that does not come up is a hand less, and its task is nobody's yet
      child.on('error', () => this.lose(worker, 'could not be reached'));
      child.on('exit', (code, signal) =>
        this.lose(worker, signal === null ? `ended with code ${code}` : `ended with signal ${signal}`),
      );
      send(child, begin);
    }
  }

  private hear(worker: WorkerProcess, message: FromWorker): void {
    const { queue } = this;
    if ('ready' in message) worker.isReady = true;
    else if ('progress' in message) {
      queue?.report(message.place, message.progress);
      return;
    } else {
      worker.place = null;
      queue?.settle(
        message.place,
        'error' in message ? { error: errorFrom(message.error) } : { result: message.result },
      );
    }
    this.feed(worker);
  }

  /** Gives a worker that is free its next task. */
  private feed(worker: WorkerProcess): void {
    const { queue } = this;
    if (queue === null || !worker.isReady || worker.place !== null) return;
    const place = queue.take();
    if (place === null) return;
    worker.place = place;
    send(worker.child, { task: { place, input: queue.tasks[place]!.input() } });
  }

  private lose(worker: WorkerProcess, how: string): void {
    this.workers.delete(worker);
    const { place } = worker;
    if (place === null) return;
    worker.place = null;
    this.queue?.settle(place, { error: new LostWorkerError(this.queue.tasks[place]!.name, how) });
  }
}

function send(child: ChildProcess, message: ToWorker): void {
  if (child.connected) child.send(message);
}

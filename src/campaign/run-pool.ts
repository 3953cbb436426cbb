// Independent tasks, several at a time: this process takes one after the other, and so do worker processes, which begin
// once enough is left for them. For commands that simulate one thing after the other.
// Processes and not threads: CPU time and memory are those of each run then, and one that needs too much takes no other
// with it.
// Invariants: results are those of one process, handed on in the order of the tasks; no worker outlives `close` or this
// process; after `stop` nothing begins, and what is under way ends with what it has, or as if it had not begun
// (Stopped); an error of one task ends all, and of several the first in order is thrown. Memory is at most that of so
// many tasks as there are processes. A worker that dies is replaced while tasks are left; after three in a row that did
// not come up no more begin.
// Not modelled: what memory the machine has; whoever knows that tasks are large says how many may run at once.

import { type ChildProcess, fork } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { Stopped } from '../base/host.js';
import { errorFrom } from './carried-error.js';
import { LostWorkerError } from './lost-worker.js';
import type { TaskEngine } from './task-engine.js';
import type { TaskSource } from './task-source.js';
import { type TaskReach, toolsWithin } from './task-reach.js';
import { workerFlags } from './worker-flags.js';
import { type FromWorker, TaskMemory, type ToWorker } from './worker-messages.js';

/** Wall-clock milliseconds between two looks at whether workers are worth beginning. */
const lookEveryMs = 200;
/** Wall-clock milliseconds of work left, as far as it can be seen, from which on they are: a worker takes
 * half a second of CPU to come up, and its first tasks run cold. */
const worthMs = 3000;
/** Wall-clock milliseconds of a task below which a worker has the next before it asks: asking takes about one. */
const shortMs = 100;
/** Workers in a row that end before they are ready, after which no other begins. */
const mostFailedStarts = 3;

export interface PoolOptions {
  /** processes that work at a time, this one included; 1: this one alone */
  readonly processes: number;
  /**
   * this process takes no task once a worker was ready, and there are as many workers as `processes`: for tasks so
   * short that a worker would wait for this process to look up from its own, and that may be the end of their process.
   * `always`: nor before one was ready, nor if none comes up
   */
  readonly leavesToWorkers?: boolean | 'always';
  /** wall-clock milliseconds of a task after which its worker is killed; left out: none. Of workers alone */
  readonly mostTaskMs?: number | undefined;
  /** its default export (PerformTask) carries out tasks in workers */
  readonly module: URL;
  /** what that is given with every task; made once, when workers begin. Left out: null */
  readonly shared?: (() => unknown) | undefined;
  /** what tasks may read and write; left out: anything */
  readonly reach?: TaskReach | undefined;
  /** instead of three seconds of work left, for tests */
  readonly worthMs?: number | undefined;
}

interface WorkerProcess {
  readonly child: ChildProcess;
  isReady: boolean;
  /** of the task that it is at, and of those that wait behind it there */
  readonly places: number[];
  /** since when it is at the first of them, in milliseconds of this process */
  sinceMs: number;
  /** what the end of the process is to be told as, if this pool brought it about */
  killed: string | null;
}

export class RunPool implements TaskEngine {
  private readonly workers = new Set<WorkerProcess>();
  private source: TaskSource | null = null;
  private isStopping = false;
  private failedStarts = 0;
  private hadWorker = false;
  private startMs = 0;
  /** of tasks that this process carries out */
  private readonly memory = new TaskMemory();
  /** told of everything that may give this process something to do */
  private wake: () => void = () => {};
  private readonly killAll = (): void => {
    for (const { child } of this.workers) child.kill('SIGKILL');
  };

  constructor(private readonly options: PoolOptions) {
    process.on('exit', this.killAll);
  }

  async work(source: TaskSource): Promise<void> {
    if (this.isStopping) source.close();
    this.source = source;
    this.startMs = performance.now();
    const look = (): void => {
      // of the task under way half is taken to be done
      const leftMs = ((performance.now() - this.startMs) / (source.ended + 0.5)) * source.left;
      const isWorth = leftMs >= (this.options.worthMs ?? worthMs);
      // nobody is at work
      const isDue = this.workers.size === 0 && !this.isNeededHere;
      if (isWorth || isDue) this.beginWorkers(source.left);
      this.killOverdue();
    };
    const mayBegin = this.mostWorkers > 0;
    if (mayBegin) look();
    const clock = mayBegin ? setInterval(look, lookEveryMs) : null;
    try {
      for (const worker of this.workers) this.feed(worker);
      while (!source.isSettled) {
        if (this.options.leavesToWorkers === 'always' && this.workers.size === 0 && this.cannotBegin)
          throw new Error('no worker process could begin');
        const place = this.isNeededHere ? source.take() : null;
        if (place === null) await new Promise<void>((resolve) => (this.wake = resolve));
        else {
          await this.carryOut(source, place);
          // short tasks leave the clock no turn
          if (mayBegin) look();
        }
      }
    } finally {
      if (clock !== null) clearInterval(clock);
      this.source = null;
    }
  }

  stop(): void {
    if (this.isStopping) return;
    this.isStopping = true;
    this.source?.close();
    for (const { child } of this.workers) send(child, { stop: true });
    this.wake();
  }

  /** Stops, and ends the processes at once: what they were at is lost. @param how as LostWorkerError tells it */
  kill(how: string): void {
    this.stop();
    for (const worker of this.workers) {
      worker.killed = how;
      worker.child.kill('SIGKILL');
    }
  }

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

  /** Whether this process takes tasks itself. */
  private get isNeededHere(): boolean {
    const { leavesToWorkers = false } = this.options;
    if (leavesToWorkers === 'always') return false;
    return !leavesToWorkers || !this.hadWorker || this.cannotBegin;
  }

  private get cannotBegin(): boolean {
    return this.failedStarts >= mostFailedStarts;
  }

  private get mostWorkers(): number {
    const { processes, leavesToWorkers = false } = this.options;
    return leavesToWorkers === false ? processes - 1 : processes;
  }

  /** A task in this process. */
  private async carryOut(source: TaskSource, place: number): Promise<void> {
    try {
      const result = await source.task(place).here({
        report: (progress) => {
          source.report(place, progress);
        },
        stopRequested: () => this.isStopping,
        keep: this.memory.keep,
        ...toolsWithin(this.options.reach ?? {}),
      });
      source.settle(place, { result });
    } catch (error) {
      if (error instanceof Stopped) source.giveBack(place);
      else source.settle(place, { error });
    }
  }

  /** Begins as many workers as there should be, or as are worth it. */
  private beginWorkers(most: number): void {
    if (this.isStopping) return;
    const wanted = Math.min(this.mostWorkers, most);
    if (this.workers.size >= wanted) return;
    const { module, shared, reach = {} } = this.options;
    const begin: ToWorker = { begin: { module: module.href, shared: shared?.() ?? null, reach } };
    while (this.workers.size < wanted && !this.cannotBegin) this.beginWorker(begin);
  }

  private beginWorker(begin: ToWorker): void {
    const child = fork(new URL('./worker-entry.js', import.meta.url), [`${this.failedStarts}`], {
      execArgv: [...process.execArgv, ...workerFlags],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const worker: WorkerProcess = { child, isReady: false, places: [], sinceMs: 0, killed: null };
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

  private hear(worker: WorkerProcess, message: FromWorker): void {
    const { source } = this;
    // what a worker said before it died may come after its end; its task is another's by then
    if (!this.workers.has(worker)) return;
    if ('ready' in message) {
      worker.isReady = true;
      this.hadWorker = true;
      this.failedStarts = 0;
    } else if ('progress' in message) {
      source?.report(message.place, message.progress);
      return;
    } else {
      worker.places.shift();
      worker.sinceMs = performance.now();
      if ('notBegun' in message) source?.giveBack(message.place);
      else
        source?.settle(
          message.place,
          'error' in message ? { error: errorFrom(message.error) } : { result: message.result },
        );
    }
    this.feed(worker);
    this.wake();
  }

  /** Gives a worker that is free its next task, and one to go on with. */
  private feed(worker: WorkerProcess): void {
    const { source } = this;
    if (source === null || !worker.isReady) return;
    for (const wanted = this.areShort(source) ? 2 : 1; worker.places.length < wanted;) {
      const place = source.take();
      if (place === null) return;
      if (worker.places.length === 0) worker.sinceMs = performance.now();
      worker.places.push(place);
      send(worker.child, { task: { place, input: source.task(place).input() } });
    }
  }

  /** Whether tasks are so short, and so many are left, that none waits long behind another. */
  private areShort({ ended, left }: TaskSource): boolean {
    const { workers } = this;
    if ((this.options.leavesToWorkers ?? false) === false || left <= 2 * workers.size) return false;
    return (performance.now() - this.startMs) * workers.size < shortMs * ended;
  }

  /** Ends workers whose task takes longer than a task may. */
  private killOverdue(): void {
    const { mostTaskMs = Infinity } = this.options;
    for (const worker of this.workers)
      if (worker.places.length > 0 && performance.now() - worker.sinceMs > mostTaskMs) {
        worker.killed = `was ended after ${mostTaskMs / 1000} s, the longest that a run may take`;
        worker.child.kill('SIGKILL');
      }
  }

  private lose(worker: WorkerProcess, how: string): void {
    // told by an error and by its end
    if (!this.workers.delete(worker)) return;
    if (!worker.isReady) this.failedStarts++;
    const { source } = this;
    const [place, ...waiting] = worker.places;
    if (place !== undefined && source !== null) {
      source.lose(place, new LostWorkerError(source.task(place).name, worker.killed ?? how, worker.killed !== null));
      for (const other of waiting) source.giveBack(other);
      // it may be to be done again
      for (const other of this.workers) this.feed(other);
    }
    this.wake();
  }
}

function send(child: ChildProcess, message: ToWorker): void {
  if (child.connected) child.send(message);
}

// The engine `slurm`: job arrays on a shared file system, and nothing else of ours on the cluster. A task of an array
// carries out many runs, so that its start does not dominate; what came of them stands in files, a line each.
// Invariants: the same campaign that comes back takes over the arrays that it had submitted, and their results; a run
// without a result, whose task has ended, is submitted again, alone if its task died over it; a run counts once, however
// often it was carried out; a job that somebody has cancelled is not submitted again, and ends the work with its reason.
// Not modelled: the load of a cluster; Slurm decides what runs where and when.

import { join } from 'node:path';
import { mkdir, rm } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { shellWord } from '../../base/shell-word.js';
import { outputError } from '../../storage/output-error.js';
import { errorFrom } from '../carried-error.js';
import { EngineError } from '../engine-error.js';
import { LostWorkerError } from '../lost-worker.js';
import { portableText } from '../portable-data.js';
import type { PortableWork, TaskEngine } from '../task-engine.js';
import type { TaskSource } from '../task-source.js';
import {
  arraysIn,
  makeArrayFolder,
  readSmall,
  readWork,
  RefusedWorkError,
  sha256Of,
  storeFiles,
  writeSmall,
} from './array-folder.js';
import { type EndedTask, JobArray } from './job-array.js';
import { type SlurmLimits, SlurmCommands } from './slurm-commands.js';

/** Arrays in a row that ended without a single task having begun, after which no other is submitted. */
const mostFailedStarts = 2;
/** Milliseconds between two readings of results, and between two questions to Slurm: fewer as time goes by. */
const readEveryMs = { least: 250, most: 5000 };
const askEveryMs = { least: 1500, most: 30_000 };
/** Milliseconds that a job may wait before that is said. */
const waitsLongMs = 10_000;

/** What is asked of Slurm for each task, and the same in words. */
export interface SlurmRequest {
  readonly limits: SlurmLimits;
  readonly words: string;
}

export interface SlurmOptions {
  /** of the campaign, on a file system that all machines see; absolute */
  readonly folder: string;
  readonly work: PortableWork;
  /** tells this campaign from any other */
  readonly identity: string;
  readonly weftVersion: string;
  /** program and words that carry out a task of an array: folder, digest and place in the array follow */
  readonly command: readonly string[];
  /** what to ask for tasks of so many runs */
  readonly request: (runs: number) => SlurmRequest;
  /** runs that a task takes at least, if there are as many, and tasks that an array has at most */
  readonly runsPerTask: number;
  readonly mostTasks: number | undefined;
  /** do not wait for results */
  readonly detaches: boolean;
  /** cancel what is there, and submit nothing */
  readonly cancels: boolean;
  readonly environment: NodeJS.ProcessEnv;
  readonly note: (text: string) => void;
}

export class SlurmEngine implements TaskEngine {
  isLeft = false;
  private readonly slurm: SlurmCommands;
  private readonly arrays = new Set<JobArray>();
  /** runs that were taken, and are neither settled nor given back */
  private readonly taken = new Set<number>();
  /** of these, runs that are to be submitted */
  private readonly waiting = new Set<number>();
  /** runs that tasks have died over */
  private readonly suspects = new Set<number>();
  private readonly startMs = performance.now();
  private isStopping = false;
  private wake: () => void = () => {};
  private failedStarts = 0;
  private nextArray = 1;
  private nextAskMs = 0;
  private said = '';

  constructor(private readonly options: SlurmOptions) {
    this.slurm = new SlurmCommands(options.environment);
  }

  async work(source: TaskSource): Promise<void> {
    let isWhole = false;
    await this.comeBack();
    this.take(source);
    await this.read(source);
    if (this.options.cancels) {
      this.isLeft = true;
      await this.end(source);
    }
    try {
      while (this.taken.size > 0 && !this.isStopping && !source.isClosed) {
        if (this.waiting.size > 0) await this.submit(source);
        if (this.options.detaches) break;
        await this.pause();
        await this.read(source);
        await this.ask(source);
      }
    } finally {
      // with its logs while a run has no result but the death of its task
      isWhole = this.taken.size === 0 && this.suspects.size === 0 && !this.isStopping && !source.isClosed;
      if (this.options.detaches && this.taken.size > 0) this.leave(source);
      else await this.end(source);
    }
    if (isWhole) await rm(this.options.folder, { recursive: true, force: true }).catch(() => {});
  }

  stop(): void {
    this.isStopping = true;
    this.wake();
  }

  async close(): Promise<void> {}

  /** Takes over the arrays of earlier calls; those of another campaign are cancelled. */
  private async comeBack(): Promise<void> {
    const { folder } = this.options;
    for (const number of await arraysIn(folder)) {
      this.nextArray = number + 1;
      const place = join(folder, `${number}`);
      if ((await readSmall(place, 'ended')) !== null) continue;
      const job = (await readSmall(place, 'job.json')) ?? (await this.slurm.jobNamed(this.nameOf(number)));
      const work = await readWork(place).catch((error: unknown) => {
        if (error instanceof RefusedWorkError) return null;
        throw error;
      });
      if (work?.campaign === this.campaign) {
        this.arrays.add(new JobArray(place, work, job));
        continue;
      }
      await writeSmall(place, 'ended', '');
      if (job !== null) await this.slurm.cancel(job);
    }
    if (this.arrays.size > 0) this.options.note(`back to ${this.jobs}`);
  }

  /** Takes all runs: those that no array has are to be submitted. */
  private take(source: TaskSource): void {
    const there = new Set<number>();
    for (const array of this.arrays) for (const place of array.leftPlaces()) there.add(place);
    for (let place = source.take(); place !== null; place = source.take()) {
      this.taken.add(place);
      if (!there.has(place)) this.waiting.add(place);
    }
  }

  private async read(source: TaskSource): Promise<void> {
    for (const array of this.arrays) {
      for await (const line of array.results()) {
        if ('refused' in line)
          throw new EngineError(
            `a task of job ${array.job} was refused: ${line.refused}`,
            `see that all nodes have this very Weft; remove ${this.options.folder} to begin it anew`,
          );
        if (!('place' in line) || !this.taken.delete(line.place)) continue;
        this.waiting.delete(line.place);
        this.suspects.delete(line.place);
        this.failedStarts = 0;
        source.settle(line.place, 'error' in line ? { error: errorFrom(line.error) } : { result: line.result });
        if (source.isClosed) return;
      }
      if (array.isOver) await this.forget(array);
    }
  }

  /** Asks Slurm for tasks that have ended without their results. */
  private async ask(source: TaskSource): Promise<void> {
    const nowMs = performance.now();
    if (nowMs < this.nextAskMs || this.taken.size === 0) return;
    this.nextAskMs = nowMs + this.every(askEveryMs);
    for (const array of this.arrays) {
      const ended = await array.look(this.slurm, nowMs);
      if (ended === null) {
        this.say('Slurm does not answer; waiting for it');
        continue;
      }
      if (array.waits !== null && nowMs - this.startMs > waitsLongMs)
        this.say(`job ${array.job} waits: Slurm says ${array.waits}`);
      for (const task of ended) this.lose(source, task);
      if (ended.length > 0 && !ended.some(({ hadBegun }) => hadBegun) && ++this.failedStarts >= mostFailedStarts)
        throw new EngineError(
          `tasks of job ${array.job} end before they begin: one ${ended[0]!.how}`,
          `see ${join(array.folder, 'logs')}; nodes need this folder, Node and Weft at the same paths`,
        );
      if (array.isOver) await this.forget(array);
    }
    this.take(source);
  }

  private lose(source: TaskSource, { left, hadBegun, state, how, isFinal }: EndedTask): void {
    const own = left.filter((place) => this.taken.delete(place));
    if (state === 'CANCELLED' && !isFinal) {
      for (const place of own) source.giveBack(place);
      source.close();
      throw new EngineError(`a job of this campaign ${how}`, 'the same command goes on with what is left');
    }
    for (const [i, place] of own.entries()) {
      if (i > 0 || !hadBegun) {
        source.giveBack(place);
        continue;
      }
      const wasAlone = this.suspects.has(place);
      this.suspects.add(place);
      source.lose(place, new LostWorkerError(source.task(place).name, how, isFinal && wasAlone));
    }
  }

  private async submit(source: TaskSource): Promise<void> {
    const { folder, work, weftVersion, request, command, note } = this.options;
    const most = Math.min(this.options.mostTasks ?? Infinity, await this.slurm.mostTasks());
    const shares = sharesOf([...this.waiting], this.suspects, this.options.runsPerTask, most);
    const number = this.nextArray++;
    const place = join(folder, `${number}`);
    await mkdir(join(folder, 'store'), { recursive: true }).catch((error: unknown) => {
      throw outputError(folder, error);
    });
    const { campaign } = this;
    const shared = work.shared();
    const files = await storeFiles(join(folder, 'store'), work.files);
    const made = await makeArrayFolder(
      place,
      { weftVersion, campaign, kind: work.kind, shared, files, roots: work.roots ?? [] },
      shares.map((share) => share.map((run) => ({ place: run, input: source.task(run).input() }))),
    );
    const words = [...command, place, made.digest].map(shellWord).join(' ');
    const script = `#!/bin/sh\nexec ${words} "$SLURM_ARRAY_TASK_ID"\n`;
    const runs = Math.max(...shares.map(({ length }) => length));
    const asked = request(runs);
    let job: string;
    try {
      job = await this.slurm.submit(shares.length, this.nameOf(number), place, script, asked.limits);
    } catch (error) {
      await rm(place, { recursive: true, force: true });
      throw error;
    }
    this.arrays.add(new JobArray(place, made.work, job));
    await writeSmall(place, 'job.json', job);
    note(`submitted to Slurm as job ${job}: ${shares.length} tasks of up to ${runs} runs, each with ${asked.words}`);
    for (const run of shares.flat()) this.waiting.delete(run);
    this.nextAskMs = performance.now() + askEveryMs.least;
  }

  /** Leaves the jobs to Slurm. */
  private leave(source: TaskSource): void {
    this.isLeft = true;
    this.giveBack(source);
    this.options.note(`left to Slurm: ${this.jobs}; the same command comes back to it, and with --cancel ends it`);
  }

  /** Cancels what is left, and takes what has come until then. */
  private async end(source: TaskSource): Promise<void> {
    for (const { job, folder } of this.arrays) {
      await writeSmall(folder, 'ended', '').catch(() => {});
      if (job !== null) await this.slurm.cancel(job);
    }
    if (!source.isClosed) await this.read(source).catch(() => {});
    this.giveBack(source);
    this.arrays.clear();
  }

  private giveBack(source: TaskSource): void {
    for (const place of this.taken) source.giveBack(place);
    this.taken.clear();
    this.waiting.clear();
    source.close();
  }

  private async forget(array: JobArray): Promise<void> {
    await writeSmall(array.folder, 'ended', '');
    this.arrays.delete(array);
  }

  private pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, this.every(readEveryMs));
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
      if (this.isStopping) this.wake();
    });
  }

  /** Milliseconds to wait: a fiftieth of the time that it has taken so far, within limits. */
  private every({ least, most }: { readonly least: number; readonly most: number }): number {
    return Math.min(Math.max((performance.now() - this.startMs) / 50, least), most);
  }

  /** Says something once. */
  private say(text: string): void {
    if (text !== this.said) this.options.note(text);
    this.said = text;
  }

  /** Tells the campaign from any other, and from the same one of another version: a digest. */
  private get campaign(): string {
    const { identity, weftVersion, work } = this.options;
    return sha256Of(portableText([identity, weftVersion, work.kind, work.shared(), work.files]));
  }

  private nameOf(array: number): string {
    return `weft-${this.campaign.slice(0, 12)}-${array}`;
  }

  private get jobs(): string {
    return [...this.arrays].map(({ job }) => `job ${job ?? 'of which nothing is known'}`).join(', ');
  }
}

/**
 * Runs by tasks of an array, which follow each other as they stand. Runs that tasks have died over have one for
 * themselves each, and come last.
 * @param runsPerTask at least, if there are as many @param mostTasks of the array; more suspects wait for the next one
 */
function sharesOf(
  runs: readonly number[],
  suspects: ReadonlySet<number>,
  runsPerTask: number,
  mostTasks: number,
): number[][] {
  const alone = runs.filter((run) => suspects.has(run)).slice(0, Math.max(1, mostTasks - 1));
  const others = runs.filter((run) => !suspects.has(run));
  const most = Math.max(1, mostTasks - alone.length);
  const each = Math.max(runsPerTask, Math.ceil(others.length / most));
  const shares: number[][] = [];
  for (let from = 0; from < others.length; from += each) shares.push(others.slice(from, from + each));
  return [...shares, ...alone.map((run) => [run])];
}

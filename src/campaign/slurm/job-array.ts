// A job array of a campaign, as the command sees it: which of its runs have no result yet, and where its tasks are.
// Invariant: a run is told once, as a result or as one that its task has ended without.

import { join } from 'node:path';
import { readFile } from 'node:fs/promises';
import type { ArrayWork } from './array-folder.js';
import { type ResultLine, ResultReader } from './array-results.js';
import { isLiveState, type SlurmCommands, type SlurmTaskState } from './slurm-commands.js';

/** Milliseconds that results may take to be seen here once their task has ended: file systems of several machines. */
const settlesMs = 3000;
/** The same if the task ended well, and so must have written them. */
const longestMs = 90_000;
/** Characters of the end of a log that are looked at. */
const logTail = 2000;

/** A task that ended before its runs did. */
export interface EndedTask {
  /** runs without a result, in the order in which the task takes them */
  readonly left: readonly number[];
  /** whether it had begun: the first of them is what it was at then */
  readonly hadBegun: boolean;
  readonly state: string;
  /** how it ended, such as `ran into its time limit (job 7_3 on n12: TIMEOUT); allow more with --time` */
  readonly how: string;
  /** whether a run that had the task for itself would end the same way again */
  readonly isFinal: boolean;
}

export class JobArray {
  private readonly reader: ResultReader;
  /** runs without a result, by task */
  private readonly left = new Map<number, Set<number>>();
  private readonly begun = new Set<number>();
  /** since when a task was seen to have ended, in milliseconds */
  private readonly endedSince = new Map<number, number>();
  /** its job waits, and why; null: some task runs, or nothing is left */
  waits: string | null = null;

  /** @param job its number; null: nobody knows one */
  constructor(
    readonly folder: string,
    readonly work: ArrayWork,
    readonly job: string | null,
  ) {
    this.reader = new ResultReader(folder);
    for (const [index, { places }] of work.tasks.entries()) this.left.set(index, new Set(places));
  }

  /** Runs without a result. */
  *leftPlaces(): Generator<number> {
    for (const places of this.left.values()) yield* places;
  }

  get isOver(): boolean {
    return this.left.size === 0;
  }

  /** What has come of runs since the last call. */
  async *results(): AsyncGenerator<ResultLine> {
    for await (const { index, line } of this.reader.lines((wanted) => this.left.has(wanted))) {
      this.begun.add(index);
      if ('place' in line) {
        const places = this.left.get(index);
        if (places?.delete(line.place) !== true) continue;
        if (places.size === 0) this.left.delete(index);
      }
      yield line;
    }
  }

  /** Asks Slurm. @returns tasks that ended before their runs did; null if Slurm does not answer */
  async look(slurm: SlurmCommands, nowMs: number): Promise<readonly EndedTask[] | null> {
    const { job } = this;
    const states = job === null ? new Map<number, SlurmTaskState>() : await slurm.states(job);
    if (states === null) return null;
    this.noteWaits(states);
    const over: number[] = [];
    for (const index of this.left.keys()) {
      const state = states.get(index)?.state;
      if (state !== undefined && isLiveState(state)) {
        this.endedSince.delete(index);
        continue;
      }
      const since = this.endedSince.get(index) ?? nowMs;
      this.endedSince.set(index, since);
      if (nowMs - since >= (state === 'COMPLETED' ? longestMs : settlesMs)) over.push(index);
    }
    if (over.length === 0) return [];
    const accounts = job === null ? states : await slurm.accounts(job);
    const ended: EndedTask[] = [];
    for (const index of over) ended.push(await this.endOf(index, accounts.get(index) ?? states.get(index)));
    return ended;
  }

  private noteWaits(states: ReadonlyMap<number, SlurmTaskState>): void {
    const live = [...states.values()].filter(({ state }) => isLiveState(state));
    const runs = live.some(({ state }) => state !== 'PENDING');
    this.waits = runs || live.length === 0 ? null : live[0]!.reason;
  }

  private async endOf(index: number, known: SlurmTaskState | undefined): Promise<EndedTask> {
    const left = [...this.left.get(index)!];
    this.left.delete(index);
    const { state = 'UNKNOWN', node = '', reason = '' } = known ?? {};
    const log = await this.logOf(index);
    const at = `job ${this.job ?? '?'}_${index}${node === '' ? '' : ` on ${node}`}`;
    // Slurm's gatherer of accounts, which some clusters have kill, says it in the log alone
    const isMemory = state === 'OUT_OF_MEMORY' || /exceeded (job )?memory limit|oom[-_ ]kill/i.test(log);
    const detail = reason === '' || reason === 'None' ? state : `${state}, ${reason}`;
    const [words, hint] = isMemory
      ? ['ran out of memory', '; allow more with --memory']
      : state === 'TIMEOUT'
        ? ['ran into its time limit', '; allow more with --time']
        : state === 'UNKNOWN'
          ? ['ended, and Slurm does not know it any more', '']
          : ['was ended', ''];
    const last = log.trim().split('\n').at(-1) ?? '';
    return {
      left,
      hadBegun: this.begun.has(index),
      state,
      how: `${words} (${at}: ${detail}${isMemory || state === 'TIMEOUT' || last === '' ? '' : `; its log ends with: ${last}`})${hint}`,
      isFinal: isMemory || state === 'TIMEOUT',
    };
  }

  private async logOf(index: number): Promise<string> {
    return readFile(join(this.folder, 'logs', `${index}.log`), 'utf8').then(
      (text) => text.slice(-logTail),
      () => '',
    );
  }
}

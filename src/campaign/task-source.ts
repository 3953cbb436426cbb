// Where whoever carries out independent tasks takes them from, and to whom it says what came of them: one side of
// the seam between what is to be run (the queue of a command, the runs of a sweep) and the engine that runs it
// (task-engine.ts). A task's input, and the result of the module that carries it out, are plain data.
// Invariant: a task is taken by one at a time, and everything that was taken is settled, lost or given back.

import type { LostWorkerError } from './lost-worker.js';
import type { TaskTools } from './worker-messages.js';

/** A task that this process and others do alike. */
export interface PooledTask<Result> {
  /** in words, for people */
  readonly name: string;
  /** Carries it out in this process. */
  readonly here: (tools: TaskTools) => Promise<Result>;
  /** what the module of its kind is given elsewhere: plain data; made when the task goes there */
  readonly input: () => unknown;
}

/** How a task ended. */
export type Outcome = { readonly result: unknown } | { readonly error: unknown };

export interface TaskSource {
  /** Tasks that nobody has taken; none once it is closed. */
  readonly left: number;
  /** whether nothing is left, and all that was taken has ended */
  readonly isSettled: boolean;
  /** whether no task is taken any more */
  readonly isClosed: boolean;
  /** Tasks that have ended since the first was taken. */
  readonly ended: number;
  /** The place of the next task; null: there is none. */
  take(): number | null;
  task(place: number): PooledTask<unknown>;
  /** How far a task is, as it tells itself. */
  report(place: number, progress: unknown): void;
  settle(place: number, outcome: Outcome): void;
  /** A task that was taken has not begun, and is anybody's again. */
  giveBack(place: number): void;
  /** The process that was at a task has ended before the task did. */
  lose(place: number, error: LostWorkerError): void;
  /** No task is taken any more. */
  close(): void;
}

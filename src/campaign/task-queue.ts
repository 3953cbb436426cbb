// The tasks of one call of an engine: who takes which, what came of them, in which order that is told.
// Invariants: a task is taken once, and again only if its process died; results are told in the order of the tasks; once
// it is closed, or a task has failed, no task is taken any more; it is settled when all that were taken have ended.

import type { LostWorkerError } from './lost-worker.js';
import type { TaskEngine } from './task-engine.js';
import type { Outcome, PooledTask, TaskSource } from './task-source.js';

/** Who follows tasks. */
export interface TaskListener<Result> {
  /** how far a task is, as it tells itself */
  readonly onProgress?: (place: number, progress: unknown) => void;
  /** that a task has ended, as soon as it has */
  readonly onEnd?: (place: number) => void;
  /** what came of a task, in the order of the tasks; those that a stop left out are passed over */
  readonly onResult?: (place: number, result: Result) => void;
}

/**
 * Carries tasks out on an engine.
 * @param tries processes that may die over a task
 * @returns their results in order; null for those that a stop left out
 * @throws what a task throws; LostWorkerError; what the engine throws
 */
export async function resultsInOrder<Result>(
  engine: TaskEngine,
  tasks: readonly PooledTask<Result>[],
  listener: TaskListener<Result> = {},
  tries = 1,
): Promise<(Result | null)[]> {
  const queue = new TaskQueue<Result>(tasks, listener, tries, () => {
    engine.stop();
  });
  await engine.work(queue);
  return queue.results();
}

class TaskQueue<Result> implements TaskSource {
  private readonly outcomes: (Outcome | undefined)[];
  private next = 0;
  /** taken, and given back */
  private readonly again: number[] = [];
  /** processes that died, by task */
  private readonly deaths = new Map<number, number>();
  ended = 0;
  private told = 0;
  isClosed = false;

  /** @param onFailure called when a task has failed */
  constructor(
    private readonly tasks: readonly PooledTask<Result>[],
    private readonly listener: TaskListener<Result>,
    private readonly tries: number,
    private readonly onFailure: () => void,
  ) {
    this.outcomes = tasks.map(() => undefined);
  }

  /** Tasks that nobody has taken. */
  get left(): number {
    return this.isClosed ? 0 : this.tasks.length - this.next + this.again.length;
  }

  /** The place of the next task; null: there is none. */
  take(): number | null {
    return this.left === 0 ? null : (this.again.shift() ?? this.next++);
  }

  task(place: number): PooledTask<unknown> {
    return this.tasks[place]!;
  }

  report(place: number, progress: unknown): void {
    this.listener.onProgress?.(place, progress);
  }

  settle(place: number, outcome: Outcome): void {
    this.outcomes[place] = outcome;
    this.ended++;
    this.listener.onEnd?.(place);
    if ('error' in outcome) {
      this.close();
      this.onFailure();
    }
    for (; this.outcomes[this.told] !== undefined; this.told++) this.tell(this.told);
  }

  giveBack(place: number): void {
    this.again.push(place);
  }

  lose(place: number, error: LostWorkerError): void {
    const deaths = (this.deaths.get(place) ?? 0) + 1;
    this.deaths.set(place, deaths);
    if (deaths < this.tries && !error.isFinal && !this.isClosed) this.giveBack(place);
    else this.settle(place, { error });
  }

  /** No task is taken any more. */
  close(): void {
    this.isClosed = true;
  }

  /**
   * Once it is settled; results behind one that a stop left out are told now.
   * @returns results in order; null for what was left out @throws the first error in order
   */
  results(): (Result | null)[] {
    for (; this.told < this.next; this.told++) this.tell(this.told);
    return this.outcomes.map((outcome) => {
      if (outcome === undefined) return null;
      if ('error' in outcome) throw outcome.error;
      return outcome.result as Result;
    });
  }

  get isSettled(): boolean {
    return this.left === 0 && this.ended + this.again.length === this.next;
  }

  private tell(place: number): void {
    const outcome = this.outcomes[place];
    if (outcome !== undefined && 'result' in outcome) this.listener.onResult?.(place, outcome.result as Result);
  }
}

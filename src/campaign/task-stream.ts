// Very many tasks that are known by their numbers: what comes of one is told as soon as it has ended, and nothing of it
// is kept. For sweeps, whose runs go to a file.
// Invariants: an error of a task is one of its results, and the others go on; a task whose process dies is taken again
// before any other, and after three such ends told as lost; what the listener throws ends all, and is thrown at the
// end.
// Memory: of the tasks under way alone.

import type { LostWorkerError } from './lost-worker.js';
import type { Outcome, PooledTask, TaskSource } from './task-source.js';

/** Processes that may die over one task. */
export const mostTries = 3;

/** The tasks of a stream, and who is told what comes of them. */
export interface StreamedTasks<Result> {
  /** how many there are in all */
  readonly count: number;
  /** their numbers, each once */
  readonly places: Iterator<number>;
  readonly task: (place: number) => PooledTask<Result>;
  readonly onProgress?: (place: number, progress: unknown) => void;
  readonly onResult: (place: number, result: Result) => void;
  readonly onError: (place: number, error: unknown) => void;
  /** a task that three processes have died over, or one for good */
  readonly onLost: (place: number, error: LostWorkerError) => void;
}

export class TaskStream<Result> implements TaskSource {
  private taken = 0;
  ended = 0;
  isClosed = false;
  /** to be taken again */
  private readonly again: number[] = [];
  /** processes that died, by task */
  private readonly deaths = new Map<number, number>();
  private failure: { readonly error: unknown } | null = null;

  constructor(private readonly tasks: StreamedTasks<Result>) {}

  get left(): number {
    return this.isClosed ? 0 : this.tasks.count - this.taken + this.again.length;
  }

  get isSettled(): boolean {
    return this.left === 0 && this.ended + this.again.length === this.taken;
  }

  take(): number | null {
    if (this.left === 0) return null;
    const lost = this.again.shift();
    if (lost !== undefined) return lost;
    this.taken++;
    return this.tasks.places.next().value as number;
  }

  task(place: number): PooledTask<unknown> {
    return this.tasks.task(place);
  }

  report(place: number, progress: unknown): void {
    this.tasks.onProgress?.(place, progress);
  }

  settle(place: number, outcome: Outcome): void {
    this.ended++;
    this.deaths.delete(place);
    this.tell(() => {
      if ('error' in outcome) this.tasks.onError(place, outcome.error);
      else this.tasks.onResult(place, outcome.result as Result);
    });
  }

  lose(place: number, error: LostWorkerError): void {
    const deaths = (this.deaths.get(place) ?? 0) + 1;
    this.deaths.set(place, deaths);
    if (deaths < mostTries && !error.isFinal) {
      this.again.push(place);
      return;
    }
    this.ended++;
    this.deaths.delete(place);
    this.tell(() => {
      this.tasks.onLost(place, error);
    });
  }

  giveBack(place: number): void {
    this.again.push(place);
  }

  close(): void {
    this.isClosed = true;
  }

  /** @throws what the listener has thrown */
  throwIfFailed(): void {
    if (this.failure !== null) throw this.failure.error;
  }

  /** Nobody is there to take what a listener throws. */
  private tell(told: () => void): void {
    if (this.failure !== null) return;
    try {
      told();
    } catch (error) {
      this.failure = { error };
      this.close();
    }
  }
}

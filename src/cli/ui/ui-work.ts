// The processes of `weft ui`: each carries out one task, with nobody else's.
// Invariants: no more than so many at once; a task that was stopped ends with what it has, or after a while without; no
// process outlives its task, or `close`.

import { type ViewRefusal, viewRefusal } from '../../app/view/view-refusal.js';
import { InvariantError } from '../../base/fail.js';
import { LostWorkerError } from '../../campaign/lost-worker.js';
import { RunPool } from '../../campaign/run-pool.js';
import { resultsInOrder } from '../../campaign/task-queue.js';
import type { PooledTask } from '../../campaign/task-source.js';
import { taskKinds } from '../engines/task-kinds.js';
import type { UiResult, UiTask } from './ui-task.js';

/** after which a process that was asked to stop is ended, in wall-clock milliseconds */
const stopPatienceMs = 5000;
/** looks at what was typed that may go on at once, beside the runs */
const mostForecasts = 4;

/** A place for a task, taken before anything is read for it. */
export interface UiSlot {
  readonly number: number;
  /** Carries a task out, once. @throws what it throws; LostWorkerError; UiStopped */
  work(task: UiTask, onProgress: (progress: unknown) => void): Promise<UiResult>;
  /** Asks the task to end with what it has. */
  stop(): void;
  /** Ends it, and gives the place back. */
  free(): void;
}

/** A task ended, as asked, before it had anything. */
class UiStopped extends Error {}

export class UiWork {
  private readonly slots = new Map<number, UiSlot>();
  private runs = 0;
  private forecasts = 0;
  private next = 0;

  /** @param mostRuns at once */
  constructor(readonly mostRuns: number) {
    // each process of a pool is listened for
    process.setMaxListeners(Math.max(process.getMaxListeners(), 2 * (mostRuns + mostForecasts) + 10));
  }

  /** Takes a place. @returns null: all are taken */
  take(isForecast: boolean): UiSlot | null {
    if (isForecast ? this.forecasts >= mostForecasts : this.runs >= this.mostRuns) return null;
    if (isForecast) this.forecasts++;
    else this.runs++;
    const number = this.next++;
    let pool: RunPool | null = null;
    let isFree = false;
    let patience: NodeJS.Timeout | undefined;
    const slot: UiSlot = {
      number,
      work: async (task, onProgress) => {
        if (isFree) throw new UiStopped();
        pool = new RunPool({ processes: 1, leavesToWorkers: 'always', module: taskKinds.ui.module });
        const pooled: PooledTask<UiResult> = {
          name: 'path' in task ? task.path : task.scenario.file,
          here: () => Promise.reject(new InvariantError('a task of weft ui has a process of its own')),
          input: () => task,
        };
        try {
          const [result] = await resultsInOrder(pool, [pooled], { onProgress: (_, progress) => onProgress(progress) });
          if (result === null || result === undefined) throw new UiStopped();
          return result;
        } finally {
          clearTimeout(patience);
          await pool.close();
        }
      },
      stop: () => {
        pool?.stop();
        patience ??= setTimeout(() => pool?.kill('was ended, as asked'), stopPatienceMs);
      },
      free: () => {
        if (isFree) return;
        isFree = true;
        pool?.kill('was ended');
        clearTimeout(patience);
        this.slots.delete(number);
        if (isForecast) this.forecasts--;
        else this.runs--;
      },
    };
    this.slots.set(number, slot);
    return slot;
  }

  /** The task with this number, if it goes on. */
  slot(number: unknown): UiSlot | null {
    return this.slots.get(number as number) ?? null;
  }

  /** Ends all. */
  close(): void {
    for (const slot of this.slots.values()) slot.free();
  }
}

/** What a page is told of an error: no stack, and nothing of what is beside the named folders. */
export function uiRefusal(error: unknown): ViewRefusal {
  if (error instanceof UiStopped) return { diagnostics: [], text: 'It was stopped before it had a result.' };
  if (error instanceof LostWorkerError)
    return {
      diagnostics: [],
      text: `Its process ${error.how}. If memory was short: weft ui --jobs 1 runs one at a time.`,
    };
  return viewRefusal(error);
}

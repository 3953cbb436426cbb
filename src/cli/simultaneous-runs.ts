// Runs that a command makes several at a time: their processes, one line of progress for all of them, and Ctrl-C, which
// keeps what is finished.
// Invariant: whatever a run throws, no process, listener or line of progress is left once `close` has returned.

import type { Progress } from '../app/run-progress.js';
import type { PoolOptions, RunPool } from '../campaign/run-pool.js';
import type { PooledTask } from '../campaign/task-source.js';
import type { CommandContext } from './context.js';
import { announcer, Interrupt } from './interrupt.js';
import { poolFor } from './options/run-options.js';
import { ProgressDisplay } from './progress.js';
import { type NamedRun, RunsProgress } from './runs-progress.js';

interface SimultaneousOptions extends Omit<PoolOptions, 'processes' | 'worthMs'> {
  /** given with --workers */
  readonly workers?: number | undefined;
  /** how many runs there are at most */
  readonly count: number;
  /** no progress */
  readonly quiet?: boolean | undefined;
  /** whoever shows progress instead; null: nobody */
  readonly display?: { stop(): boolean } | null;
}

/** Does something with runs, which are over when it is. @throws what `work` throws */
export async function withRuns<T>(
  options: SimultaneousOptions,
  context: CommandContext,
  work: (runs: SimultaneousRuns) => Promise<T>,
): Promise<T> {
  const runs = new SimultaneousRuns(options, context);
  try {
    return await work(runs);
  } finally {
    await runs.close();
  }
}

/** Listens to signals from its creation to `close`. */
export class SimultaneousRuns {
  /** null: none is shown, or by somebody else */
  readonly progress: ProgressDisplay | null;
  readonly interrupt: Interrupt;
  readonly pool: RunPool;
  private readonly display: { stop(): boolean } | null;

  constructor(
    { module, shared, leavesToWorkers = false, workers, count, quiet = false, display }: SimultaneousOptions,
    private readonly context: CommandContext,
  ) {
    const { host, stderr } = context;
    this.progress = quiet || display !== undefined ? null : new ProgressDisplay(stderr, () => host.wallMs());
    this.display = display ?? this.progress;
    this.pool = poolFor({ module, shared, leavesToWorkers }, workers, count, context);
    this.interrupt = new Interrupt(
      announcer(
        stderr,
        () => this.display,
        () => this.pool.stop(),
      ),
    );
  }

  /**
   * Carries out runs.
   * @param names as the line of progress names them, with their weights, in the order of the tasks
   * @param onResult is told each result when it is there, in the order of the tasks
   * @returns the results in the order of the tasks; null: a signal came before it began
   * @throws what a run throws, LostWorkerError
   */
  run<Result>(
    tasks: readonly PooledTask<Result>[],
    names: readonly NamedRun[],
    onResult?: (place: number, result: Result) => void,
  ): Promise<readonly (Result | null)[]> {
    const shown = new RunsProgress(this.progress, names);
    return this.pool.run(tasks, {
      onProgress: (place, state) => shown.update(place, state as Progress),
      onEnd: (place) => shown.end(place),
      ...(onResult === undefined ? {} : { onResult }),
    });
  }

  /** Says, beside the line of progress, where files went that stood in the folder of an earlier run. */
  tellKeptAside(folders: readonly string[]): void {
    for (const folder of folders) {
      this.progress?.hide();
      this.context.stderr.write(
        `note: the earlier run was replaced; files in it that are not Weft's were kept in ${folder}\n`,
      );
    }
  }

  /** What the command should end with if a signal ended it; null: none came. */
  get exitCode(): number | null {
    return this.interrupt.requested ? this.interrupt.exitCode : null;
  }

  /** Ends the line of progress, the processes, and listening. */
  async close(): Promise<void> {
    this.display?.stop();
    this.interrupt.close();
    await this.pool.close();
  }
}

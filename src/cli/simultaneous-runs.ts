// Runs that a command makes several at a time: their processes, one line of progress for all of them, and Ctrl-C, which
// keeps what is finished.
// Invariant: whatever a run throws, no process, listener or line of progress is left once `close` has returned.

import type { Progress } from '../app/run-progress.js';
import type { TaskEngine } from '../campaign/task-engine.js';
import { resultsInOrder, type TaskListener } from '../campaign/task-queue.js';
import type { PooledTask } from '../campaign/task-source.js';
import { mostTries } from '../campaign/task-stream.js';
import { carriedOutText, type CarriedOutRun } from '../report/run-place.js';
import type { CommandContext } from './context.js';
import { beginEngine } from './engines/catalogue.js';
import type { EngineWork } from './engines/engine.js';
import { announcer, Interrupt } from './interrupt.js';
import { type EngineOptions, onThisMachine } from './options/run-options.js';
import { ProgressDisplay } from './progress.js';
import { type NamedRun, RunsProgress } from './runs-progress.js';

interface SimultaneousOptions
  extends Pick<EngineWork, 'kind' | 'count'>, Partial<Omit<EngineWork, 'kind' | 'count' | 'note'>> {
  /** where they are carried out; left out: here */
  readonly engine?: EngineOptions;
  /** no progress */
  readonly quiet?: boolean | undefined;
  /** whoever shows progress instead; null: nobody */
  readonly display?: { stop(): boolean } | null;
}

/** What runs need of the world of a command. */
type RunsContext = Pick<CommandContext, 'host' | 'environment' | 'sideBySide' | 'stderr'>;

/** Does something with runs, which are over when it is. @throws what `carryOut` throws */
export async function withRuns<T>(
  options: SimultaneousOptions,
  context: RunsContext,
  carryOut: (runs: SimultaneousRuns) => Promise<T>,
): Promise<T> {
  const { engine: asked = onThisMachine } = options;
  const { kind, count, shared = () => null, files = new Map<string, string>() } = options;
  const { identity = '', workers, workersFlag = '--workers', leavesToWorkers = false } = options;
  const { cost = null, folder = null, roots = [] } = options;
  const note = (text: string): void => {
    if (options.quiet !== true) runs.note(text);
  };
  const told = { workers, workersFlag, leavesToWorkers, cost, folder, roots, note };
  const work: EngineWork = { kind, count, shared, files, identity, ...told };
  const runs = new SimultaneousRuns(await beginEngine(work, asked, context), options, context);
  try {
    return await carryOut(runs);
  } finally {
    await runs.close();
  }
}

/** Listens to signals from its creation to `close`. */
export class SimultaneousRuns {
  /** null: none is shown, or by somebody else */
  readonly progress: ProgressDisplay | null;
  readonly interrupt: Interrupt;
  private readonly display: { stop(): boolean } | null;
  /** whether they are carried out by processes of this machine */
  private readonly isHere: boolean;
  private readonly isQuiet: boolean;

  constructor(
    readonly engine: TaskEngine,
    {
      quiet = false,
      display,
      engine: asked = onThisMachine,
    }: Pick<SimultaneousOptions, 'quiet' | 'display' | 'engine'>,
    private readonly context: RunsContext,
  ) {
    this.isHere = asked.on === 'local';
    this.isQuiet = quiet;
    const { host, stderr } = context;
    this.progress = quiet || display !== undefined ? null : new ProgressDisplay(stderr, () => host.wallMs());
    this.display = display ?? this.progress;
    this.interrupt = new Interrupt(
      announcer(
        stderr,
        () => this.display,
        () => this.engine.stop(),
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
    return this.carryOut(tasks, {
      onProgress: (place, state) => shown.update(place, state as Progress),
      onEnd: (place) => shown.end(place),
      ...(onResult === undefined ? {} : { onResult }),
    });
  }

  /** Carries out tasks, whoever shows how far they are. @returns as of `run` @throws what a task throws, LostWorkerError */
  carryOut<Result>(
    tasks: readonly PooledTask<Result>[],
    listener: TaskListener<Result>,
  ): Promise<readonly (Result | null)[]> {
    // memory that is too short here will be next time; of another machine nobody knows
    return resultsInOrder(this.engine, tasks, listener, this.isHere ? 1 : mostTries);
  }

  /** Says where runs were carried out, if it was not here. */
  tellPlaces(runs: readonly CarriedOutRun[]): void {
    if (!this.isHere && !this.isQuiet && runs.length > 0) this.note(carriedOutText(runs));
  }

  /** Says, beside the line of progress, where files went that stood in the folder of an earlier run. */
  tellKeptAside(folders: readonly string[]): void {
    for (const folder of folders) {
      this.note(`the earlier run was replaced; files in it that are not Weft's were kept in ${folder}`);
    }
  }

  /** Says something beside the line of progress. */
  note(text: string): void {
    if (this.progress === null) this.display?.stop();
    else this.progress.hide();
    this.context.stderr.write(`note: ${text}\n`);
  }

  /** What the command should end with if a signal ended it; null: none came. */
  get exitCode(): number | null {
    return this.interrupt.requested ? this.interrupt.exitCode : null;
  }

  /** Ends the line of progress, the processes, and listening. */
  async close(): Promise<void> {
    this.display?.stop();
    this.interrupt.close();
    await this.engine.close();
  }
}

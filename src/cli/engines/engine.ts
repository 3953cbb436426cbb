// What an engine (campaign/task-engine.ts) is for the command line: its word, its options, and how it begins.

import type { PortableWork, TaskEngine } from '../../campaign/task-engine.js';
import type { CommandContext } from '../context.js';
import type { EngineOptions } from '../options/run-options.js';
import type { TaskKind } from './task-kinds.js';

/** What engines need of the world of a command. */
export type EngineContext = Pick<CommandContext, 'environment' | 'sideBySide'>;

/** What a command has carried out. */
export interface EngineWork extends PortableWork<TaskKind> {
  /** tells this work from any other, also when the command is given again; of a sweep what it sweeps, and its folder */
  readonly identity: string;
  /** how many tasks there are at most */
  readonly count: number;
  /** tasks at the same time on this machine, if the user says so, and the option that says it */
  readonly workers: number | undefined;
  readonly workersFlag: '--workers' | '--jobs';
  /** as of a pool (campaign/run-pool.ts) */
  readonly leavesToWorkers: boolean;
  /**
   * mean CPU seconds of a task, and most memory of one in bytes, as a forecast has them; null: they are not known
   */
  readonly cost: { readonly cpuSeconds: number; readonly memoryBytes: number } | null;
  /** of the command's results, absolute: whoever carries tasks out may have a folder in it; null: there is none */
  readonly folder: string | null;
  /** Says something beside the line of progress. */
  readonly note: (text: string) => void;
}

/** An engine that commands may name with --on. */
export interface EngineDeclaration {
  /** names of options that have a meaning with it alone */
  readonly options: readonly Exclude<keyof EngineOptions, 'on'>[];
  /** Begins it; what only it needs is loaded now. @throws InputError */
  readonly begin: (work: EngineWork, options: EngineOptions, context: EngineContext) => Promise<TaskEngine>;
}

// What goes between a command and its worker processes: plain data, copied as `structuredClone` copies.

import type { CarriedError } from './carried-error.js';
import type { ReachTools, TaskReach } from './task-reach.js';

/** To a worker. The first message is `begin`; tasks that it has are carried out one after the other. */
export type ToWorker =
  | {
      readonly begin: {
        readonly module: string;
        readonly shared: unknown;
        readonly reach: TaskReach;
      };
    }
  | { readonly task: { readonly place: number; readonly input: unknown } }
  | { readonly stop: true };

/** From a worker: it is ready for its first task, how far its task is, what came of it, or that it did not begin. */
export type FromWorker =
  | { readonly ready: true }
  | { readonly place: number; readonly progress: unknown }
  | { readonly place: number; readonly result: unknown }
  | { readonly place: number; readonly error: CarriedError }
  | { readonly place: number; readonly notBegun: true };

/** What a task is carried out with, in whatever process. */
export interface TaskTools extends ReachTools {
  /** Tells how far it is. */
  readonly report: (progress: unknown) => void;
  /** true once it is to end early, with what it has */
  readonly stopRequested: () => boolean;
  /** What tasks of the same work keep for each other in their process: one object of each class, made when asked for. */
  readonly keep: <Kept extends object>(kind: new () => Kept) => Kept;
}

/** What the tasks of a process keep for each other. No result may depend on it. */
export class TaskMemory {
  private readonly kept = new Map<new () => object, object>();

  readonly keep = <Kept extends object>(kind: new () => Kept): Kept => {
    const known = this.kept.get(kind);
    if (known !== undefined) return known as Kept;
    const made = new kind();
    this.kept.set(kind, made);
    return made;
  };
}

/** The default export of a module of tasks: carries out one task. @param shared what the engine was made with */
export type PerformTask = (shared: never, input: never, tools: TaskTools) => Promise<unknown>;

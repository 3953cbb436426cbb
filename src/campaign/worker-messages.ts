// What goes between a command and its worker processes: plain data, copied as `structuredClone` copies.

import type { nodeHost } from '../storage/node-host.js';
import type { CarriedError } from './carried-error.js';

/** To a worker. The first message is `begin`; tasks that it has are carried out one after the other. */
export type ToWorker =
  | {
      readonly begin: {
        readonly module: string;
        readonly shared: unknown;
        /** where the files are that tasks may read; left out: at their paths, and any */
        readonly places?: ReadonlyMap<string, string> | undefined;
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
export interface TaskTools {
  /** Tells how far it is. */
  readonly report: (progress: unknown) => void;
  /** true once it is to end early, with what it has */
  readonly stopRequested: () => boolean;
  /** Makes the host through which it reads: every task that may be carried out on another machine reads by no other. */
  readonly host: (digests?: Parameters<typeof nodeHost>[0]) => ReturnType<typeof nodeHost>;
}

/** The default export of a module of tasks: carries out one task. @param shared what the engine was made with */
export type PerformTask = (shared: never, input: never, tools: TaskTools) => Promise<unknown>;

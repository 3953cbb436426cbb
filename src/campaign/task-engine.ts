// What carries out the tasks of a campaign: the processes of this machine (run-pool.ts), or those of others. Commands know
// this interface alone; which engines there are stands in cli/engines/.
// Invariants of every engine: each task is taken from its source, and settled, lost or given back there, so that it counts
// once, however often it ran; its result is that of the module of its kind; after `stop` nothing begins; nothing that
// the engine began on this machine outlives `close`.

import type { TaskSource } from './task-source.js';

export interface TaskEngine {
  /** what is not settled was left, as asked: to others, or for another time. Left out: it never is */
  readonly isLeft?: boolean;
  /**
   * Carries out the tasks of a source until it is settled; one call at a time.
   * @throws what keeps the engine itself from going on; what comes of tasks goes to the source
   */
  work(source: TaskSource): Promise<void>;
  /** Lets nothing begin any more, and asks what is under way to end; a call of `work` then comes to its end. */
  stop(): void;
  /** Ends what the engine has begun. */
  close(): Promise<void>;
}

/** What an engine is given beside the tasks. All of it can go to another machine. */
export interface PortableWork<Kind extends string = string> {
  /** which module carries the tasks out: a word out of a fixed list, never a module or a command */
  readonly kind: Kind;
  /** what that is given with every task: plain data (portable-data.ts); made when it is needed */
  readonly shared: () => unknown;
  /**
   * the files that tasks may read, by the paths by which they ask for them: SHA-256, hexadecimal. On another machine a
   * task reads them from a store by digest (`nodeHost` with `places`), and no other file
   */
  readonly files: ReadonlyMap<string, string>;
  /**
   * folders below which tasks put results, absolute; left out: they put none. Whoever carries tasks out for others knows
   * himself where they may
   */
  readonly roots?: readonly string[];
}

// What a task may read and write, in whatever process it is carried out: the host through which it reads, and the folders
// into which it writes.
// Invariant: a task that came from elsewhere reads no file but those that came with it, and writes below the folders
// that were named to its worker alone.

import { nodeHost } from '../storage/node-host.js';
import type { RunFolders } from '../storage/run-folder.js';
import { taskFolders } from '../storage/task-folders.js';

/** Plain data. */
export interface TaskReach {
  /** where the files are that tasks may read; left out: at their paths, and any */
  readonly places?: ReadonlyMap<string, string> | undefined;
  /** folders below which they may put results; left out: any, which is for the processes of the command alone */
  readonly roots?: readonly string[] | undefined;
}

/** With what a task reads and writes. */
export interface ReachTools {
  /** Makes the host through which it reads: every task that may be carried out on another machine reads by no other. */
  readonly host: (digests?: Parameters<typeof nodeHost>[0]) => ReturnType<typeof nodeHost>;
  /** The folders into which it writes a run: every task asks. @throws InputError if it may not write there */
  readonly folders: (asked: RunFolders) => Promise<RunFolders>;
}

/** The tools of tasks that may read and write so much. */
export function toolsWithin({ places, roots }: TaskReach): ReachTools {
  return {
    host: (digests) => nodeHost(digests, places),
    folders: async (asked) => (roots === undefined ? asked : taskFolders(asked, roots)),
  };
}

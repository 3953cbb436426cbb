// Temporary folders in which an outside solver finds its model and leaves its solution.
// Invariants: a folder goes with the call that made it; one whose process was killed goes at the next call, if it is of
// this user, this machine and a process that is gone. Links in folders are removed, not followed.

import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';

/** The files of a folder, by their purpose. */
export interface SolverFolder {
  readonly path: string;
  readonly model: string;
  readonly solution: string;
  readonly options: string;
  readonly start: string;
}

/** `weft-solver-MACHINE-PID-`, before the letters that make it unique. */
function prefixOf(pid: number | string): string {
  return `weft-solver-${hostname().replace(/[^a-zA-Z0-9.]/g, '_')}-${pid}-`;
}

/** Makes a folder, after those of processes that are gone are removed. @throws errors of node:fs */
export async function makeSolverFolder(): Promise<SolverFolder> {
  removeStaleFolders();
  const path = await mkdtemp(join(tmpdir(), prefixOf(process.pid)));
  return {
    path,
    model: join(path, 'model.mps'),
    solution: join(path, 'model.sol'),
    options: join(path, 'options'),
    start: join(path, 'start.sol'),
  };
}

/** Removes a folder, at once. Never throws: it runs when everything ends. */
export function removeSolverFolder(path: string): void {
  quietly(() => {
    rmSync(path, { recursive: true, force: true });
  });
}

function removeStaleFolders(): void {
  quietly(() => {
    for (const name of readdirSync(tmpdir())) {
      const pid = Number(/-(\d+)-[^-]*$/.exec(name)?.[1] ?? NaN);
      if (!name.startsWith(prefixOf(pid)) || isRunning(pid)) continue;
      const path = join(tmpdir(), name);
      quietly(() => {
        const there = lstatSync(path);
        if (there.isDirectory() && there.uid === (process.getuid?.() ?? there.uid)) removeSolverFolder(path);
      });
    }
  });
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function quietly(work: () => void): void {
  try {
    work();
  } catch {
    // it is gone already, or somebody else's
  }
}

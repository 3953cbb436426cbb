// The folders of a sweep's runs, `DIR/runs/12`, where they are kept: each as `weft run --out` writes one.
// Invariant: an unfinished one is of one process, so that a run that two machines carry out has one folder at the end.

import { access, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { removeEarlier, type RunFolders } from '../run-folder.js';
import { ownPartial } from '../task-folders.js';
import type { SweepJournal } from './sweep-journal.js';

/** Where a run is kept. @param folder of the folders of all runs */
export function keptFolders(folder: string, run: number): RunFolders {
  const target = join(folder, `${run}`);
  return { shown: target, target, partial: ownPartial(target) };
}

/** How many runs have figures, and no folder. */
export async function runsWithoutFolder(folder: string, journal: SweepJournal): Promise<number> {
  let count = 0;
  for (let run = 0; run < journal.runs; run++) {
    const outcome = journal.outcomeOf(run);
    if (outcome === null || ['failed', 'lost', 'infeasible'].includes(outcome)) continue;
    const isThere = await access(join(folder, `${run}`)).then(
      () => true,
      () => false,
    );
    if (!isThere) count++;
  }
  return count;
}

/** Removes what runs left that were stopped or killed, but for runs that a process of this machine is at. @throws OutputError */
export async function removeUnfinished(folder: string): Promise<void> {
  const names = await readdir(folder).catch((): string[] => []);
  const unfinished = names
    .filter((name) => /^\d+\..*\.partial$/.test(name))
    .map((name) => ({ name, isPartial: true, shown: join(folder, name), path: join(folder, name) }));
  await removeEarlier(unfinished);
}

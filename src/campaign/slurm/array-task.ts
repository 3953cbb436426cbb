// A task of a job array, on whatever node: its runs, one after the other, in this process.
// Invariants: nothing is carried out but kinds of a fixed list, with inputs and files whose digests the job was
// submitted with; a run reads those files and no other; a run that an earlier try of this task has carried out is not
// repeated; what cannot be written ends the task.

import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { Stopped } from '../../base/host.js';
import { beginInputs } from '../../storage/read-inputs.js';
import { carriedError } from '../carried-error.js';
import { toolsWithin } from '../task-reach.js';
import { type PerformTask, TaskMemory, type TaskTools } from '../worker-messages.js';
import { placesOf, readInputs, readSmall, readWork, RefusedWorkError } from './array-folder.js';
import { ResultReader, ResultWriter } from './array-results.js';

/** What a task of an array is told, and how it is to be carried out. */
export interface ArrayTask {
  /** of the array */
  readonly folder: string;
  /** SHA-256 of its work.json */
  readonly digest: string;
  readonly index: number;
  /** of this installation */
  readonly weftVersion: string;
  /** the module of a kind of task; null: there is none that may be carried out here */
  readonly moduleOf: (kind: string) => URL | null;
  readonly stopRequested: () => boolean;
}

/**
 * Carries out a task of an array; what is refused is told in its results.
 * @returns whether it did all of its runs @throws OutputError
 */
export async function carryOutArrayTask(task: ArrayTask): Promise<boolean> {
  const { folder, index, stopRequested } = task;
  if ((await readSmall(folder, 'ended')) !== null) return true;
  const done = await placesDone(folder, index);
  const results = ResultWriter.open(folder, index);
  try {
    results.append({ began: { node: hostname(), atMs: Date.now() } });
    const { inputs, perform, shared, reach } = await lookedAt(task);
    const tools: TaskTools = {
      report: () => {},
      stopRequested,
      keep: new TaskMemory().keep,
      ...toolsWithin(reach),
    };
    beginInputs();
    for (const { place, input } of inputs) {
      if (done.has(place)) continue;
      if (stopRequested()) return false;
      try {
        const result = await perform(shared as never, input as never, tools);
        // null, too, is what a run that was stopped has come to
        if (stopRequested()) return false;
        results.append({ place, result });
      } catch (error) {
        if (error instanceof Stopped) return false;
        results.append({ place, error: carriedError(error) });
      }
    }
    return true;
  } catch (error) {
    if (!(error instanceof RefusedWorkError)) throw error;
    results.append({ refused: error.message });
    return false;
  } finally {
    results.close();
  }
}

/** What an array task works with. @throws RefusedWorkError */
async function lookedAt({ folder, digest, index, weftVersion, moduleOf }: ArrayTask) {
  const work = await readWork(folder, digest);
  if (work.weftVersion !== weftVersion)
    throw new RefusedWorkError(`this node has weft ${weftVersion}, and the job is of weft ${work.weftVersion}`);
  const module = moduleOf(work.kind);
  if (module === null) throw new RefusedWorkError(`there are no tasks of the kind ${JSON.stringify(work.kind)}`);
  const listed = work.tasks[index];
  if (listed === undefined) throw new RefusedWorkError(`the array has no task ${index}`);
  const inputs = await readInputs(folder, index, listed);
  const places = await placesOf(join(dirname(folder), 'store'), work.files);
  const { default: perform } = (await import(module.href)) as { readonly default: PerformTask };
  return { inputs, perform, shared: work.shared, reach: { places, roots: work.roots } };
}

/** Runs that earlier tries have carried out. */
async function placesDone(folder: string, index: number): Promise<ReadonlySet<number>> {
  const done = new Set<number>();
  for await (const { line } of new ResultReader(folder).lines((other) => other === index))
    if ('place' in line) done.add(line.place);
  return done;
}

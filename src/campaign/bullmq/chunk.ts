// What goes through the queue: some tasks of one campaign as a job, and what came of them as its result.
// Invariant: both are checked as they are read; a job that is none of ours, or too large, is refused whole.

import { type CarriedError, carriedError, errorFrom } from '../carried-error.js';
import { LostWorkerError } from '../lost-worker.js';
import { isObject, portableData, portableText } from '../portable-data.js';
import type { Outcome } from '../task-source.js';
import { refused } from './campaign-record.js';

/** Most tasks of a job, and most characters of the input of one. */
export const mostTasks = 64;
const mostInput = 1e6;

/** A job. */
export interface Chunk {
  /** the campaign's number */
  readonly campaign: string;
  /** by their places in the campaign: what the module of its kind is given, as portable text */
  readonly tasks: readonly (readonly [place: number, input: string])[];
}

/** How a task of a job ended; the last: its process died over it, often or for good. */
export type TaskEnd = readonly [place: number, outcome: Outcome | { readonly lost: LostWorkerError }];

/** What came of a job. */
export interface ChunkResult {
  /** wall-clock milliseconds of the tasks */
  readonly wallMs: number;
  readonly ends: readonly TaskEnd[];
}

/** Reads a job. @throws RefusedTask */
export function readChunk(data: unknown): Chunk {
  if (!isObject(data)) throw refused('it is no object');
  const { campaign, tasks } = data;
  if (typeof campaign !== 'string' || !/^[0-9a-f]{32}$/.test(campaign)) throw refused('it names no campaign');
  if (!Array.isArray(tasks) || tasks.length === 0 || tasks.length > mostTasks)
    throw refused(`it has no list of 1 to ${mostTasks} tasks`);
  for (const task of tasks as unknown[]) {
    const [place, input] = Array.isArray(task) ? (task as unknown[]) : [];
    if (!Number.isSafeInteger(place) || (place as number) < 0) throw refused('a task of it has no place');
    if (typeof input !== 'string') throw refused('a task of it has no input');
    if (input.length > mostInput) throw refused(`a task of it has more than ${mostInput} characters`);
  }
  return { campaign, tasks: tasks as Chunk['tasks'] };
}

/** A result as a text. */
export function chunkResultText({ wallMs, ends }: ChunkResult): string {
  return portableText({
    wallMs,
    ends: ends.map(([place, outcome]) => [
      place,
      'lost' in outcome
        ? { lost: { how: outcome.lost.how, isFinal: outcome.lost.isFinal } }
        : 'error' in outcome
          ? { error: carriedError(outcome.error) }
          : outcome,
    ]),
  });
}

/** Reads a result. @returns null if it is none */
export function readChunkResult(text: unknown): ChunkResult | null {
  let read: unknown;
  try {
    read = typeof text === 'string' ? portableData(text) : null;
  } catch {
    return null;
  }
  if (!isObject(read) || typeof read['wallMs'] !== 'number' || !Array.isArray(read['ends'])) return null;
  const ends: TaskEnd[] = [];
  for (const end of read['ends'] as unknown[]) {
    const [place, outcome] = Array.isArray(end) ? (end as unknown[]) : [];
    if (!Number.isSafeInteger(place) || !isObject(outcome)) return null;
    const { result, error, lost } = outcome;
    if (isObject(lost))
      ends.push([place as number, { lost: new LostWorkerError('', String(lost['how']), lost['isFinal'] === true) }]);
    else if (isObject(error)) ends.push([place as number, { error: errorFrom(error as unknown as CarriedError) }]);
    else if ('result' in outcome) ends.push([place as number, { result }]);
    else return null;
  }
  return { wallMs: read['wallMs'], ends };
}

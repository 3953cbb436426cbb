// Who is told of runs that take far longer than others: each once, with its place.

import type { Job } from 'bullmq';

/** Milliseconds below which nobody waits long, and times the mean of a run from which on one is named. */
const leastMs = 60_000;
const timesMean = 10;

export class StragglerNotes {
  private readonly told = new Set<string>();

  constructor(private readonly note: (text: string) => void) {}

  /** A job that has not ended. @param meanMs of a run that has; null: none has */
  look(id: string, places: readonly number[], { processedOn, processedBy }: Job, meanMs: number | null): void {
    if (processedOn === undefined || meanMs === null || this.told.has(id)) return;
    const takenMs = Date.now() - processedOn;
    if (takenMs < Math.max(leastMs, timesMean * meanMs * places.length)) return;
    this.told.add(id);
    const runs = places.length === 1 ? `run ${places[0]} has` : `runs ${places.join(', ')} have`;
    this.note(
      `${runs} taken ${Math.round(takenMs / 1000)} s at ${processedBy ?? 'a worker'}; the others took ${(meanMs / 1000).toPrecision(2)} s each`,
    );
  }

  forget(id: string): void {
    this.told.delete(id);
  }
}

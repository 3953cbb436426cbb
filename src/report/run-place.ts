// Where, when and by which version of Weft a run was carried out, and how long it took: what differs from one time to the
// next, and so stands beside what runs come to.

import { counted } from './text-style.js';

/** Where and when a run was carried out, and by which version: of a run that was lost nobody knows. */
export interface RunPlace {
  readonly host: string;
  /** ISO 8601, UTC */
  readonly startedAt: string;
  readonly weftVersion: string;
}

/** A run that was carried out. */
export interface CarriedOutRun {
  /** in words, for people */
  readonly run: string;
  readonly place: RunPlace;
  /** null: nobody measured it */
  readonly cpuSeconds: number | null;
  readonly wallSeconds: number | null;
}

/** The runs as `carriedOut[]` of --json. */
export function carriedOutObject(runs: readonly CarriedOutRun[]): readonly object[] {
  return runs.map(({ run, place: { host, startedAt, weftVersion }, cpuSeconds, wallSeconds }) => ({
    run,
    host,
    startedAt,
    weftVersion,
    cpuSeconds,
    wallSeconds,
  }));
}

/** How many runs each machine has carried out, and when; empty if there is none. */
export function carriedOutText(runs: readonly CarriedOutRun[]): string {
  if (runs.length === 0) return '';
  const counts = new Map<string, number>();
  for (const { place } of runs) {
    const by = `${place.host} (weft ${place.weftVersion})`;
    counts.set(by, (counts.get(by) ?? 0) + 1);
  }
  const starts = runs.map(({ place }) => place.startedAt).sort();
  const where = [...counts].map(([by, count]) => `${counted(count, 'run')} on ${by}`).join(', ');
  return `carried out: ${where}; begun ${starts[0]} to ${starts.at(-1)}`;
}

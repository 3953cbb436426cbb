// A check of `npm run validate` as a task of this process or another (src/campaign/task-engine.ts).
// Invariants: a task names a check of the catalogue, and nothing else; its lines are the same on every machine. Reference
// data does not travel: a machine without it refuses checks that shall have it, or lines would be missing.

import { InputError } from '#weft/base/diagnostics.js';
import { Stopped } from '#weft/base/host.js';
import type { TaskTools } from '#weft/campaign/worker-messages.js';
import { PlaceNow } from '#weft/cli/place-now.js';
import type { CarriedOutRun } from '#weft/report/run-place.js';
import { checks } from './catalogue.js';
import { linesOf } from './check.js';
import type { Line } from './line.js';
import { referenceFolder } from './repository.js';

/** Plain data. */
export interface CheckTask {
  /** of the check */
  readonly name: string;
  readonly isQuick: boolean;
  readonly seed: number;
  /** whether lines that need reference data are wanted */
  readonly hasReference: boolean;
}

/** What came of a check: plain data. */
export interface CheckedLines {
  readonly lines: readonly Line[];
  readonly carriedOut: CarriedOutRun;
}

/** How far a check is: plain data. */
export interface CheckShare {
  readonly done: number;
  readonly total: number;
}

/** Carries a check out. @throws Stopped; InputError if it is not known, or this machine lacks what it needs */
export default async function performCheck(
  _shared: null,
  { name, isQuick, seed, hasReference }: CheckTask,
  { report, stopRequested, keep }: Pick<TaskTools, 'report' | 'stopRequested' | 'keep'>,
): Promise<CheckedLines> {
  const check = checks.find((own) => own.name === name);
  if (check === undefined)
    throw InputError.about('check', name, 'there is no check of this name', {
      wanted: checks.map((own) => own.name).join(', '),
    });
  const { path, present } = referenceFolder(process.env['WEFT_REFERENCE']);
  const { place } = keep(PlaceNow);
  if (hasReference && !present)
    throw InputError.about('reference', path, `${place.host} has no reference data, and the lines of ${name} need it`, {
      hint: 'set WEFT_REFERENCE where its worker is started',
    });
  const [startMs, startCpu] = [performance.now(), process.cpuUsage()];
  const goOn = (): void => {
    if (stopRequested()) throw new Stopped();
  };
  const progress = (done: number, total: number): void => {
    goOn();
    const share: CheckShare = { done, total };
    report(share);
  };
  const lines: Line[] = [];
  for await (const line of linesOf(check, { isQuick, seed, reference: hasReference ? path : null, progress })) {
    lines.push(line);
    goOn();
  }
  const { user, system } = process.cpuUsage(startCpu);
  const wallSeconds = (performance.now() - startMs) / 1000;
  return { lines, carriedOut: { run: name, place, cpuSeconds: (user + system) / 1e6, wallSeconds } };
}

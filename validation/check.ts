// A check: one mechanism of the simulator against its oracles, as lines of the validation table.

import { Stopped } from '#weft/base/host.js';
import type { Line } from './line.js';

export interface CheckContext {
  /** a sample instead of everything, where everything takes more than a moment */
  readonly isQuick: boolean;
  /** of everything random */
  readonly seed: number;
  /** folder of the reference data, or null */
  readonly reference: string | null;
  /** how far a long check is; cheap to call */
  readonly progress: (done: number, total: number) => void;
}

export interface Check {
  /** what `--only` takes */
  readonly name: string;
  /** heading of its part of the table */
  readonly title: string;
  /** what was run, for the reader of the table: one or two sentences of Markdown */
  readonly about: string;
  /** does less with `isQuick`: its lines then differ from the table's */
  readonly isSampled?: true;
  readonly run: (context: CheckContext) => Iterable<Line> | AsyncIterable<Line>;
}

/** Seed of the table in the documentation. */
export const tableSeed = 1;

/** The lines of a check; one that throws ends with a failed line that says so. @throws Stopped */
export async function* linesOf(check: Check, context: CheckContext): AsyncGenerator<Line> {
  try {
    yield* check.run(context);
  } catch (error) {
    if (error instanceof Stopped) throw error;
    yield {
      mechanism: 'the check itself',
      oracle: '',
      expected: 'runs to its end',
      ours: error instanceof Error ? error.message : String(error),
      difference: '',
      tolerance: '',
      verdict: 'failed',
    };
  }
}

// Which runs of a sweep are to be carried out: all that are not there, or with `--until` round after round those that its
// figure still needs.
// Invariants: rounds follow from the journal alone; a run that was lost before is tried again, once in a call.

import type { RunRow } from '../../report/sweep/run-row.js';
import { type UntilStop, untilStop } from '../../report/sweep/seeds-until.js';
import type { UntilTarget } from '../../report/sweep/until-target.js';
import type { Combinations } from '../../scenario/sweep/combinations.js';
import type { SweepJournal } from '../../storage/sweep/sweep-journal.js';

export class WantedRuns {
  /** combinations that need no more seeds, without a target none */
  private readonly stops = new Map<number, UntilStop>();
  private rounds = 0;

  constructor(
    private readonly combinations: Combinations,
    private readonly until: UntilTarget | null,
    private readonly journal: SweepJournal,
  ) {}

  /** The runs of the next round; none: the sweep is complete. @throws OutputError */
  nextRound(): number[] {
    this.rounds++;
    const { until, combinations } = this;
    const runs: number[] = [];
    if (until === null) {
      if (this.rounds === 1) for (let run = 0; run < combinations.runs; run++) this.addTo(runs, run);
      return runs;
    }
    for (let combination = 0; combination < combinations.count; combination++) {
      const seeds = this.look(combination, until);
      const first = combinations.firstRunOf(combination);
      for (let run = first; run < first + seeds; run++) this.addTo(runs, run);
    }
    return runs;
  }

  /** How combinations ended, in their order; null: some have not, or there is no target. @throws OutputError */
  endedStops(): readonly UntilStop[] | null {
    const { until, combinations } = this;
    if (until === null) return null;
    this.rounds++;
    for (let combination = 0; combination < combinations.count; combination++)
      if (this.look(combination, until) > 0) return null;
    return Array.from({ length: combinations.count }, (_, combination) => this.stops.get(combination)!);
  }

  /** With how many seeds a combination is looked at next; 0: it is done. */
  private look(combination: number, until: UntilTarget): number {
    if (this.stops.has(combination)) return 0;
    const first = this.combinations.firstRunOf(combination);
    const most = this.combinations.seeds?.count ?? 1;
    const found = untilStop(combination, until, most, (place): RunRow | null =>
      this.isThere(first + place) ? this.journal.entryOf(first + place)!.row : null,
    );
    if (typeof found === 'number') return found;
    this.stops.set(combination, found);
    return 0;
  }

  private addTo(runs: number[], run: number): void {
    if (!this.isThere(run)) runs.push(run);
  }

  private isThere(run: number): boolean {
    const outcome = this.journal.outcomeOf(run);
    return outcome !== null && (outcome !== 'lost' || this.rounds > 1);
  }
}

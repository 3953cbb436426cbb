// The collectives of a run as spans of time, out of the table `collectives`.
// Invariant: the number of spans and of rows that are kept is bounded, and how many are left out is known.

import { CollectiveColumn, collectiveTable } from '../../records/job-records.js';
import type { Batch } from '../../records/schema.js';

const mostSpans = 6000;
const mostRows = 40;

/** One collective of one group. */
export interface CollectiveSpan {
  readonly row: number;
  readonly collective: string;
  readonly algorithm: string;
  readonly layer: number;
  readonly ranks: number;
  readonly sizeBytes: number;
  readonly startPs: number;
  readonly finishPs: number;
}

export class CollectiveSpans {
  readonly rows: string[] = [];
  readonly spans: CollectiveSpan[] = [];
  beyond = 0;
  private readonly rowOf = new Map<string, number>();

  /** @param jobs their names, by number */
  constructor(private readonly jobs: readonly string[]) {}

  put({ columns, rows }: Batch): void {
    const at = (index: number, row: number): number => columns[index]![row]!;
    for (let row = 0; row < rows; row++) {
      const group = wordOf(CollectiveColumn.group, at(CollectiveColumn.group, row));
      const job = at(CollectiveColumn.job, row);
      const place = this.placeOf(job, group, at(CollectiveColumn.firstRank, row));
      if (place < 0 || this.spans.length === mostSpans) {
        this.beyond++;
        continue;
      }
      this.spans.push({
        row: place,
        collective: wordOf(CollectiveColumn.collective, at(CollectiveColumn.collective, row)),
        algorithm: wordOf(CollectiveColumn.algorithm, at(CollectiveColumn.algorithm, row)),
        layer: at(CollectiveColumn.layer, row),
        ranks: at(CollectiveColumn.ranks, row),
        sizeBytes: at(CollectiveColumn.size, row),
        startPs: at(CollectiveColumn.firstStart, row),
        finishPs: at(CollectiveColumn.finish, row),
      });
    }
  }

  private placeOf(job: number, group: string, firstRank: number): number {
    const key = `${job} ${group} ${firstRank}`;
    const known = this.rowOf.get(key);
    if (known !== undefined) return known;
    if (this.rows.length === mostRows) return -1;
    const name = `${group}, rank ${firstRank}`;
    this.rows.push(this.jobs.length > 1 ? `${this.jobs[job] ?? `job ${job}`}: ${name}` : name);
    this.rowOf.set(key, this.rows.length - 1);
    return this.rows.length - 1;
  }
}

function wordOf(column: number, category: number): string {
  return collectiveTable.columns[column]!.categories?.[category] ?? String(category);
}

// Whether what a verdict says of the ranks of a job is so, by the rows of their time.

import { Activity, groupCategories, TimelineColumn, timelineTable } from '../../src/records/job-records.js';
import type { MemorySink } from '../../src/records/memory-sink.js';
import { near, toNumber } from './said-numbers.js';

/** A job whose ranks have rows, all of them. */
export interface SaidJob {
  readonly name: string;
  readonly startPs: number;
  /** of its pipeline */
  readonly stages: number;
}

/** What is said of a job, after its name. */
export const jobSentence =
  /^: rank (?<rank>\d+) (?:computed all the time|(?:waited (?<waited>[\d.]+) % of its time for communication, most for (?<kind>\w+) \((?<most>[\d.]+) %\))?(?: and )?(?:stood idle (?<idle>[\d.]+) % in bubbles)?)(?:; rank (?<late>\d+) came (?<after>[\d.]+) % after the first)?\./;

/** What a rank waited for, by the rows of its time; a wait for another stage is a bubble until that has sent. */
export function jobClaims(
  sink: MemorySink,
  { startPs, stages }: SaidJob,
  job: number,
  groups: Readonly<Record<string, string>>,
): string[] {
  const names = ['job', 'rank', 'activity', 'group', 'start', 'finish'] as const;
  const columns = names.map((name) => sink.column(timelineTable, TimelineColumn[name]));
  const [jobOf, rankOf, activity, group, start, finish] = columns as [
    Float64Array,
    ...Float64Array[],
  ] as Float64Array[];
  const ends = new Map<number, number>();
  const waits = new Map<string, number>();
  jobOf!.forEach((own, row) => {
    if (own !== job) return;
    const rank = rankOf![row]!;
    ends.set(rank, Math.max(ends.get(rank) ?? 0, finish![row]!));
    if (rank !== Number(groups['rank']) || activity![row] === Activity.compute) return;
    const kind = groupCategories[group![row] as keyof typeof groupCategories];
    waits.set(kind, (waits.get(kind) ?? 0) + finish![row]! - start![row]!);
  });
  if (ends.size === 0) return ['no rows of the ranks of the job'];
  const totalPs = ends.get(Number(groups['rank']))! - startPs;
  const waitedPs = [...waits.values()].reduce((sum, own) => sum + own, 0);
  const { waited = '0.0', idle = '0.0', kind, most, late, after } = groups;
  const problems = near('% waited or idle', (toNumber(waited) + toNumber(idle)).toFixed(1), (100 * waitedPs) / totalPs);
  // both shares are rounded
  const both = Math.abs(toNumber(waited) + toNumber(idle) - (100 * waitedPs) / totalPs) <= 0.11 ? [] : problems;
  const ownPs = waits.get(kind ?? '') ?? 0;
  const [soonestPs, latestPs] = [Math.min(...ends.values()) - startPs, Math.max(...ends.values()) - startPs];
  return [
    ...both,
    ...(kind === undefined ? [] : near(`% for ${kind}`, most!, (100 * ownPs) / totalPs, kind === 'PP' ? 0 : undefined)),
    ...(late === undefined
      ? stages === 1 && latestPs / soonestPs > 1.1005
        ? ['a rank came late, and nothing is said of it']
        : []
      : [
          ...near('% late', after!, 100 * (latestPs / soonestPs - 1)),
          ...(ends.get(Number(late))! - startPs < latestPs ? [`rank ${late} was not the last`] : []),
        ]),
  ];
}

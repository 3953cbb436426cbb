// The verdict on a sweep, in a few sentences: the best combination of settings, how far the worst is behind, and whether
// seeds alone make as much.
// Invariant: combinations are ranked by the time of the slowest job where there are jobs, else by the mean completion
// time of flows; runs that did not come to their end are in neither.

import { formatTimePs } from '../../base/units.js';
import { equalWithin } from '../fabric-verdict.js';
import { counted, percentText } from '../text-style.js';

/** Mean and standard deviation of figures that come one after the other (Welford's recurrence). */
export class Spread {
  count = 0;
  mean = 0;
  private squares = 0;

  add(value: number): void {
    const before = value - this.mean;
    this.mean += before / ++this.count;
    this.squares += before * (value - this.mean);
  }

  /** of a sample; 0 of one */
  get deviation(): number {
    return this.count < 2 ? 0 : Math.sqrt(this.squares / (this.count - 1));
  }
}

/** The combination that is ranked first or last. */
interface Ranked {
  readonly name: string;
  readonly hasJobs: boolean;
  readonly timeNs: Spread;
  readonly lostNs: Spread;
}

/** Ranks combinations, of which only the first and the last are kept. */
export class SweepRanking {
  private combinations = 0;
  private best: Ranked | null = null;
  private worst: Ranked | null = null;
  private deviation = 0;

  /** @param runs of one combination that came to their ends: figures by their keys */
  add(name: string, runs: Iterable<ReadonlyMap<string, unknown>>): void {
    const [timeNs, lostNs] = [new Spread(), new Spread()];
    let hasJobs = false;
    for (const figures of runs) {
      const jobNs = slowestJobNs(figures);
      hasJobs ||= jobNs !== null;
      const own = jobNs ?? figures.get('fct.meanNs');
      // a backend that sends nothing has no flows
      if (typeof own !== 'number' || own <= 0) continue;
      timeNs.add(own);
      const lost = figures.get('lostTime.lostNs');
      if (typeof lost === 'number') lostNs.add(lost);
    }
    if (timeNs.count === 0) return;
    const ranked = { name, hasJobs, timeNs, lostNs };
    this.combinations++;
    this.deviation = Math.max(this.deviation, timeNs.deviation / timeNs.mean);
    if (this.best === null || timeNs.mean < this.best.timeNs.mean) this.best = ranked;
    if (this.worst === null || timeNs.mean > this.worst.timeNs.mean) this.worst = ranked;
  }

  /** The verdict; empty: there are no two combinations with a time. */
  verdict(): string {
    const { best, worst, combinations, deviation } = this;
    if (best === null || worst === null || combinations < 2) return '';
    const what = best.hasJobs && worst.hasJobs ? 'The slowest job took' : 'Flows took in the mean';
    const slower = worst.timeNs.mean / best.timeNs.mean - 1;
    if (slower <= equalWithin)
      return `No combination of settings makes a difference of more than ${percentText(equalWithin)}: ${what[0]!.toLowerCase()}${what.slice(1)} ${text(best.timeNs)}.`;
    return [
      `Best of ${counted(combinations, 'combination')}: ${best.name}. ${what} ${text(best.timeNs)}, with the worst, ` +
        `${worst.name}, ${text(worst.timeNs)} (+${percentText(slower)}).`,
      chanceText(best.timeNs, worst.timeNs, deviation),
      ...(best.lostNs.count > 0 && worst.lostNs.count > 0
        ? [
            `Sharing links and waiting cost flows ${text(best.lostNs)}, all together, and ${text(worst.lostNs)} in the worst.`,
          ]
        : []),
    ].join(' ');
  }
}

/** The time of the slowest rank of all jobs; null: there are none. */
function slowestJobNs(figures: ReadonlyMap<string, unknown>): number | null {
  const times = [figures.get('workload.ranks.max')];
  for (let job = 0; figures.has(`jobs[${job}].ranks.max`); job++) times.push(figures.get(`jobs[${job}].ranks.max`));
  const known = times.filter((own) => typeof own === 'number');
  return known.length === 0 ? null : Math.max(...known);
}

function chanceText(best: Spread, worst: Spread, deviation: number): string {
  if (best.count < 2 || worst.count < 2) return 'One seed alone does not tell how much of it is chance.';
  const overlap = best.mean + best.deviation >= worst.mean - worst.deviation;
  return deviation === 0
    ? 'Seeds change nothing of it.'
    : `Seeds change such times by up to ${percentText(deviation)} (standard deviation)${overlap ? ', so this may be chance' : ''}.`;
}

function text({ mean }: Spread): string {
  return formatTimePs(Math.round(1000 * mean));
}

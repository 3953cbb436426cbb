// The kinds of traffic of which congested-fraction plots are drawn apart: each job, phase, collective and tag, where
// samples tell several of them apart.
// Invariant: the slices of a dimension share no row, and what samples put together (`several`) is in none.

import { passCategories } from '../../records/job-records.js';
import { labelCollectives, noGroup, untold } from '../../records/transfer-label.js';
import { several, severalCategory } from '../../sampling/sample-records.js';
import { addTo } from '../../base/lists-by-key.js';
import { jsonAt, listAt, textAt, type ReportRun } from './report-run.js';
import type { SampleLabel, SampledLinks } from './sampled-links.js';

/** of each dimension */
const mostSlices = 8;

export interface SampleSlice {
  /** for people: `tag 2` */
  readonly name: string;
  /** part of names of files: `tag-2` */
  readonly id: string;
  /** numbers of labels */
  readonly labels: ReadonlySet<number>;
}

/** How traffic is told apart: the number of a label, null: it has none, and what it is called. */
interface Dimension {
  readonly word: string;
  readonly plural: string;
  readonly of: (label: SampleLabel) => number | null;
  readonly name: (value: number, run: ReportRun, job: number | undefined) => string;
}

const passes: Readonly<Record<number, string>> = passCategories;
/** passes of training jobs are no phases of programs */
const passOffset = 1e6;

const dimensions: readonly Dimension[] = [
  {
    word: 'job',
    plural: 'jobs',
    of: ({ job }) => job,
    name: (job, run) => (job < 0 ? 'traffic of no job' : jobName(run, job)),
  },
  {
    word: 'phase',
    plural: 'phases',
    of: ({ phase, group }) =>
      phase === untold || phase === several ? null : phase + (group === noGroup ? 0 : passOffset),
    name: (phase, run, job) =>
      phase < passOffset
        ? `phase ${phaseName(run, phase, job)}`
        : `pass: ${passes[phase - passOffset] ?? phase - passOffset}`,
  },
  {
    word: 'collective',
    plural: 'collectives',
    of: ({ collective }) => (collective === severalCategory ? null : collective),
    name: (collective) => (collective === 0 ? 'no collective' : `collective: ${labelCollectives[collective]!}`),
  },
  {
    word: 'tag',
    plural: 'tags',
    of: ({ tag }) => (tag === untold || tag === several ? null : tag),
    name: (tag) => `tag ${tag}`,
  },
];

/**
 * The slices of a run, and what was left out of them, in sentences.
 * @param only the job of which they are; left out: all
 */
export function slicesOf(
  run: ReportRun,
  { labels }: SampledLinks,
  only?: number,
): { slices: SampleSlice[]; note: string } {
  const notes: string[] = [];
  const slices = dimensions.flatMap(({ word, plural, of, name }) => {
    const found = new Map<number, number[]>();
    labels.forEach((label, number) => {
      const value = only !== undefined && label.job !== only ? null : of(label);
      if (value !== null) addTo(found, value, number);
    });
    if (found.size < 2) return [];
    if (found.size > mostSlices) notes.push(`Of ${found.size} ${plural} the first ${mostSlices} can be chosen.`);
    return [...found.keys()]
      .sort((a, b) => a - b)
      .slice(0, mostSlices)
      .map((value) => ({
        name: name(value, run, only),
        id: value < 0 ? `no-${word}` : `${word}-${value % passOffset}`,
        labels: new Set(found.get(value)!),
      }));
  });
  return { slices, note: notes.join(' ') };
}

/** What a program calls a phase: the job of that number, or the only one that runs. */
function phaseName({ summary }: ReportRun, phase: number, job: number | undefined): string {
  const jobs = listAt(summary, 'jobs');
  const owner = jobs.length < 2 ? jsonAt(summary, 'workload') : job === undefined ? undefined : jobs[job];
  const name = listAt(owner, 'phases')[phase];
  return typeof name === 'string' ? name : String(phase);
}

/** What a job is called: by the summary, training first, then programs, then named transfers. */
function jobName({ summary }: ReportRun, job: number): string {
  const [name, only] = [textAt(listAt(summary, 'jobs')[job], 'name'), textAt(summary, 'workload', 'name')];
  return name || (job === 0 && only) || `job ${job}`;
}

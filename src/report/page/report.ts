// What a report of runs consists of, before it becomes a page or files: charts in sections, drawings, and what is said
// of the runs.
// Invariant: everything comes from the runs' files; charts have different ids.

import { outcomesVerdict } from '../outcome-comparison.js';
import { counted } from '../text-style.js';
import { timelineSvg } from '../timeline-figure.js';
import { congestedPlots, type CongestedPlot } from './congested-plots.js';
import { stepFigures } from './step-figures.js';
import { completionFigures } from './completion-figures.js';
import { courseFigures } from './course-figures.js';
import { fabricPicture, type FabricPicture } from './fabric-picture.js';
import type { Figure } from './figures.js';
import { headlinesOf, type Headline } from './headline.js';
import { linkFigures, mostMapped } from './link-figures.js';
import { logicalPlots } from './logical-plots.js';
import { ownNodeName, textAt, type ReportRun } from './report-run.js';
import { rankMatrices } from './rank-matrices.js';
import { storedOutcome } from './stored-outcome.js';
import { trafficFigures } from './traffic-figures.js';

/** The most runs that one report compares: colours and names of more cannot be told apart. */
export const mostRuns = 8;

/** A drawing of ranks that would be larger is left to the run's folder, in characters. */
const longestTimeline = 900_000;

/** Charts of one kind of question. */
export interface ReportSection {
  readonly id: string;
  readonly title: string;
  readonly figures: readonly Figure[];
}

/** A run's own drawings. */
export interface RunDrawings {
  readonly label: string;
  readonly fabric: FabricPicture | null;
  /** of its ranks; null: it has no jobs */
  readonly timeline: string | null;
  /** what its right end stands for */
  readonly timelineEndPs: number;
  /** why something is not drawn; empty: everything is */
  readonly note: string;
}

/** Something that the page says in words before anything else. @property about a run; empty: all of them */
export interface Finding {
  readonly about: string;
  readonly text: string;
}

export interface Report {
  readonly findings: readonly Finding[];
  readonly runs: readonly ReportRun[];
  readonly headlines: readonly Headline[];
  readonly sections: readonly ReportSection[];
  readonly drawings: readonly RunDrawings[];
  /** links of each run that has samples, then ranks of its programs on their grid */
  readonly congestion: readonly CongestedPlot[];
}

/** Of several runs which is faster, and what each run says of itself. */
function verdictsOfRuns(runs: readonly ReportRun[]): Finding[] {
  const compared = outcomesVerdict(runs.map(({ label, summary }) => storedOutcome(label, summary)));
  const own = runs.flatMap(({ label, summary }) => {
    const text = textAt(summary, 'verdict');
    return text === '' ? [] : [{ about: runs.length > 1 ? label : '', text }];
  });
  return compared === '' ? own : [{ about: '', text: compared }, ...own];
}

/** What a report is told beside its runs. */
interface ReportRequest {
  /** of the command that made the runs; none: their verdicts */
  readonly findings?: readonly Finding[] | undefined;
  /** width of lines in congested-fraction plots; left out: so that the widest fits */
  readonly packetsPerPixel?: number | undefined;
}

/** Makes the report of one run or several. */
export function reportOf(runs: readonly ReportRun[], { findings = [], packetsPerPixel }: ReportRequest = {}): Report {
  const mapped = runs.slice(0, mostMapped);
  return {
    findings: findings.length > 0 ? findings : verdictsOfRuns(runs),
    runs,
    headlines: headlinesOf(runs),
    sections: sectionsOf(runs),
    drawings: mapped.map(drawingsOf),
    congestion: [...congestedPlots(mapped, packetsPerPixel).filter((plot) => plot !== null), ...logicalPlots(mapped)],
  };
}

/** The charts that the runs have something for, in sections, of which some may be empty. */
export function sectionsOf(runs: readonly ReportRun[]): ReportSection[] {
  const mapped = runs.slice(0, mostMapped);
  return [
    { id: 'ranks', title: 'Ranks', figures: stepFigures(runs) },
    { id: 'congestion', title: 'Congestion', figures: rankMatrices(mapped) },
    { id: 'links', title: 'Links', figures: linkFigures(runs) },
    { id: 'completion', title: 'Completion times', figures: completionFigures(runs) },
    { id: 'time', title: 'Over time', figures: courseFigures(runs) },
    { id: 'traffic', title: 'Communication', figures: trafficFigures(runs) },
  ];
}

/** All charts of a report, in order. */
export function figuresOf({ sections }: Report): Figure[] {
  return sections.flatMap(({ figures }) => figures);
}

function drawingsOf(run: ReportRun): RunDrawings {
  const { label, records } = run;
  const { flows, loads, timeline } = records;
  const notes: string[] = [];
  if (records.fabric === null) notes.push('The folder has no fabric.topo, so the fabric is not drawn.');
  if (loads !== null && loads.strangers > 0)
    notes.push(
      `${counted(loads.strangers, 'hop')} of flows name ports that fabric.topo has not: loads and ways are without them.`,
    );
  let drawn = timeline.rows.length === 0 ? null : timelineSvg(label, timeline);
  if (drawn !== null && drawn.length > longestTimeline) {
    drawn = null;
    notes.push("What each rank did is too much for a page: the run's timeline.svg has it.");
  }
  return {
    label,
    fabric:
      loads === null
        ? null
        : fabricPicture(loads, flows, flows.lastFinishPs - flows.firstStartPs, (node) => ownNodeName(run, node)),
    timeline: drawn,
    timelineEndPs: timeline.endPs,
    note: notes.join(' '),
  };
}

/** A drawing that stands alone. */
export interface Picture {
  /** of its file, without ending */
  readonly name: string;
  readonly svg: string;
}

/** Drawings of a report as pictures: timelines of ranks, congested-fraction plots. */
export function picturesOf({ drawings, congestion }: Report): Picture[] {
  const timelines = drawings.flatMap(({ timeline }, i) =>
    timeline === null ? [] : [{ name: drawings.length === 1 ? 'timeline' : `timeline-${i + 1}`, svg: timeline }],
  );
  return [...timelines, ...congestion.flatMap(({ files }) => files)];
}

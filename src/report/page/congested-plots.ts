// The congested-fraction plots of a report's runs: one of everything for the page, with the packets of each window and
// kind of traffic for its slider, and as pictures also one of the part that each kind touches.
// Invariants: all plots of a report have one scale for the whole run, and one for windows by their length; there are at
// most `mostValues` values for the slider of a run, windows being put together where there are more.

import { formatTimePs } from '../../base/units.js';
import { counted } from '../text-style.js';
import { congestedFile, congestedSvg, type MarkPackets, packetsOfMarks, scaleOf } from './congested-picture.js';
import { congestedPlan, type CongestedPlan } from './congested-plan.js';
import { roundUp } from './congested-scale.js';
import { chunks } from './fabric-layout.js';
import { short } from './figures.js';
import { ownNodeName, type ReportRun } from './report-run.js';
import { slicesOf, type SampleSlice } from './sample-slices.js';
import type { SampledLinks } from './sampled-links.js';

const mostValues = 150_000;
const mostWindows = 96;
const leastWindows = 4;
const howToRead =
  'Estimated from samples in packets. The wider, the more traffic; the stronger the shade, the larger the share of it ' +
  'that met congestion there. Of a link, the half at a switch is what that switch sends. Hosts are pairs of bars below ' +
  'their leaf: above what they receive, below what they send.';

/** Packets on the marks of a plot. */
interface DeskFrame {
  /** when, in words */
  readonly text: string;
  /** null: marks have a size of their own */
  readonly packetsPerPixel: number | null;
  /** by mark */
  readonly traffic: readonly number[];
  /** share of it that met congestion, in percent */
  readonly percent: readonly number[];
}

/** What the page's program needs to show other windows and jobs. */
export interface CongestedDesk {
  readonly links: readonly {
    readonly low: string;
    readonly high: string;
    readonly count: number;
    /** of a bar; 0: it is a line */
    readonly room: number;
  }[];
  /** all traffic first; frames: the whole run, then each window */
  readonly slices: readonly { readonly name: string; readonly frames: readonly DeskFrame[] }[];
}

/** A plot of a run. */
export interface CongestedPlot {
  /** of whom it is */
  readonly label: string;
  readonly title: string;
  /** of the table below it */
  readonly rowsTitle: string;
  readonly svg: string;
  /** how it is read */
  readonly reading: string;
  /** what was left out or put together, in sentences */
  readonly note: string;
  readonly desk: CongestedDesk;
  /** pictures that stand alone, by a name for their file */
  readonly files: readonly { readonly name: string; readonly svg: string }[];
}

/** A run's samples, and where its links stand. */
interface SampledRun {
  readonly run: ReportRun;
  readonly samples: SampledLinks;
  readonly plan: CongestedPlan;
  readonly whole: MarkPackets;
  readonly windows: ReturnType<SampledLinks['windows']>[];
  readonly slices: readonly SampleSlice[];
  /** what is not among them */
  readonly note: string;
}

/**
 * The plots of all runs that have samples; null for those that have none.
 * @param packetsPerPixel width of lines; left out: so that the widest fits
 */
export function congestedPlots(runs: readonly ReportRun[], packetsPerPixel?: number): (CongestedPlot | null)[] {
  const sampled = runs.map((run) => sampledRun(run));
  const some = sampled.filter((own) => own !== null);
  const scale = packetsPerPixel ?? some.reduce((most, { plan, whole }) => Math.max(most, scaleOf(plan, whole)), 0);
  const perPs = some.reduce((most, own) => Math.max(most, windowScale(own)), 0);
  return sampled.map((own, i) => (own === null ? null : plotOf(own, scale, perPs, runs.length > 1 ? `-${i + 1}` : '')));
}

function sampledRun(run: ReportRun): SampledRun | null {
  const { samples } = run.records;
  if (samples === null) return null;
  const all = samples.windows();
  const estimates = samples.sums(all, null);
  const plan = congestedPlan(samples.fabric, estimates.traffic, (node) => ownNodeName(run, node));
  if (plan.links.length === 0) return null;
  const { slices, note } = slicesOf(run, samples);
  return {
    run,
    samples,
    plan,
    whole: packetsOfMarks(plan, estimates),
    slices,
    note,
    windows: stepsOf(all, plan.links.length, slices.length),
  };
}

/** Steps of the slider, of one window or several: so many that there are not too many values. */
export function stepsOf<T>(windows: readonly T[], links: number, slices: number): T[][] {
  const values = 4 * links * (1 + slices);
  const most = Math.min(mostWindows, Math.max(leastWindows, Math.floor(mostValues / values)));
  return windows.length < 2 ? [] : chunks(windows, Math.ceil(windows.length / most));
}

/** Packets per pixel and picosecond with which every window has room. */
function windowScale({ samples, plan, windows }: SampledRun): number {
  return windows.reduce((most, own) => {
    const packets = packetsOfMarks(plan, samples.sums(own, null));
    return Math.max(most, scaleOf(plan, packets) / lengthPs(own));
  }, 0);
}

function lengthPs(windows: SampledRun['windows'][number]): number {
  return windows.at(-1)!.endPs - windows[0]!.startPs;
}

function plotOf(sampled: SampledRun, scale: number, perPs: number, suffix: string): CongestedPlot {
  const { run, samples, plan, whole, windows, slices } = sampled;
  const slice = (name: string, of: SampleSlice['labels'] | null) => ({
    name,
    frames: [
      frameOf('the whole run', scale, of === null ? whole : packetsOfMarks(plan, samples.sums(samples.windows(), of))),
      ...windows.map((own) =>
        frameOf(spanText(own), roundUp(perPs * lengthPs(own)), packetsOfMarks(plan, samples.sums(own, of))),
      ),
    ],
  });
  return {
    label: run.label,
    title: 'Traffic and congestion of links',
    rowsTitle: 'Links on which most packets met congestion',
    svg: congestedSvg(plan, whole, scale),
    reading: howToRead,
    note: [plan.note, notesOf(sampled)].filter((text) => text !== '').join(' '),
    desk: {
      links: plan.links.map(({ low, high, ports, room }) => ({ low, high, count: ports[0].length, room })),
      slices: [slice('all traffic', null), ...slices.map(({ name, labels }) => slice(name, labels))],
    },
    files: [
      {
        name: `congested-fraction${suffix}`,
        svg: congestedFile(plan, whole, scale, `Traffic and congestion: ${run.label}`),
      },
      ...slices.flatMap((own) => fileOfSlice(sampled, own, scale, suffix)),
    ],
  };
}

/** When steps of the slider begin and end. */
export function spanText(windows: readonly { readonly startPs: number; readonly endPs: number }[]): string {
  return `${formatTimePs(windows[0]!.startPs)} to ${formatTimePs(windows.at(-1)!.endPs)}`;
}

/** What the page's program needs of a frame. */
export function frameOf(text: string, packetsPerPixel: number | null, { traffic, congested }: MarkPackets): DeskFrame {
  return {
    text,
    packetsPerPixel: packetsPerPixel === null ? null : short(packetsPerPixel, 3),
    traffic: Array.from(traffic, (own) => short(own, 3)),
    percent: Array.from(traffic, (own, mark) => (own > 0 ? Math.round((100 * congested[mark]!) / own) : 0)),
  };
}

/** The part of the fabric that a kind of traffic touches. */
function fileOfSlice(
  { run, samples }: SampledRun,
  { name, id, labels }: SampleSlice,
  scale: number,
  suffix: string,
): CongestedPlot['files'] {
  const estimates = samples.sums(samples.windows(), labels);
  const plan = congestedPlan(samples.fabric, estimates.traffic, (node) => ownNodeName(run, node));
  if (plan.links.length === 0) return [];
  const title = `Traffic and congestion: ${run.label}, ${name}`;
  return [
    {
      name: `congested-fraction${suffix}-${id}`,
      svg: congestedFile(plan, packetsOfMarks(plan, estimates), scale, title),
    },
  ];
}

function notesOf({ samples, windows, note }: SampledRun): string {
  const { withinNoise } = samples.sums(samples.windows(), null);
  const together = windows[0]?.length ?? 1;
  return [
    ...(withinNoise > 0
      ? [
          `The estimates of ${counted(withinNoise, 'direction')} of links are no larger than chance may give: they count as nothing.`,
        ]
      : []),
    ...(together > 1 ? [`A step of the slider is ${together} windows.`] : []),
    ...(note === '' ? [] : [note]),
    ...(samples.strangers > 0
      ? [`${counted(samples.strangers, 'row')} of samples name ports that fabric.topo has not: they are left out.`]
      : []),
  ].join(' ');
}

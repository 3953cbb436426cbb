// A comparison of two runs as a table and one sentence that a person understands at once, within 80 columns.
// Invariant: all times of the table have one unit; every fact is the comparison's.

import { formatSizeBytes } from '../base/units.js';
import type { ComparedFlow, ComparedRun, RunComparison, FlowOutcome } from './comparison.js';
import { bar, coloured, counted, reportColumns, wrapped, type TextStyle } from './text-style.js';

/** Flows that the table shows; the others are counted in a line of their own. */
const mostRows = 32;
/** Shared spines that the explanation names. */
const mostGroups = 8;
/** A flow that took this many times its time alone is slow. */
const slowFrom = 1.25;

const spineColumns = 5;
const timeColumns = 9;
const ratioColumns = 5;

interface Layout {
  readonly flowColumns: number;
  readonly barColumns: number;
  readonly unit: string;
  /** picoseconds in one unit */
  readonly unitPs: number;
  readonly longestPs: number;
}

/** The comparison for people; ends with a newline. */
export function comparisonText(comparison: RunComparison, style: TextStyle): string {
  const shown = comparison.flows.slice(0, mostRows);
  const layout = layoutOf(comparison.flows, shown);
  const gap = ' '.repeat(layout.flowColumns);
  const side = sideColumns(layout);
  const head = `${'spine'.padStart(spineColumns)} ${`time, ${layout.unit}`.padStart(timeColumns)}`;
  const lines = [
    coloured(style, 'bold', title(comparison.flows)),
    '',
    coloured(style, 'bold', `${gap} ${'without controller'.padEnd(side)}  with controller`.trimEnd()),
    coloured(style, 'dim', `${'flow'.padEnd(layout.flowColumns)} ${head.padEnd(side)}  ${head}`.trimEnd()),
    ...shown.map((flow) =>
      `${flowName(flow).padEnd(layout.flowColumns)} ${cell(flow.without, layout, style)}  ${cell(flow.with, layout, style)}`.trimEnd(),
    ),
  ];
  if (shown.length < comparison.flows.length) lines.push(`... and ${comparison.flows.length - shown.length} more`);
  lines.push('', totals('mean', comparison, layout), totals('max', comparison, layout), '');
  lines.push(...explanation(comparison));
  return `${lines.join('\n')}\n`;
}

function title(flows: readonly ComparedFlow[]): string {
  const sizes = new Set(flows.map((flow) => flow.sizeBytes));
  const size = sizes.size === 1 ? ` of ${formatSizeBytes(flows[0]!.sizeBytes)}` : '';
  return `${counted(flows.length, 'transfer')}${size}; how long each took, and through which spine switch`;
}

function layoutOf(flows: readonly ComparedFlow[], shown: readonly ComparedFlow[]): Layout {
  const flowColumns = Math.max(4, ...shown.map((flow) => flowName(flow).length));
  const times = flows.flatMap((flow) =>
    [flow.without, flow.with].flatMap((outcome) => (outcome === null ? [] : [outcome.completionPs])),
  );
  const shortestPs = times.reduce((least, time) => Math.min(least, time), Infinity);
  const longestPs = times.reduce((most, time) => Math.max(most, time), 0);
  // the largest unit in which no time is below 1
  const place = [1e12, 1e9, 1e6].findIndex((factor) => shortestPs >= factor && shortestPs < Infinity);
  const [unitPs, unit] = (
    [
      [1e3, 'ns'],
      [1e12, 's'],
      [1e9, 'ms'],
      [1e6, 'us'],
    ] as const
  )[place + 1]!;
  const fixed = spineColumns + 1 + timeColumns + 2 + ratioColumns;
  const barColumns = Math.max(0, Math.floor((reportColumns - flowColumns - 3) / 2) - fixed);
  return { flowColumns, barColumns, unit, unitPs, longestPs };
}

function sideColumns(layout: Layout): number {
  return spineColumns + 1 + timeColumns + 2 + layout.barColumns + ratioColumns;
}

function cell(outcome: FlowOutcome | null, layout: Layout, style: TextStyle): string {
  if (outcome === null) return 'did not finish'.padStart(spineColumns + 1 + timeColumns).padEnd(sideColumns(layout));
  const spine = (outcome.spine === null ? '-' : String(outcome.spine)).padStart(spineColumns);
  const time = inUnit(outcome.completionPs, layout).padStart(timeColumns);
  const length = bar(style, outcome.completionPs / layout.longestPs, layout.barColumns);
  const ratio = `${outcome.slowdown.toFixed(1)}x`.padStart(ratioColumns);
  const colour = outcome.slowdown >= slowFrom ? 'red' : 'green';
  return `${spine} ${time}  ${coloured(style, colour, `${length}${ratio}`)}`;
}

function inUnit(timePs: number, layout: Layout): string {
  return (timePs / layout.unitPs).toFixed(1);
}

function totals(figure: 'mean' | 'max', { without, with: others }: RunComparison, layout: Layout): string {
  const width = spineColumns + 1 + timeColumns;
  const [before, after] = [without.fct[`${figure}Ns`], others.fct[`${figure}Ns`]];
  const change = before > 0 ? Math.round((after / before - 1) * 100) : 0;
  const text = (ns: number): string => inUnit(ns * 1000, layout).padStart(width);
  const sign = change < 0 ? '-' : '+';
  const changed = before > 0 ? `  ${change === 0 ? 'the same' : `${sign}${Math.abs(change)} %`}` : '';
  return `${figure.padEnd(layout.flowColumns)} ${text(before).padEnd(sideColumns(layout))}  ${text(after)}${changed}`;
}

function flowName(flow: ComparedFlow): string {
  return `GPU ${flow.source} -> GPU ${flow.destination}`;
}

/** Why the times are as they are, in lines. */
function explanation(comparison: RunComparison): string[] {
  const lines = wrapped(
    `Why: the hash of a flow's addresses and ports picks its spine. Without the controller ${sharing(comparison.without, slowest(comparison))}`,
  );
  lines.push(...sharedLines(comparison, comparison.without));
  if (comparison.with.sharedSpines.length > 0) {
    lines.push(
      ...wrapped(`With the controller ${sharing(comparison.with, 0)}`),
      ...sharedLines(comparison, comparison.with),
    );
  } else {
    const free = everyFlowAlone(comparison) ? 'each flow has a spine of its own' : 'no two flows share a spine';
    lines.push(...wrapped(`With the controller ${free}: ${ports(comparison.flows)}.`));
  }
  return lines;
}

/** Half a sentence about the groups of flows that shared a spine; the groups follow on lines of their own. */
function sharing(run: ComparedRun, slowdown: number): string {
  const groups = run.sharedSpines;
  if (groups.length === 0) return 'no two flows shared one.';
  const pairs = groups.every((group) => group.flows.length === 2);
  const effect = slowdown >= slowFrom ? ` and took up to ${slowdown.toFixed(1)} times as long as alone` : '';
  return `${counted(groups.length, pairs ? 'pair' : 'group')} of flows shared a spine${effect}:`;
}

function sharedLines({ flows }: RunComparison, run: ComparedRun): string[] {
  const name = (id: number): string => flowName(flows.find((flow) => flow.flowId === id)!);
  const groups = run.sharedSpines
    .slice(0, mostGroups)
    .map(
      (group) =>
        `  spine ${group.spine}: ${group.flows.slice(0, 2).map(name).join(' and ')}${group.flows.length > 2 ? `, and ${group.flows.length - 2} more` : ''}`,
    );
  if (run.sharedSpines.length > mostGroups) groups.push(`  ... and ${run.sharedSpines.length - mostGroups} more`);
  return groups;
}

/** The worst slowdown among the flows that shared a spine without the controller. */
function slowest({ flows, without }: RunComparison): number {
  const sharers = new Set(without.sharedSpines.flatMap((group) => group.flows));
  return flows.reduce(
    (most, flow) => (sharers.has(flow.flowId) ? Math.max(most, flow.without?.slowdown ?? 0) : most),
    0,
  );
}

function everyFlowAlone({ flows }: RunComparison): boolean {
  const spines = flows.map((flow) => flow.with?.spine ?? null);
  return !spines.includes(null) && new Set(spines).size === spines.length;
}

function ports(flows: readonly ComparedFlow[]): string {
  const before = portList(flows.map((flow) => flow.without?.sourcePort));
  const after = portList(flows.map((flow) => flow.with?.sourcePort));
  return `it assigned the source ports ${after} (before: ${before})`;
}

function portList(values: readonly (number | undefined)[]): string {
  const known = values.filter((value) => value !== undefined);
  if (new Set(known).size <= 1) return known.length === 0 ? 'none' : `${known[0]} for all`;
  return `${known.slice(0, 16).join(', ')}${known.length > 16 ? ', ...' : ''}`;
}

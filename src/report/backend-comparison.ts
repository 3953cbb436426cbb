// Runs of one scenario on several backends side by side: the same figures of each, and how far each is from the last
// one, which is the one to judge by (the most detailed, if the user names it last). Invariant: a figure that a run does
// not have is missing, not 0.

import type { InferenceReport } from '../inference/inference-report.js';
import { communicationKinds } from '../jobs/job-report.js';
import { formatTimePs } from '../base/units.js';
import type { RunFigures } from './run-figures.js';
import { coloured, counted, grouped, wrapped, type TextStyle } from './text-style.js';

/** A figure of every run. */
export interface ComparedFigure {
  readonly name: string;
  readonly unit: 'ps' | 's' | 'count';
  /** in order of the runs; null: the run has none */
  readonly values: readonly (number | null)[];
  /** each over the last one, less 1; null if either is missing, or the last one is 0 */
  readonly difference: readonly (number | null)[];
}

/** The figures of runs of one scenario. */
export function comparedFigures(runs: readonly RunFigures[]): ComparedFigure[] {
  const rows: ComparedFigure[] = [];
  const add = (name: string, unit: ComparedFigure['unit'], of: (run: RunFigures) => number | null): void => {
    const values = runs.map(of);
    const last = values.at(-1) ?? null;
    rows.push({
      name,
      unit,
      values,
      difference: values.map((value) => (value === null || last === null || last === 0 ? null : value / last - 1)),
    });
  };
  add('total', 'ps', ({ simulatedPs }) => simulatedPs);
  const jobs = runs[0]?.jobs ?? [];
  for (const [number, job] of jobs.entries()) {
    const prefix = jobs.length === 1 ? '' : `${job.name} `;
    const rank = (run: RunFigures) => run.jobs[number]?.stages[0] ?? null;
    if (jobs.length > 1) add(`${prefix}total`, 'ps', (run) => run.jobs[number]?.totalPs.maximum ?? null);
    add(`${prefix}computes`, 'ps', (run) => rank(run)?.computePs ?? null);
    const used = communicationKinds.filter((kind) => runs.some((run) => (rank(run)?.communicationPs[kind] ?? 0) > 0));
    for (const kind of used) add(`${prefix}${kind} under way`, 'ps', (run) => rank(run)?.communicationPs[kind] ?? null);
    for (const kind of used) add(`${prefix}waits for ${kind}`, 'ps', (run) => rank(run)?.exposedPs[kind] ?? null);
    if (runs.some((run) => (rank(run)?.bubblePs ?? 0) > 0))
      add(`${prefix}bubble`, 'ps', (run) => rank(run)?.bubblePs ?? null);
  }
  if (runs.some(({ inference }) => inference !== null)) {
    const served = (name: string, nsOf: (report: InferenceReport) => number): void =>
      add(name, 'ps', ({ inference }) =>
        inference === null || inference.finished === 0 ? null : nsOf(inference) * 1000,
      );
    served('waits for KV mean', ({ exposedTransfer }) => exposedTransfer.meanNs);
    served('first token mean', ({ timeToFirstToken }) => timeToFirstToken.meanNs);
    served('first token p99', ({ timeToFirstToken }) => timeToFirstToken.p99Ns);
  }
  if (runs.some(hasFlows)) {
    add('flows finished', 'count', (run) => (hasFlows(run) ? run.finished : null));
    add('completion mean', 'ps', (run) => (hasFlows(run) ? run.fct.meanNs * 1000 : null));
    add('completion p99', 'ps', (run) => (hasFlows(run) ? run.fct.p99Ns * 1000 : null));
    add('completion max', 'ps', (run) => (hasFlows(run) ? run.fct.maxNs * 1000 : null));
  }
  add('events', 'count', ({ counters }) => counters.events);
  add('CPU', 's', ({ cpuSeconds }) => cpuSeconds);
  return rows;
}

const labelColumns = 20;
const runColumns = 19;

/**
 * The table within 80 columns, of up to three runs; text that ends with a newline.
 * @param results where each run's results are; none if they were not kept
 */
export function backendComparisonText(
  name: string,
  runs: readonly RunFigures[],
  results: readonly string[],
  style: TextStyle,
): string {
  const last = runs.at(-1)!;
  const lines = [
    coloured(style, 'bold', `${name} on ${counted(runs.length, 'backend')}`),
    '',
    line(
      '',
      runs.map(({ backend }) => backend),
    ),
  ];
  if (runs.some(({ outcome }) => outcome !== 'finished'))
    lines.push(
      line(
        'outcome',
        runs.map(({ outcome }) => outcome),
      ),
    );
  for (const row of comparedFigures(runs)) {
    const isCost = row.name === 'events' || row.name === 'CPU';
    lines.push(
      line(
        row.name.length < labelColumns ? row.name : `${row.name.slice(0, labelColumns - 2)}~`,
        row.values.map((value, i) =>
          cellText(value, row.unit, isCost || i === runs.length - 1 ? null : row.difference[i]!),
        ),
      ),
    );
  }
  const failed = runs.map(({ verdicts }) => verdicts.filter(({ ok }) => !ok));
  lines.push(
    line(
      'checks',
      runs.map(({ verdicts }, i) =>
        failed[i]!.length === 0 ? `all ${verdicts.length} passed` : `${failed[i]!.length} of ${verdicts.length} FAILED`,
      ),
    ),
  );
  const notes = [
    ...(last.jobs.length > 0 ? ['Computation and waits are those of rank 0.'] : []),
    ...(runs.length > 1 ? [`Percentages are relative to ${last.backend}.`] : []),
    ...(runs.some(({ jobs, finished }) => jobs.length > 0 && finished === 0)
      ? ['Collectives that take what closed forms say send no flows.']
      : []),
  ];
  lines.push('', ...wrapped(notes.join(' ')));
  failed.forEach((verdicts, i) => {
    for (const { name: check, detail } of verdicts)
      lines.push(...wrapped(`failed on ${runs[i]!.backend}: ${check}: ${detail}`));
  });
  if (results.length > 0) lines.push(`results: ${results.join(', ')}`);
  return `${lines.join('\n')}\n`;
}

function line(label: string, cells: readonly string[]): string {
  return `  ${label.padEnd(labelColumns)}${cells.map((cell) => cell.padStart(runColumns)).join('')}`;
}

function hasFlows({ finished }: RunFigures): boolean {
  return finished > 0;
}

function cellText(value: number | null, unit: ComparedFigure['unit'], difference: number | null): string {
  if (value === null) return '-';
  const text = unit === 'ps' ? formatTimePs(value) : unit === 's' ? `${value.toFixed(2)} s` : grouped(value);
  if (difference === null) return text;
  const percent =
    Math.abs(difference) < 0.0005
      ? '0.0%'
      : Math.abs(difference) >= 10
        ? `x${(difference + 1).toFixed(0)}`
        : `${difference >= 0 ? '+' : ''}${(100 * difference).toFixed(1)}%`;
  return `${text} ${percent.padStart(7)}`;
}

/** The comparison for --json. @param summaries of the runs, as `weft run --json` prints them */
export function backendComparisonObject(
  label: { readonly weftVersion: string; readonly name: string; readonly seed: number },
  runs: readonly RunFigures[],
  summaries: readonly object[],
): Record<string, unknown> {
  const byBackend = (values: readonly (number | null)[]): Record<string, number | null> =>
    Object.fromEntries(runs.map(({ backend }, i) => [backend, values[i]!]));
  return {
    name: label.name,
    seed: label.seed,
    weftVersion: label.weftVersion,
    outcome: runs.find(({ outcome }) => outcome !== 'finished')?.outcome ?? 'finished',
    relativeTo: runs.at(-1)!.backend,
    // picoseconds are for the engine: people and scripts read nanoseconds
    figures: comparedFigures(runs).map(({ name, unit, values, difference }) => ({
      name,
      unit: unit === 'ps' ? 'ns' : unit,
      values: byBackend(values.map((value) => (value === null || unit !== 'ps' ? value : value / 1000))),
      difference: byBackend(difference),
    })),
    runs: summaries,
  };
}

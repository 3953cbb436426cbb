// weft compare RUN RUN [RUN ...]: what changed from one stored run, or group of runs, to another.
// Invariants: runs whose settings are the same but for the seed are one group, the first run's is the baseline; nothing
// is simulated. Memory: the flows of one run of each group at a time with those of the baseline, about 60 bytes a flow.

import { slowdownOf } from '../../measurement/slowdowns.js';
import { InputError } from '../../base/diagnostics.js';
import { percentilesOf } from '../../measurement/distribution.js';
import {
  figureChange,
  flowChanges,
  type ComparedFlows,
  type FlowPair,
  type GroupFigures,
} from '../../measurement/run-comparison.js';
import { flowFigures, type FlowFigures } from '../../report/figures/compared.js';
import {
  groupComparisonText,
  type ComparedGroup,
  type GroupComparison,
  type ShownChange,
} from '../../report/run-comparison-text.js';
import type { RunReader } from '../../storage/run-reader.js';
import { csvField, toldRuns, watchedRun, withProgress } from '../analyze/analyze-options.js';
import { storedFlows } from '../analyze/joined-flows.js';
import { declaredCommand, toggle, text, value } from '../options/declared-command.js';
import { numberThat } from '../options/option-values.js';
import { printResult } from '../terminal.js';
import type { StageProgress } from '../stage-progress.js';
import { forceHelp, writeWholeFile } from '../whole-file.js';

const shownChanges = 10;

/** The command for the command line. */
export const compareRunsCommand = declaredCommand({
  name: 'compare',
  description: 'runs beside each other: which flows changed, by how much, and if that is chance',
  argument: ['<runs...>', 'folders of weft run --out, or fct.txt of others; the first is the baseline'],
  options: [
    value('--threshold <percent>', 'a flow has changed if its time differs by more', percentFrom, 0.01),
    text('--csv <file>', 'write every flow with both times'),
    toggle('--force', forceHelp),
    toggle('--json', 'print one JSON object'),
  ],
  after: `
Examples:
  weft compare without with
  weft compare results/packet results/fluid --csv changes.csv
  weft compare seed-1 seed-2 seed-3 other-1 other-2 other-3

Runs that differ in nothing but their seed are one group. With several seeds in
both groups each figure has a p: how likely such a difference is by chance.
docs/models/comparison.md`,
  run: async ({ argument: paths, options: { threshold, csv, force, json }, context }) => {
    const comparison = await withProgress(context, async (progress) =>
      compareRuns(
        (await toldRuns(paths, context.stderr)).map((run) => watchedRun(run, progress)),
        threshold,
        progress,
      ),
    );
    if (csv !== undefined) await writeWholeFile(csv, comparison.csv.join(''), force);
    printResult(context, json, comparison.result, (style) => groupComparisonText(comparison.result, style));
  },
});

function percentFrom(given: string): number {
  const percent = numberThat((number) => number >= 0 && number <= 1000, 'a number of percent, such as 1.');
  return percent(given.replace(/\s*%$/, '')) / 100;
}

interface RunGroup {
  readonly runs: RunReader[];
  readonly settings: ReadonlyMap<string, string>;
}

/** Compares runs. @throws InputError, HostFileError */
async function compareRuns(
  runs: readonly RunReader[],
  threshold: number,
  progress: StageProgress,
): Promise<{ result: GroupComparison; csv: string[] }> {
  const groups = groupsOf(runs);
  const [baseline, ...others] = groups;
  if (baseline === undefined || others.length === 0)
    throw InputError.about('compare-runs', runs[0]?.shown ?? '', 'there is nothing to compare this with', {
      got: runs.length < 2 ? 'one run' : 'runs of the same settings, which differ in their seed alone',
      hint: 'give another run: weft compare RUN RUN',
    });
  const csv = ['before,after,flow_id,src,dst,size_bytes,before_ns,after_ns\n'];
  const before = await figuresOf(baseline);
  const compared: ComparedGroup[] = [];
  for (const group of others) {
    const after = await figuresOf(group);
    const [own, other] = sameSeed(baseline, group);
    const [ownFlows, otherFlows] = [await comparedFlows(own), await comparedFlows(other)];
    progress.update(`comparing ${other.shown} with ${own.shown}`);
    const { changed, ...flows } = flowChanges(ownFlows, otherFlows, threshold);
    const every = flowChanges(ownFlows, otherFlows, -1).changed;
    const shown = (pair: FlowPair): ShownChange => ({
      flowId: ownFlows.flowId[pair.before]!,
      source: ownFlows.source[pair.before]!,
      destination: ownFlows.destination[pair.before]!,
      sizeBytes: ownFlows.sizeBytes[pair.before]!,
      beforeNs: pair.beforePs / 1000,
      afterNs: pair.afterPs / 1000,
    });
    for (const pair of every) {
      const { flowId, source, destination, sizeBytes, beforeNs, afterNs } = shown(pair);
      csv.push(
        `${[csvField(own.shown), csvField(other.shown), flowId, source, destination, sizeBytes, beforeNs, afterNs].join(',')}\n`,
      );
    }
    compared.push({
      runs: group.runs.map((run) => run.shown),
      seeds: seedsOf(group),
      settings: differences(baseline.settings, group.settings),
      figures: flowFigures.map(({ key, unit }, i) => ({
        name: key,
        unit: unit === 'ns' ? unit : 'ratio',
        ...figureChange(before[i]!, after[i]!),
      })),
      flowsOf: [own.shown, other.shown],
      flows,
      largest: changed.slice(0, shownChanges).map(shown),
    });
  }
  return {
    result: {
      baseline: { runs: baseline.runs.map((run) => run.shown), seeds: seedsOf(baseline) },
      threshold,
      groups: compared,
    },
    csv,
  };
}

/** Runs of the same settings but for the seed, in the order in which they come first. */
function groupsOf(runs: readonly RunReader[]): RunGroup[] {
  const groups = new Map<string, RunGroup>();
  for (const run of runs) {
    const settings = settingsOf(run);
    const key = run.manifest === null ? `file ${run.shown}` : JSON.stringify([...settings]);
    const known = groups.get(key);
    // the same run twice is a comparison of its own: nothing changed
    if (known === undefined || known.runs.some((other) => seedOf(other) === seedOf(run)))
      groups.set(known === undefined ? key : `${key} ${groups.size}`, { runs: [run], settings });
    else known.runs.push(run);
  }
  return [...groups.values()];
}

/** Settings of the scenario as resolved, by path; without name and seed. */
function settingsOf({ manifest }: RunReader): Map<string, string> {
  const settings = new Map<string, string>();
  const walk = (value: unknown, path: string): void => {
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      for (const [key, inner] of Object.entries(value)) walk(inner, path === '' ? key : `${path}.${key}`);
    else if (path !== 'name' && path !== 'seed') settings.set(path, JSON.stringify(value));
  };
  walk(manifest?.scenario ?? {}, '');
  return settings;
}

function differences(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): [string, string, string][] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].flatMap((path): [string, string, string][] => {
    const [own, other] = [before.get(path) ?? 'none', after.get(path) ?? 'none'];
    return own === other ? [] : [[path, own, other]];
  });
}

function seedOf(run: RunReader): number {
  return run.manifest?.seed ?? 0;
}

function seedsOf(group: RunGroup): number[] {
  return group.runs.map(seedOf);
}

/** The first runs of two groups with one seed, or else their first runs. */
function sameSeed(before: RunGroup, after: RunGroup): [RunReader, RunReader] {
  for (const own of before.runs) {
    const other = after.runs.find((run) => seedOf(run) === seedOf(own));
    if (other !== undefined) return [own, other];
  }
  return [before.runs[0]!, after.runs[0]!];
}

/** Of each figure the values of all runs of a group. */
async function figuresOf(group: RunGroup): Promise<GroupFigures[]> {
  const runs: FlowFigures[] = [];
  for (const run of group.runs) {
    const { startPs, finishPs, idealPs } = await storedFlows(run);
    const times = finishPs.map((end, i) => (end - startPs[i]!) / 1000);
    const ratios = times.map((time, i) => (idealPs[i]! > 0 ? slowdownOf(1000 * time, idealPs[i]!) : NaN));
    const known = ratios.filter((ratio) => !Number.isNaN(ratio));
    runs.push({
      times: percentilesOf('all', times),
      lastEndNs: finishPs.reduce((a, b) => Math.max(a, b), 0) / 1000,
      meanSlowdown: known.reduce((sum, ratio) => sum + ratio, 0) / Math.max(1, known.length),
    });
  }
  return flowFigures.map(({ json }) => ({ seeds: seedsOf(group), values: runs.map((run) => json(run) as number) }));
}

async function comparedFlows(run: RunReader): Promise<ComparedFlows> {
  const flows = await storedFlows(run);
  return { ...flows, isNumbered: run.tables.get('flows')?.file.endsWith('.parquet') === true };
}

// What changed from one stored run, or group of runs, to another: `weft compare`.
// Invariants: runs whose settings are the same but for the seed are one group, the first run's is the baseline; nothing
// is simulated. Memory: the flows of one run of each group at a time with those of the baseline, about 60 bytes a flow.

import type { Json } from '../../report/page/report-run.js';
import { outcomesVerdict, type ComparedOutcome } from '../../report/outcome-comparison.js';
import { storedOutcome } from '../../report/page/stored-outcome.js';
import { settingsByPath } from '../../report/page/scenario-text.js';
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
import { type ComparedGroup, type GroupComparison, type ShownChange } from '../../report/run-comparison-text.js';
import type { RunTables } from '../../records/run-tables.js';
import { csvField } from './flow-figures.js';
import { storedFlows } from './joined-flows.js';

const shownChanges = 10;

interface RunGroup {
  readonly runs: RunTables[];
  readonly settings: ReadonlyMap<string, string>;
}

/**
 * Compares runs. @param say told what is being done
 * @returns every flow with both times as CSV beside the comparison @throws InputError, HostFileError
 */
export async function compareStoredRuns(
  runs: readonly RunTables[],
  threshold: number,
  say: (what: string) => void,
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
    say(`comparing ${other.shown} with ${own.shown}`);
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
      verdict: outcomesVerdict([outcomeOf(baseline, own, before), outcomeOf(group, other, after)]),
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

/**
 * What a group came to: times are means over its runs, causes those of the run that is compared flow by flow.
 * @param figures by the figures of flows
 */
function outcomeOf(group: RunGroup, run: RunTables, figures: readonly GroupFigures[]): ComparedOutcome {
  const outcomes = group.runs.map(({ shown, summary }) => storedOutcome(shown, (summary ?? null) as Json));
  const jobs = outcomes.flatMap(({ jobPs }) => (jobPs === null ? [] : [jobPs]));
  const meanNs = mean(figures[0]!.values);
  return {
    ...storedOutcome(run.shown, (run.summary ?? null) as Json),
    isFinished: outcomes.every(({ isFinished }) => isFinished),
    jobPs: jobs.length < outcomes.length ? null : mean(jobs),
    flowPs: meanNs > 0 ? 1000 * meanNs : null,
  };
}

function mean(values: ArrayLike<number>): number {
  return values.length === 0 ? 0 : Array.from(values).reduce((sum, own) => sum + own, 0) / values.length;
}

/** Runs of the same settings but for the seed, in the order in which they come first. */
function groupsOf(runs: readonly RunTables[]): RunGroup[] {
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
function settingsOf({ manifest }: RunTables): Map<string, string> {
  const settings = settingsByPath((manifest?.scenario ?? {}) as Json, JSON.stringify);
  for (const path of ['name', 'seed']) settings.delete(path);
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

function seedOf(run: RunTables): number {
  return run.manifest?.seed ?? 0;
}

function seedsOf(group: RunGroup): number[] {
  return group.runs.map(seedOf);
}

/** The first runs of two groups with one seed, or else their first runs. */
function sameSeed(before: RunGroup, after: RunGroup): [RunTables, RunTables] {
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

async function comparedFlows(run: RunTables): Promise<ComparedFlows> {
  const flows = await storedFlows(run);
  return { ...flows, isNumbered: run.tables.get('flows')?.file.endsWith('.parquet') === true };
}

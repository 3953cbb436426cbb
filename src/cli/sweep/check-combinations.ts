// A sweep before its first run: plans of its combinations are made, so that what is wrong with a setting, or has no
// effect, is said before anything runs.
// Invariants: every value of every setting is looked at, beside the first values of the others; so are all combinations
// if they are few and looking does not take long; nothing runs and nothing is written. Names, forms and values that are
// wrong end the sweep; a combination that cannot run is counted, and ends it only if no other can.
// Not seen: what is wrong with a combination that was not looked at, which is its row then.

import { createHash } from 'node:crypto';
import { type Diagnostic, InputError, wholeFile } from '../../base/diagnostics.js';
import type { Combinations } from '../../scenario/sweep/combinations.js';
import type { Plan } from '../../scenario/plan.js';
import { isInfeasible } from '../../scenario/sweep/infeasible.js';
import type { InputFile } from '../../storage/input-digests.js';
import { inputKey } from '../../storage/sweep/sweep-description.js';
import type { CommandContext } from '../context.js';
import { MeanCost } from '../engines/mean-cost.js';
import { inputsOf, readFilesOf } from '../run/run-plan.js';
import { StageProgress } from '../stage-progress.js';
import { CombinationFindings } from './combination-findings.js';

/** Combinations of several settings that are looked at, and wall-clock milliseconds after which no more are. */
const mostLookedAt = 256;
const longestMs = 5000;
/** Mistakes, and notes of runs that are the same, that are told. */
const mostTold = 20;

export interface CheckRequest {
  /** path */
  readonly scenario: string;
  readonly combinations: Combinations;
  readonly quiet: boolean;
  /** whether to say what runs take */
  readonly forecasts: boolean;
}

/** What is known of a sweep before it runs. */
export interface CheckedSweep {
  /** of the scenario, with the first values */
  readonly name: string;
  /** of all plans that were looked at */
  readonly inputs: readonly InputFile[];
  /** their SHA-256, by the paths by which they were read */
  readonly files: ReadonlyMap<string, string>;
  readonly warnings: readonly Diagnostic[];
  /** combinations looked at */
  readonly lookedAt: number;
  /** those of them that cannot run, and the first reason; they have no warnings */
  readonly infeasible: number;
  readonly whyInfeasible: string | null;
  /** mean CPU time of a run, and the most memory of one; null: not asked, or not known */
  readonly cost: { readonly cpuSeconds: number; readonly memoryBytes: number } | null;
}

/** Looks at the combinations of a sweep. @throws InputError with everything that was found wrong; HostFileError */
export async function checkCombinations(request: CheckRequest, context: CommandContext): Promise<CheckedSweep> {
  const { combinations, scenario } = request;
  const { host, stderr } = context;
  const errors = new CombinationFindings(combinations.settings);
  const reasons = new CombinationFindings(combinations.settings);
  const warnings = new CombinationFindings(combinations.settings);
  const inputs = new Map<string, InputFile>();
  const files = new Map<string, string>();
  const same = new Map<string, number>();
  const doubled: Diagnostic[] = [];
  const costs = new MeanCost(request.forecasts, host);
  const progress = request.quiet ? null : new StageProgress(stderr, () => host.wallMs());
  const startMs = host.wallMs();
  const isLarge = combinations.count > mostLookedAt;
  const leastOfSample = combinations.sample === null ? 0 : 64;
  let name: string | null = null;
  let lookedAt = 0;
  let infeasible = 0;
  try {
    for (const { run, isNeeded } of toLookAt(combinations)) {
      if (!isNeeded && (host.wallMs() - startMs > longestMs || (isLarge && name !== null && lookedAt >= leastOfSample)))
        break;
      progress?.update(`looking at the combinations: ${lookedAt} of ${combinations.count}`);
      lookedAt++;
      const choices = combinations.choicesOf(run);
      let plan: Plan;
      try {
        const { overrides, seed } = combinations.feasibleAt(run);
        plan = await context.makePlan(scenario, { overrides, host, seed });
      } catch (error) {
        if (!(error instanceof InputError)) throw error;
        const cannotRun = isInfeasible(error);
        errors.add(choices, cannotRun ? [] : error.diagnostics);
        reasons.add(choices, cannotRun ? error.diagnostics.filter(({ severity }) => severity === 'error') : []);
        if (cannotRun) infeasible++;
        if (errors.count > mostTold) break;
        continue;
      }
      errors.add(choices, []);
      reasons.add(choices, []);
      warnings.add(choices, plan.warnings);
      name ??= plan.name;
      for (const input of inputsOf(plan, context)) inputs.set(inputKey(input), input);
      for (const [path, sha256] of readFilesOf(plan, context)) files.set(path, sha256);
      // points of a sample may fall together
      const twin = combinations.sample === null ? twinOf(plan, run, same) : null;
      if (twin !== null && doubled.length < mostTold) doubled.push(sameRun(combinations, twin, run));
      costs.add(plan);
      await plan.source.close();
      await host.breathe();
    }
  } finally {
    progress?.stop();
  }
  const found = errors.list();
  if (found.length > 0) throw new InputError(found.slice(0, mostTold), found.length);
  const why = reasons.list();
  if (name === null) throw new InputError(why.slice(0, mostTold), why.length);
  return {
    name,
    inputs: [...inputs.values()],
    files,
    warnings: [...warnings.list(), ...doubled],
    lookedAt,
    infeasible,
    whyInfeasible: why[0]?.message ?? null,
    cost: costs.mean,
  };
}

/** The first run of each combination to look at: those that bring a value first, then the others while they are few. */
function* toLookAt(combinations: Combinations): Generator<{ run: number; isNeeded: boolean }> {
  const first = combinations.settings.map(() => 0);
  yield { run: 0, isNeeded: true };
  if (combinations.sample === null)
    for (const [i, { values }] of combinations.settings.entries())
      for (let choice = 1; choice < values.length; choice++)
        yield { run: combinations.runWith(first.map((own, j) => (j === i ? choice : own))), isNeeded: true };
  // of very many combinations others are looked at only until one is found that can run
  for (let combination = 0; combination < combinations.count; combination++) {
    const run = combinations.firstRunOf(combination);
    if (combinations.sample !== null || combinations.choicesOf(run).filter((choice) => choice > 0).length > 1)
      yield { run, isNeeded: false };
  }
}

/** An earlier run with the very same settings; null: there is none. */
function twinOf({ resolved }: Plan, run: number, same: Map<string, number>): number | null {
  const digest = createHash('sha256')
    .update(JSON.stringify({ ...resolved, name: '' }))
    .digest('base64');
  const twin = same.get(digest);
  if (twin === undefined) same.set(digest, run);
  return twin ?? null;
}

function sameRun(combinations: Combinations, first: number, second: number): Diagnostic {
  const text = (run: number): string => combinations.at(run).overrides.join(' ');
  return {
    severity: 'warning',
    code: 'sweep-same',
    file: '--set',
    ...wholeFile,
    message: `${text(second)} is the same run as ${text(first)}`,
    hint: 'a setting is written twice in different words, or one --set replaces what another one changes',
  };
}

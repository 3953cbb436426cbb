// weft compare-policies SCENARIO [SCENARIO ...]: each scenario without the central controller and under each of its
// policies, several runs at a time where that is worth it; one table of what the controller changes.
// Invariants: every scenario is checked under every policy before the first run; the table is the same whatever the
// number of processes. Source of the table: central-controller document (docs/SOURCES.md), §7.4.

import { policyObject, policyText, type PolicyRow } from '../../report/policy-table.js';
import { runSettings } from '../../scenario/form/schema.js';
import type { CommandContext } from '../context.js';
import { ExitCode, exitCodeHelp } from '../exit-codes.js';
import { declaredCommand, toggle, type OptionValues, repeated, value } from '../options/declared-command.js';
import { wordsAmong } from '../options/option-values.js';
import { engineOptions, workersOption } from '../options/run-options.js';
import { seedOption } from '../options/setting-options.js';
import { planOf } from '../run/run-plan.js';
import { carriedOutBy, type PlanTask, planTask } from '../run/plan-task.js';
import { carriedOutObject } from '../../report/run-place.js';
import { CommandWork } from '../engines/command-work.js';
import { withRuns } from '../simultaneous-runs.js';
import { printResult } from '../terminal.js';

const controllerPolicies = runSettings.controller.policy.choices;

const options = [
  value(
    '--policies <list>',
    `instead of all: ${controllerPolicies.join(', ')}`,
    wordsAmong(controllerPolicies, 'policy', ''),
  ),
  repeated('--set <path=value>', 'change a setting of each; may be repeated'),
  seedOption,
  workersOption('runs'),
  ...engineOptions,
  toggle('--json', 'print one JSON object'),
  toggle('--quiet', 'no progress'),
] as const;

/** The command for the command line. */
export default declaredCommand({
  name: 'compare-policies',
  summary: 'when the central controller helps: scenarios under each of its policies',
  description:
    'Simulate scenarios without the central controller and under each of its policies:\none table of what it changes.',
  argument: ['<scenarios...>', 'scenario files (YAML)'],
  options,
  after: `
Examples:
  weft compare-policies examples/central-controller/best-case.yaml
  weft compare-policies examples/central-controller/*.yaml --json
  weft compare-policies s.yaml --on bullmq --redis redis://queue.example:6379

What the policies are: docs/models/central-controller.md#policies

${exitCodeHelp}`,
  run: (call) => comparePolicies(call.argument, call.options, call.context),
});

async function comparePolicies(
  scenarios: readonly string[],
  { policies = [...controllerPolicies], set, seed, workers, json, quiet, ...engine }: OptionValues<typeof options>,
  context: CommandContext,
): Promise<number> {
  const columns = [
    ['controller.enabled=false'],
    ...policies.map((policy) => [`controller={enabled: true, policy: ${policy}}`]),
  ];
  const tasks: PlanTask[] = scenarios.flatMap((scenario) =>
    columns.map((column) => ({ scenario, overrides: [...set, ...column], seed, folders: null })),
  );
  const names: string[] = [];
  const work = new CommandWork('compare-policies', engine, context);
  for (const [i, task] of tasks.entries()) {
    const plan = await planOf(task, context, () => false);
    work.add(plan);
    await plan.source.close();
    if (i % columns.length === 0) names.push(plan.name);
  }
  const called = tasks.map(
    (_task, i) => `${names[Math.floor(i / columns.length)]!}, ${['without', ...policies][i % columns.length]!}`,
  );
  const asked = { kind: 'plan' as const, workers, count: tasks.length, quiet, ...work.of(tasks) };
  return withRuns(asked, context, async (together) => {
    const results = await together.run(
      tasks.map((task, i) => planTask(scenarios[Math.floor(i / columns.length)]!, task, null, context)),
      called.map((name) => ({ name, weight: 1 })),
    );
    together.progress?.stop();
    if (together.engine.isLeft === true) return ExitCode.ok;
    const carriedOut = carriedOutBy(called, results);
    together.tellPlaces(carriedOut);
    const runs = results.flatMap((run) => (run === null || run.summary.outcome === 'stopped' ? [] : [run.summary]));
    if (together.exitCode !== null || runs.length < results.length) {
      context.stderr.write('stopped\n');
      return together.interrupt.exitCode;
    }
    const rows = names.map((name, i): PolicyRow => {
      const own = runs.slice(i * columns.length, (i + 1) * columns.length);
      return { name, without: own[0]!, runs: own.slice(1) };
    });
    const object = { ...policyObject(policies, rows), carriedOut: carriedOutObject(carriedOut) };
    printResult(context, json, object, (style) => policyText(policies, rows, style));
    return runs.every(({ verdicts }) => verdicts.every(({ ok }) => ok)) ? ExitCode.ok : ExitCode.failed;
  });
}

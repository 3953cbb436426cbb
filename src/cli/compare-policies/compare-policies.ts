// weft compare-policies SCENARIO [SCENARIO ...]: each scenario without the central controller and under each of its
// policies, several runs at a time where that is worth it; one table of what the controller changes.
// Invariants: every scenario is checked under every policy before the first run; the table is the same whatever the
// number of processes. Source of the table: central-controller document (docs/SOURCES.md), §7.4.

import { Command, InvalidArgumentError } from 'commander';
import { controllerPolicies } from '../../controller/central-controller.js';
import { policyObject, policyText, type PolicyRow, type PolicyRun } from '../../report/policy-table.js';
import type { CommandContext } from '../context.js';
import { ExitCode, exitCodeHelp } from '../exit-codes.js';
import { refuseRepeats } from '../options/repeated-options.js';
import { workersOption } from '../options/workers-option.js';
import { SimultaneousRuns } from '../simultaneous-runs.js';
import { terminalStyle } from '../terminal.js';
import { policyRun, type PolicyTask } from './policy-task.js';

interface PolicyOptions {
  readonly policies?: string[];
  readonly set?: string[];
  readonly seed?: number;
  readonly workers?: number;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** The command for the command line. */
export function comparePoliciesCommand(context: CommandContext): Command {
  const command = new Command('compare-policies')
    .summary('when the central controller helps: scenarios under each of its policies')
    .description(
      'Simulate scenarios without the central controller and under each of its policies:\none table of what it changes.',
    )
    .argument('<scenarios...>', 'scenario files (YAML)')
    .option('--policies <list>', `instead of all: ${controllerPolicies.join(', ')}`, parsePolicies)
    .option(
      '--set <path=value>',
      'change a setting of each; may be repeated',
      (value: string, earlier: string[] = []) => [...earlier, value],
    )
    .option('--seed <number>', 'seed of all random decisions', parseSeed)
    .addOption(workersOption('runs'))
    .option('--json', 'print one JSON object')
    .option('--quiet', 'no progress')
    .addHelpText(
      'after',
      `
Examples:
  weft compare-policies examples/central-controller/best-case.yaml
  weft compare-policies examples/central-controller/*.yaml --json

What the policies are: docs/models/central-controller.md#policies

${exitCodeHelp}`,
    )
    .action(async (scenarios: string[], options: PolicyOptions) => {
      context.endWith(await comparePolicies(scenarios, options, context));
    });
  return refuseRepeats(command, ['set']);
}

function parsePolicies(text: string): string[] {
  const names = text.split(',').map((name) => name.trim());
  for (const name of names)
    if (!controllerPolicies.some((known) => known === name))
      throw new InvalidArgumentError(`There is no policy ${JSON.stringify(name)}: ${controllerPolicies.join(', ')}.`);
  if (new Set(names).size < names.length) throw new InvalidArgumentError('Name every policy once.');
  return names;
}

function parseSeed(text: string): number {
  const seed = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(seed)) throw new InvalidArgumentError('Give a whole number.');
  return seed;
}

async function comparePolicies(
  scenarios: readonly string[],
  options: PolicyOptions,
  context: CommandContext,
): Promise<number> {
  const { host, stderr, stdout, environment } = context;
  const { policies = [...controllerPolicies], set = [], seed = null, quiet = false } = options;
  const columns = [
    ['controller.enabled=false'],
    ...policies.map((policy) => [`controller={enabled: true, policy: ${policy}}`]),
  ];
  const tasks: PolicyTask[] = scenarios.flatMap((scenario) =>
    columns.map((column) => ({ scenario, overrides: [...set, ...column], seed })),
  );
  const names: string[] = [];
  for (const [i, task] of tasks.entries()) {
    const plan = await context.makePlan(task.scenario, {
      overrides: task.overrides,
      host,
      ...(seed === null ? {} : { seed }),
    });
    await plan.source.close();
    if (i % columns.length === 0) names.push(plan.name);
  }
  const { workers } = options;
  const module = new URL('./policy-task.js', import.meta.url);
  const together = new SimultaneousRuns({ module, workers, count: tasks.length, quiet }, context);
  try {
    const results = await together.run<PolicyRun | null>(
      tasks.map((task) => ({
        name: task.scenario,
        here: (tools) => policyRun(task, tools, context),
        input: () => task,
      })),
      tasks.map((_task, i) => ({
        name: `${names[Math.floor(i / columns.length)]!}, ${['without', ...policies][i % columns.length]!}`,
        weight: 1,
      })),
    );
    together.progress?.stop();
    if (together.exitCode !== null || results.includes(null)) {
      stderr.write('stopped\n');
      return together.interrupt.exitCode;
    }
    const rows = names.map((name, i): PolicyRow => {
      const own = results.slice(i * columns.length, (i + 1) * columns.length) as PolicyRun[];
      return { name, without: own[0]!, runs: own.slice(1) };
    });
    stdout.write(
      options.json === true
        ? `${JSON.stringify(policyObject(policies, rows))}\n`
        : policyText(policies, rows, terminalStyle(stdout, environment)),
    );
    return results.every((run) => run!.problems.length === 0) ? ExitCode.ok : ExitCode.failed;
  } finally {
    await together.close();
  }
}

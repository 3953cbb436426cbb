// weft route model: the routing problem as a file for any solver. And the adaptive bound by linear programming, for
// weft route evaluate.

import { Command, Option } from 'commander';
import { InputError, wholeFile, type Diagnostic } from '../../base/diagnostics.js';
import { solveAdaptiveBounds } from '../../exact/adaptive-bound.js';
import { BasicMcf } from '../../exact/basic-mcf.js';
import { lpText, mpsText } from '../../exact/program-text.js';
import type { Traffic } from '../../flows/traffic/matrix.js';
import type { SolvedBounds } from '../../optimization/evaluate-routes.js';
import { routableTraffic } from '../../optimization/leaf-traffic.js';
import type { CommandContext } from '../context.js';
import { refuseRepeats } from '../options/repeated-options.js';
import { refuseLarge } from '../../app/routes/exact-routes.js';
import { refuseSeveralLids } from '../../app/routes/route-algorithms.js';
import { loadFabric, requireTree, type FabricOptions } from '../../app/routes/fabric-input.js';
import { loadTraffic } from '../../app/routes/traffic-input.js';
import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import { fabricAndTrafficOptions, lmcOption, trafficHelp } from './route-options.js';
import { SearchSession } from './search-session.js';
import { solverNamed, withSolverErrors, type SolverName } from './solver-option.js';
import { fabricObject, warningText } from '../../report/routes/route-text.js';
import type { StageProgress } from '../stage-progress.js';
import { forceHelp, writeWholeFile } from '../whole-file.js';

interface ModelOptions extends FabricOptions {
  readonly traffic?: string;
  readonly seed: number;
  readonly allocation: string;
  readonly model: 'basic-mcf' | 'relaxation';
  readonly out: string;
  readonly force?: boolean;
  readonly json?: boolean;
}

/** Above this many terms a text may not fit the longest string. */
const mostTerms = 8_000_000;

/** The command `route model`. */
export function modelCommand(context: CommandContext): Command {
  const command = fabricAndTrafficOptions(
    lmcOption(new Command('model')).description('write the routing problem for a solver of linear programmes'),
    trafficHelp,
  )
    .addOption(
      new Option('--model <name>', 'static routes, or traffic split at will')
        .choices(['basic-mcf', 'relaxation'])
        .default('basic-mcf'),
    )
    .requiredOption('--out <file>', 'ends in .lp (CPLEX LP) or .mps (free MPS)')
    .option('--force', forceHelp)
    .option('--json', 'print the size of the model as JSON')
    .addHelpText(
      'after',
      `
Examples:
  weft route model --fabric fabric.net --traffic jobs.csv --out routes.mps
  weft route model --fabric quartz1 --traffic stencil --model relaxation \\
    --out bound.lp

x_PORT_NODE is 1 if a switch sends to a host by that port; T_PHASE_PORT_NODE is
the traffic to it there; maxval_PHASE the largest load between switches.`,
    )
    .action(async (options: ModelOptions) => {
      await writeModel(options, context);
    });
  return refuseRepeats(command);
}

async function writeModel(options: ModelOptions, { host, stdout }: CommandContext): Promise<void> {
  const form = /\.(lp|mps)$/i.exec(options.out)?.[1]?.toLowerCase();
  if (form === undefined)
    throw InputError.at('output-path', '--out', wholeFile, 'the name does not tell the format', {
      got: options.out,
      wanted: 'a file that ends in .lp or .mps',
    });
  if (options.traffic === undefined)
    throw InputError.at('missing-traffic', '--traffic', wholeFile, 'which traffic?', {
      hint: 'add --traffic PATTERN or --traffic FILE',
    });
  const source = await loadFabric(host, options);
  refuseSeveralLids(source, 'weft route model', 'it has one way to each host');
  requireTree(source);
  const { traffic, warnings: trafficWarnings } = await loadTraffic(
    host,
    { ...options, traffic: options.traffic },
    source,
  );
  const phases = traffic.phases.map(({ matrix }) => routableTraffic(source.tree, matrix));
  if (options.model === 'basic-mcf') refuseLarge(source, traffic, mostTerms);
  const { program } =
    options.model === 'relaxation'
      ? BasicMcf.relaxation(source.tree, phases)
      : BasicMcf.ofStaticRoutes(source.tree, phases);
  if (program.termVariable.length > mostTerms)
    throw InputError.at('too-large', '--model', wholeFile, 'the model is too large for a file', {
      got: `${program.termVariable.length} terms`,
      wanted: `at most ${mostTerms}`,
      hint: 'take a smaller fabric, or sparser traffic',
    });
  await writeWholeFile(options.out, [form === 'lp' ? lpText(program) : mpsText(program)], options.force === true);
  const warnings = [...source.warnings, ...trafficWarnings];
  const { variableCount: variables, wholeCount: wholeVariables, rowCount: rows } = program;
  if (options.json === true)
    stdout.write(
      `${JSON.stringify({ model: options.model, traffic: traffic.name, fabric: fabricObject(source), variables, wholeVariables, rows, terms: program.termVariable.length, out: options.out, warnings }, null, 2)}\n`,
    );
  else
    stdout.write(
      `${options.out}: ${variables} variables, ${wholeVariables} of them whole, ${rows} rows\n${warningText(warnings)}`,
    );
}

/** The adaptive bound of a tree that is not whole, by a linear programme. */
export interface BoundsByLp {
  /** null if it was not solved in its time, of which a warning tells */
  readonly solved: SolvedBounds | null;
  readonly warnings: readonly Diagnostic[];
  /** what the process ends with if it was asked to stop meanwhile */
  readonly interrupted: number | null;
}

/**
 * Solves for the adaptive bound.
 * @param time seconds for each programme
 * @throws InputError if the solver is not there or fails
 */
export async function adaptiveBoundsByLp(
  { tree }: RoutedFabric,
  traffic: Traffic,
  { time, solver }: { readonly time: number; readonly solver: SolverName },
  { host, stderr }: CommandContext,
  progress: StageProgress,
): Promise<BoundsByLp> {
  const session = new SearchSession('adaptive bound', stderr, progress, () => host.wallMs());
  try {
    const solved = await withSolverErrors(() =>
      solveAdaptiveBounds(tree, traffic, solverNamed(solver), time, session.whenStopped),
    );
    const interrupted = session.exitCode;
    if (solved !== null) return { solved, warnings: [], interrupted };
    const message = `the linear programme was not solved ${interrupted === null ? `in ${time} s` : 'before it was stopped'}; the bound is that of --adaptive-bound spread`;
    return {
      solved,
      warnings: [
        {
          severity: 'warning',
          code: 'bound-not-solved',
          file: '--adaptive-bound',
          ...wholeFile,
          message,
          hint: 'give it more --time',
        },
      ],
      interrupted,
    };
  } finally {
    session.close();
  }
}

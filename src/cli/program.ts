// The commands of `weft` as one program, and the one place where errors become exit codes. main.ts calls it for the
// process.

import { Command } from 'commander';
import { collectiveCommand } from './collective/collective.js';
import { compareFabricsCommand } from './compare-fabrics/compare-fabrics.js';
import type { CommandContext } from './context.js';
import { demoCommand } from './demo/demo.js';
import { ExitCode, exitCodeHelp } from './exit-codes.js';
import { describeFailure } from './failures.js';
import { routeCommand } from './route/route.js';
import { runCommand } from './run/run.js';
import { schemaCommand } from './schema/schema.js';
import { topologyCommand } from './topology/topology.js';
import { trafficCommand } from './traffic/traffic.js';
import { weftVersion } from './version.js';

/**
 * Runs one command line to its end; whatever goes wrong is said on stderr.
 * @param commandLine the arguments after `weft`
 * @returns the exit code
 */
export async function runProgram(
  commandLine: readonly string[],
  world: Omit<CommandContext, 'endWith'>,
): Promise<number> {
  let exitCode: number = ExitCode.ok;
  try {
    await weftProgram({
      ...world,
      endWith: (code) => {
        exitCode = code;
      },
    }).parseAsync(commandLine, { from: 'user' });
    return exitCode;
  } catch (error) {
    const failure = describeFailure(error, commandLine);
    world.stderr.write(failure.text);
    return failure.exitCode;
  }
}

function weftProgram(context: CommandContext): Command {
  const program = new Command('weft')
    .description('Simulate, analyse and re-route the network fabrics of AI and HPC clusters.')
    .version(weftVersion(), '--version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print help for a command')
    .showHelpAfterError('(add --help for usage and examples)')
    // names alone: with their arguments no room is left for what they do
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .configureOutput({ writeOut: (text) => context.stdout.write(text), writeErr: (text) => context.stderr.write(text) })
    .exitOverride()
    .addHelpText(
      'after',
      `
Examples:
  weft demo                                     a first look, in a second
  weft run examples/server-pair/controller.yaml --out results
  weft topology generate dcn+ --gpus 16         print a fabric
  weft collective allreduce --fabric dcn+ --gpus 16
  weft compare-fabrics --gpus 128               one workload on five fabrics
  weft route compute --fabric quartz1 --algorithm ftree --traffic stencil

${exitCodeHelp}`,
    );
  const commands = [
    runCommand(context),
    collectiveCommand(context),
    compareFabricsCommand(context),
    demoCommand(context),
    topologyCommand(),
    routeCommand(context),
    trafficCommand(context),
    schemaCommand(),
  ];
  for (const command of commands) program.addCommand(command);
  inherit(program);
  return program;
}

/** Commands that were made apart do not take over how errors are handled by themselves. */
function inherit(parent: Command): void {
  for (const command of parent.commands) {
    command.copyInheritedSettings(parent);
    inherit(command);
  }
}

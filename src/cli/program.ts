// The commands of `weft` as one program, and the one place where errors become exit codes. main.ts calls it for the
// process.

import { Command } from 'commander';
import { InputError } from '../base/diagnostics.js';
import { beginInputs } from '../storage/read-inputs.js';
import { commandEntries } from './commands.js';
import type { CommandContext } from './context.js';
import { ExitCode, exitCodeHelp } from './exit-codes.js';
import { describeFailure } from './failures.js';
import { wordsWanted } from './options/declared-command.js';
import { safeMessages, safeOutput } from './safe-stream.js';
import { weftVersion } from './version.js';

/**
 * Runs one command line to its end; whatever goes wrong is said on stderr.
 * @param commandLine the arguments after `weft`
 * @returns the exit code
 */
export async function runProgram(
  commandLine: readonly string[],
  world: Omit<CommandContext, 'commandLine' | 'endWith'>,
): Promise<number> {
  let exitCode: number = ExitCode.ok;
  beginInputs();
  const stderr = safeMessages(world.stderr);
  try {
    const context = {
      ...world,
      stdout: safeOutput(world.stdout),
      stderr,
      commandLine,
      endWith: (code: number) => {
        exitCode = code;
      },
    };
    const called = calledCommand(commandLine);
    await refuseUnknown(called, commandLine);
    const program = await weftProgram(context, called);
    await program.parseAsync(await spelledOut(called, commandLine), { from: 'user' });
    return exitCode;
  } catch (error) {
    const failure = describeFailure(error, commandLine);
    stderr.write(failure.text);
    return failure.exitCode;
  }
}

/** The words of a command line, those of SimAI's programs spelt out. */
async function spelledOut(called: string | undefined, commandLine: readonly string[]): Promise<readonly string[]> {
  if (called === 'run' || called === 'sweep') {
    const { refuseScriptOptions, spelledOut: analyticalWords } = await import('./run/script-options.js');
    refuseScriptOptions(commandLine);
    if (called === 'run') return analyticalWords(commandLine);
  }
  if (called === 'topology') return (await import('./topology/source-options.js')).generatorWords(commandLine);
  return commandLine;
}

/** Words that people take for a command, and the one that does it. */
const otherNames: Readonly<Record<string, string>> = {
  simulate: 'run',
  sim: 'run',
  start: 'run',
  exec: 'run',
  plan: 'run --dry-run',
  validate: 'run --dry-run',
  check: 'topology check',
  plot: 'report',
  show: 'report',
  view: 'report',
  diff: 'compare',
  routes: 'route',
  generate: 'topology generate',
  topo: 'topology',
  example: 'demo',
};

/** Refuses a word that is no command, with what it was probably meant to be. @throws InputError */
async function refuseUnknown(called: string | undefined, commandLine: readonly string[]): Promise<void> {
  const names = [...commandEntries.map(({ name }) => name), 'help', 'version'];
  if (
    called === undefined ||
    names.includes(called) ||
    commandLine.some((word) => word === '-v' || word === '--version')
  )
    return;
  // loaded for mistakes alone: a start takes no more than its frame
  const { nearest } = await import('../scenario/suggest.js');
  const isFile = /[./\\]/.test(called);
  const meant = Object.hasOwn(otherNames, called.toLowerCase())
    ? otherNames[called.toLowerCase()]!
    : nearest(called, names);
  throw InputError.about('unknown-command', 'weft', `unknown command '${called}'`, {
    wanted: `one of ${names.join(', ')}`,
    ...(isFile
      ? {
          hint: /\.ya?ml$/.test(called)
            ? `did you mean weft run ${called}?`
            : 'a command comes first, such as weft run FILE',
        }
      : meant === null
        ? {}
        : { hint: `did you mean weft ${meant}?` }),
  });
}

/**
 * The name of the command that is called, or whose help is asked for; undefined if the command line has no such word.
 */
function calledCommand(commandLine: readonly string[]): string | undefined {
  const [first, second] = commandLine.filter((word) => !word.startsWith('-'));
  return first === 'help' ? second : first;
}

/** @param called the one command that is loaded; the others stand in the list with their names and summaries */
async function weftProgram(context: CommandContext, called: string | undefined): Promise<Command> {
  const program = new Command('weft')
    .description('Simulate, analyse and re-route the network fabrics of AI and HPC clusters.')
    .version(weftVersion(), '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print help for a command')
    .showHelpAfterError('(add --help for usage and examples)')
    // names alone: with their arguments no room is left for what they do
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .configureOutput({
      writeOut: (text) => context.stdout.write(text),
      writeErr: (text) => context.stderr.write(text),
      // commander has all choices on the line of the mistake
      outputError: (text, write) => {
        write(text.replace(/ Allowed choices are (.*)\.$/m, (_, words: string) => `\n${wordsWanted(words)}`));
      },
    })
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
  for (const { name, summary, load } of commandEntries)
    program.addCommand(name === called ? await load(context) : new Command(name).summary(summary));
  program
    .command('version', { hidden: true })
    .description('print the version')
    .action(() => void context.stdout.write(`${weftVersion()}\n`));
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

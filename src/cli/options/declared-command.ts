// A command of `weft` as one declaration: arguments, options with their types, help, and what it does.
// Invariants: the type of each value follows from its declaration, its name from the flags; an option with a value that
// is given twice is a mistake unless it is `repeated`, since commander would silently take the last one.

import { Command, Option } from 'commander';
import { brokenAtSpaces } from '../../base/printable.js';
import type { CommandContext } from '../context.js';

type WordOf<Text extends string> = Text extends `${infer Word} ${string}` ? Word : Text;
type InCamelCase<Text extends string> = Text extends `${infer Word}-${infer Rest}`
  ? `${Word}${Capitalize<InCamelCase<Rest>>}`
  : Text;
/** What commander calls an option: `--gpus-per-server <count>` is gpusPerServer, `--no-nvls` is nvls. */
type NameOf<Flags extends string> = Flags extends `${string}--no-${infer Rest}`
  ? InCamelCase<WordOf<Rest>>
  : Flags extends `${string}--${infer Rest}`
    ? InCamelCase<WordOf<Rest>>
    : never;

/** An option with the name and the type of its value. */
export class DeclaredOption<Name extends string = string, Value = unknown> extends Option {
  /** for the type checker alone */
  declare readonly declares: readonly [Name, Value];

  /** @param absent the value of an option that is not given @param repeats whether it may be given several times */
  constructor(
    flags: string,
    help: string,
    readonly absent?: unknown,
    readonly repeats = false,
  ) {
    super(flags, help);
  }
}

/** An option without a value: whether it is given. `--no-…`: whether it is not. */
export function toggle<const F extends string>(flags: F, help: string): DeclaredOption<NameOf<F>, boolean> {
  return new DeclaredOption(flags, help, false);
}

/** An option whose value is a text. @param preset the value of one that is not given, which its help names */
export function text<const F extends string>(flags: F, help: string): DeclaredOption<NameOf<F>, string | undefined>;
export function text<const F extends string>(flags: F, help: string, preset: string): DeclaredOption<NameOf<F>, string>;
export function text(flags: string, help: string, preset?: string): Option {
  return new DeclaredOption(flags, help).default(preset);
}

/** An option whose value is read. @param parse throws InvalidArgumentError @param preset as of `text` */
export function value<const F extends string, V>(
  flags: F,
  help: string,
  parse: (text: string) => V,
): DeclaredOption<NameOf<F>, V | undefined>;
export function value<const F extends string, V>(
  flags: F,
  help: string,
  parse: (text: string) => V,
  preset: NoInfer<V>,
): DeclaredOption<NameOf<F>, V>;
export function value(flags: string, help: string, parse: (text: string) => unknown, preset?: unknown): Option {
  return new DeclaredOption(flags, help).argParser((given: string) => parse(given)).default(preset);
}

/** An option whose value is one of some words. @param preset as of `text` */
export function oneOf<const F extends string, const W extends string>(
  flags: F,
  help: string,
  words: readonly W[],
): DeclaredOption<NameOf<F>, W | undefined>;
export function oneOf<const F extends string, const W extends string>(
  flags: F,
  help: string,
  words: readonly W[],
  preset: NoInfer<W>,
): DeclaredOption<NameOf<F>, W>;
export function oneOf(flags: string, help: string, words: readonly string[], preset?: string): Option {
  return new DeclaredOption(flags, help).choices(words).default(preset);
}

/** An option that may be given several times: its values. @param parse throws InvalidArgumentError */
export function repeated<const F extends string>(
  flags: F,
  help: string,
  parse: (text: string) => string = (given) => given,
): DeclaredOption<NameOf<F>, readonly string[]> {
  const option = new DeclaredOption<NameOf<F>, readonly string[]>(flags, help, [], true);
  if (!option.variadic) option.argParser((given, earlier: string[] = []) => [...earlier, parse(given)]);
  return option;
}

/** An option that must be given. */
export function required<Name extends string, V>(
  option: DeclaredOption<Name, V>,
): DeclaredOption<Name, Exclude<V, undefined>> {
  return option.makeOptionMandatory() as DeclaredOption<Name, Exclude<V, undefined>>;
}

/** The values of options by their names; of options that are not given, and have no value then, there is no name. */
export type OptionValues<Options extends readonly DeclaredOption[]> = {
  readonly [O in Options[number] as undefined extends O['declares'][1] ? never : O['declares'][0]]: O['declares'][1];
} & {
  readonly [O in Options[number] as undefined extends O['declares'][1] ? O['declares'][0] : never]?: Exclude<
    O['declares'][1],
    undefined
  >;
};

type ArgumentValue<Form extends string> = Form extends `${string}...${string}`
  ? string[]
  : Form extends `<${string}`
    ? string
    : string | undefined;

/** One call of a command. */
interface CommandCall<Options extends readonly DeclaredOption[], Form extends string> {
  /** the first argument */
  readonly argument: ArgumentValue<Form>;
  readonly options: OptionValues<Options>;
  /** for other words, and for refusals */
  readonly command: Command;
  readonly context: CommandContext;
}

export interface CommandDeclaration<Options extends readonly DeclaredOption[], Form extends string> {
  readonly name: string;
  /** in the list of commands; left out: the description */
  readonly summary?: string;
  readonly description: string;
  readonly usage?: string;
  /** such as `<scenario>`, with what it is */
  readonly argument?: readonly [form: Form, help: string];
  /** a second argument */
  readonly second?: readonly [form: string, help: string];
  /** further words, which may be options that the command does not know: parameters of a family */
  readonly words?: readonly [form: string, help: string];
  readonly options: Options;
  /** below the options */
  readonly after?: string;
  /** @returns the exit code, if it is not 0 */
  readonly run: (call: CommandCall<Options, Form>) => Promise<number | void> | void;
}

/** The words that a message asks for, below it. */
export function wordsWanted(words: string): string {
  return `  wanted: ${brokenAtSpaces(words, 70).join('\n          ')}`;
}

/** An option that has to be given and is not: the error lists the words that it takes, which commander's own does not. */
function listChoicesOfMissing(command: Command): void {
  Object.assign(command, {
    missingMandatoryOptionValue: ({ flags, argChoices }: Option) => {
      const wanted = argChoices === undefined ? '' : `\n${wordsWanted(argChoices.join(', '))}`;
      command.error(`error: required option '${flags}' not specified${wanted}`, {
        code: 'commander.missingMandatoryOptionValue',
      });
    },
  });
}

/** What makes a command for the command line. */
export function declaredCommand<const Options extends readonly DeclaredOption[], const Form extends string = never>(
  declaration: CommandDeclaration<Options, Form>,
): (context: CommandContext) => Command {
  const { name, summary, description, usage, argument, second, words, options, after = '', run } = declaration;
  return (context) => {
    const command = new Command(name).description(description);
    if (summary !== undefined) command.summary(summary);
    if (usage !== undefined) command.usage(usage);
    if (argument !== undefined) command.argument(...argument);
    if (second !== undefined) command.argument(...second);
    if (words !== undefined) command.argument(...words).allowUnknownOption();
    for (const option of options) command.addOption(option);
    listChoicesOfMissing(command);
    command.addHelpText('after', after).action(async () => {
      const given = command.opts<Record<string, unknown>>();
      const values = Object.fromEntries(
        options.flatMap((option) => {
          const name = option.attributeName();
          const own = given[name] ?? option.absent;
          return own === undefined ? [] : [[name, own]];
        }),
      );
      const code = await run({
        argument: command.processedArgs[0] as ArgumentValue<Form>,
        options: values as OptionValues<Options>,
        command,
        context,
      });
      if (typeof code === 'number') context.endWith(code);
    });
    const repeatable = options.filter(({ repeats }) => repeats).map((option) => option.name());
    return refuseRepeats(command, repeatable);
  };
}

/**
 * Lets a command refuse options that are given more than once.
 * @param command with all its options
 * @param repeatable names of the options that may be repeated
 */
export function refuseRepeats(command: Command, repeatable: readonly string[] = []): Command {
  for (const option of command.options) {
    if (option.isBoolean() || repeatable.includes(option.name())) continue;
    let given = 0;
    command.on(`option:${option.name()}`, () => {
      if (++given > 1)
        command.error(`error: option '${option.flags}' is given more than once`, {
          code: 'weft.repeatedOption',
          exitCode: 2,
        });
    });
  }
  return command;
}

/** What makes a command with subcommands. */
export function commandGroup(
  name: string,
  description: string,
  commands: readonly ((context: CommandContext) => Command)[],
  after = '',
): (context: CommandContext) => Command {
  return (context) => {
    const group = new Command(name).description(description);
    for (const make of commands) group.addCommand(make(context));
    return after === '' ? group : group.addHelpText('after', after);
  };
}

/** Whether an option was given: one that was not has no value, is false, or is an empty list. */
export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0);
}

/** Ends a command whose options do not fit together. @throws CommanderError, which is bad input */
export function refuseInputs(command: Command, message: string, hint: string): never {
  return command.error(`error: ${message}\n  hint:   ${hint}`, { code: 'weft.inputs', exitCode: 2 });
}

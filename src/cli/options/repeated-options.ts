// An option with a value that is given twice is a mistake: commander would silently take the last one.

import type { Command } from 'commander';

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

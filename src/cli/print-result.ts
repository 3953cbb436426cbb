// What a command came to, on standard output: one line of JSON, or text for people.

import type { TextStyle } from '../report/text-style.js';
import type { CommandContext } from './context.js';
import { terminalStyle } from './terminal.js';

/** Prints a result. @param object for --json @param text for people, in the style of their terminal */
export function printResult(
  { stdout, environment }: Pick<CommandContext, 'stdout' | 'environment'>,
  json: boolean,
  object: unknown,
  text: (style: TextStyle) => string,
): void {
  stdout.write(json ? `${JSON.stringify(object)}\n` : text(terminalStyle(stdout, environment)));
}

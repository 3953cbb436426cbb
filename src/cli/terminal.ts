// What a command prints on standard output, and what a terminal can show of it, from its stream and the environment.
// NO_COLOR: https://no-color.org

import type { TextStyle } from '../report/text-style.js';
import type { CommandContext } from './context.js';

/** The part of a stream that matters here. */
export interface TerminalStream {
  readonly isTTY?: boolean | undefined;
}

/** How text on this stream may look. */
export function terminalStyle(stream: TerminalStream, environment: NodeJS.ProcessEnv): TextStyle {
  const { TERM, NO_COLOR } = environment;
  const dumb = TERM === 'dumb';
  const colour = stream.isTTY === true && !dumb && (NO_COLOR ?? '') === '';
  return { colour, unicode: !dumb && localeIsUnicode(environment) };
}

function localeIsUnicode(environment: NodeJS.ProcessEnv): boolean {
  const locale = [environment['LC_ALL'], environment['LC_CTYPE'], environment['LANG']].find(
    (value) => value !== undefined && value !== '',
  );
  if (locale === undefined) return process.platform === 'darwin' || environment['WT_SESSION'] !== undefined;
  return /utf-?8/i.test(locale);
}

/** Prints a result. @param object for --json @param text for people, in the style of their terminal */
export function printResult(
  { stdout, environment }: Pick<CommandContext, 'stdout' | 'environment'>,
  json: boolean,
  object: unknown,
  text: (style: TextStyle) => string,
): void {
  stdout.write(json ? `${JSON.stringify(object)}\n` : text(terminalStyle(stdout, environment)));
}

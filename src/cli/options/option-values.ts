// How values of options are read that several commands take. A value that does not do is an InvalidArgumentError, which
// commander puts behind the name of the option.

import { InvalidArgumentError } from 'commander';
import { InputError } from '../../base/diagnostics.js';
import { parseRateBps, parseTimePs } from '../../base/units.js';

/** Reads a value that fits a form. @param read null: it does not fit @param wanted ends with a full stop */
export function readBy<V>(read: (text: string) => V | null, wanted: string): (text: string) => V {
  return (text) => {
    const value = read(text);
    if (value === null) throw new InvalidArgumentError(`Give ${wanted}`);
    return value;
  };
}

/** Reads a whole number. @param wanted as of `readBy` */
export function wholeNumberFrom(
  least: number,
  most = Number.MAX_SAFE_INTEGER,
  wanted = `a whole number from ${least} to ${most}.`,
): (text: string) => number {
  return readBy((text) => {
    const number = /^\d+$/.test(text) ? Number(text) : NaN;
    return number >= least && number <= most ? number : null;
  }, wanted);
}

/** Reads a number. @param fits of numbers alone @param wanted as of `readBy` */
export function numberThat(fits: (number: number) => boolean, wanted: string): (text: string) => number {
  return readBy((text) => (text.trim() !== '' && fits(Number(text)) ? Number(text) : null), wanted);
}

/** Reads a number from one to another. @param what it counts */
export function numberFrom(least: number, most: number, what: string): (text: string) => number {
  return numberThat((number) => number >= least && number <= most, `${what}, from ${least} to ${most}.`);
}

/** Read a rate in bit/s, and a time in picoseconds. */
export const rateFrom = readBy((text) => parseRateBps(text) || null, 'a rate with its unit, such as 400Gbps.');
export const timeFrom = readBy(parseTimePs, 'a time with its unit, such as 10us.');

/** Reads a list of different words, with commas between. @param what one of them is, such as `backend` */
export function wordsAmong(known: readonly string[], what: string, wanted: string): (text: string) => string[] {
  return (text) => {
    const words = text.split(',').map((word) => word.trim());
    const unknown = words.find((word) => !known.includes(word));
    if (unknown !== undefined)
      throw new InvalidArgumentError(`There is no ${what} ${JSON.stringify(unknown)}: ${wanted}${known.join(', ')}.`);
    if (new Set(words).size < words.length) throw new InvalidArgumentError(`Name every ${what} once.`);
    return words;
  };
}

/** Reads a change of a setting, which stays a text. @param wanted as of `readBy` */
export function settingChange(wanted: string): (text: string) => string {
  return readBy((text) => (/^[^=\s]+=/.test(text) ? text : null), wanted);
}

/** What is wrong with an option beside others. @param command begins the code @param option such as `--out` */
export function optionMistake(
  command: string,
  option: string,
  message: string,
  got: string | undefined,
  wanted: string,
  hint?: string,
): InputError {
  return InputError.about(`${command}-${option.replace(/^-+/, '')}`, option, message, { got, wanted, hint });
}

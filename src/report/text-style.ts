// How text for people may look: what the terminal can show decides, so whoever writes to it passes this in.

import { brokenAtSpaces } from '../base/printable.js';

export interface TextStyle {
  /** escape sequences for colours may be used */
  readonly colour: boolean;
  /** characters beyond ASCII may be used */
  readonly unicode: boolean;
}

/** For files, pipes and tests. */
export const plainStyle: TextStyle = { colour: false, unicode: false };

/** Columns that every report keeps within. */
export const reportColumns = 80;

type Colour = 'red' | 'green' | 'yellow' | 'bold' | 'dim';

const codes: Readonly<Record<Colour, number>> = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 };

/**
 * The text in a colour, or as it is if the style has none. Pad before colouring: escape sequences have a length but no
 * width.
 */
export function coloured(style: TextStyle, colour: Colour, text: string): string {
  return style.colour && text !== '' ? `\u001b[${codes[colour]}m${text}\u001b[0m` : text;
}

const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** A horizontal bar of up to `columns` characters, padded to exactly that many. */
export function bar(style: TextStyle, share: number, columns: number): string {
  const length = Math.min(1, Math.max(0, share)) * columns;
  const text = style.unicode
    ? '█'.repeat(Math.floor(length)) + eighths[Math.floor((length % 1) * 8)]!
    : '#'.repeat(Math.round(length));
  return text.padEnd(columns);
}

/** Lines of at most `columns` characters, broken at spaces; a longer word stands alone on its line. */
export function wrapped(text: string, columns = reportColumns): string[] {
  return brokenAtSpaces(text, columns);
}

/**
 * What stands under a label: the label in a column of `indent` characters, its text wrapped beside it, within the
 * columns of a report.
 */
export function labelled(label: string, text: string, indent: number): string[] {
  return wrapped(text, reportColumns - indent).map((line, i) =>
    `  ${(i === 0 ? label : '').padEnd(indent - 2)}${line}`.trimEnd(),
  );
}

/** A whole number with separators of thousands: 56192 -> "56,192". */
export function grouped(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** "1 flow", "2 flows": the number with its noun. */
export function counted(count: number, noun: string, plural?: string): string {
  return `${grouped(count)} ${nounOf(count, noun, plural)}`;
}

/** The noun alone, as it stands behind the number. */
export function nounOf(count: number, noun: string, plural = `${noun}s`): string {
  return count === 1 ? noun : plural;
}

/** A share of 1 in percent: 0.1234 -> "12.3 %". @param digits after the point; few: one below 10 %, from there none */
export function percentText(share: number, digits: number | 'few' = 1): string {
  return `${(100 * share).toFixed(digits === 'few' ? (share < 0.1 ? 1 : 0) : digits)} %`;
}

/** A number with its sign, as errors have it: 0.5 -> "+0.5". */
export function signedText(value: number, digits = 1): string {
  return `${value >= 0 ? '+' : ''}${value.toFixed(digits)}`;
}

/** A change as a share of 1, in percent with its sign; `-`: it has no sense. */
export function changePercentText(change: number | null): string {
  if (change === null) return '-';
  const text = (100 * change).toFixed(2);
  return `${change > 0 ? '+' : ''}${text === '-0.00' ? '0.00' : text} %`;
}

/** A number in as many decimals as fit into so many characters, two at most. */
export function numberWithin(value: number, columns: number): string {
  return [2, 1].map((digits) => value.toFixed(digits)).find((text) => text.length <= columns) ?? value.toFixed(0);
}

/** A name in at most so many characters: the end of a longer one is cut off, and `mark` stands there. */
export function shortened(name: string, columns: number, mark = '..'): string {
  return name.length <= columns ? name : `${name.slice(0, columns - mark.length)}${mark}`;
}

/** Wrapped lines that begin with `indent` blanks. @param columns that they keep within */
export function indented(text: string, indent = 2, columns = reportColumns - 2): string[] {
  return wrapped(text, columns - indent).map((line) => `${' '.repeat(indent)}${line}`);
}

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
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${grouped(count)} ${count === 1 ? noun : plural}`;
}

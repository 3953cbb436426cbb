// Text in SVG pictures: what has to be escaped, and how wide it is about. The font is whichever sans-serif the viewer
// has, so widths are those of Helvetica and left generous.

import { printable } from '../base/printable.js';

/** A text as the content of an element or the value of an attribute; XML has no control characters, however written. */
export function escaped(text: string): string {
  return printable(text).replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}

/** About how wide a text is, in the unit of the font size. */
export function textWidth(text: string, fontSize: number): number {
  return 0.57 * fontSize * text.length;
}

/** The text, or as much of its beginning as fits, with two dots. */
export function fitting(text: string, width: number, fontSize: number): string {
  if (textWidth(text, fontSize) <= width) return text;
  return `${text.slice(0, Math.max(1, Math.floor(width / (0.57 * fontSize)) - 2))}..`;
}

export interface TextOptions {
  readonly size?: number;
  readonly colour?: string;
  readonly anchor?: 'start' | 'middle' | 'end';
  readonly bold?: boolean;
  /** degrees about its place */
  readonly turned?: number;
}

/** A text element at a place. */
export function textElement(
  x: number,
  y: number,
  text: string,
  { size = 12, colour = '#222222', anchor = 'start', bold = false, turned = 0 }: TextOptions = {},
): string {
  const at = `x="${coordinate(x)}" y="${coordinate(y)}"`;
  return (
    '<text ' +
    `${at}${size === 12 ? '' : ` font-size="${size}"`}${anchor === 'start' ? '' : ` text-anchor="${anchor}"`}${bold ? ' font-weight="bold"' : ''}${turned === 0 ? '' : ` transform="rotate(${turned} ${coordinate(x)} ${coordinate(y)})"`} ` +
    `fill="${colour}">${escaped(text)}</text>`
  );
}

/** A number to a tenth. */
export function coordinate(value: number): string {
  return String(Math.round(10 * value) / 10);
}

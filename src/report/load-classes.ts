// Loads of links as colours: classes of load / adaptive bound. Up to the bound shades of blue, above it, where routes are worse than they need
// be, from yellow to dark red: told apart without seeing red and green.

import { coordinate, textElement, textWidth } from './svg-text.js';

interface LoadClass {
  /** loads up to this many times the bound */
  readonly most: number;
  readonly colour: string;
  readonly text: string;
}

export const loadClasses: readonly LoadClass[] = [
  { most: 0, colour: '#ececec', text: 'idle' },
  { most: 0.25, colour: '#d3e3f1', text: '0.25' },
  { most: 0.5, colour: '#a9cae4', text: '0.5' },
  { most: 0.75, colour: '#74a9d2', text: '0.75' },
  { most: 0.9, colour: '#4384bb', text: '0.9' },
  { most: 1, colour: '#1d5a96', text: '1' },
  { most: 1.1, colour: '#fbdc8c', text: '1.1' },
  { most: 1.5, colour: '#f6a83c', text: '1.5' },
  { most: 2, colour: '#e46c1c', text: '2' },
  { most: 3, colour: '#b23a10', text: '3' },
  { most: Infinity, colour: '#641605', text: 'more' },
];

/** What loads may be above a class by rounding. */
const tolerance = 1e-9;

/** The class of a load. @param relative load / adaptive bound */
export function loadClass(relative: number): number {
  return loadClasses.findIndex(({ most }) => relative <= most * (1 + tolerance));
}

/** The legend, from the left. @returns elements and where they end */
export function loadLegend(x: number, y: number): { elements: string[]; end: number } {
  const title = 'load / adaptive bound between switches, up to';
  const elements = [textElement(x, y + 11, title, { colour: '#555555' })];
  let at = x + textWidth(title, 11.2);
  for (const { colour, text } of loadClasses) {
    elements.push(`<rect x="${coordinate(at)}" y="${y}" width="14" height="14" fill="${colour}" stroke="#999999" stroke-width="0.5"/>`, textElement(at + 18, y + 11, text));
    at += 30 + textWidth(text, 12);
  }
  return { elements, end: at };
}

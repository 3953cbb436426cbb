// Loads of links as colours, in classes. Shades of blue up to a mark, above it from yellow to dark red: told apart
// without seeing red and green. Computed loads are measured by the adaptive bound, which is the mark: above it routes
// are worse than they need be. Counted ones are measured by the rate of the link; half of it is the mark.

import { coordinate, textElement, textWidth } from './svg-text.js';

interface LoadClass {
  /** loads up to this many times the bound */
  readonly most: number;
  readonly colour: string;
  readonly text: string;
}

/** What loads are measured by, and the colours of that. */
export interface LoadScale {
  readonly title: string;
  /** the first is that of idle links, the last has no end */
  readonly classes: readonly LoadClass[];
  /** where blue ends */
  readonly mark: number;
  /** a load, as it is and measured */
  readonly text: (load: number, relative: number) => string;
  /** what is said where no link has a load */
  readonly none: string;
}

const colours = [
  '#ececec',
  '#d3e3f1',
  '#a9cae4',
  '#74a9d2',
  '#4384bb',
  '#1d5a96',
  '#fbdc8c',
  '#f6a83c',
  '#e46c1c',
  '#b23a10',
  '#641605',
];

function classesUpTo(limits: readonly number[], textOf: (limit: number) => string): LoadClass[] {
  return colours.map((colour, i) =>
    i === 0
      ? { most: 0, colour, text: 'idle' }
      : i > limits.length
        ? { most: Infinity, colour, text: 'more' }
        : { most: limits[i - 1]!, colour, text: textOf(limits[i - 1]!) },
  );
}

const noTraffic = 'no link between switches carries traffic';

/** Loads by the adaptive bound between switches. */
export const boundScale: LoadScale = {
  title: 'load / adaptive bound between switches, up to',
  classes: classesUpTo([0.25, 0.5, 0.75, 0.9, 1, 1.1, 1.5, 2, 3], String),
  mark: 1,
  text: (load, relative) => `${shortNumber(load)}, ${relative.toFixed(2)} x`,
  none: noTraffic,
};

/** Bytes sent by what the link could have sent. */
export const utilisationScale: LoadScale = {
  title: 'share of the time in use, up to',
  classes: classesUpTo([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1], (limit) => `${100 * limit} %`),
  mark: 0.5,
  text: (load, relative) => `${shortNumber(load / 1e6)} MB, ${(100 * relative).toFixed(1)} %`,
  none: noTraffic,
};

/** What loads may be above a class by rounding. */
const tolerance = 1e-9;

/** The colour of a load. @param relative measured by what the scale measures by; not NaN */
export function loadColour({ classes }: LoadScale, relative: number): string {
  return classes.find(({ most }) => relative <= most * (1 + tolerance))!.colour;
}

/** A load in few digits. */
function shortNumber(value: number): string {
  const text = String(Number(value.toPrecision(5)));
  return text.length <= 8 ? text : value.toExponential(2);
}

/** The legend, from the left. @returns elements and where they end */
export function loadLegend({ title, classes }: LoadScale, x: number, y: number): { elements: string[]; end: number } {
  const elements = [textElement(x, y + 11, title, { colour: '#555555' })];
  let at = x + textWidth(title, 11.2);
  for (const { colour, text } of classes) {
    elements.push(
      `<rect x="${coordinate(at)}" y="${y}" width="14" height="14" fill="${colour}" stroke="#999999" stroke-width="0.5"/>`,
      textElement(at + 18, y + 11, text),
    );
    at += 30 + textWidth(text, 12);
  }
  return { elements, end: at };
}

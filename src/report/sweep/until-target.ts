// `--until 'p99 ±2 %'`: which figure of a sweep is to be known how well.
// Invariant: a figure is one of the catalogue's (report/figures), written with its keys or by its last word alone.

import { type DiagnosticDetail, InputError } from '../../base/diagnostics.js';
import { catalogueOrder, figureAt, placedFigures } from '../figures/places.js';

/** What `--until` asks for. */
export interface UntilTarget {
  /** its keys, joined with dots */
  readonly figure: string;
  /** half of the width of the interval of its mean, beside the mean; above 0 */
  readonly withinPercent: number;
}

const form = "a figure and how well it is to be known, such as 'p99 ±2 %'";

/** Reads a target. @throws InputError */
export function readUntil(text: string): UntilTarget {
  const match = /^\s*([A-Za-z][\w.[\]]*)\s*(?:±|\+-|\+\/-)\s*(\d+(?:\.\d+)?|\.\d+)\s*%\s*$/.exec(text);
  if (match === null) throw mistake('this is no target', { got: text, wanted: form, hint: 'p99 +-2% is the same' });
  const [, name, percent] = match;
  const withinPercent = Number(percent);
  if (!(withinPercent > 0 && withinPercent <= 100))
    throw mistake('this is no width of an interval', { got: `${percent} %`, wanted: 'above 0, at most 100 %' });
  return { figure: figureNamed(name!, '--until'), withinPercent };
}

/** A target as people write it. */
export function untilText({ figure, withinPercent }: UntilTarget): string {
  return `${figure} ±${withinPercent} %`;
}

/** Heads of the table that a sweep prints, whose figures have other names. */
const headsOfTable: Readonly<Record<string, string>> = { time: 'simulatedNs' };

/**
 * The figure that a word names: its keys, or the last of them with or without its unit (`p99`), of several the first of
 * the catalogue; `time` is what the whole run took.
 * @param option that names it, for messages
 * @throws InputError
 */
export function figureNamed(name: string, option: string): string {
  if (Object.hasOwn(headsOfTable, name)) return headsOfTable[name]!;
  if (isNumber(name)) return name;
  const found = placedFigures.filter(
    ({ path }) => !path.includes('[]') && isNumber(path) && withoutUnit(lastKey(path)) === withoutUnit(name),
  );
  const best = found.find(({ prominence }) => prominence !== null) ?? found[0];
  if (best !== undefined) return best.path;
  throw InputError.about('sweep-figure', option, 'there is no such figure', {
    got: name,
    wanted: 'a figure of a run, such as time, p99, fct.meanNs or cost',
    hint: 'npx weft run SCENARIO --json shows all of them',
  });
}

/** Whether sweeps have a column of numbers with these keys. */
function isNumber(path: string): boolean {
  const { entry } = figureAt(path);
  if (catalogueOrder(path) !== Infinity) return entry.form === 'value' && entry.unit !== null;
  const parent = path.slice(0, Math.max(0, path.lastIndexOf('.')));
  return catalogueOrder(parent) !== Infinity && figureAt(parent).entry.form === 'names';
}

function lastKey(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}

function withoutUnit(key: string): string {
  return key.replace(/(?:Ns|Bytes|Bps|Seconds)$/, '');
}

function mistake(message: string, detail: DiagnosticDetail): InputError {
  return InputError.about('sweep-until', '--until', message, detail);
}

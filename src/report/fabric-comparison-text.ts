// The comparison of fabrics as a table with a reason for each, within 80 columns, and as a plain object for --json.

import type { Prices } from '../fabric/bill-of-materials.js';
import { cellsText } from './aligned-table.js';
import type { ErrorBand } from './band-classes.js';
import { bandSentence } from './error-band.js';
import type { FabricComparison } from './fabric-comparison.js';
import { verdictText } from './fabric-verdict.js';
import { fabricFigures, materialColumns, type FabricAmong } from './figures/fabrics.js';
import { figuresObject, figureTable, type FigureEntry } from './figures/figure.js';
import { coloured, counted, wrapped, type TextStyle } from './text-style.js';

/**
 * The table; text that ends with a newline.
 * @param work what ran, in a few words @param band of its times; why there is none; null: it has no jobs
 */
export function fabricComparisonText(
  work: string,
  comparisons: readonly FabricComparison[],
  band: ErrorBand | string | null,
  prices: Prices,
  style: TextStyle,
): string {
  const fabrics = comparisons.map((own, i) => amongOthers(own, shortFabricName(own.name, i), comparisons.length));
  const verdict = verdictText(comparisons, band);
  const lines = [
    coloured(style, 'bold', work),
    '',
    ...(verdict === '' ? [] : [...wrapped(verdict), '']),
    ...tableLines(fabrics, fabricFigures),
  ];
  lines.push(
    '',
    ...wrapped(
      '~: too close to call within the error band; waits: communication that computation does not hide (first ' +
        'rank); cross: bytes that go up from their leaf; held up: bytes of flows that a link between switches ' +
        'held up, and how many shared it; leaf: rate of its links down to that of its links up.',
    ),
    '',
    ...tableLines(fabrics, materialColumns, prices.currency),
    ...billNotes(comparisons, prices),
    '',
  );
  for (const { label, name, reason, problems } of fabrics) {
    lines.push(
      ...wrapped(`${label === name ? name : `${label} ${name}`}: ${reason}.`, 78).map((line, i) =>
        i === 0 ? line : `  ${line}`,
      ),
    );
    for (const problem of problems) lines.push(...wrapped(`  failed: ${problem}`, 78));
  }
  if (band !== null) lines.push('', ...wrapped(`Error band: ${bandSentence(band)}.`));
  lines.push(
    '',
    `${counted(comparisons.length, 'fabric')}, ${comparisons.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0).toFixed(1)} s of CPU`,
  );
  return `${lines.join('\n')}\n`;
}

/** of a name in the tables; longer ones have their first word and a number */
const longestLabel = 20;

/** The name of a fabric as tables have it: short, and different from the others. @param place among them */
export function shortFabricName(name: string, place: number): string {
  if (name.length <= longestLabel) return name;
  const first = name.split(' ')[0]!.split(/[\\/]/).at(-1)!;
  return `${first.slice(0, longestLabel - 4)} [${place + 1}]`;
}

/** A fabric as the catalogue reads it. */
function amongOthers(fabric: FabricComparison, label: string, count: number): FabricAmong {
  return { ...fabric, label, isOnly: count < 2 };
}

/** A table with a line for each fabric. @param lastHead of the column that has none */
function tableLines(
  fabrics: readonly FabricAmong[],
  figures: readonly FigureEntry<FabricAmong>[],
  lastHead = '',
): string[] {
  const { heads, widths, cells } = figureTable(figures);
  const width = Math.max(6, ...fabrics.map(({ label }) => label.length));
  const line = (label: string, own: readonly string[]): string =>
    `${label.padEnd(width)} ${cellsText(own, widths, ' ')}`;
  return [
    line(
      'fabric',
      heads.map((head) => head || lastHead),
    ),
    ...fabrics.map((fabric) => line(fabric.label, cells(fabric))),
  ];
}

/** What the table of materials holds, and what has no price. */
function billNotes(comparisons: readonly FabricComparison[], prices: Prices): string[] {
  const missing = [...new Set(comparisons.flatMap(({ bill }) => bill.unknown))];
  return [
    '',
    ...wrapped(`Network alone, by ${pricesNote(prices)}.`),
    ...(missing.length > 0 ? wrapped(`Price unknown: there is none for ${missing.join(', ')}.`) : []),
  ];
}

/** What prices a bill is made of, without a full stop. */
export function pricesNote({ name, date }: Prices): string {
  const where = name === 'built in' ? 'estimates that come with Weft, not offers' : name;
  return (
    `prices of ${date} (${where}; --prices FILE for yours): switches, cables with their ` +
    'ends; copper within the rack, optics beyond; no servers, NICs or labour'
  );
}

/** A fabric for --json. */
export function fabricComparisonObject(comparison: FabricComparison): Record<string, unknown> {
  return figuresObject(fabricFigures, amongOthers(comparison, comparison.name, 1));
}

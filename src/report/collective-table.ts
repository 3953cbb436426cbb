// The table of nccl-tests for simulated collectives, one row as soon as it is done. Sizes are bytes, times microseconds,
// bandwidths 10^9 bytes per second.

import { formatSizeBytes } from '../base/units.js';
import type { Choice } from '../collectives/selection.js';
import { cellsText, headOfTwoLines } from './aligned-table.js';
import { collectiveFigures, type CollectiveRow } from './figures/collectives.js';
import { figuresObject, figureTable } from './figures/figure.js';
import { counted, numberWithin } from './text-style.js';

const { heads, widths, cells } = figureTable(collectiveFigures);

/** The lines above the rows. */
export function collectiveHeader(): string {
  return headOfTwoLines(heads, widths, ['  algorithm', '  and channels']);
}

/** One row, with its newline. */
export function collectiveLine(row: CollectiveRow): string {
  return `${cellsText(cells(row), widths, ' ')}  ${howText(row.choice)}${row.isBlocked ? ' BLOCKED' : ''}\n`;
}

/** Algorithm, protocol and channels: `ring LL128 8`. */
export function howText({ algorithm, protocol, channels }: Choice): string {
  return `${algorithm} ${protocolName(protocol)} ${channels}`;
}

export function protocolName(protocol: Choice['protocol']): string {
  return protocol === 'simple' ? 'Simple' : protocol.toUpperCase();
}

/** A row for --json. */
export function collectiveObject(row: CollectiveRow): Record<string, unknown> {
  return figuresObject(collectiveFigures, row);
}

/** Beyond that the tuner chose by times that the simulation does not bear out. */
const mostModelError = 0.25;

/**
 * Where NCCL's model and the simulation are far apart, in a line for a person; empty if nowhere. Of small buffers the
 * difference is nearly all that the model leaves out.
 */
export function modelLine(rows: readonly CollectiveRow[]): string {
  const far = rows.flatMap(({ sizeBytes, timePs, choice: { modelPs }, isBlocked }) =>
    modelPs === undefined || isBlocked || Math.abs(timePs / modelPs - 1) <= mostModelError
      ? []
      : [{ sizeBytes, timePs, modelPs }],
  );
  const [worst] = [...far].sort((a, b) => timesApart(b) - timesApart(a));
  if (worst === undefined) return '';
  const at = `${numberWithin(worst.modelPs / 1e6, 8)} us by the model, ${numberWithin(worst.timePs / 1e6, 8)} simulated at ${formatSizeBytes(worst.sizeBytes)}`;
  return `# NCCL chose by a model that is over 25 % off in ${far.length} of ${counted(rows.length, 'row')}:\n#   ${at}\n`;
}

/** How many times the longer of two times is the shorter. */
function timesApart({ timePs, modelPs }: { readonly timePs: number; readonly modelPs: number }): number {
  return Math.max(timePs / modelPs, modelPs / timePs);
}

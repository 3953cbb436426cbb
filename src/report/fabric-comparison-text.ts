// The comparison of fabrics as a table with a reason for each, within 80 columns, and as a plain object for --json.

import { formatTimePs } from '../base/units.js';
import type { ErrorBand } from './band-classes.js';
import { bandSentence } from './error-band.js';
import type { FabricComparison } from './fabric-comparison.js';
import { coloured, counted, wrapped, type TextStyle } from './text-style.js';

/**
 * The table; text that ends with a newline.
 * @param work what ran, in a few words @param band of its times; why there is none; null: it has no jobs
 */
export function fabricComparisonText(
  work: string,
  comparisons: readonly FabricComparison[],
  band: ErrorBand | string | null,
  style: TextStyle,
): string {
  const width = Math.max(6, ...comparisons.map(({ name }) => name.length));
  const head = ['time', 'slower', 'waits', 'cross', 'held up', 'shared', 'leaf']
    .map((name, i) => name.padStart(columnWidths[i]!))
    .join(' ');
  const lines = [coloured(style, 'bold', work), '', `${'fabric'.padEnd(width)} ${head}`];
  for (const { name, timePs, slower, exposedPs, crossing, heldUp, sharing, shape } of comparisons) {
    const cells = [
      formatTimePs(timePs),
      slower === 0 ? '-' : `+${percent(slower)}`,
      exposedPs === null ? '-' : formatTimePs(exposedPs),
      percent(crossing),
      percent(heldUp),
      sharing === 0 ? '-' : sharing.toFixed(1),
      shape.upBps === 0 ? '-' : ratio(shape.downBps, shape.upBps),
    ];
    lines.push(`${name.padEnd(width)} ${cells.map((cell, i) => cell.padStart(columnWidths[i]!)).join(' ')}`);
  }
  lines.push(
    '',
    ...wrapped(
      'waits: communication that computation does not hide (first rank); cross: bytes that go up from their leaf; held up: bytes of flows that a link between switches held up, and how many shared it; leaf: rate of its links down to that of its links up.',
    ),
    '',
  );
  for (const { name, reason, problems } of comparisons) {
    lines.push(...wrapped(`${name}: ${reason}.`, 78).map((line, i) => (i === 0 ? line : `  ${line}`)));
    for (const problem of problems) lines.push(...wrapped(`  failed: ${problem}`, 78));
  }
  if (band !== null) lines.push('', ...wrapped(`Error band: ${bandSentence(band)}.`));
  lines.push(
    '',
    `${counted(comparisons.length, 'fabric')}, ${comparisons.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0).toFixed(1)} s of CPU`,
  );
  return `${lines.join('\n')}\n`;
}

const columnWidths = [8, 7, 8, 6, 7, 6, 6] as const;

function percent(share: number): string {
  return `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;
}

/** `8.0:1` or `1:8.0`: the larger one keeps its digits, where 0.04:1 would be 0.0:1. */
function ratio(down: number, up: number): string {
  return down >= up ? `${(down / up).toFixed(1)}:1` : `1:${(up / down).toFixed(1)}`;
}

/** A fabric for --json. */
export function fabricComparisonObject(comparison: FabricComparison): Record<string, unknown> {
  const {
    name,
    timePs,
    slower,
    exposedPs,
    crossing,
    heldUp,
    sharing,
    shape,
    nicImbalance,
    tiers,
    jobs,
    flows,
    cpuSeconds,
    digest,
    reason,
    problems,
  } = comparison;
  return {
    fabric: name,
    timeNs: timePs / 1000,
    slower,
    exposedNs: exposedPs === null ? null : exposedPs / 1000,
    crossing,
    heldUp,
    sharing,
    shape,
    nicImbalance,
    links: tiers,
    jobs: jobs.map((job) => ({
      name: job.name,
      ranks: job.ranks,
      totalNs: { minimum: job.totalPs.minimum / 1000, maximum: job.totalPs.maximum / 1000 },
    })),
    flows,
    cpuSeconds,
    digest,
    reason,
    problems,
  };
}

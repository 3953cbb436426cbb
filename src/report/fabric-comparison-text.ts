// The comparison of fabrics as a table with a reason for each, within 80 columns, and as a plain object for --json.

import { formatTimePs } from '../base/units.js';
import type { Prices } from '../fabric/bill-of-materials.js';
import type { ErrorBand } from './band-classes.js';
import { bandSentence } from './error-band.js';
import type { FabricComparison } from './fabric-comparison.js';
import { verdictText } from './fabric-verdict.js';
import { coloured, counted, grouped, wrapped, type TextStyle } from './text-style.js';

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
  const labels = comparisons.map(({ name }, i) => shortName(name, i));
  const width = Math.max(6, ...labels.map(({ length }) => length));
  const head = ['time', 'slower', 'waits', 'cross', 'held up', 'shared', 'leaf']
    .map((name, i) => name.padStart(columnWidths[i]!))
    .join(' ');
  const verdict = verdictText(comparisons, band);
  const lines = [
    coloured(style, 'bold', work),
    '',
    ...(verdict === '' ? [] : [...wrapped(verdict), '']),
    `${'fabric'.padEnd(width)} ${head}`,
  ];
  for (const [i, comparison] of comparisons.entries()) {
    const { timePs, slower, decided, exposedPs, crossing, heldUp, hasLoads, sharing, shape } = comparison;
    const cells = [
      formatTimePs(timePs),
      `${decided || comparisons.length < 2 ? '' : '~ '}${slower === 0 ? '-' : `+${percent(slower)}`}`,
      exposedPs === null ? '-' : formatTimePs(exposedPs),
      hasLoads ? percent(crossing) : '-',
      hasLoads ? percent(heldUp) : '-',
      sharing === 0 ? '-' : sharing.toFixed(1),
      shape.upBps === 0 ? '-' : ratio(shape.downBps, shape.upBps),
    ];
    lines.push(`${labels[i]!.padEnd(width)} ${cells.map((cell, i) => cell.padStart(columnWidths[i]!)).join(' ')}`);
  }
  lines.push(
    '',
    ...wrapped(
      '~: too close to call within the error band; waits: communication that computation does not hide (first ' +
        'rank); cross: bytes that go up from their leaf; held up: bytes of flows that a link between switches ' +
        'held up, and how many shared it; leaf: rate of its links down to that of its links up.',
    ),
    '',
    ...billLines(comparisons, labels, width, prices),
    '',
  );
  for (const [k, { name, reason, problems }] of comparisons.entries()) {
    const label = labels[k] === name ? name : `${labels[k]!} ${name}`;
    lines.push(...wrapped(`${label}: ${reason}.`, 78).map((line, i) => (i === 0 ? line : `  ${line}`)));
    for (const problem of problems) lines.push(...wrapped(`  failed: ${problem}`, 78));
  }
  if (band !== null) lines.push('', ...wrapped(`Error band: ${bandSentence(band)}.`));
  lines.push(
    '',
    `${counted(comparisons.length, 'fabric')}, ${comparisons.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0).toFixed(1)} s of CPU`,
  );
  return `${lines.join('\n')}\n`;
}

const columnWidths = [8, 9, 8, 6, 7, 6, 6] as const;
const billWidths = [5, 8, 6, 7, 7, 9, 11] as const;
/** of a name in the tables; longer ones have their first word and a number */
const longestLabel = 20;

/** A name as the tables have it. */
function shortName(name: string, place: number): string {
  if (name.length <= longestLabel) return name;
  const first = name.split(' ')[0]!.split(/[\\/]/).at(-1)!;
  return `${first.slice(0, longestLabel - 4)} [${place + 1}]`;
}

/** What the fabrics are made of. */
function billLines(
  comparisons: readonly FabricComparison[],
  labels: readonly string[],
  width: number,
  { name, currency, date }: Prices,
): string[] {
  const row = (label: string, cells: readonly string[]): string =>
    `${label.padEnd(width)} ${cells.map((cell, i) => cell.padStart(billWidths[i]!)).join(' ')}`;
  const lines = [row('fabric', ['GPUs', 'switches', 'ports', 'copper', 'optics', 'kW', currency])];
  for (const [i, { gpus, bill }] of comparisons.entries()) {
    const { switches, ports, cables, watts, cost } = bill;
    const cablesOf = (kind: string): number =>
      cables.reduce((sum, own) => sum + (own.kind === kind ? own.cables : 0), 0);
    lines.push(
      row(labels[i]!, [
        grouped(gpus),
        grouped(switches),
        grouped(ports.reduce((sum, own) => sum + own.ports, 0)),
        grouped(cablesOf('copper')),
        grouped(cablesOf('optics')),
        watts === null ? 'unknown' : (watts / 1000).toFixed(1),
        cost === null ? 'unknown' : grouped(cost),
      ]),
    );
  }
  const missing = [...new Set(comparisons.flatMap(({ bill }) => bill.unknown))];
  const where = name === 'built in' ? 'estimates that come with Weft, not offers' : name;
  lines.push(
    '',
    ...wrapped(
      `Network alone, by prices of ${date} (${where}; --prices FILE for yours): switches, cables with their ` +
        'ends; copper within the rack, optics beyond; no servers, NICs or labour.',
    ),
  );
  if (missing.length > 0) lines.push(...wrapped(`Price unknown: there is none for ${missing.join(', ')}.`));
  return lines;
}

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
    gpus,
    hasLoads,
    taper,
    decided,
    bill,
  } = comparison;
  const { models, ports, cables, cost, watts, unknown } = bill;
  return {
    fabric: name,
    gpus,
    totalNs: timePs / 1000,
    slower,
    decided,
    taper,
    switches: bill.switches,
    cables: cables.reduce((sum, own) => sum + own.cables, 0),
    cost,
    watts,
    bill: { models, ports, cables, unknown },
    exposedNs: exposedPs === null ? null : exposedPs / 1000,
    crossing: hasLoads ? crossing : null,
    heldUp: hasLoads ? heldUp : null,
    sharing: hasLoads ? sharing : null,
    shape,
    nicImbalance: hasLoads ? nicImbalance : null,
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

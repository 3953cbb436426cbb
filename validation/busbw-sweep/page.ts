// docs/models/busbw-sweep.md: every curve of the sweep, its dips with their reasons, and how far choices are from the best.

import { formatSizeBytes } from '#weft/base/units.js';
import { reasonsOf } from './far-reasons.js';
import { curvesOf, dipsOf, isRight, percent, type SweepRow } from './sweep.js';

/** What the sweep comes to. */
export interface SweepSums {
  readonly rows: number;
  readonly dips: number;
  readonly withoutReason: number;
  /** share of rows whose choice is within 10 % of the best */
  readonly right: number;
}

/** The sums of all rows. */
export function sweepSums(rows: readonly SweepRow[]): SweepSums {
  const dips = curvesOf(rows).flatMap(dipsOf);
  return {
    rows: rows.length,
    dips: dips.length,
    withoutReason: dips.filter(({ reason }) => reason === 'not known').length,
    right: rows.filter(isRight).length / Math.max(1, rows.length),
  };
}

/** The whole page. @param factor from one size to the next @param asOf the state of Weft; left out: that of the page */
export function sweepPage(rows: readonly SweepRow[], factor: number, asOf?: string): string {
  const { dips, withoutReason, right } = sweepSums(rows);
  const curves = curvesOf(rows);
  return `${[
    '# Bus bandwidth from 1 KiB to 8 GiB',
    '',
    '<!-- the whole page is written by `npm run busbw-sweep` -->',
    '',
    `Profile \`nccl\`, every kind, on 8, 16 and 64 H100 of three fabrics with the fluid backend, sizes by factor ${factor}; a sample on 256 GPUs (by 64) and with packets (8 and`,
    '16 GPUs to 64 MiB, by 16). For every row all algorithms and protocols are simulated that NCCL allows, but those whose closed form takes more than 1.5 times as long; the best of them is what the choice is held against.',
    '',
    `${rows.length} rows. The choice is within 10 % of the best on ${percent(right)} of them. Bus bandwidth falls by more than 3 % from one size to the next in ${dips} places, ${withoutReason} of them without a known reason.`,
    '',
    ...(asOf === undefined ? [] : [`Rows are those of ${asOf}.`, '']),
    '![Bus bandwidth by size: a panel for each fabric and number of GPUs, a line for each kind of collective](../figures/busbw-sweep.svg)',
    '',
    'Where choices are further from the best, NCCL reckons otherwise than the simulation finds:',
    '',
    ...reasonsOf(rows).map(({ text, rows: far }) => `- ${text} (${far.length} rows)`),
    '',
    '## Dips',
    '',
    ...(dips === 0 ? ['None.', ''] : []),
    '| fabric | GPUs | kind | backend | from | to | GB/s | falls | reason |',
    '|---|---|---|---|---|---|---|---|---|',
    ...curves
      .flatMap(dipsOf)
      .map(
        ({ row, before, falls, reason }) =>
          `| ${row.family} | ${row.gpus} | ${row.kind} | ${row.backend} | ${formatSizeBytes(before.sizeBytes)} | ${formatSizeBytes(row.sizeBytes)} | ${gbps(before)} to ${gbps(row)} | ${percent(falls)} | ${reason} |`,
      ),
    '',
    '## Choices more than 10 % from the best',
    '',
    '| fabric | GPUs | kind | backend | size | chosen | us | best | us |',
    '|---|---|---|---|---|---|---|---|---|',
    ...rows
      .filter((row) => !isRight(row))
      .map(
        (row) =>
          `| ${row.family} | ${row.gpus} | ${row.kind} | ${row.backend} | ${formatSizeBytes(row.sizeBytes)} | ${row.how} | ${row.timeUs.toFixed(1)} | ${row.best} | ${row.bestUs.toFixed(1)} |`,
      ),
    '',
    '## Curves',
    '',
    'GB/s of bus bandwidth by size.',
    '',
    ...curves.flatMap((curve) => {
      const { family, gpus, kind, backend } = curve[0]!;
      return [
        `**${family}, ${gpus} GPUs, ${kind}, ${backend}**: ${curve.map((row) => `${formatSizeBytes(row.sizeBytes)} ${gbps(row)}`).join(', ')}`,
        '',
      ];
    }),
  ].join('\n')}`;
}

function gbps({ busbwGBps }: SweepRow): string {
  return busbwGBps >= 100 ? busbwGBps.toFixed(0) : busbwGBps.toPrecision(3);
}

// docs/models/busbw-sweep.md: dips of the sweep's curves with their reasons, and how far choices are from the best; the
// curves themselves are in busbw-sweep.csv beside it.

import { formatSizeBytes } from '#weft/base/units.js';
import { csvText } from '../data-file.js';
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
    'What bus bandwidth do collectives reach by size, and are the choices good ones?',
    '',
    `Profile \`nccl\`, every kind, on 8, 16 and 64 H100 of three fabrics with the fluid backend, sizes by factor ${factor}. Beside them are a sample on 256 GPUs (by 64) and one with packets (8`,
    'and 16 GPUs to 64 MiB, by 16). For every row all algorithms and protocols that NCCL allows are simulated, but those whose closed form takes more than 1.5 times as long. The choice is held',
    'against the best of them.',
    '',
    `${rows.length} rows, all in [busbw-sweep.csv](busbw-sweep.csv). The choice is within 10 % of the best on ${percent(right)} of them. Bus bandwidth falls by more than 3 % from one size to the next in ${dips} places, ${withoutReason} of them without a known reason.`,
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
    '| fabric | GPUs | kind | backend | sizes | chosen | us | best | us |',
    '|---|---|---|---|---|---|---|---|---|',
    ...farMarkdown(rows),
    '',
  ].join('\n')}`;
}

/** Choices that are far from the best: sizes of one curve with one choice and one best together. */
function farMarkdown(rows: readonly SweepRow[]): string[] {
  const groups = new Map<string, SweepRow[]>();
  for (const row of rows.filter((own) => !isRight(own))) {
    const { family, gpus, kind, backend, how, best } = row;
    const key = [kind, backend, gpus, family, how, best].join();
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return [...groups.values()].map((own) => {
    const { family, gpus, kind, backend, how, best } = own[0]!;
    const sizes = own.map(({ sizeBytes }) => formatSizeBytes(sizeBytes)).join(', ');
    const times = own.map(({ timeUs }) => timeUs.toFixed(1)).join(', ');
    const bestTimes = own.map(({ bestUs }) => bestUs.toFixed(1)).join(', ');
    return `| ${[family, gpus, kind, backend, sizes, how, times, best, bestTimes].join(' | ')} |`;
  });
}

/** Every point of every curve: bus bandwidth by size. */
export function sweepCsv(rows: readonly SweepRow[]): string {
  return csvText(
    ['fabric', 'gpus', 'kind', 'backend', 'sizeBytes', 'busbwGBps'],
    curvesOf(rows).flatMap((curve) =>
      curve.map((row) => [row.family, row.gpus, row.kind, row.backend, row.sizeBytes, gbps(row)]),
    ),
  );
}

function gbps({ busbwGBps }: SweepRow): string {
  return busbwGBps >= 100 ? busbwGBps.toFixed(0) : busbwGBps.toPrecision(3);
}

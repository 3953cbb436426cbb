// docs/models/backends-agree.md: how far the analytical and the fluid backend are from packets, and why where that is
// more than 5 %; backends-agree.csv beside it has every cell. Nothing in them depends on the machine or the hour.

import { formatSizeBytes } from '#weft/base/units.js';
import { csvText } from '../data-file.js';
import type { AgreementCase, AgreementFabric } from './cases.js';
import { type AgreementRow, differences } from './measure.js';
import { agreed, type Difference, reasonOf, reasons } from './reasons.js';

/** A case at every size. */
export interface AgreementResult {
  readonly of: AgreementCase;
  readonly rows: readonly AgreementRow[];
}

/** Every cell of the table. */
export function cellsOf({ of, rows }: AgreementResult): Difference[] {
  return rows.flatMap((row) => {
    const both = differences(row);
    return (['analytical', 'fluid'] as const).map((backend) => ({
      of,
      backend,
      sizeBytes: row.sizeBytes,
      difference: both[backend],
    }));
  });
}

/** What a cell is called in messages. */
export function cellName({ of, backend, sizeBytes, difference }: Difference): string {
  return `${of.on.name}, ${of.kind}, ${of.profile}, ${of.algorithm} ${of.protocol}, ${formatSizeBytes(sizeBytes)}, ${backend}: ${percent(difference)} %`;
}

/** The whole page. */
export function agreementPage(fabrics: readonly AgreementFabric[], results: readonly AgreementResult[]): string {
  const cells = results.flatMap(cellsOf);
  const beyond = cells.filter(({ difference }) => Math.abs(difference) > agreed);
  const share = (backend: string): string => {
    const own = cells.filter((cell) => cell.backend === backend);
    const off = own.filter(({ difference }) => Math.abs(difference) > agreed);
    return `${own.length - off.length} of ${own.length} (${backend})`;
  };
  return `${[
    '# Backends beside each other',
    '',
    '<!-- the whole page is written by `npm run agreement` -->',
    '',
    'How long do collectives take on the [analytical](analytical.md) and the [fluid](fluid.md) backend, beside the same with every [packet](engine.md)? The fabrics',
    'have no load but the collective itself. Every kind runs with every algorithm and protocol, at eight sizes, each backend with its defaults. Neither is a',
    'bound: single flows are never faster than the analytical backend says, collectives may be.',
    '',
    `Within 5 % of packets: ${share('analytical')}, ${share('fluid')}. The other ${beyond.length} cells have a reason below. [backends-agree.csv](backends-agree.csv) has every`,
    'cell: the differences in percent of the time with packets, base latency included (+10 is longer), and the letters of their reasons.',
    '',
    '## Reasons',
    '',
    ...reasons.flatMap((reason) => {
      const own = beyond.filter((cell) => reasonOf(cell) === reason);
      return own.length === 0
        ? []
        : [`**${reason.letter}: ${reason.title}** (${own.length} cells, ${range(own)}). ${reason.text}`, ''];
    }),
    ...fabrics.flatMap((on) => fabricMarkdown(on, results)),
  ].join('\n')}`;
}

function range(cells: readonly Difference[]): string {
  const values = cells.map(({ difference }) => difference);
  return `${percent(Math.min(...values))} to ${percent(Math.max(...values))} %`;
}

function fabricMarkdown(on: AgreementFabric, results: readonly AgreementResult[]): string[] {
  return [
    `## ${on.name}`,
    '',
    `${on.about[0]!.toUpperCase()}${on.about.slice(1)}.`,
    '',
    '| kind | profile | cases | analytical: within 5 % | from, to | fluid: within 5 % | from, to |',
    '|---|---|---|---|---|---|---|',
    ...kindRows(results.filter(({ of }) => of.on.name === on.name)),
    '',
  ];
}

/** A row for each kind and profile: all algorithms, protocols and sizes together. */
function kindRows(results: readonly AgreementResult[]): string[] {
  const names = new Set(results.map(({ of }) => `${of.kind} | ${of.profile}`));
  return [...names].map((name) => {
    const own = results.filter(({ of }) => `${of.kind} | ${of.profile}` === name);
    const sides = (['analytical', 'fluid'] as const).flatMap((backend) => {
      const cells = own.flatMap(cellsOf).filter((cell) => cell.backend === backend);
      const near = cells.filter(({ difference }) => Math.abs(difference) <= agreed);
      return [`${near.length} of ${cells.length}`, range(cells)];
    });
    return `| ${[name, own.length, ...sides].join(' | ')} |`;
  });
}

/** Every cell: a line for each case and size. */
export function agreementCsv(results: readonly AgreementResult[]): string {
  return csvText(
    ['fabric', 'kind', 'profile', 'algorithm', 'protocol', 'sizeBytes', 'analyticalPercent', 'fluidPercent', 'reasons'],
    results.flatMap(({ of, rows }) =>
      rows.map((row) => {
        const cells = cellsOf({ of, rows: [row] });
        const letters = [...new Set(cells.map((cell) => reasonOf(cell)?.letter ?? ''))].join('');
        const { on, kind, profile, algorithm, protocol } = of;
        const differences = cells.map(({ difference }) => percent(difference));
        return [on.name, kind, profile, algorithm, protocol, row.sizeBytes, ...differences, letters];
      }),
    ),
  );
}

function percent(difference: number): string {
  const text = (100 * difference).toFixed(1);
  return text === '-0.0' ? '0.0' : difference > 0 && text !== '0.0' ? `+${text}` : text;
}

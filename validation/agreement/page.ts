// docs/models/backends-agree.md: what the analytical and the fluid backend say beside packets, cell by cell, and why
// where they are more than 5 % off. Nothing in it depends on the machine or the hour.

import { formatSizeBytes } from '#weft/base/units.js';
import { type AgreementCase, type AgreementFabric, agreementSizes } from './cases.js';
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
    'How long collectives take on the [analytical](analytical.md) and the [fluid](fluid.md) backend, beside the same with every [packet](engine.md), on fabrics',
    'where nobody but the collective itself loads a link: every kind with every algorithm and protocol, at eight sizes, each backend with its defaults. Neither is a',
    'bound: single flows are never faster than the analytical backend says, collectives may be.',
    '',
    `Within 5 % of packets: ${share('analytical')}, ${share('fluid')}. The other ${beyond.length} cells have a letter, and a reason below. A cell has two differences in`,
    'percent of the time with packets, base latency included: analytical, fluid; +10 is longer.',
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
    `| kind | profile | algorithm | ${agreementSizes.map((size) => formatSizeBytes(size)).join(' | ')} |`,
    `|---|---|---|${agreementSizes.map(() => '---|').join('')}`,
    ...results.filter(({ of }) => of.on.name === on.name).map(rowMarkdown),
    '',
  ];
}

function rowMarkdown(result: AgreementResult): string {
  const { of, rows } = result;
  const cells = rows.map((row) => {
    const own = cellsOf({ of, rows: [row] });
    const letters = [...new Set(own.map((cell) => reasonOf(cell)?.letter ?? ''))].join('');
    return `${own.map(({ difference }) => percent(difference)).join(', ')}${letters === '' ? '' : ` ${letters}`}`;
  });
  return `| ${of.kind} | ${of.profile} | ${of.algorithm} ${of.protocol} | ${cells.join(' | ')} |`;
}

function percent(difference: number): string {
  const text = (100 * difference).toFixed(1);
  return text === '-0.0' ? '0.0' : difference > 0 && text !== '0.0' ? `+${text}` : text;
}

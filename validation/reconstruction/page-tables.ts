// Tables of docs/models/reconstruction-tables.md: ours, and in brackets what the source prints (Taffet's dissertation,
// docs/SOURCES.md, Tables 4.1 to 4.3).

import { tableText } from '../tables/gap-tables.js';
import { sparsityOf } from './basis-sparsity.js';
import { coherenceOf } from './coherence.js';
import { keptCells, measureErrors, type ErrorCell } from './lane-errors.js';
import { laneColumns, printedErrors, printedSparsity, sparsityBases } from './printed-tables.js';

/** Hosts of a small job in a row from the eleventh, of which all pairs are compared with each other. */
const coherenceRanks = 168;
const firstRank = 10;

/** What is measured anew; the rest stands as it was measured before. */
export interface ReconstructionTablesRequest {
  /** names of applications; null: all */
  readonly applications: readonly string[] | null;
  /** titles of columns; null: all */
  readonly columns: readonly string[] | null;
  /** CPU time of a search */
  readonly mostSeconds: number;
}

/** The tables in Markdown by their names. @param say told what is being done */
export async function reconstructionTables(
  { applications, columns, mostSeconds }: ReconstructionTablesRequest,
  say: (text: string) => void,
): Promise<Readonly<Record<string, string>>> {
  const patterns = applications ?? printedErrors.map(({ pattern }) => pattern);
  await measureErrors(patterns, columns ?? laneColumns.map(({ title }) => title), mostSeconds, say);
  const cells = keptCells();
  return {
    sparsity: sparsityMarkdown(say),
    coherence: await coherenceMarkdown(say),
    'best-basis': errorsMarkdown(cells, false),
    od: errorsMarkdown(cells, true),
  };
}

function sparsityMarkdown(say: (text: string) => void): string {
  const kinds = [
    ['all', 'all'],
    ['tenPercentError', '10 % E'],
    ['ninetyPercentPower', '90 % P'],
  ] as const;
  const lines = printedSparsity.flatMap((printed) => {
    say(`non-zeros of ${printed.pattern}`);
    const own = sparsityBases.map((basis) => sparsityOf(printed.pattern, basis));
    return kinds.map(([kind, title]) => {
      const name = kind === 'all' ? `\`${printed.pattern}\`` : '';
      const values = own.map((one, i) =>
        one === null ? '' : `${one[kind].toFixed(2)} (${printed[kind][i]!.toFixed(2)})`,
      );
      return [name, title].concat(values);
    });
  });
  return tableText(['application', 'non-zeros', ...sparsityBases.map((basis) => `\`${basis}\``)], lines);
}

async function coherenceMarkdown(say: (text: string) => void): Promise<string> {
  const lines: string[][] = [];
  for (const column of laneColumns) {
    say(`coherence, ${column.title}`);
    const { counters, largest, mean } = await coherenceOf(firstRank, coherenceRanks, column);
    lines.push([column.title, `${counters}`, largest.toFixed(3), mean.toFixed(3)]);
  }
  return tableText(['levels and lanes', 'counters', 'mu', 'mean over pairs'], lines);
}

function errorsMarkdown(cells: readonly ErrorCell[], isOd: boolean): string {
  const lines = printedErrors.map(({ pattern, basis, best, od }) => {
    const dictionary = isOd ? 'od' : basis;
    const values = laneColumns.map(({ title }, i) => {
      const own = cells.find((cell) => cell.pattern === pattern && cell.basis === dictionary && cell.column === title);
      return `${own === undefined ? 'not measured' : errorText(own)} (${(isOd ? od : best)[i]!})`;
    });
    return (isOd ? [`\`${pattern}\``] : [`\`${pattern}\``, `\`${basis}\``]).concat(values);
  });
  const titles = laneColumns.map(({ title }) => title);
  return tableText(['application', ...(isOd ? [] : ['basis']), ...titles], lines);
}

/** In percent; a star: the search had not settled. */
function errorText({ relativeError, isSettled }: ErrorCell): string {
  const percent = 100 * relativeError;
  return `${percent < 0.01 ? '0.00' : percent < 10 ? percent.toFixed(2) : percent.toFixed(1)}${isSettled ? '' : '*'}`;
}

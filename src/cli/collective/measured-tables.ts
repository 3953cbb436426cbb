// `weft collective --compare`: the file of measurements, and what is printed of it beside what was simulated.

import type { ComparedRow } from '../../report/figures/collectives.js';
import { type TimedGroup, type MeasuredFile, tablesOfCollective } from '../../app/calibrate/compared-tables.js';
import type { Host } from '../../base/host.js';
import {
  comparisonFooter,
  comparisonHeader,
  comparisonLine,
  comparisonObject,
} from '../../report/measured-comparison.js';
import { measuredFigure } from '../../report/measured-figure.js';
import type { WholeChart } from '../../report/page/chart-frame.js';
import { type OptionFile, optionFileText } from '../options/option-file.js';

const comparedFile: OptionFile = {
  option: '--compare',
  called: 'the file of measurements',
  wanted: 'what nccl-tests, weft collective or NCCL Inspector wrote',
};

/** Reads the tables of a collective from a file. @throws InputError */
export async function measuredFile(path: string, group: TimedGroup, host: Host): Promise<MeasuredFile> {
  return tablesOfCollective(await optionFileText(path, host, comparedFile), path, group);
}

/** The tables as text. */
export function measuredComparisonText(
  { path, tables }: MeasuredFile,
  compared: readonly (readonly ComparedRow[])[],
): string {
  const several = compared.length > 1;
  const parts = compared.map((rows, i) => {
    const { line, servers } = tables[i]!;
    const where = `# ${path}:${line}${servers === null ? '' : `, measured on ${servers} servers`}\n`;
    return `${where}${comparisonHeader()}${rows.map(comparisonLine).join('')}${comparisonFooter(rows)}`;
  });
  return `${parts.join('#\n')}${several ? `#\n# all ${compared.length} tables\n${comparisonFooter(compared.flat())}` : ''}`;
}

/** The tables for --json. */
export function comparisonJson(
  { path, tables }: MeasuredFile,
  compared: readonly (readonly ComparedRow[])[],
): Record<string, unknown> {
  return {
    file: path,
    tables: compared.map((rows, i) => {
      const { line, ranks, servers } = tables[i]!;
      return { line, ranks, servers, ...comparisonObject(rows) };
    }),
    errors: comparisonObject(compared.flat())['errors'],
  };
}

/** The plot; null if no size was simulated. */
export function comparisonFigure(
  title: string,
  { path }: MeasuredFile,
  compared: readonly (readonly ComparedRow[])[],
): WholeChart | null {
  const filled = compared.filter((rows) => rows.length > 0);
  return filled.length === 0 ? null : measuredFigure(title, [`measured: ${path}`], filled);
}

// How much the map of levels and lanes decides of the error on two lanes: many maps, drawn and separated, of one
// application after the other. Source beside it: Table 4.3 of Taffet's dissertation (docs/SOURCES.md), 2 SL and 2 VL.

import { tableText } from '../tables/gap-tables.js';
import { withKeptRows } from './kept-rows.js';
import { reconstructedOnce } from './lane-errors.js';
import { laneColumns, printedErrors } from './printed-tables.js';

/** Maps of each strategy, by seeds from 1. */
const maps = 20;
const strategies = ['random', 'separated'] as const;

/**
 * The table in Markdown.
 * @param patterns applications @param mostSeconds CPU time of a search @param say told what is done
 * @param block the table as the page has it: rows of other applications stay
 */
export async function laneMapsMarkdown(
  patterns: readonly string[],
  mostSeconds: number,
  say: (text: string) => void,
  block: string,
): Promise<string> {
  const lines: string[][] = [];
  const column = laneColumns.findIndex(
    ({ lanes, serviceLevels, strategy }) => lanes === 2 && serviceLevels === 2 && strategy === 'random',
  );
  for (const pattern of patterns) {
    const printed = printedErrors.find((own) => own.pattern === pattern)!.od[column]!;
    for (const strategy of strategies) {
      const errors: number[] = [];
      for (let seed = 1; seed <= maps; seed++) {
        say(`${pattern} on two lanes, ${strategy}, map ${seed} of ${maps}`);
        const request = { traffic: pattern, dictionary: 'od', lanes: 2, serviceLevels: 2, strategy, seed };
        errors.push(100 * (await reconstructedOnce(request, mostSeconds)).relativeError!);
      }
      errors.sort((one, other) => one - other);
      const middle = (errors[maps / 2 - 1]! + errors[maps / 2]!) / 2;
      const values = [errors[0]!, middle, errors[maps - 1]!].map((error) => error.toFixed(2));
      const above = errors.filter((error) => error > printed).length;
      const name = `\`${pattern}\``;
      lines.push([name, `\`${strategy}\``, `${mostSeconds}`, ...values, `${above} of ${maps}`, `${printed}`]);
    }
  }
  return tableText(
    ['application', 'map', 'CPU s', 'smallest', 'median', 'largest', 'above the source', 'source'],
    withKeptRows(block, lines),
  );
}

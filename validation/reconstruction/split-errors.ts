// What ways of several ports are worth for reconstruction: one port for each destination, all ports up alike, or a random
// 10 of 16 for each destination, which Taffet's dissertation (docs/SOURCES.md) expects to be incoherent (6.1.2), on one
// lane and on two. It prints no figures of these.

import type { ReconstructionRequest } from '#weft/app/reconstruct/reconstruction-request.js';
import { tableText } from '../tables/gap-tables.js';
import { withKeptRows } from './kept-rows.js';
import { reconstructedOnce } from './lane-errors.js';

type Ways = Pick<ReconstructionRequest, 'tables' | 'split' | 'splitPorts'>;

const waysByTitle: readonly (readonly [string, Ways])[] = [
  ['one port (`ftree`)', { tables: 'ftree' }],
  ['all 16 ports, nobody knows how', { tables: 'ecmp' }],
  ['all 16 ports alike', { tables: 'ecmp', split: 'equal' }],
  ['10 of 16 drawn ports alike', { tables: 'ecmp', split: 'equal', splitPorts: 10 }],
];

/**
 * The table in Markdown.
 * @param patterns applications @param mostSeconds CPU time of a search @param say told what is done
 * @param block the table as the page has it: rows of other applications stay
 */
export async function splitErrorsMarkdown(
  patterns: readonly string[],
  mostSeconds: number,
  say: (text: string) => void,
  block: string,
): Promise<string> {
  const lines: string[][] = [];
  for (const pattern of patterns)
    for (const [title, ways] of waysByTitle) {
      const values: string[] = [];
      for (const lanes of [1, 2]) {
        say(`${pattern}, ${title}, ${lanes} lanes`);
        if (lanes > 1 && ways.tables === 'ecmp' && ways.split === undefined) {
          values.push('', '');
          continue;
        }
        const found = await reconstructedOnce({ traffic: pattern, dictionary: 'od', lanes, ...ways }, mostSeconds);
        const star = found.end === 'settled' ? '' : '*';
        values.push(
          `${(100 * found.relativeError!).toFixed(2)}${star}`,
          `${(100 * found.leafError!).toFixed(2)}${star}`,
        );
      }
      lines.push([`\`${pattern}\``, title, ...values]);
    }
  return tableText(['application', 'ports up', '1 VL', 'by leaf', '2 VL', 'by leaf'], withKeptRows(block, lines));
}

// A barrier beside a bully at the source's size: counters of packets and bytes, who sent to whom, tables for that, and a
// run with these until the barrier ends. Taffet's dissertation (docs/SOURCES.md), 5.4.2 and Table 5.4.
// Not run: the epoch under ftree, whose counters are made from what is sent; it would take seven times as long.

import { bullyErrorsOf, bullyProblem } from '../reconstruction/bully-errors.js';
import { bullySizes, bullyTraffic, weights } from './bully-jobs.js';
import { barrierMsBy } from './bully-table.js';
import { tableText } from './gap-tables.js';
import { measure } from './measure-routes.js';

/** CPU time of the search for traffic. */
const searchSeconds = 60;

/** The table in Markdown. @param folder for tables and scenarios @param say told what is being done */
export async function wholeBullyMarkdown(folder: string, say: (text: string) => void): Promise<string> {
  const size = bullySizes[1]!;
  const problem = bullyProblem(size);
  const { source, allocation } = problem;
  say('who sent to whom on all of quartz1 …');
  const { matrix } = bullyTraffic(size, allocation, weights.mixed).phases[0]!;
  const { traffic, barrier: error } = await bullyErrorsOf(problem, matrix, false, searchSeconds);
  say('tables for that …');
  const made = measure('weft', source, traffic, say);
  say('the barrier alone …');
  const alone = await barrierMsBy(folder, size, { ...allocation, bully: [] }, source, made);
  say('the barrier beside the bully …');
  const beside = await barrierMsBy(folder, size, allocation, source, made);
  const row = (name: string, ms: number, printed: number): string[] => [
    name,
    ms.toFixed(3),
    (ms / alone).toFixed(3),
    printed.toFixed(2),
    (printed / 4.19).toFixed(2),
  ];
  return tableText(
    ['routes', 'barrier, ms', 'times alone', 'source, ms', 'times alone'],
    [
      row('no bully', alone, 4.19),
      row(`for what was found (error of the barrier ${(100 * error).toPrecision(2)} %)`, beside, 4.46),
    ],
  );
}

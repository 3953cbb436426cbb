// Routes of one largest load that differ in everything else: how long the barrier beside a bully takes under each, of
// Table 5.3's allocation in Taffet's dissertation (docs/SOURCES.md), with traffic by bytes as counters have it.

import { ftree } from '#weft/app/routes/algorithms/ftree.js';
import { random } from '#weft/app/routes/algorithms/random.js';
import { changedEntries } from '#weft/routing/forwarding-tables.js';
import { bullySizes, bullyTraffic, randomAllocation, weights } from './bully-jobs.js';
import { barrierMsBy, linksOf } from './bully-table.js';
import { tableText } from './gap-tables.js';
import { fatTreeOf, measure } from './measure-routes.js';

/** The table in Markdown. @param folder for tables and scenarios @param say told what is being done */
export async function tiesMarkdown(folder: string, say: (text: string) => void): Promise<string> {
  const size = bullySizes[0]!;
  const source = fatTreeOf(size.name, 'fat-tree', size.shape);
  const allocation = randomAllocation(size);
  const traffic = bullyTraffic(size, allocation, weights.countedBytes);
  const pair = weights.countedBytes.bully;
  const inUse = ftree.make(source).tables[0]!;
  const fewestAbove = 1.5 * pair;
  const rows: string[][] = [];
  for (const [name, how] of [
    ["near `ftree`'s: few entries change", { current: [inUse] }],
    ["near `ftree`'s, fewest links above 150 units", { current: [inUse], fewestAbove }],
    ["begun with `ftree`'s, any change", { begin: inUse }],
    ['begun with random ones, seed 1', { begin: random.make(source, 1).tables[0]! }],
    ['begun with random ones, seed 2', { begin: random.make(source, 2).tables[0]! }],
  ] as const) {
    say(`tables ${name} …`);
    const made = measure('weft', source, traffic, say, how);
    const ms = await barrierMsBy(folder, size, allocation, source, made);
    const figures = [
      changedEntries(inUse, made.tables),
      made.evaluation.maxLoad / pair,
      linksOf(source, made, 2 * pair),
    ];
    rows.push([name, ...figures.map((own) => `${Number(own.toFixed(2))}`), ms.toFixed(2)]);
  }
  return tableText(
    ['tables', "entries that differ from `ftree`'s", 'largest load, flows of the bully', 'links of two', 'barrier, ms'],
    rows,
  );
}

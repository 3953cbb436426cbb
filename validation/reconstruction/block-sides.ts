// Whether the weights that were chosen for LULESH decide what is found of it on two lanes: blocks of several sides, of
// which a face carries the square of what an edge does. Source beside it: Table 4.3 of Taffet's dissertation
// (docs/SOURCES.md), 2 SL and 2 VL; it does not say its block.

import { haloWeight } from '#weft/flows/traffic/mini-app-patterns.js';
import { rowMajorLattice, sendToNeighbours } from '#weft/flows/traffic/lattice.js';
import { tableText } from '../tables/gap-tables.js';
import { reconstructedOnce } from './lane-errors.js';
import { laneColumns, printedErrors } from './printed-tables.js';

const sides = [16, 32, 48, 64, 96] as const;
/** One job in a row begins at the eleventh host, as in the other tables. */
const firstHost = 10;

/** The table in Markdown. @param mostSeconds CPU time of a search @param say told what is done */
export async function blockSidesMarkdown(mostSeconds: number, say: (text: string) => void): Promise<string> {
  const column = laneColumns.findIndex(({ title }) => title === '2 SL, 2 VL');
  const printed = printedErrors.find(({ pattern }) => pattern === 'lulesh')!.od[column]!;
  const lines: string[][] = [];
  for (const side of sides) {
    say(`lulesh on two lanes, blocks of ${side}`);
    const rows: string[] = ['source,destination,weight'];
    let [whole, edges] = [0, 0];
    const weightOf = (dx: number, dy: number, dz: number) => haloWeight(dx, dy, dz, side);
    sendToNeighbours(rowMajorLattice([8, 8, 8]), weightOf, (source, destination, weight) => {
      whole += weight * weight;
      if (weight < side * side) edges += weight * weight;
      rows.push(`${source + firstHost},${destination + firstHost},${weight}`);
    });
    const traffic = { csv: rows.join('\n'), name: `lulesh-${side}.csv` };
    const found = await reconstructedOnce({ traffic, dictionary: 'od', lanes: 2, serviceLevels: 2 }, mostSeconds);
    const share = 100 * Math.sqrt(edges / whole);
    const error = 100 * found.relativeError!;
    lines.push([`${side}`, share.toFixed(2), error.toFixed(2), (error / share).toFixed(2), `${printed}`]);
  }
  return tableText(['side, cells', 'edges and corners, %', 'error, %', 'error beside them', 'source'], lines);
}

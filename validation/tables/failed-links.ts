// The table of failed links: quartz1 with 0.1, 1 and 5 % of the links between switches missing. What cuts say, what
// adaptive routing can do, and how far static routes are from it between switches.

import { failLinks } from '#weft/fabric/failed-links.js';
import { recogniseFatTree } from '#weft/fabric/fat-tree.js';
import type { RoutedFabric } from '#weft/fabric/routed-fabric.js';
import { routableTraffic } from '#weft/optimization/leaf-traffic.js';
import { routeBounds } from '#weft/optimization/route-bounds.js';
import { tableText } from './gap-tables.js';
import { measure, trafficOf, trafficSeed, type Measured } from './measure-routes.js';

const shares = [0.001, 0.01, 0.05];
const patterns = [
  'stencil',
  'bisection',
  'bs-random-shuffle',
  'bs-random-shuffle-noise',
  'all-to-all',
  'lulesh',
  'multigrid-c',
];

/** One pattern with one share of links failed. */
export interface FailedRow {
  readonly failed: string;
  readonly pattern: string;
  /** largest average of a cut between switches */
  readonly cuts: number;
  readonly ftree: Measured;
  readonly weft: Measured;
}

/**
 * Measures all rows.
 * @param whole the fabric before links fail, by the seed of traffic
 * @param say told now and then how far it is
 */
export async function failedRows(whole: RoutedFabric, say: (text: string) => void): Promise<FailedRow[]> {
  const rows: FailedRow[] = [];
  for (const share of shares) {
    const { fabric, identity, failed } = failLinks(whole, share, trafficSeed);
    const tree = recogniseFatTree(fabric).tree!;
    // OpenSM's ftree needs to be told the top level of a tree that is not whole
    const source: RoutedFabric = { ...whole, fabric, identity, tree, roots: [...tree.switches[tree.levels - 1]!] };
    for (const pattern of patterns) {
      const traffic = await trafficOf(source, pattern);
      const label = `${100 * share} % failed, ${pattern}`;
      const [ftree, weft] = (['ftree', 'weft'] as const).map((algorithm) =>
        measure(algorithm, source, traffic, (text) => {
          say(`${label}: ${text}`);
        }),
      );
      rows.push({
        failed: `${100 * share} % (${failed})`,
        pattern,
        cuts: routeBounds(routableTraffic(tree, traffic.phases[0]!.matrix)).adaptiveNet,
        ftree: ftree!,
        weft: weft!,
      });
    }
  }
  return rows;
}

/** The table in Markdown: loads, and gaps between switches in percent. */
export function failedMarkdown(rows: readonly FailedRow[]): string {
  const head = [
    'links failed',
    'pattern',
    'cuts',
    'adaptive bound',
    'at most',
    'ftree',
    'Weft',
    'lower bound',
    'CPU s',
  ];
  const body = rows.map(({ failed, pattern, cuts, ftree, weft }) => {
    const { bounds, provenOptimal } = weft.evaluation.collapsed;
    const gap = (load: number): string => percent((load - bounds.adaptiveNet) / bounds.adaptiveNet);
    return [
      failed,
      pattern,
      short(cuts),
      short(bounds.adaptiveNet),
      `+ ${percent((bounds.adaptiveNetMost - bounds.adaptiveNet) / bounds.adaptiveNet, 5)}`,
      gap(ftree.evaluation.collapsed.loads.netMaxLoad),
      `${gap(weft.evaluation.collapsed.loads.netMaxLoad)}${provenOptimal ? ', proven' : ''}`,
      gap(bounds.staticNet),
      weft.cpuSeconds.toFixed(2),
    ];
  });
  return tableText(head, body);
}

function percent(share: number, digits = 2): string {
  return Math.abs(100 * share).toFixed(digits);
}

function short(value: number): string {
  return String(Number(value.toPrecision(6)));
}

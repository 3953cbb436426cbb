// afar: from ftree's tables greedily off the hottest links (optimization/afar.ts).

import { collapsed } from '../../../flows/traffic/matrix.js';
import { routeAfar } from '../../../optimization/afar.js';
import { routableTraffic } from '../../../optimization/leaf-traffic.js';
import { withMinimalEntries } from '../../../optimization/minimal-tables.js';
import { routeBounds } from '../../../optimization/route-bounds.js';
import { routeDmodK } from '../../../routing/d-mod-k.js';
import type { SearchingAlgorithm } from '../route-algorithm.js';
import { ftreeOrNull } from './ftree.js';

/** The most moves of AFAR, and how many it makes without getting better. */
const limits = { mostMoves: 1_000_000, patience: 2000 };

export const afar = {
  kind: 'search',
  name: 'afar',
  about: 'ftree, then greedily off the hottest links (needs --traffic)',
  detours: true,
  make: (source, { traffic, seconds }, { wallMs, stopRequested, report, begun, bettered }) => {
    const ftree = ftreeOrNull(source);
    const made = withMinimalEntries(source.tree, ftree ?? routeDmodK(source.tree));
    const start = begun?.(made, ftree === null ? 'refused' : 'unknown') ?? made;
    const untilMs = wallMs() + 1000 * seconds;
    let outOfTime = false;
    const flows = routableTraffic(source.tree, collapsed(traffic!));
    const bound = routeBounds(flows).staticNet;
    const { tables, moves, finished } = routeAfar(start, flows, {
      ...limits,
      stopped: (done, largest, best) => {
        report({ stage: `${done} moves`, incumbent: largest, bound });
        bettered?.(largest, () => best);
        outOfTime = wallMs() >= untilMs;
        return outOfTime || stopRequested();
      },
    });
    const end = finished
      ? 'no link can be relieved any more'
      : stopRequested()
        ? 'it was stopped'
        : outOfTime
          ? `after ${seconds} s`
          : `after ${limits.patience} moves that did not help`;
    return { tables: [tables], notes: [`${moves} moves; ended: ${end}`], outOfTime, ftree };
  },
} as const satisfies SearchingAlgorithm;

// A fabric by level with the cables that matter: at fault, with errors, hot (weft report --fabric). The same drawing as
// that of loads, with marks in their place.

import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import type { FabricFindingReport } from '../fabric-check-text.js';
import { fabricFigure } from '../fabric-figure.js';
import { utilisationScale, type LoadScale } from '../load-classes.js';
import { faultyLinks, longestWaits, type CountedLink } from './counter-text.js';
import { namesOf } from './route-figure.js';
import { fabricLine } from './route-text.js';

/** What a link is marked as, the worse the higher. */
const marks = [
  { colour: '#ececec', text: 'nothing odd' },
  { colour: '#74a9d2', text: 'hot' },
  { colour: '#f6a83c', text: 'errors' },
  { colour: '#b23a10', text: 'crossed' },
  { colour: '#641605', text: 'slow' },
] as const;
const [hot, errors, crossed, slow] = [1, 2, 3, 4];

const markScale: LoadScale = {
  title: 'links between switches:',
  classes: marks.map(({ colour, text }, most) => ({ most, colour, text })),
  mark: 1,
  text: (mark) => marks[mark]!.text,
  none: 'no link between switches is at fault or hot',
};

/**
 * The drawing as SVG.
 * @param faults kinds of findings by port
 * @param every links with counters by sending port; empty without counters
 */
export function healthFigure(
  source: RoutedFabric,
  faults: ReadonlyMap<number, FabricFindingReport['kind']>,
  every: readonly CountedLink[],
): string {
  const mark = new Float64Array(source.fabric.portCount);
  const [waits, faulty] = [new Set(longestWaits(every)), new Set(faultyLinks(every))];
  every.forEach((link, port) => {
    if (faulty.has(link)) mark[port] = errors;
    else if (waits.has(link) || (link.utilisation ?? 0) > utilisationScale.mark) mark[port] = hot;
  });
  for (const [port, kind] of faults) mark[port] = Math.max(mark[port]!, kind === 'slow-link' ? slow : crossed);
  return fabricFigure(
    'Switches by level',
    [fabricLine(source)],
    [
      {
        title: 'links at fault, with errors, hot',
        facts: [
          'hot: in use for more than half the time, or among the ten that waited longest; links of hosts and missing ones are not drawn',
        ],
        loaded: { tree: source.tree, load: mark, relative: mark, scale: markScale, ...namesOf(source) },
        isMarked: true,
      },
    ],
  );
}

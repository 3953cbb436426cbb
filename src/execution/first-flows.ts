// Which flows are left when a run ends early, for people to look at.

import { type Frontier, Stage } from './frontier.js';

/** so many are named */
const mostNamed = 10;

/** The first flows that are alive, by number. @param areHeld only those of which admission holds a queue pair back */
export function firstFlows(frontier: Frontier, areHeld: boolean): string {
  const ids = new Set<number>();
  for (let slot = 0; slot < frontier.slotCount; slot++)
    if (frontier.isLive[slot] === 1 && (areHeld ? frontier.stage[slot] === Stage.held : frontier.first[slot] === slot))
      ids.add(frontier.id[slot]!);
  const first = [...ids].sort((a, b) => a - b).slice(0, mostNamed);
  return `${first.join(', ')}${ids.size > mostNamed ? ', …' : ''}`;
}

// Deadlock by credits: lanes of output ports that have packets and no credits, each because the buffer at the other end
// is full of packets that wait for the next of them. Found by a walk over what is queued, when nothing moves any more.
// A lane P waits for a lane Q of the node behind it if packets that hold P's credits are queued at Q. A cycle of waits
// is a deadlock. Source: cyclic buffer dependency, Dally and Seitz, IEEE ToC C-36(5), 1987.

import { findCycle } from '../../base/cycle-search.js';
import { cycleText } from '../../fabric/cycle-text.js';
import type { Fabric } from '../../fabric/fabric.js';
import type { Chunks } from './chunks.js';
import type { OutputPorts } from './output-ports.js';

/** Lanes of output ports (port x lanes + lane) that wait for each other in a ring, or null. */
export function findCreditLoop(fabric: Fabric, ports: OutputPorts, chunks: Chunks, lanes: number): number[] | null {
  const waits = new Map<number, Set<number>>();
  for (let queue = 0; queue < fabric.portCount * lanes; queue++) {
    if (!ports.isHeld(queue)) continue;
    ports.queues.forEach(queue, (record) => {
      const pool = chunks.pool(record);
      if (pool < 0 || !ports.isHeld(pool)) return;
      let next = waits.get(pool);
      if (next === undefined) waits.set(pool, (next = new Set()));
      next.add(queue);
    });
  }
  return findCycle(waits);
}

/** The ports of a loop as people read them, with the lane that they are on, or the lane of each. */
export function creditLoopText(fabric: Fabric, loop: readonly number[], lanes: number): string {
  const ports = cycleText(
    fabric,
    loop.map((queue) => Math.floor(queue / lanes)),
  );
  if (lanes === 1) return ports;
  const own = loop.map((queue) => queue % lanes);
  return own.every((lane) => lane === own[0]) ? `lane ${own[0]}: ${ports}` : `lanes ${own.join(', ')}: ${ports}`;
}

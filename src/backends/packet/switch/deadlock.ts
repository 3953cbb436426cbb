// Deadlock by priority flow control: output ports that are paused, each by a switch whose buffer is full of packets
// that wait for the next of them. Found by a walk over what is queued, when nothing moves any more.
// An output port P waits for an output port Q of the switch behind it if that switch has paused P and holds packets
// that came in from P and are queued, paused, at Q. A cycle of waits is a deadlock. Source: cyclic buffer dependency,
// Dally and Seitz, IEEE ToC C-36(5), 1987; in PFC fabrics: Hu et al., HotNets 2016.

import { findCycle } from '../../../base/cycle-search.js';
import type { Fabric } from '../../../fabric/fabric.js';
import { type EventRecords } from '../../../engine/event-records.js';
import { PacketWord } from '../packets.js';
import { type Ports, queuesPerPort } from '../ports.js';

/**
 * Looks for a cycle of paused output ports that wait for each other.
 * @returns the ports of one cycle in the order in which each waits for the next, or null if there is none
 */
export function findDeadlock(fabric: Fabric, ports: Ports, records: EventRecords): number[] | null {
  return findCycle(waitsOf(fabric, ports, records));
}

/** For each paused output port, the paused output ports behind it that hold packets which came from it. */
function waitsOf(fabric: Fabric, ports: Ports, records: EventRecords): Map<number, Set<number>> {
  const waits = new Map<number, Set<number>>();
  for (let port = 0; port < ports.count; port++) {
    const paused = ports.pausedQueues(port);
    if (paused === 0) continue;
    for (let queue = 1; queue < queuesPerPort; queue++) {
      if ((paused & (1 << queue)) === 0) continue;
      ports.forEachQueued(port, queue, (packet) => {
        const upstream = fabric.portPeer[records.words[(packet << 3) + PacketWord.port]!]!;
        if ((ports.pausedQueues(upstream) & (1 << queue)) === 0) return;
        let next = waits.get(upstream);
        if (next === undefined) waits.set(upstream, (next = new Set()));
        next.add(port);
      });
    }
  }
  return waits;
}

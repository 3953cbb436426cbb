// Deadlock by priority flow control: output ports that are paused, each by a switch whose buffer is full of packets
// that wait for the next of them. Found by a walk over what is queued, when nothing moves any more.
// An output port P waits for an output port Q of the switch behind it if that switch has paused P and holds packets
// that came in from P and are queued, paused, at Q. A cycle of waits is a deadlock. Source: cyclic buffer dependency,
// Dally and Seitz, IEEE ToC C-36(5), 1987; in PFC fabrics: Hu et al., HotNets 2016.

import { type Fabric, portName } from '../../../fabric/fabric.js';
import { NodeNames } from '../../../fabric/node-names.js';
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

/**
 * A cycle of a directed graph, given as the successors of each node: a walk in depth that keeps its own stack, however
 * deep it goes.
 */
export function findCycle(successors: ReadonlyMap<number, ReadonlySet<number>>): number[] | null {
  const done = new Set<number>();
  for (const start of successors.keys()) {
    // the nodes on the way from the start, each with the successors that are still to be tried
    const path: number[] = [];
    const untried: Iterator<number>[] = [];
    const position = new Map<number, number>();
    const enter = (node: number): void => {
      position.set(node, path.length);
      path.push(node);
      untried.push((successors.get(node) ?? []).values());
    };
    if (!done.has(start)) enter(start);
    while (path.length > 0) {
      const next = untried[untried.length - 1]!.next();
      if (next.done === true) {
        untried.pop();
        const node = path.pop()!;
        position.delete(node);
        done.add(node);
      } else if (position.has(next.value)) return path.slice(position.get(next.value)!);
      else if (!done.has(next.value)) enter(next.value);
    }
  }
  return null;
}

/** A cycle as people read it: `10:3 (leaf[0]) -> 11:3 (leaf[1]) -> 10:3 (leaf[0])`, node and interface of each port. */
export function cycleText(fabric: Fabric, cycle: readonly number[]): string {
  const names = new NodeNames(fabric);
  const textOf = (port: number): string => `${portName(fabric, port)} (${names.nameOf(fabric.portNode[port]!)})`;
  return [...cycle, cycle[0]!].map(textOf).join(' -> ');
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

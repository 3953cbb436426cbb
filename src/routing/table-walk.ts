// Follows forwarding tables from every leaf with hosts to every host: how long the longest way is, or what is wrong.
// Invariant: a walk of its own over entries, each switch once per destination.

import { NodeKind, type Fabric } from '../fabric/fabric.js';
import type { ForwardingTables } from './forwarding-tables.js';

/** What keeps packets for a host from arriving, and the switch whose entry for it is to blame. */
export interface TableFault {
  /** missing: there is no entry · astray: the entry leads to another host · loop: back to a switch passed before */
  readonly kind: 'missing' | 'astray' | 'loop';
  readonly node: number;
  readonly destination: number;
  /** of a loop: the switches that packets pass, the first again at the end; else empty */
  readonly circle: readonly number[];
}

/** Links on the longest way from a leaf with hosts to a host, and the first fault; null: every host is reached. */
export interface TableWalk {
  readonly longest: number;
  readonly fault: TableFault | null;
}

const unknown = 0;
const walking = -1;

/** Walks all tables to all hosts. Linear in switches times hosts. */
export function walkTables(tables: ForwardingTables): TableWalk {
  const { fabric } = tables;
  const starts = leavesWithHosts(fabric);
  /** by switch: links to the destination */
  const links = new Int32Array(fabric.nodeCount);
  const passed: number[] = [];
  let longest = 1;
  for (const destination of fabric.hosts) {
    links.fill(unknown);
    for (const start of starts) {
      passed.length = 0;
      let node = start;
      while (links[node] === unknown) {
        links[node] = walking;
        passed.push(node);
        const port = tables.port(node, destination);
        if (port < 0) return { longest, fault: { kind: 'missing', node, destination, circle: [] } };
        const next = fabric.portNeighbour[port]!;
        if (next === destination) break;
        if (fabric.nodeKind[next] === NodeKind.host)
          return { longest, fault: { kind: 'astray', node, destination, circle: [] } };
        node = next;
        if (links[node] === walking)
          return {
            longest,
            fault: { kind: 'loop', node, destination, circle: [...passed.slice(passed.indexOf(node)), node] },
          };
      }
      let length = links[node]! > 0 ? links[node]! : 0;
      for (let i = passed.length - 1; i >= 0; i--) links[passed[i]!] = ++length;
      if (length > longest) longest = length;
    }
  }
  return { longest, fault: null };
}

function leavesWithHosts({ hosts, portOffset, portNeighbour, nodeKind }: Fabric): number[] {
  const leaves = new Set<number>();
  for (const host of hosts)
    for (let port = portOffset[host]!; port < portOffset[host + 1]!; port++) {
      const node = portNeighbour[port]!;
      if (nodeKind[node] !== NodeKind.host) leaves.add(node);
    }
  return [...leaves];
}

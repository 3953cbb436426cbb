// Ways of flows -> forwarding tables: entries on the ways are theirs, all others are those of given tables.
// Invariant: if the given tables are complete and choose among minimal ports, so do the tables made: then any mixture
// of the two is free of loops (routing/minimal-ports.ts).

import type { ForwardingTables } from '../routing/forwarding-tables.js';
import { wayLength, type FlowRouting } from './flow-routing.js';

/** Makes tables. @param rest complete tables of the same fabric; left as they are */
export function tablesOfWays(
  { network: { tree }, demand: { flowCount, rank }, way }: Pick<FlowRouting, 'network' | 'demand' | 'way'>,
  rest: ForwardingTables,
): ForwardingTables {
  const tables = rest.copy();
  const { hosts, portNode } = tree.fabric;
  for (let flow = 0; flow < flowCount; flow++) {
    if (way[wayLength * flow] === -1) continue;
    for (let hop = wayLength * flow; hop < wayLength * flow + wayLength; hop++) {
      const port = way[hop]!;
      if (port !== -1) tables.setPort(portNode[port]!, hosts[rank[flow]!]!, port);
    }
  }
  return tables;
}

/** Ways given as lists of ports between switches, in the form that flows on their ways have (flow-routing.ts). */
export function waysOfPorts(ways: readonly (readonly number[])[]): Int32Array {
  return Int32Array.from(
    ways.flatMap((ports) => (ports.length === wayLength ? ports : [ports[0]!, -1, -1, ports.at(-1)!])),
  );
}

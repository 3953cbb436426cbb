// Where packets leave while there is no route: by the link to their receiver, or to any switch, to be lost where they
// cannot go on. A queue pair has a port at all times, so that it is there when its route comes back.

import { type Fabric, NodeKind } from '../fabric/fabric.js';

/** The port of a host by which it sends to a node that no route leads to; -1 if it has no link at all. */
export function portWithoutRoute({ portOffset, portNeighbour, nodeKind }: Fabric, from: number, to: number): number {
  let toSwitch = -1;
  for (let port = portOffset[from]!; port < portOffset[from + 1]!; port++) {
    const neighbour = portNeighbour[port]!;
    if (neighbour === to) return port;
    if (toSwitch < 0 && nodeKind[neighbour] !== NodeKind.host) toSwitch = port;
  }
  return toSwitch;
}

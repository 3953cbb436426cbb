// The links of NVSwitches, for tests of servers.

import { NodeKind, type Fabric } from '../../src/fabric/fabric.js';

/** Host and NVSwitch of each link between the two, by host and then by NVSwitch within a switch's order. */
export function nvswitchEnds(fabric: Fabric): [number, number][] {
  const ends: [number, number][] = [];
  for (let port = 0; port < fabric.portCount; port++) {
    const [host, other] = [fabric.portNode[port]!, fabric.portNode[fabric.portPeer[port]!]!];
    if (fabric.nodeKind[host] === NodeKind.host && fabric.nodeKind[other] === NodeKind.nvswitch)
      ends.push([host, other]);
  }
  return ends;
}

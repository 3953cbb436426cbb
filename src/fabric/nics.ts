// The NICs of hosts and the planes of a fabric, as people count them.
// A NIC is a link of a host that ends neither at an NVSwitch nor at a GPU of its own server; a host's NICs count from 1
// in the order of its links. A plane is a group of switches that are connected among themselves when the hosts are
// taken away, counted from 1; a group of NVSwitches alone is none. In a fabric whose switches are all connected, plane
// 1 is all of it.

import { switchGroups } from './connectivity.js';
import { type Fabric, NodeKind } from './fabric.js';
import { isMeshPort } from './server-mesh.js';

/** Number of the NIC that each port is, from 1; 0 for ports of switches and for links within servers. */
export function nicNumbers(fabric: Fabric): Int32Array {
  const { hosts, portOffset, portCount, portNode, portPeer, nodeKind } = fabric;
  const numberOf = new Int32Array(portCount);
  for (const host of hosts) {
    let count = 0;
    for (let port = portOffset[host]!; port < portOffset[host + 1]!; port++)
      if (nodeKind[portNode[portPeer[port]!]!] !== NodeKind.nvswitch && !isMeshPort(fabric, port))
        numberOf[port] = ++count;
  }
  return numberOf;
}

/** Plane of each node, from 1; 0 for hosts, and for NVSwitches that no switch is linked to. */
export function switchPlanes(fabric: Fabric): { readonly planeOf: Int32Array; readonly count: number } {
  const { nodeCount, nodeKind } = fabric;
  const { groupOf, count: groups } = switchGroups(fabric);
  const holdsSwitch = new Uint8Array(groups);
  for (let node = 0; node < nodeCount; node++) if (nodeKind[node] === NodeKind.switch) holdsSwitch[groupOf[node]!] = 1;
  let count = 0;
  const planeOfGroup = Int32Array.from(holdsSwitch, (holds) => (holds === 1 ? ++count : 0));
  return { planeOf: groupOf.map((group) => (group < 0 ? 0 : planeOfGroup[group]!)), count };
}

/** Rate of the fastest NIC of a host; of its fastest link if it has no NIC. */
export function fastestNicBps(fabric: Fabric, host: number): number {
  const { portOffset, portLink, portNode, portPeer, nodeKind, linkRateBps } = fabric;
  let nicBps = 0;
  let linkBps = 0;
  for (let port = portOffset[host]!; port < portOffset[host + 1]!; port++) {
    const rateBps = linkRateBps[portLink[port]!]!;
    linkBps = Math.max(linkBps, rateBps);
    if (nodeKind[portNode[portPeer[port]!]!] !== NodeKind.nvswitch && !isMeshPort(fabric, port))
      nicBps = Math.max(nicBps, rateBps);
  }
  return nicBps > 0 ? nicBps : linkBps;
}

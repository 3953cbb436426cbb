// Hosts that receive at a fraction of their rate: a straggler whose NIC, PCIe or memory takes what arrives too slowly.
// Every link that leads to such a host serves it at that share of its rate, so the queue stands before the host, as
// when its NIC pauses the switch.
// Invariant: what the host sends, and every other direction of every link, keeps its rate. Not modelled: the few
// packets that the receive buffer of a NIC takes at full rate before it pauses; a speed that changes during a run.

import { fail } from '../base/fail.js';
import { type Fabric, NodeKind } from './fabric.js';

/**
 * The same fabric with hosts that receive slowly.
 * @param receiveSpeed by node: above 0 up to 1; 1 for everything that is not a host
 */
export function withReceiveSpeed(fabric: Fabric, receiveSpeed: Float64Array): Fabric {
  if (receiveSpeed.length !== fabric.nodeCount)
    fail(`${receiveSpeed.length} receive speeds for ${fabric.nodeCount} nodes`);
  for (let node = 0; node < fabric.nodeCount; node++) {
    const speed = receiveSpeed[node]!;
    if (!(speed > 0 && speed <= 1) || (speed !== 1 && fabric.nodeKind[node] !== NodeKind.host))
      fail(`node ${node} receives at ${speed} of its rate`);
  }
  return { ...fabric, nodeReceiveSpeed: receiveSpeed };
}

/** The share of its link's rate at which a port sends: that at which the host at the other end receives. */
export function portSpeed(fabric: Fabric, port: number): number {
  return fabric.nodeReceiveSpeed[fabric.portNode[fabric.portPeer[port]!]!]!;
}

/** Rate at which a port sends as long as its link is as built, in bit/s. */
export function portRateBps(fabric: Fabric, port: number): number {
  return fabric.linkRateBps[fabric.portLink[port]!]! * portSpeed(fabric, port);
}

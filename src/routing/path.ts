// The path that a connection takes through equal-cost routes: the sending NIC's port, then each switch's output port.
// The packet backend, the controller and the analysis all walk with this one function, so a prediction is what happens.

import { ipv4OfNode } from '../fabric/addresses.js';
import type { Fabric } from '../fabric/fabric.js';
import { ecmpHash, nicSeed } from './ecmp-hash.js';
import type { EqualCostRoutes } from './equal-cost.js';

export class PathTracer {
  readonly fabric: Fabric;
  /** room that `trace` needs in its output */
  readonly maxLength: number;
  private readonly scratch: Int32Array;

  constructor(readonly routes: EqualCostRoutes) {
    const { portOffset, hosts } = routes.fabric;
    this.fabric = routes.fabric;
    this.maxLength = routes.longestPath;
    let mostPorts = 1;
    for (const host of hosts) mostPorts = Math.max(mostPorts, portOffset[host + 1]! - portOffset[host]!);
    this.scratch = new Int32Array(mostPorts);
  }

  /**
   * Walks from a host to a host as the hash decides.
   * @param out receives the output ports from `at` on: the NIC's first, the delivering switch's last (room for maxLength)
   * @returns how many ports, or 0 if there is no route
   */
  trace(source: number, destination: number, sourcePort: number, destinationPort: number, out: Int32Array, at = 0): number {
    const { portNode, portPeer } = this.fabric;
    const { setOffset, setPorts } = this.routes;
    const sourceAddress = ipv4OfNode(source);
    const destinationAddress = ipv4OfNode(destination);
    const ports = sourcePort | (destinationPort << 16);
    const candidates = this.routes.sourcePorts(source, destination, this.scratch);
    if (candidates === 0) return 0;
    let port = this.scratch[candidates === 1 ? 0 : ecmpHash(sourceAddress, destinationAddress, ports, nicSeed) % candidates]!;
    let length = 0;
    out[at + length++] = port;
    for (let node = portNode[portPeer[port]!]!; node !== destination; node = portNode[portPeer[port]!]!) {
      const set = this.routes.nextHopSet(node, destination);
      if (set < 0) return 0;
      const first = setOffset[set]!;
      const choices = setOffset[set + 1]! - first;
      port = setPorts[choices === 1 ? first : first + (ecmpHash(sourceAddress, destinationAddress, ports, node) % choices)]!;
      out[at + length++] = port;
    }
    return length;
  }
}

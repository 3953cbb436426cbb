// The path that a connection takes through equal-cost routes: the sending NIC's port, then each switch's output port. An NVSwitch that
// sends or receives itself counts as the end of a path of one link.
// The packet backend, the controller and the analysis all walk with this one function, so a prediction is what happens.

import { fail } from '../base/fail.js';
import { ipv4OfNode } from '../fabric/addresses.js';
import { type Fabric, NodeKind } from '../fabric/fabric.js';
import { ecmpHash, nicSeed } from './ecmp-hash.js';
import type { EqualCostRoutes } from './equal-cost.js';

export class PathTracer {
  readonly fabric: Fabric;
  private current: EqualCostRoutes;
  private readonly scratch: Int32Array;

  /** @param maxLength room that `trace` needs in its output: more than the longest path if longer routes may come into use */
  constructor(
    routes: EqualCostRoutes,
    readonly maxLength = routes.longestPath,
  ) {
    const { portOffset, nodeKind, nodeCount } = routes.fabric;
    this.fabric = routes.fabric;
    this.current = routes;
    let mostPorts = 1;
    for (let node = 0; node < nodeCount; node++) if (nodeKind[node] !== NodeKind.switch) mostPorts = Math.max(mostPorts, portOffset[node + 1]! - portOffset[node]!);
    this.scratch = new Int32Array(mostPorts);
  }

  /** The routes in force. */
  get routes(): EqualCostRoutes {
    return this.current;
  }

  /** Puts other routes of the same fabric in force. */
  use(routes: EqualCostRoutes): void {
    if (routes.fabric !== this.fabric || routes.longestPath > this.maxLength) fail(`routes of up to ${routes.longestPath} links do not fit a tracer for ${this.maxLength}`);
    this.current = routes;
  }

  /**
   * Walks from a host to a host as the hash decides, or from a host to an NVSwitch that it is linked to, or back.
   * @param out receives the output ports from `at` on: the NIC's first, the delivering switch's last (room for maxLength)
   * @returns how many ports, or 0 if there is no route
   */
  trace(source: number, destination: number, sourcePort: number, destinationPort: number, out: Int32Array, at = 0): number {
    const { portNode, portPeer } = this.fabric;
    const sourceAddress = ipv4OfNode(source);
    const destinationAddress = ipv4OfNode(destination);
    const ports = sourcePort | (destinationPort << 16);
    let port = this.leave(source, destination, sourceAddress, destinationAddress, ports);
    if (port < 0) return 0;
    let length = 0;
    out[at + length++] = port;
    for (let node = portNode[portPeer[port]!]!; node !== destination; node = portNode[portPeer[port]!]!) {
      port = this.forward(node, destination, sourceAddress, destinationAddress, ports);
      if (port < 0) return 0;
      out[at + length++] = port;
    }
    return length;
  }

  /** The port of the sending NIC, as `trace` would begin; -1 if there is no route. */
  firstPort(source: number, destination: number, sourcePort: number, destinationPort: number): number {
    return this.leave(source, destination, ipv4OfNode(source), ipv4OfNode(destination), sourcePort | (destinationPort << 16));
  }

  /** The output port of a packet at a switch, as `trace` would go on; -1 if there is no route. */
  nextPort(node: number, source: number, destination: number, sourcePort: number, destinationPort: number): number {
    return this.forward(node, destination, ipv4OfNode(source), ipv4OfNode(destination), sourcePort | (destinationPort << 16));
  }

  private leave(source: number, destination: number, sourceAddress: number, destinationAddress: number, ports: number): number {
    const candidates = this.current.sourcePorts(source, destination, this.scratch);
    if (candidates === 0) return -1;
    return this.scratch[candidates === 1 ? 0 : ecmpHash(sourceAddress, destinationAddress, ports, nicSeed) % candidates]!;
  }

  private forward(node: number, destination: number, sourceAddress: number, destinationAddress: number, ports: number): number {
    const { setOffset, setPorts } = this.current;
    const set = this.current.nextHopSet(node, destination);
    if (set < 0) return -1;
    const first = setOffset[set]!;
    const choices = setOffset[set + 1]! - first;
    return setPorts[choices === 1 ? first : first + (ecmpHash(sourceAddress, destinationAddress, ports, node) % choices)]!;
  }
}

// The hashes of one pair of hosts for many source ports: what all ports share is worked out once per switch, and a
// table has the scrambled ports.
// Invariant: the same choices as `ecmpHash` makes of the whole (routing/ecmp-hash.ts).

import { ipv4OfNode } from '../fabric/addresses.js';
import { hashOfAddresses, hashOfPorts, nicSeed, scrambled } from '../routing/ecmp-hash.js';
import type { PathTracer } from '../routing/path.js';
import type { PortSet } from './taken-ports.js';

/** Source ports that a controller may give, the lowest and the highest. */
export const firstPort = 1;
export const lastPort = 65_534;

export class HopHashes {
  private source = 0;
  private destination = 0;
  private destinationNode = 0;
  private atNic = 0;
  /** by switch: the pair for which its part was worked out, and that part */
  private readonly pairOf: Float64Array;
  private readonly addresses: Int32Array;
  private pair = 0;
  /** by source port, with one destination port */
  private readonly ports = new Int32Array(lastPort + 1);
  private destinationPort = -1;

  constructor(private readonly tracer: PathTracer) {
    const { nodeCount } = tracer.fabric;
    this.pairOf = new Float64Array(nodeCount);
    this.addresses = new Int32Array(nodeCount);
  }

  /** Whose hashes are wanted from now on. */
  use(source: number, destination: number, destinationPort: number): void {
    this.pair++;
    this.destinationNode = destination;
    this.source = ipv4OfNode(source);
    this.destination = ipv4OfNode(destination);
    this.atNic = hashOfAddresses(this.source, this.destination, nicSeed);
    if (destinationPort === this.destinationPort) return;
    this.destinationPort = destinationPort;
    for (let port = firstPort; port <= lastPort; port++) this.ports[port] = scrambled(port | (destinationPort << 16));
  }

  /** Which of so many ports the sending NIC takes. */
  choiceAtNic(sourcePort: number, choices: number): number {
    return choices === 1 ? 0 : hashOfPorts(this.atNic, this.ports[sourcePort]!) % choices;
  }

  /**
   * The lowest source port that takes two output ports of different switches on its way, and is not taken; -1: none.
   */
  lowestBy(first: number, second: number, taken: PortSet): number {
    const { routes, fabric } = this.tracer;
    const { ports } = this;
    const node = fabric.portNode[first]!;
    const set = routes.nextHopSet(node, this.destinationNode);
    const from = routes.setOffset[set]!;
    const choices = routes.setOffset[set + 1]! - from;
    const wanted = routes.setPorts.indexOf(first, from) - from;
    const addresses = hashOfAddresses(this.source, this.destination, node);
    const next = fabric.portNode[second]!;
    for (let port = firstPort; port <= lastPort; port++) {
      if (choices > 1 && hashOfPorts(addresses, ports[port]!) % choices !== wanted) continue;
      if (this.nextPort(next, port) === second && !taken.has(port)) return port;
    }
    return -1;
  }

  /**
   * The lowest source port that takes a whole path, as PathTracer.trace gives it; -1: none does. @param nics choices of
   * the NIC
   */
  lowestAlong(path: ArrayLike<number>, length: number, nics: Int32Array, nicCount: number): number {
    const { portNode } = this.tracer.fabric;
    for (let port = firstPort; port <= lastPort; port++) {
      if (nics[this.choiceAtNic(port, nicCount)] !== path[0]) continue;
      let at = 1;
      while (at < length && this.nextPort(portNode[path[at]!]!, port) === path[at]) at++;
      if (at === length) return port;
    }
    return -1;
  }

  /** The output port by which a switch sends towards the destination; its seed is its number. */
  nextPort(node: number, sourcePort: number): number {
    const { routes } = this.tracer;
    const set = routes.nextHopSet(node, this.destinationNode);
    const first = routes.setOffset[set]!;
    const choices = routes.setOffset[set + 1]! - first;
    if (choices === 1) return routes.setPorts[first]!;
    if (this.pairOf[node] !== this.pair) {
      this.pairOf[node] = this.pair;
      this.addresses[node] = hashOfAddresses(this.source, this.destination, node);
    }
    return routes.setPorts[first + (hashOfPorts(this.addresses[node]!, this.ports[sourcePort]!) % choices)]!;
  }
}

// The lowest source port whose path is free, found without walking the path of every port. Of the hash only the ports'
// part differs from port to port: the rest is worked out once per switch and search, and a table has the scrambled
// ports. A port is given up at its first hop from which no free hops lead on; whether they do is asked once per switch.
// Invariant: the answer is that of trying ports 1 to 65534 one by one along their whole paths (first fit).
// Source: central-controller document (docs/SOURCES.md), 3.4 and 3.5; what the search costs there: 7.3 and 9.1.
// Not modelled: hashes of other fields than addresses and ports.

import { ipv4OfNode } from '../fabric/addresses.js';
import { type Fabric, NodeKind } from '../fabric/fabric.js';
import { hashOfAddresses, hashOfPorts, nicSeed, scrambled } from '../routing/ecmp-hash.js';
import type { PathTracer } from '../routing/path.js';
import type { PinnedPaths } from '../routing/pinned-paths.js';

const firstPort = 1;
const lastPort = 65_534;
const noPort = -1;
const HOST = NodeKind.host;

/** Of an output port that no flow holds. */
export const free = -1;

export class PortSearch {
  private readonly fabric: Fabric;
  /** the ports by which the source may send, and of each 1 if free hops lead on from its switch */
  private readonly nics: Int32Array;
  private readonly isNicOpen: Uint8Array;
  private source = 0;
  private destination = 0;
  /** by switch: 2 x the search that asked whether free hops lead on from it, plus 1 if they do */
  private readonly asked: Float64Array;
  /** by switch: the search that worked out its part of the hash, and that part */
  private readonly hashed: Float64Array;
  private readonly addresses: Int32Array;
  private search = 0;
  /** by source port, with one destination port */
  private readonly ports = new Int32Array(lastPort + 1);
  private destinationPort = noPort;

  /** @param holder by output port: the flow that holds it, or `free` */
  constructor(
    private readonly tracer: PathTracer,
    private readonly holder: Int32Array,
  ) {
    const { portOffset, hosts, nodeCount } = tracer.fabric;
    this.fabric = tracer.fabric;
    let mostPorts = 1;
    for (const host of hosts) mostPorts = Math.max(mostPorts, portOffset[host + 1]! - portOffset[host]!);
    this.nics = new Int32Array(mostPorts);
    this.isNicOpen = new Uint8Array(mostPorts);
    this.asked = new Float64Array(nodeCount);
    this.hashed = new Float64Array(nodeCount);
    this.addresses = new Int32Array(nodeCount);
  }

  /**
   * @param pinned paths that the flow may take; null: all
   * @returns the lowest source port from 1 to 65534 whose hops between switches are all free, or -1
   */
  lowestFree(source: number, destination: number, destinationPort: number, pinned: PinnedPaths | null): number {
    const { tracer, nics, isNicOpen } = this;
    const { portNode, portPeer } = this.fabric;
    this.search++;
    this.source = source;
    this.destination = destination;
    const count = tracer.routes.sourcePorts(source, destination, nics);
    let isOpen = false;
    for (let i = 0; i < count; i++) {
      const mayLeave = pinned === null || pinned.allowsFirst(nics[i]!);
      isNicOpen[i] = mayLeave && this.leadsOn(portNode[portPeer[nics[i]!]!]!) ? 1 : 0;
      if (isNicOpen[i] === 1) isOpen = true;
    }
    if (!isOpen) return noPort;
    this.scramblePorts(destinationPort);
    const atNic = hashOfAddresses(ipv4OfNode(source), ipv4OfNode(destination), nicSeed);
    for (let port = firstPort; port <= lastPort; port++) {
      const ports = this.ports[port]!;
      const nic = count === 1 ? 0 : hashOfPorts(atNic, ports) % count;
      if (isNicOpen[nic] === 0 || !this.arrives(portNode[portPeer[nics[nic]!]!]!, ports)) continue;
      if (pinned === null || pinned.takes(tracer, source, destination, port, destinationPort)) return port;
    }
    return noPort;
  }

  /** Whether free hops take a source port from a switch to the destination. */
  private arrives(first: number, ports: number): boolean {
    const { portNode, portPeer, nodeKind } = this.fabric;
    const { setOffset, setPorts } = this.tracer.routes;
    for (let node = first; ;) {
      const set = this.tracer.routes.nextHopSet(node, this.destination);
      const from = setOffset[set]!;
      const choices = setOffset[set + 1]! - from;
      const port = setPorts[choices === 1 ? from : from + (hashOfPorts(this.addressesAt(node), ports) % choices)]!;
      node = portNode[portPeer[port]!]!;
      if (nodeKind[node] === HOST) return true;
      if (this.holder[port] !== free || !this.leadsOn(node)) return false;
    }
  }

  /** Whether free hops lead from a switch to one next to the destination. */
  private leadsOn(node: number): boolean {
    const known = this.asked[node]! - 2 * this.search;
    if (known >= 0) return known === 1;
    const { portNode, portPeer, nodeKind } = this.fabric;
    const { setOffset, setPorts } = this.tracer.routes;
    const set = this.tracer.routes.nextHopSet(node, this.destination);
    const end = set < 0 ? 0 : setOffset[set + 1]!;
    let leads = false;
    for (let i = set < 0 ? 0 : setOffset[set]!; i < end && !leads; i++) {
      const port = setPorts[i]!;
      const next = portNode[portPeer[port]!]!;
      leads = nodeKind[next] === HOST || (this.holder[port] === free && this.leadsOn(next));
    }
    this.asked[node] = 2 * this.search + (leads ? 1 : 0);
    return leads;
  }

  /** A switch's part of the hash; its seed is its number. */
  private addressesAt(node: number): number {
    if (this.hashed[node] !== this.search) {
      this.hashed[node] = this.search;
      this.addresses[node] = hashOfAddresses(ipv4OfNode(this.source), ipv4OfNode(this.destination), node);
    }
    return this.addresses[node]!;
  }

  private scramblePorts(destinationPort: number): void {
    if (destinationPort === this.destinationPort) return;
    this.destinationPort = destinationPort;
    for (let port = firstPort; port <= lastPort; port++) this.ports[port] = scrambled(port | (destinationPort << 16));
  }
}

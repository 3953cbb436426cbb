// The lowest source port whose hops all have room, found without walking the path of every port: a port is given up at
// its first hop from which no hops with room lead on, and whether they do is asked once per switch.
// Invariant: the answer is that of trying ports 1 to 65534 one by one along their whole paths (first fit).
// Source: central-controller document (docs/SOURCES.md), 3.4 and 3.5; what the search costs there: 7.3 and 9.1.
// Not modelled: hashes of other fields than addresses and ports.

import { type Fabric, mostPortsOfHost, NodeKind } from '../fabric/fabric.js';
import type { PathTracer } from '../routing/path.js';
import type { PinnedPaths } from '../routing/pinned-paths.js';
import { firstPort, type HopHashes, lastPort } from './hop-hashes.js';
import type { PortSet } from './taken-ports.js';

const noPort = -1;
const HOST = NodeKind.host;

export class PortSearch {
  private readonly fabric: Fabric;
  /** the ports by which the source may send, and of each 1 if hops with room lead on from its switch */
  private readonly nics: Int32Array;
  private readonly isNicOpen: Uint8Array;
  private destination = 0;
  private weight = 0;
  /** by switch: 2 x the search that asked whether hops with room lead on from it, plus 1 if they do */
  private readonly asked: Float64Array;
  private search = 0;

  /**
   * @param held, @param room by output port: a flow of some weight has room where held + weight <= room
   */
  constructor(
    private readonly tracer: PathTracer,
    private readonly hashes: HopHashes,
    private readonly held: Float64Array,
    private readonly room: Float64Array,
  ) {
    this.fabric = tracer.fabric;
    const most = mostPortsOfHost(tracer.fabric);
    this.nics = new Int32Array(most);
    this.isNicOpen = new Uint8Array(most);
    this.asked = new Float64Array(tracer.fabric.nodeCount);
  }

  /**
   * @param weight of the flow, in the unit of `held` and `room`
   * @param pinned paths that the flow may take; null: all
   * @param taken ports that the flow may not have
   * @returns the lowest source port from 1 to 65534 whose hops between switches all have room, or -1
   */
  lowest(
    source: number,
    destination: number,
    destinationPort: number,
    weight: number,
    pinned: PinnedPaths | null,
    taken: PortSet,
  ): number {
    const { tracer, nics, isNicOpen, hashes } = this;
    const { portNeighbour } = this.fabric;
    this.search++;
    this.destination = destination;
    this.weight = weight;
    const count = tracer.routes.sourcePorts(source, destination, nics);
    let isOpen = false;
    for (let i = 0; i < count; i++) {
      const mayLeave = pinned === null || pinned.allowsFirst(nics[i]!);
      isNicOpen[i] = mayLeave && this.leadsOn(portNeighbour[nics[i]!]!) ? 1 : 0;
      if (isNicOpen[i] === 1) isOpen = true;
    }
    if (!isOpen) return noPort;
    hashes.use(source, destination, destinationPort);
    for (let port = firstPort; port <= lastPort; port++) {
      const nic = hashes.choiceAtNic(port, count);
      if (isNicOpen[nic] === 0 || !this.arrives(portNeighbour[nics[nic]!]!, port)) continue;
      if (taken.has(port)) continue;
      if (pinned === null || pinned.takes(tracer, source, destination, port, destinationPort)) return port;
    }
    return noPort;
  }

  private hasRoom(port: number): boolean {
    return this.held[port]! + this.weight <= this.room[port]!;
  }

  /** Whether hops with room take a source port from a switch to the destination. */
  private arrives(first: number, sourcePort: number): boolean {
    const { nodeKind, portNeighbour } = this.fabric;
    for (let node = first; ;) {
      const port = this.hashes.nextPort(node, sourcePort);
      node = portNeighbour[port]!;
      if (nodeKind[node] === HOST) return true;
      if (!this.hasRoom(port) || !this.leadsOn(node)) return false;
    }
  }

  /** Whether hops with room lead from a switch to one next to the destination. */
  private leadsOn(node: number): boolean {
    const known = this.asked[node]! - 2 * this.search;
    if (known >= 0) return known === 1;
    const { nodeKind, portNeighbour } = this.fabric;
    const { setOffset, setPorts } = this.tracer.routes;
    const set = this.tracer.routes.nextHopSet(node, this.destination);
    const end = set < 0 ? 0 : setOffset[set + 1]!;
    let leads = false;
    for (let i = set < 0 ? 0 : setOffset[set]!; i < end && !leads; i++) {
      const port = setPorts[i]!;
      const next = portNeighbour[port]!;
      leads = nodeKind[next] === HOST || (this.hasRoom(port) && this.leadsOn(next));
    }
    this.asked[node] = 2 * this.search + (leads ? 1 : 0);
    return leads;
  }
}

// Which of the equal-cost paths a pinned transfer may take: those over a plane, from a NIC of the sender, into a NIC of
// the receiver. Switches and routes know nothing of it. The hash decides as ever; whoever admits the transfer chooses a
// source port for which it decides so (execution/admission.ts), as the central controller does.
// Acknowledgements come back over the same plane and NICs: each NIC has an address of its own in practice, to which
// they are sent.
// Invariant: `exists` is true exactly if equal-cost paths for which `allows` is true lead from source to destination
// and back.

import { type Fabric, mostPortsOfHost, NodeKind } from '../fabric/fabric.js';
import { nicNumbers, switchPlanes } from '../fabric/nics.js';
import type { EqualCostRoutes } from './equal-cost.js';
import type { PathTracer } from './path.js';

/** What a pinned transfer asks of its path; 0: nothing. Planes and NICs as in fabric/nics.ts. */
export interface Pin {
  readonly plane: number;
  /** NIC of the sender */
  readonly nic: number;
  /** NIC of the receiver */
  readonly destinationNic: number;
  /** service level of its packets (lanes); -1: that of its pair */
  readonly serviceLevel: number;
}

/** Whether a pin asks anything of paths, not of lanes alone. */
export function isTied({ plane, nic, destinationNic }: Pin): boolean {
  return plane > 0 || nic > 0 || destinationNic > 0;
}

/** Planes and NICs of a fabric, for several pins. */
export class PinTargets {
  readonly nicOf: Int32Array;
  readonly planeOf: Int32Array;
  readonly planes: number;

  constructor(readonly fabric: Fabric) {
    this.nicOf = nicNumbers(fabric);
    const { planeOf, count } = switchPlanes(fabric);
    this.planeOf = planeOf;
    this.planes = count;
  }
}

export class PinnedPaths {
  private readonly visited: Int32Array;
  private readonly first: Int32Array;
  private path = new Int32Array(0);
  private visit = 0;
  /** the pin of the way back */
  private readonly back: PinnedPaths;

  constructor(
    private readonly targets: PinTargets,
    readonly pin: Pin,
    back?: PinnedPaths,
  ) {
    this.visited = new Int32Array(targets.fabric.nodeCount);
    this.first = new Int32Array(mostPortsOfHost(targets.fabric));
    this.back = back ?? new PinnedPaths(targets, { ...pin, nic: pin.destinationNic, destinationNic: pin.nic }, this);
  }

  /** True if a transfer that leaves its host by this port is where the pin wants it. */
  allowsFirst(port: number): boolean {
    const { pin } = this;
    const { nicOf, planeOf, fabric } = this.targets;
    return (
      (pin.nic === 0 || nicOf[port] === pin.nic) &&
      (pin.plane === 0 || planeOf[fabric.portNeighbour[port]!] === pin.plane)
    );
  }

  /** True if a path, as PathTracer.trace gives it, is where the pin wants it. @param length its ports, at least 1 */
  allows(path: Int32Array, length: number): boolean {
    return this.allowsFirst(path[0]!) && this.allowsLast(path[length - 1]!);
  }

  /**
   * True if the hash of a source port takes both the packets of a transfer and their acknowledgements where the pin
   * wants them.
   */
  takes(tracer: PathTracer, source: number, destination: number, sourcePort: number, destinationPort: number): boolean {
    if (this.path.length < tracer.maxLength) this.path = new Int32Array(tracer.maxLength);
    const length = tracer.trace(source, destination, sourcePort, destinationPort, this.path);
    if (length === 0 || !this.allows(this.path, length)) return false;
    const returnLength = tracer.trace(destination, source, destinationPort, sourcePort, this.path);
    return returnLength > 0 && this.back.allows(this.path, returnLength);
  }

  /** The routes' ways from a host to another begin with NVLink: no NIC is in it, and there is nothing to choose. */
  staysInServer(routes: EqualCostRoutes, source: number, destination: number): boolean {
    const { nodeKind, portNeighbour } = this.targets.fabric;
    if (nodeKind[source] !== NodeKind.host || nodeKind[destination] !== NodeKind.host) return true;
    return (
      routes.sourcePorts(source, destination, this.first) > 0 &&
      this.targets.nicOf[this.first[0]!] === 0 &&
      nodeKind[portNeighbour[this.first[0]!]!] === NodeKind.nvswitch
    );
  }

  /** True if equal-cost paths from one host to another and back are where the pin wants them. */
  exists(routes: EqualCostRoutes, source: number, destination: number): boolean {
    return this.leads(routes, source, destination) && this.back.leads(routes, destination, source);
  }

  private leads(routes: EqualCostRoutes, source: number, destination: number): boolean {
    const { portNeighbour } = this.targets.fabric;
    const count = routes.sourcePorts(source, destination, this.first);
    this.visit++;
    for (let i = 0; i < count; i++) {
      const port = this.first[i]!;
      if (!this.allowsFirst(port)) continue;
      const next = portNeighbour[port]!;
      if (next === destination ? this.allowsLast(port) : this.reaches(routes, next, destination)) return true;
    }
    return false;
  }

  private allowsLast(port: number): boolean {
    const { pin } = this;
    const { nicOf, fabric } = this.targets;
    return pin.destinationNic === 0 || nicOf[fabric.portPeer[port]!] === pin.destinationNic;
  }

  private reaches(routes: EqualCostRoutes, node: number, destination: number): boolean {
    const { portNeighbour } = this.targets.fabric;
    if (this.visited[node] === this.visit) return false;
    this.visited[node] = this.visit;
    const set = routes.nextHopSet(node, destination);
    if (set < 0) return false;
    for (let i = routes.setOffset[set]!; i < routes.setOffset[set + 1]!; i++) {
      const port = routes.setPorts[i]!;
      const next = portNeighbour[port]!;
      if (next === destination ? this.allowsLast(port) : this.reaches(routes, next, destination)) return true;
    }
    return false;
  }
}

/** The paths of each pin. */
export function pinnedPaths(fabric: Fabric, pins: readonly Pin[]): (PinnedPaths | null)[] {
  const targets = new PinTargets(fabric);
  return pins.map((pin) => (isTied(pin) ? new PinnedPaths(targets, pin) : null));
}

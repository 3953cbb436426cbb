// The lowest source port of the best path where no path has room: the smallest maximum of what its hops cost, and of
// those paths the smallest sum. Both are found over the next hops from the destination backwards, each switch once;
// then ports are tried, and given up at the first hop that leaves the best paths.
// Invariant: no source port has a path of a smaller maximum, nor of the same maximum and a smaller sum; of all that
// have both, none is lower. If no port leads along a best path, all ports are compared.
// Source: bottleneck shortest paths (V. Kaibel, M. Peinhardt, ZIB report 06-22, 2006), over the acyclic next hops.

import { type Fabric, mostPortsOfHost, NodeKind } from '../fabric/fabric.js';
import type { PathTracer } from '../routing/path.js';
import type { PinnedPaths } from '../routing/pinned-paths.js';
import { firstPort, type HopHashes, lastPort } from './hop-hashes.js';
import type { PortSet } from './taken-ports.js';

const noPort = -1;
const HOST = NodeKind.host;

/** By switch: the least that was worked out from it on, and the search that did so. */
interface Known {
  readonly search: Float64Array;
  readonly value: Float64Array;
}

export class LeastPath {
  private readonly fabric: Fabric;
  private readonly nics: Int32Array;
  private readonly path: Int32Array;
  private destination = 0;
  private search = 0;
  private mostCost = 0;
  private readonly maxima: Known;
  private readonly sums: Known;

  /** @param costOf an output port that a flow would share, 0 or more */
  constructor(
    private readonly tracer: PathTracer,
    private readonly hashes: HopHashes,
    private readonly costOf: (port: number) => number,
  ) {
    const { fabric } = tracer;
    this.fabric = fabric;
    this.nics = new Int32Array(mostPortsOfHost(fabric));
    this.path = new Int32Array(tracer.maxLength);
    this.maxima = { search: new Float64Array(fabric.nodeCount), value: new Float64Array(fabric.nodeCount) };
    this.sums = { search: new Float64Array(fabric.nodeCount), value: new Float64Array(fabric.nodeCount) };
  }

  /**
   * @param pinned paths that the flow may take; null: all
   * @param taken ports that the flow may not have
   * @returns a source port from 1 to 65534, or -1 if the flow may take no path
   */
  lowest(
    source: number,
    destination: number,
    destinationPort: number,
    pinned: PinnedPaths | null,
    taken: PortSet,
  ): number {
    const { tracer, nics, hashes } = this;
    const { portNeighbour } = this.fabric;
    this.search++;
    this.destination = destination;
    const count = tracer.routes.sourcePorts(source, destination, nics);
    const switchAt = (nic: number): number => portNeighbour[nics[nic]!]!;
    const mayLeave = (nic: number): boolean => pinned === null || pinned.allowsFirst(nics[nic]!);
    let [most, least] = [Infinity, Infinity];
    for (let nic = 0; nic < count; nic++) if (mayLeave(nic)) most = Math.min(most, this.leastMaximum(switchAt(nic)));
    if (most === Infinity) return noPort;
    this.mostCost = most;
    for (let nic = 0; nic < count; nic++) if (mayLeave(nic)) least = Math.min(least, this.leastSum(switchAt(nic)));
    hashes.use(source, destination, destinationPort);
    for (let port = firstPort; port <= lastPort; port++) {
      const nic = hashes.choiceAtNic(port, count);
      if (
        taken.has(port) ||
        !mayLeave(nic) ||
        this.leastSum(switchAt(nic)) !== least ||
        !this.staysBest(switchAt(nic), port)
      )
        continue;
      if (pinned === null || pinned.takes(tracer, source, destination, port, destinationPort)) return port;
    }
    return this.bestOfAll(source, destination, destinationPort, pinned, taken);
  }

  private staysBest(first: number, sourcePort: number): boolean {
    const { nodeKind, portNeighbour } = this.fabric;
    for (let node = first; ;) {
      const port = this.hashes.nextPort(node, sourcePort);
      const next = portNeighbour[port]!;
      if (nodeKind[next] === HOST) return true;
      const cost = this.costOf(port);
      if (cost > this.mostCost || cost + this.leastSum(next) !== this.leastSum(node)) return false;
      node = next;
    }
  }

  /** The least maximum of the hops from a switch on; the last one, to the destination, costs nothing. */
  private leastMaximum(node: number): number {
    return this.least(node, this.maxima, false);
  }

  /** The least sum of the hops from a switch on, of paths whose maximum is the least. */
  private leastSum(node: number): number {
    return this.least(node, this.sums, true);
  }

  private least(node: number, known: Known, isSum: boolean): number {
    if (known.search[node] === this.search) return known.value[node]!;
    const { nodeKind, portNeighbour } = this.fabric;
    const { routes } = this.tracer;
    const { setPorts } = routes;
    const most = isSum ? this.mostCost : Infinity;
    const set = routes.nextHopSet(node, this.destination);
    const end = set < 0 ? 0 : routes.setOffset[set + 1]!;
    let least = Infinity;
    for (let i = set < 0 ? 0 : routes.setOffset[set]!; i < end; i++) {
      const port = setPorts[i]!;
      const next = portNeighbour[port]!;
      if (nodeKind[next] === HOST) {
        least = 0;
        break;
      }
      const cost = this.costOf(port);
      // what comes behind can only make it more
      if (cost > most || cost >= least) continue;
      const onward = this.least(next, known, isSum);
      const whole = isSum ? cost + onward : cost > onward ? cost : onward;
      if (whole < least) least = whole;
    }
    known.search[node] = this.search;
    known.value[node] = least;
    return least;
  }

  private bestOfAll(
    source: number,
    destination: number,
    destinationPort: number,
    pinned: PinnedPaths | null,
    taken: PortSet,
  ): number {
    const { tracer, path } = this;
    let [best, leastMaximum, leastSum] = [noPort, Infinity, Infinity];
    for (let port = firstPort; port <= lastPort; port++) {
      if (taken.has(port)) continue;
      const length = tracer.trace(source, destination, port, destinationPort, path);
      let [maximum, sum] = [0, 0];
      for (let i = length - 2; i >= 1; i--) {
        const cost = this.costOf(path[i]!);
        maximum = Math.max(maximum, cost);
        sum += cost;
      }
      if (maximum > leastMaximum || (maximum === leastMaximum && sum >= leastSum)) continue;
      if (pinned !== null && !pinned.takes(tracer, source, destination, port, destinationPort)) continue;
      [best, leastMaximum, leastSum] = [port, maximum, sum];
    }
    return best;
  }
}

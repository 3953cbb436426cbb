// The paths with room that source ports of a flow give, and the port that gives a certain path.
// Invariant: of each path the lowest source port that nobody of the pair has. Ports are tried in order, until all paths
// that the tables allow have been seen.

import { type Fabric, mostPortsOfHost, NodeKind } from '../fabric/fabric.js';
import type { PathTracer } from '../routing/path.js';
import type { PathChoice } from './disjoint-choices.js';
import { firstPort, type HopHashes, lastPort } from './hop-hashes.js';
import type { PortSet } from './taken-ports.js';

const HOST = NodeKind.host;

/** Paths of a flow that are looked at; of more, none. */
const mostPaths = 256;
/** Ports that are tried for each path: one that the hash gives like any other is missed once in 10^27 times. */
const portsPerPath = 64;

/** Between whom, and ports that others of the pair have. */
export interface PairOfFlow {
  readonly source: number;
  readonly destination: number;
  readonly destinationPort: number;
  readonly taken: PortSet;
}

export class PathChoices {
  private readonly fabric: Fabric;
  private readonly nics: Int32Array;
  private readonly path: Int32Array;
  private count = 0;

  constructor(
    private readonly tracer: PathTracer,
    private readonly hashes: HopHashes,
    private readonly hasRoom: (port: number) => boolean,
  ) {
    this.fabric = tracer.fabric;
    this.nics = new Int32Array(mostPortsOfHost(tracer.fabric));
    this.path = new Int32Array(tracer.maxLength);
  }

  /** All paths with room but for the last hop, each with its lowest port; null if there are too many. */
  all({ source, destination, destinationPort, taken }: PairOfFlow): readonly PathChoice[] | null {
    const { tracer, path } = this;
    const paths = this.countPaths(source, destination);
    if (paths > mostPaths) return null;
    const choices: PathChoice[] = [];
    const seen = new Set<string>();
    const last = Math.min(lastPort, portsPerPath * paths);
    for (let port = firstPort; port <= last && choices.length < paths; port++) {
      if (taken.has(port)) continue;
      const length = tracer.trace(source, destination, port, destinationPort, path);
      const hops = [...path.subarray(1, length - 1)];
      const key = hops.join(' ');
      if (seen.has(key)) continue;
      seen.add(key);
      if (hops.every(this.hasRoom)) choices.push({ port, hops });
    }
    return choices;
  }

  /** The lowest port that takes a flow up and down by two links of one spine; -1: none does. */
  portBy({ source, destination, destinationPort, taken }: PairOfFlow, up: number, down: number): number {
    this.hashes.use(source, destination, destinationPort);
    return this.hashes.lowestBy(up, down, taken);
  }

  /** The lowest port with the path of another port; -1: all are taken. */
  portAs({ source, destination, destinationPort, taken }: PairOfFlow, other: number): number {
    const { tracer, path } = this;
    const wanted = path.slice(0, tracer.trace(source, destination, other, destinationPort, path));
    for (let port = firstPort; port <= lastPort; port++) {
      if (taken.has(port)) continue;
      const length = tracer.trace(source, destination, port, destinationPort, path);
      if (length === wanted.length && wanted.every((hop, i) => hop === path[i])) return port;
    }
    return -1;
  }

  /** Paths with room that the tables allow, whether a port leads there or not; one more than the most at most. */
  private countPaths(source: number, destination: number): number {
    const { portNeighbour } = this.fabric;
    const nics = this.tracer.routes.sourcePorts(source, destination, this.nics);
    const first = new Set<number>();
    for (let i = 0; i < nics; i++) first.add(portNeighbour[this.nics[i]!]!);
    this.count = 0;
    for (const node of first) this.countFrom(node, destination);
    return this.count;
  }

  private countFrom(node: number, destination: number): void {
    const { nodeKind, portNeighbour } = this.fabric;
    const { routes } = this.tracer;
    const set = routes.nextHopSet(node, destination);
    if (set < 0) return;
    for (let i = routes.setOffset[set]!; i < routes.setOffset[set + 1]! && this.count <= mostPaths; i++) {
      const port = routes.setPorts[i]!;
      const next = portNeighbour[port]!;
      if (nodeKind[next] === HOST) {
        this.count++;
        return;
      }
      if (this.hasRoom(port)) this.countFrom(next, destination);
    }
  }
}

// The path that a connection takes through equal-cost routes: the sending NIC's port, then each switch's output port.
// An NVSwitch that sends or receives itself counts as the end of a path of one link.
// The packet backend, the controller and the analysis all walk with this one function, so a prediction is what happens.
// Paths without a choice (over an NVSwitch, a lone leaf) are remembered: collectives within servers walk them millions
// of times.

import { fail } from '../base/fail.js';
import { ipv4OfNode } from '../fabric/addresses.js';
import { type Fabric, NodeKind } from '../fabric/fabric.js';
import { ecmpHash, nicSeed } from './ecmp-hash.js';
import type { EqualCostRoutes } from './equal-cost.js';

/** most paths that are remembered, a power of two */
const mostRemembered = 2 ** 16;

export class PathTracer {
  readonly fabric: Fabric;
  private current: EqualCostRoutes;
  private readonly scratch: Int32Array;
  /** whether the walk under way, or else the last one, has had a choice */
  private hadChoice = false;
  /** remembered paths, in places that source and destination give: a later one takes the place of an earlier one */
  private readonly rememberedShift: number;
  private readonly rememberedSource: Int32Array;
  private readonly rememberedDestination: Int32Array;
  private readonly rememberedLength: Uint8Array;
  private readonly rememberedPorts: Int32Array;

  /**
   * @param maxLength room that `trace` needs in its output: more than the longest path if longer routes may come into
   * use
   */
  constructor(
    routes: EqualCostRoutes,
    readonly maxLength = routes.longestPath,
  ) {
    const { portOffset, nodeKind, nodeCount } = routes.fabric;
    this.fabric = routes.fabric;
    this.current = routes;
    let mostPorts = 1;
    for (let node = 0; node < nodeCount; node++)
      if (nodeKind[node] !== NodeKind.switch)
        mostPorts = Math.max(mostPorts, portOffset[node + 1]! - portOffset[node]!);
    this.scratch = new Int32Array(mostPorts);
    let remembered = 64;
    while (remembered < mostRemembered && remembered < 4 * nodeCount) remembered *= 2;
    this.rememberedShift = Math.clz32(remembered) + 1;
    this.rememberedSource = new Int32Array(remembered).fill(-1);
    this.rememberedDestination = new Int32Array(remembered);
    this.rememberedLength = new Uint8Array(remembered);
    this.rememberedPorts = new Int32Array(remembered * maxLength);
  }

  /** The routes in force. */
  get routes(): EqualCostRoutes {
    return this.current;
  }

  /** Puts other routes of the same fabric in force. */
  use(routes: EqualCostRoutes): void {
    if (routes.fabric !== this.fabric || routes.longestPath > this.maxLength)
      fail(`routes of up to ${routes.longestPath} links do not fit a tracer for ${this.maxLength}`);
    this.current = routes;
    this.rememberedSource.fill(-1);
  }

  /**
   * Walks from a host to a host as the hash decides, or from a host to an NVSwitch that it is linked to, or back.
   * @param out receives the output ports from `at` on: the NIC's first, the delivering switch's last (room for
   * maxLength)
   * @returns how many ports, or 0 if there is no route
   */
  trace(
    source: number,
    destination: number,
    sourcePort: number,
    destinationPort: number,
    out: Int32Array,
    at = 0,
  ): number {
    const { rememberedSource, rememberedPorts, maxLength } = this;
    this.hadChoice = false;
    const place = Math.imul(Math.imul(source, 0x9e3779b1) ^ destination, 0x85ebca6b) >>> this.rememberedShift;
    if (rememberedSource[place] === source && this.rememberedDestination[place] === destination) {
      const length = this.rememberedLength[place]!;
      for (let i = 0; i < length; i++) out[at + i] = rememberedPorts[place * maxLength + i]!;
      return length;
    }
    const length = this.walk(source, destination, sourcePort, destinationPort, out, at);
    if (this.hadChoice || length === 0) return length;
    rememberedSource[place] = source;
    this.rememberedDestination[place] = destination;
    this.rememberedLength[place] = length;
    for (let i = 0; i < length; i++) rememberedPorts[place * maxLength + i] = out[at + i]!;
    return length;
  }

  /** Whether no hash has decided anything on the path that was walked last: another port would take the same one. */
  get isOnlyPath(): boolean {
    return !this.hadChoice;
  }

  /** Whether hashes decide which path transfers from a host to another take. */
  hasChoice(source: number, destination: number): boolean {
    this.hadChoice = false;
    this.walk(source, destination, 0, 0, new Int32Array(this.maxLength), 0);
    return this.hadChoice;
  }

  private walk(
    source: number,
    destination: number,
    sourcePort: number,
    destinationPort: number,
    out: Int32Array,
    at: number,
  ): number {
    const { portNeighbour } = this.fabric;
    const sourceAddress = ipv4OfNode(source);
    const destinationAddress = ipv4OfNode(destination);
    const ports = sourcePort | (destinationPort << 16);
    let port = this.leave(source, destination, sourceAddress, destinationAddress, ports);
    if (port < 0) return 0;
    let length = 0;
    out[at + length++] = port;
    const lid = this.lidOf(source, destination, sourcePort);
    for (let node = portNeighbour[port]!; node !== destination; node = portNeighbour[port]!) {
      port = this.forward(node, destination, sourceAddress, destinationAddress, ports, lid);
      if (port < 0) return 0;
      out[at + length++] = port;
    }
    return length;
  }

  /** The port of the sending NIC, as `trace` would begin; -1 if there is no route. */
  firstPort(source: number, destination: number, sourcePort: number, destinationPort: number): number {
    return this.leave(
      source,
      destination,
      ipv4OfNode(source),
      ipv4OfNode(destination),
      sourcePort | (destinationPort << 16),
    );
  }

  /** The output port of a packet at a switch, as `trace` would go on; -1 if there is no route. */
  nextPort(node: number, source: number, destination: number, sourcePort: number, destinationPort: number): number {
    return this.forward(
      node,
      destination,
      ipv4OfNode(source),
      ipv4OfNode(destination),
      sourcePort | (destinationPort << 16),
      this.lidOf(source, destination, sourcePort),
    );
  }

  /** The offset of the destination's LID; of several the path is that of the connection, not of the pair. */
  private lidOf(source: number, destination: number, sourcePort: number): number {
    if (this.current.lids === 1) return 0;
    this.hadChoice = true;
    return this.current.lidOffset(source, destination, sourcePort);
  }

  private leave(
    source: number,
    destination: number,
    sourceAddress: number,
    destinationAddress: number,
    ports: number,
  ): number {
    const candidates = this.current.sourcePorts(source, destination, this.scratch);
    if (candidates === 0) return -1;
    if (candidates > 1) this.hadChoice = true;
    return this.scratch[
      candidates === 1 ? 0 : ecmpHash(sourceAddress, destinationAddress, ports, nicSeed) % candidates
    ]!;
  }

  private forward(
    node: number,
    destination: number,
    sourceAddress: number,
    destinationAddress: number,
    ports: number,
    lid: number,
  ): number {
    const { setOffset, setPorts } = this.current;
    const set = this.current.nextHopSetOfLid(node, destination, lid);
    if (set < 0) return -1;
    const first = setOffset[set]!;
    const choices = setOffset[set + 1]! - first;
    if (choices > 1) this.hadChoice = true;
    return setPorts[
      choices === 1 ? first : first + (ecmpHash(sourceAddress, destinationAddress, ports, node) % choices)
    ]!;
  }
}

// Which way packets take: the path of each queue pair under way, traced once, and the routes at every switch for those
// whose path has changed since they began; or one of the next hops at every switch (least-loaded.ts).
// Invariant: the path of a slot that has not been moved is the way of every packet of it.

import { grown } from '../../base/columns.js';
import type { Frontier } from '../../execution/frontier.js';
import type { Fabric } from '../../fabric/fabric.js';
import { portWithoutRoute } from '../../routing/port-without-route.js';
import type { PathTracer } from '../../routing/path.js';
import { acknowledgementPs } from '../../routing/stream-tail.js';
import type { LeastLoaded } from '../least-loaded.js';
import { ChunkWord, type Chunks } from './chunks.js';

const { slot: SLOT } = ChunkWord;

/** In place of a port: a packet is where its way ends. */
export const endOfWay = -1;
/** In place of a port: a packet asks for its way at every switch. */
const asks = -2;

export class Ways {
  /** whether the packet that was asked about last had one port to choose from; only where packets choose */
  hadOne = false;
  private frontier!: Frontier;
  /** by slot and hop: output ports, and {@link endOfWay} after the last */
  private ports: Int32Array = new Int32Array(0);
  private readonly stride: number;
  /** by slot: 1 if its path has changed since it began, so that its packets ask at every switch */
  private isMoved = new Uint8Array(0);
  private readonly back: Int32Array;

  /**
   * @param acknowledgementBytes with its gap @param adaptive how packets choose at every switch; null: paths are fixed
   */
  constructor(
    private readonly fabric: Fabric,
    private readonly tracer: PathTracer,
    private readonly chunks: Chunks,
    private readonly acknowledgementBytes: number,
    private readonly adaptive: LeastLoaded | null,
  ) {
    this.back = new Int32Array(tracer.maxLength);
    this.stride = tracer.maxLength + 1;
  }

  attach(frontier: Frontier): void {
    this.frontier = frontier;
  }

  /** Traces the path of a queue pair that begins. @returns its sender's port, -1 without a route */
  open(slot: number): number {
    const { stride } = this;
    if (slot >= this.isMoved.length) {
      const slots = Math.max(256, 2 * (slot + 1));
      this.isMoved = grown(this.isMoved, slots);
      this.ports = grown(this.ports, slots * stride);
    }
    if (this.adaptive !== null) return this.move(slot);
    const length = this.trace(slot, slot * stride, this.ports);
    this.isMoved[slot] = length === 0 ? 1 : 0;
    this.ports[slot * stride + length] = endOfWay;
    return length === 0 ? this.withoutRoute(slot) : this.ports[slot * stride]!;
  }

  /** The path of a queue pair under way has changed. @returns its sender's port now */
  move(slot: number): number {
    this.isMoved[slot] = 1;
    const { source, destination, sourcePort, destinationPort } = this.frontier;
    const port = this.tracer.firstPort(source[slot]!, destination[slot]!, sourcePort[slot]!, destinationPort[slot]!);
    return port < 0 ? this.withoutRoute(slot) : port;
  }

  /**
   * The output port of packets of a queue pair that has one way, after so many links of it.
   * @returns endOfWay where the way ends; below it: the packet asks for its way at every switch (`next`)
   */
  along(slot: number, hops: number): number {
    return this.adaptive !== null || this.isMoved[slot] === 1 ? asks : this.ports[slot * this.stride + hops]!;
  }

  /** The output port of a packet that asks for its way, of a lane at a node; -1 while there is no route. */
  next(record: number, node: number, lane: number): number {
    if (this.adaptive !== null) return this.choose(record, node, lane, this.adaptive);
    const { words } = this.chunks.records;
    const slot = words[(record << 3) + SLOT]!;
    const { source, destination, sourcePort, destinationPort } = this.frontier;
    return this.tracer.nextPort(node, source[slot]!, destination[slot]!, sourcePort[slot]!, destinationPort[slot]!);
  }

  private choose(record: number, node: number, lane: number, adaptive: LeastLoaded): number {
    const slot = this.chunks.records.words[(record << 3) + SLOT]!;
    const { routes } = this.tracer;
    const set = routes.nextHopSet(node, this.frontier.destination[slot]!);
    if (set < 0) return -1;
    const from = routes.setOffset[set]!;
    const end = routes.setOffset[set + 1]!;
    this.hadOne = end - from === 1;
    return this.hadOne ? routes.setPorts[from]! : adaptive.choose(routes.setPorts, from, end, lane);
  }

  /** Links of the path of a queue pair; 0 if its packets ask for their way. */
  fixedLinks(slot: number): number {
    if (this.adaptive !== null || this.isMoved[slot] === 1) return 0;
    const first = slot * this.stride;
    return this.ports.indexOf(endOfWay, first) - first;
  }

  /** How long an acknowledgement takes over idle links, in picoseconds; 0 without a way back. */
  backPs(slot: number): number {
    const { source, destination, sourcePort, destinationPort } = this.frontier;
    const length = this.tracer.trace(
      destination[slot]!,
      source[slot]!,
      destinationPort[slot]!,
      sourcePort[slot]!,
      this.back,
    );
    return acknowledgementPs(this.fabric, this.back, length, this.acknowledgementBytes);
  }

  private trace(slot: number, at: number, into: Int32Array): number {
    const { source, destination, sourcePort, destinationPort } = this.frontier;
    return this.tracer.trace(source[slot]!, destination[slot]!, sourcePort[slot]!, destinationPort[slot]!, into, at);
  }

  private withoutRoute(slot: number): number {
    return portWithoutRoute(this.fabric, this.frontier.source[slot]!, this.frontier.destination[slot]!);
  }
}

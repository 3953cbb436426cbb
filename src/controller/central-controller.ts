// The central controller: before a flow starts, it searches the source port whose path shares no hop with any flow that
// is under way. It walks the very tables and hash that the switches use. Source: central-controller document
// (docs/SOURCES.md), sections 3 and 5, with its two fixes: the final hop is never a conflict (no port choice can change
// it), and a path of one hop is left alone.
// Invariant: a reserved hop belongs to exactly one flow; what is released is what was reserved.
// How the port is found without trying all: port-search.ts. Not modelled: control-plane delay, stale tables.

import { grown } from '../base/columns.js';
import { fail } from '../base/fail.js';
import { type Fabric, serverOf } from '../fabric/fabric.js';
import type { PathTracer } from '../routing/path.js';
import type { PinnedPaths } from '../routing/pinned-paths.js';
import { free, PortSearch } from './port-search.js';

export class CentralController {
  /** flows for which a conflict-free port was found, and those that kept their own because none exists */
  assigned = 0;
  unassigned = 0;

  private readonly fabric: Fabric;
  /** flow that holds each output port, or -1 */
  private readonly holder: Int32Array;
  private readonly stride: number;
  private readonly path: Int32Array;
  /** reserved ports of each flow */
  private reserved = new Int32Array(0);
  private reservedCount = new Int32Array(0);
  private readonly search: PortSearch;

  constructor(private readonly tracer: PathTracer) {
    this.fabric = tracer.fabric;
    this.holder = new Int32Array(this.fabric.portCount).fill(free);
    this.stride = tracer.maxLength;
    this.path = new Int32Array(tracer.maxLength);
    this.search = new PortSearch(tracer, this.holder);
  }

  /**
   * Chooses a source port and reserves its path (AssignSport).
   * @param flow a small number that names the flow until it is released
   * @param fallbackPort the port to use when there is nothing to choose or no conflict-free path
   * @param pinned paths that the flow may take; null: all
   * @returns the lowest port from 1 to 65534 whose path is free but for its last hop, or fallbackPort (then nothing is
   * reserved)
   */
  assignSourcePort(
    flow: number,
    source: number,
    destination: number,
    destinationPort: number,
    fallbackPort: number,
    pinned: PinnedPaths | null = null,
  ): number {
    if (serverOf(this.fabric, source) === serverOf(this.fabric, destination)) return fallbackPort;
    // the path's first element is the NIC: hops are what follows
    const hops = this.computePath(source, destination, fallbackPort, destinationPort) - 1;
    if (hops <= 1) return fallbackPort;
    const port = this.search.lowestFree(source, destination, destinationPort, pinned);
    if (port >= 0) {
      this.reserve(flow, this.computePath(source, destination, port, destinationPort));
      this.assigned++;
      return port;
    }
    this.unassigned++;
    return fallbackPort;
  }

  /**
   * As assignSourcePort, for one that had a port before: it keeps it if its path is free.
   * @param port the one that it had
   */
  keepSourcePort(
    flow: number,
    source: number,
    destination: number,
    destinationPort: number,
    port: number,
    pinned: PinnedPaths | null = null,
  ): number {
    if (serverOf(this.fabric, source) === serverOf(this.fabric, destination)) return port;
    const length = this.computePath(source, destination, port, destinationPort);
    if (length - 1 <= 1) return port;
    if (this.conflicts(length)) return this.assignSourcePort(flow, source, destination, destinationPort, port, pinned);
    this.reserve(flow, length);
    return port;
  }

  /** Gives back what the flow holds, if anything (ReleasePath). */
  release(flow: number): void {
    if (flow >= this.reservedCount.length) return;
    const count = this.reservedCount[flow]!;
    for (let i = 0; i < count; i++) {
      const port = this.reserved[flow * this.stride + i]!;
      if (this.holder[port] !== flow)
        fail(`flow ${flow} releases output port ${port}, which flow ${this.holder[port]} holds`);
      this.holder[port] = free;
    }
    this.reservedCount[flow] = 0;
  }

  /** The path for a port, into this.path (ComputePath). @returns its length with the NIC */
  private computePath(source: number, destination: number, sourcePort: number, destinationPort: number): number {
    return this.tracer.trace(source, destination, sourcePort, destinationPort, this.path);
  }

  private conflicts(length: number): boolean {
    for (let i = 1; i < length - 1; i++) if (this.holder[this.path[i]!] !== free) return true;
    return false;
  }

  private reserve(flow: number, length: number): void {
    if (flow >= this.reservedCount.length) {
      const capacity = Math.max(64, flow + 1, this.reservedCount.length * 2);
      this.reservedCount = grown(this.reservedCount, capacity);
      this.reserved = grown(this.reserved, capacity * this.stride);
    }
    if (this.reservedCount[flow] !== 0) fail(`flow ${flow} already holds a path`);
    for (let i = 1; i < length - 1; i++) {
      this.holder[this.path[i]!] = flow;
      this.reserved[flow * this.stride + i - 1] = this.path[i]!;
    }
    this.reservedCount[flow] = length - 2;
  }
}

// Source ports that the flows of a pair of hosts have while they are placed: two at the same time may share a path, but
// no port, by which their packets are told apart.
// Invariant: a pair with no flow placed has no entry, so memory is that of the flows under way.

import { grown } from '../base/columns.js';
import { fail } from '../base/fail.js';

/** Ports that are taken. */
export interface PortSet {
  has(port: number): boolean;
}

const none: PortSet = new Set();

/** One port: most pairs have one flow. */
class OnePort implements PortSet {
  port = 0;

  has(port: number): boolean {
    return port === this.port;
  }
}

export class TakenPorts {
  /** by pair of hosts: its port, or its ports */
  private readonly ports = new Map<number, number | Set<number>>();
  private readonly one = new OnePort();
  /** by flow: its port plus 1, 0 if it has none, and its pair */
  private portOf = new Int32Array(64);
  private pairOf = new Float64Array(64);

  constructor(private readonly nodeCount: number) {}

  /** The ports that flows from a host to another have, until the next call. */
  of(source: number, destination: number): PortSet {
    const ports = this.ports.get(source * this.nodeCount + destination);
    if (ports === undefined) return none;
    if (typeof ports !== 'number') return ports;
    this.one.port = ports;
    return this.one;
  }

  /** Whether another flow of the pair has a port. */
  isOfAnother(flow: number, source: number, destination: number, port: number): boolean {
    return this.of(source, destination).has(port) && this.portOf[flow] !== port + 1;
  }

  add(flow: number, source: number, destination: number, port: number): void {
    if (flow >= this.portOf.length) {
      this.portOf = grown(this.portOf, Math.max(flow + 1, 2 * this.portOf.length));
      this.pairOf = grown(this.pairOf, this.portOf.length);
    }
    const pair = source * this.nodeCount + destination;
    const ports = this.ports.get(pair);
    if (ports === undefined) this.ports.set(pair, port);
    else if (typeof ports === 'number' ? ports === port : ports.has(port))
      fail(`flow ${flow} gets source port ${port}, which another of its pair has`);
    else if (typeof ports === 'number') this.ports.set(pair, new Set([ports, port]));
    else ports.add(port);
    this.portOf[flow] = port + 1;
    this.pairOf[flow] = pair;
  }

  /** Gives the port of a flow back, if it has one. */
  remove(flow: number): void {
    const port = flow < this.portOf.length ? this.portOf[flow]! - 1 : -1;
    if (port < 0) return;
    this.portOf[flow] = 0;
    const pair = this.pairOf[flow]!;
    const ports = this.ports.get(pair)!;
    if (typeof ports === 'number') this.ports.delete(pair);
    else if (ports.delete(port) && ports.size === 0) this.ports.delete(pair);
  }
}

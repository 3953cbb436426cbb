// Source ports that the flows of a pair of hosts have while they are placed: two at the same time may share a path, but
// no port, by which their packets are told apart.
// Invariant: a pair with no flow placed has no entry, so memory is that of the flows under way.

import { fail } from '../base/fail.js';

const none: ReadonlySet<number> = new Set();

export class TakenPorts {
  /** by pair of hosts */
  private readonly ports = new Map<number, Set<number>>();
  /** by flow: its pair and its port */
  private readonly placed = new Map<number, { readonly pair: number; readonly port: number }>();

  constructor(private readonly nodeCount: number) {}

  /** The ports that flows from a host to another have. */
  of(source: number, destination: number): ReadonlySet<number> {
    return this.ports.get(source * this.nodeCount + destination) ?? none;
  }

  /** Whether another flow of the pair has a port. */
  isOfAnother(flow: number, source: number, destination: number, port: number): boolean {
    return this.of(source, destination).has(port) && this.placed.get(flow)?.port !== port;
  }

  add(flow: number, source: number, destination: number, port: number): void {
    const pair = source * this.nodeCount + destination;
    const ports = this.ports.get(pair) ?? new Set();
    if (ports.has(port)) fail(`flow ${flow} gets source port ${port}, which another of its pair has`);
    this.ports.set(pair, ports.add(port));
    this.placed.set(flow, { pair, port });
  }

  /** Gives the port of a flow back, if it has one. */
  remove(flow: number): void {
    const entry = this.placed.get(flow);
    if (entry === undefined) return;
    this.placed.delete(flow);
    const ports = this.ports.get(entry.pair)!;
    ports.delete(entry.port);
    if (ports.size === 0) this.ports.delete(entry.pair);
  }
}

// The ports by which the switches of a level send to the hosts, as the flows on their ways force them: all flows to a
// host that meet at a switch go on together from there.
// Invariants: a cell is place of the switch in its level x hosts + rank of the host; it holds the place of the port on
// its switch, counted from 1 (a byte, for entries of tables are bytes), and how many flows use it; no port without a
// use. A fresh column is all zero, so that memory is taken only where flows come.

import type { FatTree } from '../fabric/fat-tree.js';

export class ForcedPorts {
  /** place of the port on its switch, from 1; 0 = free. By cell */
  readonly place: Uint8Array;
  /** flows that use it, by cell */
  readonly uses: Uint16Array;
  /** what makes a place a port of the fabric, by switch of the level: port = before + place */
  readonly before: Int32Array;
  private readonly hostCount: number;

  /** @param level 1 the spines, 2 the cores; a tree without it has no cells */
  constructor({ fabric, switches }: FatTree, level: 1 | 2) {
    const own = switches[level] ?? new Int32Array(0);
    this.hostCount = fabric.hosts.length;
    this.place = new Uint8Array(own.length * this.hostCount);
    this.uses = new Uint16Array(own.length * this.hostCount);
    this.before = own.map((node) => fabric.portOffset[node]! - 1);
  }

  /** The port by which the switch at a place of the level sends to a host; -1 if it is free. */
  port(own: number, rank: number): number {
    const place = this.place[own * this.hostCount + rank]!;
    return place === 0 ? -1 : this.before[own]! + place;
  }

  /** Flows to a host that go through a switch. */
  usesOf(own: number, rank: number): number {
    return this.uses[own * this.hostCount + rank]!;
  }

  /** One more flow to a host goes through a switch, by a port that is the forced one or forced from now on. */
  enter(own: number, rank: number, port: number): void {
    const cell = own * this.hostCount + rank;
    this.place[cell] = port - this.before[own]!;
    this.uses[cell]!++;
  }

  /** One flow less; without any the port is free. */
  leave(own: number, rank: number): void {
    const cell = own * this.hostCount + rank;
    if (--this.uses[cell]! === 0) this.place[cell] = 0;
  }

  clear(): void {
    this.place.fill(0);
    this.uses.fill(0);
  }
}

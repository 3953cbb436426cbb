// Which LIDs of a host the others send to, where it has several (LMC above 0): that is up to whoever sends (MPI, NCCL,
// a storage client), so that loads are those of an assumption, which is named.
// Invariants: the shares of all LID offsets add up to the whole matrix; the same pair of hosts has the same share
// always.

import { lidOfPair, type TablesByOffset } from '../routing/lid-offsets.js';
import { TrafficColumn, type Traffic, type TrafficMatrix, type TrafficUnit } from '../flows/traffic/matrix.js';
import { Float64List, Int32List } from '../base/columns.js';
import type { FatTree } from '../fabric/fat-tree.js';
import type { LeafTraffic } from './leaf-traffic.js';
import { tableLoads, type TableLoads } from './table-loads.js';

/**
 * How the LIDs of a host are used: what a pair sends is divided evenly among all (`spread`), goes to one that a hash of
 * the pair chooses (`hash`), or everything goes to the LID of one offset.
 */
export type LidUse = 'spread' | 'hash' | number;

/** What is assumed where nothing is said. */
export const usualLidUse: LidUse = 'spread';

/** A use in words. */
export function lidUseText(use: LidUse): string {
  if (use === 'spread') return 'all of them alike (spread)';
  return use === 'hash' ? 'one of them for each pair of hosts (hash)' : `the one at offset ${use} alone`;
}

/** What of a matrix goes to the LIDs of one offset. Nothing is stored. */
export class LidShare implements TrafficMatrix {
  readonly hostCount: number;
  readonly unit: TrafficUnit;

  /** @param lids LIDs of every host */
  constructor(
    readonly whole: TrafficMatrix,
    readonly use: LidUse,
    readonly lids: number,
    readonly lidOffset: number,
  ) {
    this.hostCount = whole.hostCount;
    this.unit = whole.unit;
  }

  get pairCount(): number {
    const { use, whole, hostCount } = this;
    if (use !== 'hash') return use === 'spread' || use === this.lidOffset ? whole.pairCount : 0;
    const column = new TrafficColumn(hostCount);
    let count = 0;
    for (let destination = 0; destination < hostCount; destination++) {
      this.toDestination(destination, column);
      count += column.length;
    }
    return count;
  }

  toDestination(destination: number, into: TrafficColumn): void {
    const { use, lids, lidOffset } = this;
    this.whole.toDestination(destination, into);
    if (use === lidOffset) return;
    if (use === 'spread') {
      for (let i = 0; i < into.length; i++) into.weights[i]! /= lids;
      return;
    }
    const { length } = into;
    into.length = 0;
    if (use !== 'hash') return;
    for (let i = 0; i < length; i++) {
      if (lidOfPair(into.sources[i]!, destination, lids) !== lidOffset) continue;
      into.sources[into.length] = into.sources[i]!;
      into.weights[into.length++] = into.weights[i]!;
    }
  }
}

/** What goes to every LID, as traffic of a fabric with a host for each (fabric/lid-hosts.ts). Nothing is stored. */
export class LidTraffic implements TrafficMatrix {
  readonly hostCount: number;
  readonly unit: TrafficUnit;

  /** @param lids of every host, one of which each part goes to */
  constructor(
    readonly whole: TrafficMatrix,
    readonly use: Exclude<LidUse, number>,
    readonly lids: number,
  ) {
    this.hostCount = lids * whole.hostCount;
    this.unit = whole.unit;
  }

  get pairCount(): number {
    return this.whole.pairCount * (this.use === 'spread' ? this.lids : 1);
  }

  toDestination(destination: number, into: TrafficColumn): void {
    const { whole, use, lids } = this;
    const offset = Math.floor(destination / whole.hostCount);
    new LidShare(whole, use, lids, offset).toDestination(destination % whole.hostCount, into);
  }
}

/** What goes to every LID, phase by phase. */
export function lidTraffic(traffic: Traffic, use: Exclude<LidUse, number>, lids: number): Traffic {
  const phases = traffic.phases.map(({ name, matrix }) => ({ name, matrix: new LidTraffic(matrix, use, lids) }));
  return { ...traffic, hostCount: lids * traffic.hostCount, phases };
}

/**
 * Loads of all links if the LIDs of hosts are used in a given way. The parts of a flow that go to different LIDs are
 * flows of their own in the traffic that is returned, for they take ways of their own.
 */
export function loadsByOffset(tree: FatTree, offsets: TablesByOffset, matrix: TrafficMatrix, use: LidUse): TableLoads {
  if (offsets.length === 1) return tableLoads(tree, offsets[0]!, matrix);
  const parts = offsets.map((tables, offset) =>
    tableLoads(tree, tables, new LidShare(matrix, use, offsets.length, offset)),
  );
  const load = new Float64Array(tree.fabric.portCount);
  let [lostFlows, lostFlowsWithWay] = [0, 0];
  for (const part of parts) {
    for (let port = 0; port < load.length; port++) load[port]! += part.load[port]!;
    lostFlows += part.lostFlows;
    lostFlowsWithWay += part.lostFlowsWithWay;
  }
  return { load, lostFlows, lostFlowsWithWay, traffic: together(parts.map(({ traffic }) => traffic)) };
}

/** All flows of several, each by itself: those of a destination one after the other, leaves ascending. */
export function together(parts: readonly LeafTraffic[]): LeafTraffic {
  if (parts.length === 1) return parts[0]!;
  const { tree, hostOut, hostIn, offset: first } = parts[0]!;
  const offset = new Int32Array(first.length);
  const leaf = new Int32List();
  const weight = new Float64List();
  const lidOffset: number[] = [];
  const next = parts.map(() => 0);
  for (let rank = 0; rank + 1 < offset.length; rank++) {
    for (;;) {
      let least = -1;
      parts.forEach((part, i) => {
        if (next[i] === part.offset[rank + 1]) return;
        if (least === -1 || part.leaf[next[i]!]! < parts[least]!.leaf[next[least]!]!) least = i;
      });
      if (least === -1) break;
      leaf.push(parts[least]!.leaf[next[least]!]!);
      weight.push(parts[least]!.weight[next[least]!++]!);
      lidOffset.push(least);
    }
    offset[rank + 1] = leaf.length;
  }
  const sum = (column: (part: LeafTraffic) => Float64Array, of: Float64Array): Float64Array =>
    of.map((_, rank) => parts.reduce((total, part) => total + column(part)[rank]!, 0));
  return {
    tree,
    offset,
    leaf: leaf.toArray(),
    weight: weight.toArray(),
    lidOffset: Uint8Array.from(lidOffset),
    leftOut: parts.reduce((total, part) => total + part.leftOut, 0),
    hostOut: sum((part) => part.hostOut, hostOut),
    hostIn: sum((part) => part.hostIn, hostIn),
  };
}

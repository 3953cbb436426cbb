// Loads: how much traffic crosses every link in each direction, by walking the tables from leaf to destination. A
// directed link is the port that sends into it. A load is traffic times base rate / rate of the link, so that links of
// several rates compare; the base rate is that of most hosts. With one rate a load is the traffic itself.
// Invariants: an evaluation of its own: it reads tables entry by entry and knows nothing of how they were made. Loads
// are those of flows that arrive; flows that do not are counted, and nothing else of them.

import type { FatTree } from '../fabric/fat-tree.js';
import type { Fabric } from '../fabric/fabric.js';
import { fail } from '../base/fail.js';
import type { TrafficMatrix } from '../flows/traffic/matrix.js';
import { hostsByLeaf } from '../routing/fill-minimal.js';
import type { ForwardingTables } from '../routing/forwarding-tables.js';
import { MinimalPorts } from '../routing/minimal-ports.js';
import { UpDownReach } from '../routing/up-down-reach.js';
import { aggregateByLeaf, leafPlaces, type LeafTraffic } from './leaf-traffic.js';

/** What tables make of traffic. */
export interface TableLoads {
  /** by sending port of the fabric, hosts' ports included; of flows that arrive */
  readonly load: Float64Array;
  /** flows (leaf, destination) that do not arrive: no entry, or a loop. Neither loads nor `traffic` count them */
  readonly lostFlows: number;
  /** of these, flows that some up-down routes would carry */
  readonly lostFlowsWithWay: number;
  /** the flows that arrive */
  readonly traffic: LeafTraffic;
}

/** What a unit of traffic is worth on each link, by sending port: base rate / rate. */
export function loadPerTraffic(fabric: Fabric): Float64Array {
  const count = new Map<number, number>();
  for (const host of fabric.hosts) {
    const rate = fabric.linkRateBps[fabric.portLink[fabric.portOffset[host]!]!]!;
    count.set(rate, (count.get(rate) ?? 0) + 1);
  }
  let base = 0;
  for (const [rate, hosts] of count) if (hosts > (count.get(base) ?? 0)) base = rate;
  return Float64Array.from(fabric.portLink, (link) => base / fabric.linkRateBps[link]!);
}

/**
 * Loads of all links by the flows that arrive. Linear in the flows times their hops.
 * @param matrix what hosts send each other
 */
export function tableLoads(tree: FatTree, tables: ForwardingTables, matrix: TrafficMatrix): TableLoads {
  const all = aggregateByLeaf(tree, matrix);
  const load = new Float64Array(tree.fabric.portCount);
  const lost = addLoads(tables, all, load);
  const leafOf = leafPlaces(tree);
  // without its entry the leaf of a host does not even send to it what comes from its neighbours
  tree.fabric.hosts.forEach((host, rank) => {
    const isMissing = tables.port(tree.hostLeaf[rank]!, host) !== tree.fabric.portPeer[tree.fabric.portOffset[host]!];
    if (isMissing && all.hostIn[rank]! > 0) lost.push({ leaf: leafOf[rank]!, rank });
  });
  if (lost.length === 0) return { load, lostFlows: 0, lostFlowsWithWay: 0, traffic: all };
  const { hostCount } = matrix;
  const reach = UpDownReach.of(tree);
  const isLost = new Uint8Array(tree.switches[0]!.length * hostCount);
  let withoutWay = 0;
  for (const { leaf, rank } of lost) {
    isLost[leaf * hostCount + rank] = 1;
    if (!reach.joins(leaf, leafOf[rank]!)) withoutWay++;
  }
  const traffic = aggregateByLeaf(tree, matrix, (leaf, rank) => isLost[leaf * hostCount + rank] === 0);
  addLoads(tables, traffic, load.fill(0));
  return { load, lostFlows: traffic.leftOut, lostFlowsWithWay: traffic.leftOut - withoutWay, traffic };
}

/** Loads of all links by given flows. @throws InvariantError if one of them does not arrive */
export function loadsOfFlows(tables: ForwardingTables, traffic: LeafTraffic): Float64Array {
  const load = new Float64Array(traffic.tree.fabric.portCount);
  const [lost] = addLoads(tables, traffic, load);
  if (lost !== undefined) fail(`the flow of leaf ${lost.leaf} to host ${lost.rank} does not arrive`);
  return load;
}

/** A flow, by the place of its leaf and the rank of its destination. */
interface LostFlow {
  readonly leaf: number;
  readonly rank: number;
}

/** Adds the loads of flows up, those of lost ones as far as they come. @returns the flows that do not arrive */
function addLoads(tables: ForwardingTables, traffic: LeafTraffic, load: Float64Array): LostFlow[] {
  const { tree, offset, leaf, weight, hostOut, hostIn } = traffic;
  const { fabric } = tree;
  const { portPeer, hosts, portOffset, portNeighbour } = fabric;
  const leaves = tree.switches[0]!;
  const longest = tables.switches.length;
  const lost: LostFlow[] = [];
  for (let rank = 0; rank < hosts.length; rank++) {
    const destination = hosts[rank]!;
    const hostPort = portOffset[destination]!;
    load[hostPort] = hostOut[rank]!;
    load[portPeer[hostPort]!] = hostIn[rank]!;
    for (let flow = offset[rank]!; flow < offset[rank + 1]!; flow++) {
      const amount = weight[flow]!;
      let node = leaves[leaf[flow]!]!;
      for (let steps = 0; steps < longest; steps++) {
        const port = tables.port(node, destination);
        if (port === -1) break;
        node = portNeighbour[port]!;
        if (node === destination) break;
        load[port]! += amount;
        if (tables.rowOf[node] === -1) break;
      }
      if (node !== destination) lost.push({ leaf: leaf[flow]!, rank });
    }
  }
  const worth = loadPerTraffic(fabric);
  for (let port = 0; port < load.length; port++) load[port]! *= worth[port]!;
  return lost;
}

/**
 * Whether all flows keep to ports on minimal up-down ways: bounds over these ways hold for such tables alone. Linear in
 * leaves times links, and in the flows times their hops.
 */
export function keepsToMinimalWays(tables: ForwardingTables, { tree, offset, leaf }: LeafTraffic): boolean {
  const { fabric } = tree;
  const leaves = tree.switches[0]!;
  const minimal = new MinimalPorts(tree);
  const allowed = new Uint8Array(fabric.portCount);
  for (const [target, hosts] of hostsByLeaf(tree)) {
    if (hosts.every((host) => offset[tree.hostRank[host]!] === offset[tree.hostRank[host]! + 1])) continue;
    minimal.towards(target);
    allowed.fill(0);
    for (const port of minimal.ports.subarray(0, minimal.offset[fabric.nodeCount])) allowed[port] = 1;
    for (const host of hosts) {
      const rank = tree.hostRank[host]!;
      for (let flow = offset[rank]!; flow < offset[rank + 1]!; flow++) {
        for (let node = leaves[leaf[flow]!]!; node !== target;) {
          const port = tables.port(node, host);
          // minimal ways come nearer with every step, so that this ends
          if (port === -1 || allowed[port] === 0) return false;
          node = fabric.portNeighbour[port]!;
        }
      }
    }
  }
  return true;
}

/** 1 for every port that sends from one switch to another. */
export function interSwitchPorts(tree: FatTree): Uint8Array {
  const { fabric, nodeLevel } = tree;
  return Uint8Array.from(fabric.portNode, (node, port) =>
    nodeLevel[node]! >= 0 && nodeLevel[fabric.portNeighbour[port]!]! >= 0 ? 1 : 0,
  );
}

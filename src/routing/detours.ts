// Ways for what no up-down way reaches: a tree that lost links may hang together and still have leaves without one. A
// switch without an up-down way to a leaf sends to its hosts by a neighbour that is nearer to a switch with one; from
// there the tables' own entries lead on. Such a detour goes down and up again, which may close a cycle of channels that
// wait for each other; so every pair (leaf, leaf) of detours is put into the first virtual lane in which it closes
// none.
// Source of the lanes: J. Domke, T. Hoefler and W. Nagel, "Deadlock-free oblivious routing for arbitrary topologies",
// IPDPS 2011; here pair by pair, and only for detours.
// Invariants: entries of switches with an up-down way stay as they are; every step of a detour comes nearer, so there
// is no loop; up-down ways are in lane 0; no lane has a cycle of channel dependencies. A fabric in two parts keeps the
// pairs between them unreached.

import { RandomStream } from '../base/random.js';
import type { FatTree } from '../fabric/fat-tree.js';
import { GrowingDependencies } from './growing-dependencies.js';
import { hostsByLeaf } from './fill-minimal.js';
import type { ForwardingTables } from './forwarding-tables.js';
import { MinimalPorts } from './minimal-ports.js';
import { mostLevels, type FlowLevels } from './route-lanes.js';
import { UpDownReach } from './up-down-reach.js';

export interface Detours {
  /** the given tables with entries for what no up-down way reaches */
  readonly tables: ForwardingTables;
  /** lanes of what leaves send to each other */
  readonly lanes: FlowLevels;
  /** pairs (leaf with hosts, host) that take a detour */
  readonly pairs: number;
  /** switches that they pass, on average and at most */
  readonly averageSwitches: number;
  readonly mostSwitches: number;
}

/** orders of the switches in which detours turn that are tried until one lane is enough */
const mostOrders = 16;
/** on larger fabrics one is, for each walks all ways */
const mostWaysToTry = 1e6;

/**
 * Adds detours to tables. Turning in few switches, always the same ones, closes the fewest cycles: of several orders in
 * which these are preferred the first that needs the fewest lanes is kept.
 * @param tables lead over up-down ways alone, wherever there is one; left as they are
 * @returns null if every leaf has an up-down way to every other one, or more lanes are needed than there are
 */
export function withDetours(tree: FatTree, tables: ForwardingTables): Detours | null {
  if (UpDownReach.of(tree).complete) return null;
  const { nodeCount, hosts } = tree.fabric;
  const orders = hosts.length * tree.switches[0]!.length > mostWaysToTry ? 1 : mostOrders;
  const priority = Int32Array.from({ length: nodeCount }, (_, node) => node);
  const random = new RandomStream(1, 'orders of switches in which detours turn');
  let best: Detours | null = null;
  for (let order = 0; order < orders && (best === null || best.lanes.count > 1); order++) {
    const own = new DetourSearch(tree, tables.copy(), priority).run();
    if (own.lanes.count <= mostLevels && (best === null || own.lanes.count < best.lanes.count)) best = own;
    shuffle(priority, random);
  }
  return best;
}

class DetourSearch {
  private readonly minimal: MinimalPorts;
  private readonly reach: UpDownReach;
  private readonly hosts: ReadonlyMap<number, readonly number[]>;
  /** leaves with hosts: their places in tree.switches[0] */
  private readonly senders: readonly number[];
  /** how many hosts a port leads detours to */
  private readonly uses: Int32Array;
  private readonly steps: Int32Array;

  constructor(
    private readonly tree: FatTree,
    private readonly tables: ForwardingTables,
    /** which neighbours detours turn in rather than others, by node: lower ones */
    private readonly priority: Int32Array,
  ) {
    this.minimal = new MinimalPorts(tree);
    this.reach = UpDownReach.of(tree);
    this.hosts = hostsByLeaf(tree);
    this.senders = [...tree.switches[0]!.keys()].filter((place) => this.hosts.has(tree.switches[0]![place]!));
    this.uses = new Int32Array(tree.fabric.portCount);
    this.steps = new Int32Array(tree.fabric.nodeCount);
  }

  run(): Detours {
    for (const place of this.senders) this.layDetours(this.tree.switches[0]![place]!);
    let pairs = 0;
    let switches = 0;
    let mostSwitches = 0;
    const trail: number[] = [];
    this.forDetouredPairs((from, to) => {
      for (const host of this.hosts.get(this.tree.switches[0]![to]!)!) {
        if (!this.trace(from, host, trail)) continue;
        pairs++;
        switches += trail.length + 1;
        mostSwitches = Math.max(mostSwitches, trail.length + 1);
      }
    });
    return {
      tables: this.tables,
      lanes: this.lanes(),
      pairs,
      averageSwitches: pairs === 0 ? 0 : switches / pairs,
      mostSwitches,
    };
  }

  /** Entries for the hosts of a leaf, on every switch without an up-down way to it. */
  private layDetours(leaf: number): void {
    const { tree, tables, steps, minimal, uses } = this;
    const { fabric, nodeLevel } = tree;
    const { portOffset, portNeighbour } = fabric;
    minimal.towards(leaf);
    const lost = tables.switches.filter((node) => minimal.distance[node] === -1);
    if (lost.length === 0) return;
    steps.fill(-1);
    // breadth first from all switches with a way, those that are nearer to the leaf first
    const rings: number[][] = [];
    for (const node of tables.switches) {
      const own = minimal.distance[node]!;
      if (own === -1) continue;
      steps[node] = own;
      (rings[own] ??= []).push(node);
    }
    for (let ring = 0; ring < rings.length; ring++) {
      for (const node of rings[ring] ?? []) {
        for (let port = portOffset[node]!; port < portOffset[node + 1]!; port++) {
          const peer = portNeighbour[port]!;
          if (nodeLevel[peer] === -1 || steps[peer] !== -1) continue;
          steps[peer] = ring + 1;
          (rings[ring + 1] ??= []).push(peer);
        }
      }
    }
    for (const node of lost) {
      if (steps[node] === -1) continue;
      for (const host of this.hosts.get(leaf)!) {
        let best = -1;
        for (let port = portOffset[node]!; port < portOffset[node + 1]!; port++) {
          const peer = portNeighbour[port]!;
          if (nodeLevel[peer] === -1 || steps[peer] !== steps[node]! - 1) continue;
          if (best === -1 || this.isBetter(port, best)) best = port;
        }
        uses[best]!++;
        tables.setPort(node, host, best);
      }
    }
  }

  private isBetter(port: number, than: number): boolean {
    const { uses, priority } = this;
    const { portNeighbour } = this.tree.fabric;
    const peer = priority[portNeighbour[port]!]!;
    const other = priority[portNeighbour[than]!]!;
    return peer === other ? uses[port]! < uses[than]! : peer < other;
  }

  private forDetouredPairs(visit: (from: number, to: number) => void): void {
    for (const to of this.senders) for (const from of this.senders) if (!this.reach.joins(from, to)) visit(from, to);
  }

  /** The ports between switches from a leaf to a host. @returns false if the host is not reached */
  private trace(from: number, host: number, trail: number[]): boolean {
    const { tree, tables } = this;
    const { portNeighbour } = tree.fabric;
    trail.length = 0;
    for (let node = tree.switches[0]![from]!; ;) {
      const port = tables.port(node, host);
      if (port === -1 || trail.length > tables.switches.length) return false;
      node = portNeighbour[port]!;
      if (node === host) return true;
      trail.push(port);
    }
  }

  /** Lanes: all up-down ways in lane 0, and every pair of detours in the first lane in which it closes no cycle. */
  private lanes(): FlowLevels {
    const { tree } = this;
    const leafCount = tree.switches[0]!.length;
    const own = [new GrowingDependencies(tree.fabric)];
    const trail: number[] = [];
    for (const to of this.senders) {
      for (const host of this.hosts.get(tree.switches[0]![to]!)!) {
        for (const from of this.senders) {
          if (from === to || !this.reach.joins(from, to) || !this.trace(from, host, trail)) continue;
          for (let hop = 1; hop < trail.length; hop++) own[0]!.add(trail[hop - 1]!, trail[hop]!);
        }
      }
    }
    const lane = new Uint8Array(leafCount * leafCount);
    this.forDetouredPairs((from, to) => {
      const trails = this.hosts.get(tree.switches[0]![to]!)!.flatMap((host) => {
        const found: number[] = [];
        return this.trace(from, host, found) ? [found] : [];
      });
      let chosen = 0;
      while (!addsWithoutCycle((own[chosen] ??= new GrowingDependencies(tree.fabric)), trails)) chosen++;
      lane[from * leafCount + to] = chosen;
    });
    return new LeafPairLanes(tree, own.length, lane);
  }
}

/** A lane for each pair of leaves. */
class LeafPairLanes implements FlowLevels {
  private readonly place: Int32Array;

  constructor(
    private readonly tree: FatTree,
    readonly count: number,
    private readonly lane: Uint8Array,
  ) {
    this.place = new Int32Array(tree.fabric.nodeCount);
    tree.switches[0]!.forEach((node, index) => {
      this.place[node] = index;
    });
  }

  levels(from: number, destination: number): number {
    const { tree, place, lane } = this;
    const to = place[tree.hostLeaf[tree.hostRank[destination]!]!]!;
    return 1 << lane[place[from]! * tree.switches[0]!.length + to]!;
  }
}

/** Adds the edges of ways, all or none. @returns whether they close no cycle, so that they were added */
function addsWithoutCycle(graph: GrowingDependencies, trails: readonly (readonly number[])[]): boolean {
  const added: [from: number, to: number][] = [];
  for (const trail of trails) {
    for (let hop = 1; hop < trail.length; hop++) {
      const [from, to] = [trail[hop - 1]!, trail[hop]!];
      if (graph.has(from, to)) continue;
      if (graph.leads(to, from)) {
        for (const edge of added) graph.remove(...edge);
        return false;
      }
      graph.add(from, to);
      added.push([from, to]);
    }
  }
  return true;
}

function shuffle(order: Int32Array, random: RandomStream): void {
  for (let i = order.length - 1; i > 0; i--) {
    const j = random.nextBelow(i + 1);
    [order[i], order[j]] = [order[j]!, order[i]!];
  }
}

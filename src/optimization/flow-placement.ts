// Flows put on their ways one after the other, below a limit on every link: the state of a search over all static
// routes of a small problem (least-load.ts).
// Invariants: flows stand in a fixed order, heaviest first; flows to a host that meet go on together; `load` is the sum
// of what is on each link, in traffic. States with the same `key` can be completed alike: they differ by an exchange of
// parallel links, or of switches of the top level, with like links at most.

import { MinimalPorts } from '../routing/minimal-ports.js';
import { greatestMeasure } from './greatest-measure.js';
import { CrossedCuts, type CutKind } from './crossed-cuts.js';
import type { LeafTraffic } from './leaf-traffic.js';
import { boundTolerance } from './schedule-bound.js';
import { loadPerTraffic } from './table-loads.js';

const slack = 1 + 3 * boundTolerance;

export class FlowPlacement {
  readonly flowCount: number;
  /** of the flows in their order */
  readonly weight: Float64Array;
  readonly from: Int32Array;
  readonly target: Int32Array;
  private readonly rank: Int32Array;
  /** places of the flows in the traffic */
  private readonly order: readonly number[];
  /** by rank: the last flow to it */
  private readonly lastFlow: Int32Array;
  /** ports between switches */
  private readonly links: readonly number[];
  private readonly portNode: Int32Array;
  private readonly portTo: Int32Array;
  /** load per traffic, by port */
  private readonly worth: Float64Array;
  /** traffic on each port, and what it may carry */
  private readonly load: Float64Array;
  private readonly most: Float64Array;
  /** by target: ports of each node on minimal ways */
  private readonly ways = new Map<number, readonly (readonly number[])[]>();
  private readonly cuts: CrossedCuts;
  /** what all weights are multiples of; 0 = nothing is known */
  private readonly unit: number;
  /** port by which a switch sends to a host, where flows took it by choice; by node x hosts + rank, -1 = open */
  private readonly chosen: Int32Array;
  private readonly users: Int32Array;
  private readonly hostCount: number;
  /** by rank: cells of `chosen` where flows to it may meet and have a choice */
  private readonly forks: readonly (readonly number[])[];
  /** parallel links in one direction: of each switch of the top level, and of no such switch */
  private readonly tops: readonly { readonly node: number; readonly bundles: readonly (readonly number[])[] }[];
  private readonly lowBundles: readonly (readonly number[])[];

  constructor({ tree, offset, leaf, weight }: LeafTraffic) {
    const { fabric, hostLeaf, nodeLevel, switches, levels, podOf } = tree;
    const rankOf = new Int32Array(weight.length);
    for (let rank = 0; rank + 1 < offset.length; rank++) rankOf.fill(rank, offset[rank], offset[rank + 1]);
    const order = Array.from(weight.keys()).sort(
      (a, b) =>
        weight[b]! - weight[a]! ||
        hostLeaf[rankOf[a]!]! - hostLeaf[rankOf[b]!]! ||
        rankOf[a]! - rankOf[b]! ||
        leaf[a]! - leaf[b]!,
    );
    this.order = order;
    this.flowCount = order.length;
    this.weight = Float64Array.from(order, (flow) => weight[flow]!);
    this.rank = Int32Array.from(order, (flow) => rankOf[flow]!);
    this.from = Int32Array.from(order, (flow) => switches[0]![leaf[flow]!]!);
    this.target = this.rank.map((rank) => hostLeaf[rank]!);
    this.unit = greatestMeasure(this.weight);
    this.hostCount = fabric.hosts.length;
    this.lastFlow = new Int32Array(this.hostCount);
    this.rank.forEach((rank, flow) => {
      this.lastFlow[rank] = flow;
    });
    this.portNode = fabric.portNode;
    this.portTo = fabric.portPeer.map((peer) => fabric.portNode[peer]!);
    this.worth = loadPerTraffic(fabric);
    this.load = new Float64Array(fabric.portCount);
    this.most = new Float64Array(fabric.portCount);
    this.chosen = new Int32Array(fabric.nodeCount * this.hostCount).fill(-1);
    this.users = new Int32Array(this.chosen.length);
    const minimal = new MinimalPorts(tree);
    for (const target of new Set(this.target)) {
      minimal.towards(target);
      const { ports, offset: first } = minimal;
      this.ways.set(
        target,
        Array.from({ length: fabric.nodeCount }, (_, node) => [...ports.subarray(first[node], first[node + 1])]),
      );
    }
    const level = (node: number): number => nodeLevel[node]!;
    this.forks = Array.from(hostLeaf, (target, rank) =>
      (this.ways.get(target) ?? []).flatMap((ports, node) =>
        ports.length > 1 && level(node) > 0 ? [node * this.hostCount + rank] : [],
      ),
    );
    this.links = Array.from(this.portTo.keys()).filter(
      (port) => level(this.portNode[port]!) >= 0 && level(this.portTo[port]!) >= 0,
    );
    this.cuts = new CrossedCuts(this.cutKinds(nodeLevel, podOf), this.links, this.weight, slack);
    const top = levels - 1;
    const isTop = (port: number): boolean => level(this.portNode[port]!) === top || level(this.portTo[port]!) === top;
    this.tops = Array.from(switches[top]!, (node) => ({
      node,
      bundles: this.bundles((port) => this.portNode[port] === node || this.portTo[port] === node),
    }));
    this.lowBundles = this.bundles((port) => !isTop(port));
  }

  /** Links above leaves and above pods, up and down. */
  private cutKinds(nodeLevel: Int8Array, podOf: Int32Array): CutKind[] {
    const { portNode, portTo, from, target } = this;
    return [
      { low: portNode, high: portTo, end: from },
      { low: portTo, high: portNode, end: target },
    ].flatMap(({ low, high, end }) => [
      {
        ofPort: (port) => (nodeLevel[low[port]!] === 0 && nodeLevel[high[port]!] === 1 ? low[port]! : -1),
        ofFlow: (flow) => end[flow]!,
      },
      {
        ofPort: (port) => (nodeLevel[low[port]!] === 1 && nodeLevel[high[port]!] === 2 ? podOf[low[port]!]! : -1),
        ofFlow: (flow) => (podOf[from[flow]!] === podOf[target[flow]!] ? -1 : podOf[end[flow]!]!),
      },
    ]);
  }

  private bundles(counts: (port: number) => boolean): number[][] {
    const made = new Map<string, number[]>();
    for (const port of this.links) {
      if (!counts(port)) continue;
      const key = `${this.portNode[port]} ${this.portTo[port]}`;
      made.set(key, [...(made.get(key) ?? []), port]);
    }
    return [...made.values()];
  }

  /** Whether every flow has a way. */
  get isComplete(): boolean {
    return this.from.every((node, flow) => this.portsAt(flow, node).length > 0);
  }

  /** Values by flow in the order in which the traffic has them. */
  inTrafficOrder<T>(values: readonly T[]): T[] {
    const ordered: T[] = [];
    this.order.forEach((place, flow) => {
      ordered[place] = values[flow]!;
    });
    return ordered;
  }

  /** The load that a flow has on one way at least, alone on all links. */
  loadAlone(flow: number): number {
    const least = (node: number): number =>
      node === this.target[flow]
        ? 0
        : Math.min(...this.portsAt(flow, node).map((port) => Math.max(this.worth[port]!, least(this.portTo[port]!))));
    return this.weight[flow]! * least(this.from[flow]!);
  }

  /** The largest load. */
  get largestLoad(): number {
    return this.links.reduce((most, port) => Math.max(most, this.load[port]! * this.worth[port]!), 0);
  }

  /** Allows links to be loaded that much. */
  limit(load: number): void {
    for (const port of this.links) {
      const traffic = (load / this.worth[port]!) * slack;
      this.most[port] = this.unit === 0 ? traffic : Math.floor(traffic / this.unit) * this.unit;
    }
  }

  /** Ports by which a flow may leave a switch, the one that will be least loaded first; one, where flows have met. */
  choices(flow: number, node: number): number[] {
    const chosen = this.chosen[node * this.hostCount + this.rank[flow]!]!;
    const own = this.weight[flow]!;
    const ports = chosen === -1 ? this.portsAt(flow, node) : [chosen];
    return ports
      .filter((port) => this.load[port]! + own <= this.most[port]! * slack)
      .sort((a, b) => this.after(a, own) - this.after(b, own) || a - b);
  }

  private after(port: number, weight: number): number {
    return (this.load[port]! + weight) * this.worth[port]!;
  }

  /** Leads a flow over a port. @returns the switch that it comes to */
  take(flow: number, port: number): number {
    const cell = this.portNode[port]! * this.hostCount + this.rank[flow]!;
    this.load[port]! += this.weight[flow]!;
    this.chosen[cell] = port;
    this.users[cell]!++;
    return this.portTo[port]!;
  }

  /** Takes a flow from a port, the last one taken first. @param before what the port carried */
  giveBack(flow: number, port: number, before: number): void {
    const cell = this.portNode[port]! * this.hostCount + this.rank[flow]!;
    this.load[port] = before;
    if (--this.users[cell]! === 0) this.chosen[cell] = -1;
  }

  /** What a port carries, in traffic. */
  loadOf(port: number): number {
    return this.load[port]!;
  }

  /** Whether the flows after one that was just placed may still fit. */
  leavesRoom(flow: number): boolean {
    const room = (port: number): number => this.most[port]! - this.load[port]!;
    if (!this.cuts.leavesRoom(flow, flow + 1, room)) return false;
    for (let next = flow + 1; next < this.flowCount; next++) if (!this.fits(next, this.from[next]!)) return false;
    return true;
  }

  private fits(flow: number, node: number): boolean {
    if (node === this.target[flow]) return true;
    const own = this.weight[flow]!;
    const chosen = this.chosen[node * this.hostCount + this.rank[flow]!]!;
    const may = (port: number): boolean =>
      this.load[port]! + own <= this.most[port]! * slack && this.fits(flow, this.portTo[port]!);
    return chosen === -1 ? this.portsAt(flow, node).some(may) : may(chosen);
  }

  /** What later flows find, alike for states that differ in names alone; null if loads cannot be told apart exactly. */
  key(next: number): string | null {
    if (this.unit === 0) return null;
    const { portNode, portTo, load, worth, unit } = this;
    const marks = new Map<number, string>();
    for (let rank = 0; rank < this.hostCount; rank++) {
      if (this.lastFlow[rank]! < next) continue;
      for (const cell of this.forks[rank]!) {
        const port = this.chosen[cell]!;
        if (port !== -1) marks.set(port, `${marks.get(port) ?? ''}h${rank}`);
      }
    }
    const text = (bundle: readonly number[]): string =>
      bundle
        .map((port) => `${Math.round(load[port]! / unit)}w${worth[port]!}${marks.get(port) ?? ''}`)
        .sort()
        .join();
    const tops = this.tops.map(({ node, bundles }) =>
      bundles
        .map((bundle) => {
          const [a, b] = [portNode[bundle[0]!]!, portTo[bundle[0]!]!];
          return `${a === node ? `>${b}` : `${a}>`}:${text(bundle)}`;
        })
        .sort()
        .join(' '),
    );
    return `${next}|${tops.sort().join('/')}|${this.lowBundles.map(text).join(' ')}`;
  }

  private portsAt(flow: number, node: number): readonly number[] {
    return this.ways.get(this.target[flow]!)![node]!;
  }
}

// The best static routes of a small tree by an exact solver (HiGHS), from the links alone: an oracle that shares nothing
// with the optimizer nor with the exact models of src/exact. Every shortest up-down way of every flow (leaf, destination)
// is a variable; at a switch all flows to a host take one port.
//
//   minimise z, or ask whether any routes have z below a limit
//   sum_P y_fP = 1                                     every flow f, over its ways P
//   y_fP <= x_pd                                       every port p of P, d the destination of f
//   sum_p x_pd = 1                                     every switch and destination
//   sum_f,P through p  (amount of f) (100 Gb/s / rate of p) y_fP <= z    every port p
//   y and x 0 or 1

import highsModule, { type Highs, type HighsSolution } from 'highs';
import type { SmallTree } from './small-trees.js';

// the package's types are those of its CommonJS form, where the loader is a member
const load = highsModule as unknown as typeof highsModule.default;

/** The solver keeps rows to 1e-6: loads are counted in so much smaller units. */
const scale = 100;

/** A few problems take minutes before their first node. */
const mostSeconds = 10;

/** The solver. */
export async function exactSolver(): Promise<Highs> {
  return await load();
}

/** Shortest up-down ways: ports that lead nearer to a leaf, by switch. */
function nearerPorts({ fabric, level }: SmallTree, leaf: number): Map<number, number[]> {
  const { portNode, portPeer, portOffset, nodeCount } = fabric;
  const peer = (port: number): number => portNode[portPeer[port]!]!;
  const distance = new Map([[leaf, 0]]);
  // whoever stands above the leaf sends down, level by level
  for (const node of distance.keys())
    for (let port = portOffset[node]!; port < portOffset[node + 1]!; port++)
      if (level[peer(port)]! > level[node]! && !distance.has(peer(port)))
        distance.set(peer(port), distance.get(node)! + 1);
  // all others send up to the nearest of those, from the top level down
  for (let height = 2; height >= 0; height--)
    for (let node = 0; node < nodeCount; node++) {
      if (level[node] !== height || distance.has(node)) continue;
      let least = Infinity;
      for (let port = portOffset[node]!; port < portOffset[node + 1]!; port++)
        if (level[peer(port)]! > height) least = Math.min(least, 1 + (distance.get(peer(port)) ?? Infinity));
      if (least < Infinity) distance.set(node, least);
    }
  const ports = new Map<number, number[]>();
  for (const [node, own] of distance) {
    const list: number[] = [];
    for (let port = portOffset[node]!; port < portOffset[node + 1]!; port++)
      if (level[peer(port)]! >= 0 && distance.get(peer(port)) === own - 1) list.push(port);
    ports.set(node, list);
  }
  return ports;
}

/** The problem of a tree: rows of a linear programme with whole variables. */
export class ExactRoutes {
  /** flows (leaf, destination) with an up-down way, and flows without */
  readonly flows: number;
  readonly lost: number;
  private readonly rows: string[] = [];
  private readonly binaries: string[] = [];
  private readonly loads: string[] = [];

  constructor(private readonly tree: SmallTree) {
    const { portNode, portLink, linkRateBps } = tree.fabric;
    const ports = new Map<number, Map<number, number[]>>();
    const loads = new Map<number, string[]>();
    const choices = new Map<string, Set<string>>();
    let flows = 0;
    let lost = 0;
    for (const { leaf, target, destination, amount } of flowsOf(tree)) {
      const leads = ports.get(target) ?? nearerPorts(tree, target);
      ports.set(target, leads);
      if (!leads.has(leaf)) {
        lost++;
        continue;
      }
      const flow = flows++;
      const ways = waysOf(tree, leads, leaf, target);
      this.binaries.push(...ways.map((_, i) => `y${flow}_${i}`));
      this.rows.push(`${ways.map((_, i) => `y${flow}_${i}`).join(' + ')} = 1`);
      for (const [i, way] of ways.entries())
        for (const port of way) {
          const choice = `x${port}_${destination}`;
          const at = `${portNode[port]} ${destination}`;
          choices.set(at, (choices.get(at) ?? new Set()).add(choice));
          this.rows.push(`y${flow}_${i} - ${choice} <= 0`);
          const worth = 100e9 / linkRateBps[portLink[port]!]!;
          loads.set(port, [...(loads.get(port) ?? []), `${scale * amount * worth} y${flow}_${i}`]);
        }
    }
    for (const own of choices.values()) this.rows.push(`${[...own].join(' + ')} = 1`);
    for (const own of choices.values()) this.binaries.push(...own);
    this.loads = [...loads.values()].map((own) => own.join(' + '));
    this.orderAlike(loads);
    this.flows = flows;
    this.lost = lost;
  }

  /** Of links that may be exchanged, the first carries most: parallel ones, and those of spines that are all alike. */
  private orderAlike(loads: ReadonlyMap<number, readonly string[]>): void {
    const { fabric, level } = this.tree;
    const { portNode, portPeer, portLink, linkRateBps, linkCount } = fabric;
    const sum = (ports: readonly number[]): string[] => ports.flatMap((port) => loads.get(port) ?? []);
    const order = (more: readonly string[], less: readonly string[]): void => {
      if (less.length === 0) return;
      const terms = [...(more.length === 0 ? [] : [more.join(' + ')]), ...less.map((term) => `- ${term}`)];
      this.rows.push(`${terms.join(' ')} >= 0`);
    };
    const alike = new Map<string, number>();
    for (const port of loads.keys()) {
      const key = `${portNode[port]} ${portNode[portPeer[port]!]} ${linkRateBps[portLink[port]!]}`;
      const before = alike.get(key);
      if (before !== undefined) order(sum([before]), sum([port]));
      alike.set(key, port);
    }
    const spines = level.flatMap((own, node) => (own === 1 ? [node] : []));
    const leaves = level.filter((own) => own === 0).length;
    const cables = Array.from({ length: linkCount }, (_, link) => link).filter((link) =>
      [0, 1].every((end) => level[portNode[fabric.linkPorts[2 * link + end]!]!]! >= 0),
    );
    const isFull =
      !level.includes(2) &&
      spines.every((node) =>
        level.every(
          (own, leaf) => own !== 0 || this.cablesBetween(leaf, node) * spines.length * leaves === cables.length,
        ),
      ) &&
      new Set(cables.map((link) => linkRateBps[link])).size === 1;
    if (!isFull) return;
    const into = (spine: number): string[] =>
      sum([...loads.keys()].filter((port) => portNode[portPeer[port]!] === spine));
    for (let i = 1; i < spines.length; i++) order(into(spines[i - 1]!), into(spines[i]!));
  }

  private cablesBetween(low: number, high: number): number {
    const { portNode, portPeer } = this.tree.fabric;
    return portNode.reduce((sum, node, port) => sum + (node === low && portNode[portPeer[port]!] === high ? 1 : 0), 0);
  }

  /**
   * Whether any routes have less than a load, by a hundred-thousandth.
   * @param nodes of its tree of cases after which it gives up, at the latest after some seconds
   */
  below(load: number, highs: Highs, nodes: number): 'some' | 'none' | 'not known' {
    const solved = this.solve(
      'y0_0',
      this.loads.map((own) => `${own} <= ${scale * load * (1 - 1e-5)}`),
      highs,
      nodes,
    );
    if (solved.Status === 'Infeasible') return 'none';
    return solved.Status === 'Optimal' ? 'some' : 'not known';
  }

  /** The smallest largest load between switches; null if it is not found within so many nodes. */
  least(highs: Highs, nodes: number): number | null {
    const solved = this.solve(
      'z',
      this.loads.map((own) => `${own} - ${scale} z <= 0`),
      highs,
      nodes,
    );
    return solved.Status === 'Optimal' ? solved.ObjectiveValue : null;
  }

  private solve(objective: string, loads: readonly string[], highs: Highs, nodes: number): HighsSolution {
    const rows = [...this.rows, ...loads].map((row, i) => ` r${i}: ${row}`).join('\n');
    return highs.solve(
      `Minimize\n obj: ${objective}\nSubject To\n${rows}\nBinary\n ${this.binaries.join('\n ')}\nEnd\n`,
      { output_flag: false, mip_max_nodes: nodes, time_limit: mostSeconds, mip_rel_gap: 1e-9, mip_abs_gap: 1e-9 },
    );
  }

  /**
   * The largest load between switches by tables, walked from the links alone.
   * @param portOf the port by which a switch sends to a host @returns Infinity if a flow that has a way does not arrive
   */
  loadOf(portOf: (node: number, host: number) => number): number {
    const { fabric } = this.tree;
    const { portNode, portPeer, portLink, linkRateBps } = fabric;
    const load = new Map<number, number>();
    for (const { leaf, target, destination, amount } of flowsOf(this.tree)) {
      if (!nearerPorts(this.tree, target).has(leaf)) continue;
      let node = leaf;
      for (let steps = 0; node !== target; steps++) {
        const port = portOf(node, fabric.hosts[destination]!);
        if (port === -1 || steps > 4) return Infinity;
        load.set(port, (load.get(port) ?? 0) + (amount * 100e9) / linkRateBps[portLink[port]!]!);
        node = portNode[portPeer[port]!]!;
      }
    }
    return Math.max(0, ...load.values());
  }
}

function waysOf(
  { fabric: { portNode, portPeer } }: SmallTree,
  leads: ReadonlyMap<number, readonly number[]>,
  leaf: number,
  target: number,
): number[][] {
  const ways: number[][] = [];
  const walk = (node: number, way: readonly number[]): void => {
    if (node === target) ways.push([...way]);
    else for (const port of leads.get(node)!) walk(portNode[portPeer[port]!]!, [...way, port]);
  };
  walk(leaf, []);
  return ways;
}

/** What each leaf sends to each host of another leaf. */
function flowsOf({
  leafOf,
  pairs,
}: SmallTree): Iterable<{ leaf: number; target: number; destination: number; amount: number }> {
  const flows = new Map<string, { leaf: number; target: number; destination: number; amount: number }>();
  for (const { source, destination, weight } of pairs) {
    const leaf = leafOf[source]!;
    const target = leafOf[destination]!;
    if (leaf === target) continue;
    const own = flows.get(`${leaf} ${destination}`) ?? { leaf, target, destination, amount: 0 };
    own.amount += weight;
    flows.set(`${leaf} ${destination}`, own);
  }
  return flows.values();
}

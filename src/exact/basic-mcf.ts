// Basic MCF: the whole routing problem as a multi-commodity flow with one port per switch and destination. Source:
// Taffet's dissertation (docs/SOURCES.md), section 3.3.2, equations 3.3.1 to 3.3.4; special ordered sets of 3.3.3
// written with binary variables, as section 3.3.3 describes, M being what the senders that can reach the switch send.
// Without whole variables it is the adaptive bound, exact on any tree.
// Invariants: only ports on minimal up-down paths (the set K), only at switches that traffic can come to; links of
// hosts are left out, as no routes change them. Phases: flows of their own, ports in common, the sum of the largest
// loads is minimised. In the relaxation destinations of one leaf are one commodity: they have the same K, so any split
// of one is a split of each.

import type { FatTree } from '../fabric/fat-tree.js';
import { loadPerTraffic } from '../optimization/table-loads.js';
import type { LeafTraffic } from '../optimization/leaf-traffic.js';
import type { ForwardingTables } from '../routing/forwarding-tables.js';
import { MinimalPorts } from '../routing/minimal-ports.js';
import { LinearProgram } from './linear-program.js';

/** Where a variable of the model stands in the fabric. */
interface PortVariable {
  readonly variable: number;
  readonly port: number;
  readonly destination: number;
}

export class BasicMcf {
  readonly program: LinearProgram;
  /** largest load between switches, by phase */
  readonly maxval: readonly number[];
  /** x: whether a switch sends to a host by a port; only where there are several */
  readonly choices: PortVariable[] = [];
  /** T: traffic to a host on a port, by phase; in the relaxation to a leaf */
  readonly flows: (PortVariable & { readonly phase: number })[] = [];
  private readonly minimal: MinimalPorts;
  private readonly worth: Float64Array;
  private readonly onPort: [variable: number, coefficient: number][][][];
  private readonly touched: Uint8Array;

  private constructor(
    readonly tree: FatTree,
    readonly phases: readonly LeafTraffic[],
    readonly relaxed: boolean,
  ) {
    this.program = new LinearProgram(relaxed ? 'adaptive_bound' : 'basic_mcf');
    this.maxval = phases.map((_, phase) => this.program.real(`maxval_${phase}`));
    this.program.objectives.push({
      name: 'largest_loads',
      terms: this.maxval.map((variable) => [variable, 1] as const),
    });
    this.minimal = new MinimalPorts(tree);
    this.worth = loadPerTraffic(tree.fabric);
    this.onPort = phases.map(() => Array.from({ length: tree.fabric.portCount }, () => []));
    this.touched = new Uint8Array(tree.fabric.nodeCount);
    const leaves = tree.switches[0]!;
    leaves.forEach((leaf) => {
      this.minimal.towards(leaf);
      const ranks = Array.from(tree.hostLeaf.keys()).filter((rank) => tree.hostLeaf[rank] === leaf);
      if (relaxed) this.commodity(leaf, ranks);
      else for (const rank of ranks) this.commodity(tree.fabric.hosts[rank]!, [rank]);
    });
    this.onPort.forEach((ports, phase) => {
      ports.forEach((terms, port) => {
        if (terms.length > 0) this.program.row(`load_${phase}_${port}`, [...terms, [this.maxval[phase]!, -1]], '<=', 0);
      });
    });
  }

  /** The problem itself: one port per switch and destination. */
  static ofStaticRoutes(tree: FatTree, phases: readonly LeafTraffic[]): BasicMcf {
    return new BasicMcf(tree, phases, false);
  }

  /** Its linear relaxation: the largest load between switches if traffic may be split at will. */
  static relaxation(tree: FatTree, phases: readonly LeafTraffic[]): BasicMcf {
    return new BasicMcf(tree, phases, true);
  }

  /** How many variables T the problem of static routes has at most, without making it. */
  static mostFlows(tree: FatTree, phases: readonly LeafTraffic[]): number {
    const minimal = new MinimalPorts(tree);
    let sum = 0;
    for (const leaf of tree.switches[0]!) {
      const receiving = Array.from(tree.hostLeaf.keys()).filter(
        (rank) => tree.hostLeaf[rank] === leaf && phases.some(({ offset }) => offset[rank] !== offset[rank + 1]),
      ).length;
      if (receiving === 0) continue;
      minimal.towards(leaf);
      sum += receiving * phases.length * minimal.offset[tree.fabric.nodeCount]!;
    }
    return sum;
  }

  /**
   * Variables of the traffic of hosts of one leaf that `minimal` looks at, and the rows of every switch that it can
   * come to.
   */
  private commodity(destination: number, ranks: readonly number[]): void {
    const { tree, phases, minimal, program, touched } = this;
    const { nodeCount, portNeighbour } = tree.fabric;
    const injected = phases.map((traffic) => this.injected(traffic, ranks));
    if (injected.every((own) => own.size === 0)) return;
    touched.fill(0);
    const reach = injected.map((own) => this.reach(own));
    const inflow = phases.map(() => new Map<number, [number, number][]>());
    // from the leaves up and down again a switch comes after all that send to it
    const order = Array.from({ length: nodeCount }, (_, node) => node)
      .filter((node) => touched[node] === 1)
      .sort((a, b) => minimal.distance[b]! - minimal.distance[a]! || a - b);
    for (const node of order) {
      const ports = minimal.ports.subarray(minimal.offset[node], minimal.offset[node + 1]);
      const choice =
        !this.relaxed && ports.length > 1
          ? Array.from(ports, (port) => program.binary(`x_${port}_${destination}`))
          : null;
      if (choice !== null) {
        program.row(
          `one_${node}_${destination}`,
          choice.map((variable) => [variable, 1]),
          '=',
          1,
        );
        choice.forEach((variable, i) => this.choices.push({ variable, port: ports[i]!, destination }));
      }
      phases.forEach((_, phase) => {
        const most = reach[phase]!.get(node);
        if (most === undefined) return;
        const out: [number, number][] = [];
        ports.forEach((port, i) => {
          const variable = program.real(`T_${phase}_${port}_${destination}`);
          out.push([variable, 1]);
          this.flows.push({ variable, port, destination, phase });
          this.onPort[phase]![port]!.push([variable, this.worth[port]!]);
          const next = portNeighbour[port]!;
          const into = inflow[phase]!.get(next) ?? [];
          into.push([variable, -1]);
          inflow[phase]!.set(next, into);
          if (choice !== null)
            program.row(
              `only_${phase}_${port}_${destination}`,
              [
                [variable, 1],
                [choice[i]!, -most],
              ],
              '<=',
              0,
            );
        });
        program.row(
          `keep_${phase}_${node}_${destination}`,
          [...out, ...(inflow[phase]!.get(node) ?? [])],
          '=',
          injected[phase]!.get(node) ?? 0,
        );
      });
    }
  }

  /** J(s, d): what each leaf sends to the hosts. */
  private injected({ offset, leaf, weight }: LeafTraffic, ranks: readonly number[]): Map<number, number> {
    const sums = new Map<number, number>();
    for (const rank of ranks) {
      for (let flow = offset[rank]!; flow < offset[rank + 1]!; flow++) {
        const node = this.tree.switches[0]![leaf[flow]!]!;
        // a leaf that no way leads from has nothing to choose: validity tells of it
        if (this.minimal.distance[node]! > 0) sums.set(node, (sums.get(node) ?? 0) + weight[flow]!);
      }
    }
    return sums;
  }

  /** M: what the senders that can come to a switch send in all, by switch. */
  private reach(injected: ReadonlyMap<number, number>): Map<number, number> {
    const { minimal, touched } = this;
    const { fabric } = this.tree;
    const reached = new Map<number, number>();
    for (const [leaf, amount] of injected) {
      const seen = new Set([leaf]);
      for (const node of seen) {
        if (minimal.distance[node] === 0) continue;
        touched[node] = 1;
        reached.set(node, (reached.get(node) ?? 0) + amount);
        for (let i = minimal.offset[node]!; i < minimal.offset[node + 1]!; i++)
          seen.add(fabric.portNeighbour[minimal.ports[i]!]!);
      }
    }
    return reached;
  }

  /** Tables of a solution: its ports where it has a choice, those of complete tables elsewhere. */
  tablesOf(values: Float64Array, rest: ForwardingTables): ForwardingTables {
    const tables = rest.copy();
    const { portNode } = this.tree.fabric;
    for (const { variable, port, destination } of this.choices)
      if (values[variable]! > 0.5) tables.setPort(portNode[port]!, destination, port);
    return tables;
  }

  /** The solution that tables are: they choose among the same ports and lead everywhere. */
  valuesOf(tables: ForwardingTables): Float64Array {
    const { tree, program, phases, worth } = this;
    const { fabric } = tree;
    const values = new Float64Array(program.variableCount);
    for (const { variable, port, destination } of this.choices)
      values[variable] = tables.port(fabric.portNode[port]!, destination) === port ? 1 : 0;
    const onWay = new Map<string, number>();
    const load = phases.map(() => new Float64Array(fabric.portCount));
    phases.forEach(({ offset, leaf, weight }, phase) => {
      fabric.hosts.forEach((host, rank) => {
        const end = tree.hostLeaf[rank]!;
        for (let flow = offset[rank]!; flow < offset[rank + 1]!; flow++) {
          for (let node = tree.switches[0]![leaf[flow]!]!; node !== end;) {
            const port = tables.port(node, host);
            const key = `${phase} ${port} ${host}`;
            onWay.set(key, (onWay.get(key) ?? 0) + weight[flow]!);
            load[phase]![port]! += weight[flow]! * worth[port]!;
            node = fabric.portNeighbour[port]!;
          }
        }
      });
      values[this.maxval[phase]!] = load[phase]!.reduce((most, own) => Math.max(most, own), 0);
    });
    for (const { variable, port, destination, phase } of this.flows)
      values[variable] = onWay.get(`${phase} ${port} ${destination}`) ?? 0;
    return values;
  }
}

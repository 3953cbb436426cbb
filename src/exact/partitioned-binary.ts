// Partitioned Binary: routes by small programmes with whole variables, layer by layer: core group of every flow; leaf
// to spine, for each pod and core group; spine to core, for each core group; core down. Source: Taffet's dissertation
// (docs/SOURCES.md), section 3.3.3 and algorithm 7.
// Invariants: only ports on minimal up-down paths; what a step decided is fixed for those after it. Amounts are rounded
// to multiples of 1 / 5000 of the largest, as there; the tables are to be evaluated with what is really sent.
// Beyond the text: phases are added up; trees of two levels end after the second step; of parallel links down to a
// leaf, which the text does not have, each destination takes the least loaded one, heaviest first. Sub-problems are
// solved one after the other.

import { collapsed, type Traffic } from '../flows/traffic/matrix.js';
import type { FatTree } from '../fabric/fat-tree.js';
import { routableTraffic } from '../optimization/leaf-traffic.js';
import { RouteNetwork } from '../optimization/route-network.js';
import type { ForwardingTables } from '../routing/forwarding-tables.js';
import { MinimalPorts } from '../routing/minimal-ports.js';
import { solveLexicographically, type LinearSolver } from './linear-solver.js';
import { partitionedStep, type Item, type Step } from './partitioned-steps.js';

/** Amounts are multiples of this part of the largest. */
const roundingParts = 5000;

export interface PartitionedLimits {
  /** for each objective of the first step; the dissertation: 7.5 s */
  readonly interpodSeconds: number;
  /** for each objective of the other steps; the dissertation: 100 s */
  readonly objectiveSeconds: number;
  /** what is left for everything, asked before each step; without any the rest is routed greedily */
  readonly secondsLeft: () => number;
  /** ends a step with what it has when it is settled */
  readonly cancelled?: Promise<unknown>;
  /** told which step begins: its name, its number and about how many there are */
  readonly say?: (step: string) => void;
}

export interface PartitionedRoutes {
  readonly tables: ForwardingTables;
  /** sub-problems, and those whose objectives were all solved to the optimum */
  readonly steps: number;
  readonly optimalSteps: number;
}

/** Finds routes. @param rest complete minimal tables: their entries stand where no traffic goes */
export async function routePartitioned(
  tree: FatTree,
  traffic: Traffic,
  rest: ForwardingTables,
  solver: LinearSolver,
  limits: PartitionedLimits,
): Promise<PartitionedRoutes> {
  return new PartitionedBinary(tree, traffic, rest, solver, limits).run();
}

class PartitionedBinary {
  private readonly network: RouteNetwork;
  private readonly tables: ForwardingTables;
  private readonly minimal: MinimalPorts;
  private steps = 0;
  private optimalSteps = 0;
  /** objectives of the steps that are left, at most */
  private objectivesLeft: number;

  constructor(
    private readonly tree: FatTree,
    private readonly traffic: Traffic,
    rest: ForwardingTables,
    private readonly solver: LinearSolver,
    private readonly limits: PartitionedLimits,
  ) {
    this.network = new RouteNetwork(tree);
    this.tables = rest.copy();
    this.minimal = new MinimalPorts(tree);
    const groups = Math.max(1, tree.coreGroupCount);
    this.objectivesLeft = 2 + 3 * groups * tree.podCount + (tree.levels < 3 ? 0 : 3 * groups + 1);
  }

  async run(): Promise<PartitionedRoutes> {
    const flows = this.atLeaves();
    const group = await this.interpod(flows);
    const spines = await this.leafToSpine(flows, group);
    const turning = spines.filter(({ at, rank }) => this.network.spinePod[at] === this.podOfRank(rank));
    const climbing = spines.filter(({ at, rank }) => this.network.spinePod[at] !== this.podOfRank(rank));
    const cores = await this.spineToCore(climbing);
    const down = await this.coreDown(cores, turning);
    this.lastHops([...turning, ...down]);
    return { tables: this.tables, steps: this.steps, optimalSteps: this.optimalSteps };
  }

  private podOfRank(rank: number): number {
    return this.network.leafPod[this.network.leafOf[rank]!]!;
  }

  /** Ports that a switch may take to a host. */
  private portsOf(node: number): number[] {
    const { offset, ports } = this.minimal;
    return [...ports.subarray(offset[node], offset[node + 1])];
  }

  private atLeaves(): Item[] {
    const { tree, network } = this;
    const { offset, leaf, weight } = routableTraffic(tree, collapsed(this.traffic));
    const unit = weight.reduce((most, own) => Math.max(most, own), 0) / roundingParts;
    const items: Item[] = [];
    for (let rank = 0; rank < network.hostCount; rank++) {
      if (offset[rank] === offset[rank + 1]) continue;
      this.minimal.towards(tree.hostLeaf[rank]!);
      for (let flow = offset[rank]!; flow < offset[rank + 1]!; flow++) {
        const amount = Math.round(weight[flow]! / unit) * unit;
        const options = this.portsOf(tree.switches[0]![leaf[flow]!]!);
        if (amount > 0 && options.length > 0) items.push({ at: leaf[flow]!, rank, amount, options });
      }
    }
    return items;
  }

  /**
   * Solves a step.
   * @returns the option of each item: the greedy one's if the time is over, or nothing better was found in it
   */
  private async solve(
    name: string,
    items: readonly Item[],
    step: () => Step,
    objectives: number,
    seconds: number,
  ): Promise<number[]> {
    const left = this.limits.secondsLeft();
    const among = this.objectivesLeft;
    this.objectivesLeft -= objectives;
    if (items.every(({ options }) => options.length === 1)) return items.map(({ options }) => options[0]!);
    const { say, cancelled } = this.limits;
    say?.(name);
    this.steps++;
    const { program, greedy, chosen } = step();
    if (left <= 0) return chosen(greedy);
    // early steps must not take the time of later ones, which most of them do not need; section 3.4
    const most = Math.max(0.1, Math.min(seconds, (2 * left) / (among + 1)));
    const { solutions, values } = await solveLexicographically(program, this.solver, {
      seconds: most,
      start: greedy,
      ...(cancelled === undefined ? {} : { cancelled }),
    });
    if (solutions.length === objectives && solutions.every(({ status }) => status === 'optimal')) this.optimalSteps++;
    return chosen(values ?? greedy);
  }

  /** Core group of every flow (3.3.5 to 3.3.7), over spines and cores that are merged by group. */
  private async interpod(flows: readonly Item[]): Promise<number[]> {
    const { network } = this;
    const groupOf = (port: number): number => Math.max(0, network.spineGroup[network.portTo[port]!]!);
    const items = flows.map((item) => ({
      ...item,
      options: [...new Set(item.options.map(groupOf))].sort((a, b) => a - b),
    }));
    const capacity = this.mergedCapacities();
    const sent = new Map<number, number>();
    for (const { at, amount } of flows) sent.set(at, (sent.get(at) ?? 0) + amount);
    const crossing = (kind: string, side: (item: Item) => number, podsOnly: boolean) => ({
      maximum: 'maxval',
      key: (item: Item, option: number) => {
        if (podsOnly && network.leafPod[item.at] === this.podOfRank(item.rank)) return null;
        const key = `${kind} ${option} ${side(item)}`;
        return { key, share: 1 / capacity.get(key)! };
      },
    });
    return this.solve(
      'core groups',
      items,
      () =>
        partitionedStep(
          'interpod',
          items,
          [
            crossing('leaf', ({ at }) => at, false),
            crossing('leaf', ({ rank }) => network.leafOf[rank]!, false),
            crossing('up', ({ at }) => network.leafPod[at]!, true),
            crossing('down', ({ rank }) => this.podOfRank(rank), true),
            { maximum: 'imbalance', key: ({ at }, option) => ({ key: `${at} ${option}`, share: 1 / sent.get(at)! }) },
          ],
          ['maxval', 'imbalance'],
        ),
      2,
      this.limits.interpodSeconds,
    );
  }

  /** C: rates of the links that are merged into one, by what it joins. */
  private mergedCapacities(): Map<string, number> {
    const { network } = this;
    const capacity = new Map<string, number>();
    const add = (key: string, port: number): void => {
      capacity.set(key, (capacity.get(key) ?? 0) + 1 / network.worth[port]!);
    };
    for (let leaf = 0; leaf < network.leafCount; leaf++) {
      for (let i = network.leafUp.offset[leaf]!; i < network.leafUp.offset[leaf + 1]!; i++) {
        const port = network.leafUp.ports[i]!;
        add(`leaf ${Math.max(0, network.spineGroup[network.portTo[port]!]!)} ${leaf}`, port);
      }
    }
    for (let spine = 0; spine < network.spineCount; spine++) {
      for (let i = network.spineUp.offset[spine]!; i < network.spineUp.offset[spine + 1]!; i++) {
        for (const way of ['up', 'down'])
          add(`${way} ${network.spineGroup[spine]} ${network.spinePod[spine]}`, network.spineUp.ports[i]!);
      }
    }
    return capacity;
  }

  /** Leaf to spine (3.3.8 to 3.3.12), for each pod and core group. @returns what is at spines */
  private async leafToSpine(flows: readonly Item[], group: readonly number[]): Promise<Item[]> {
    const { network } = this;
    const parts = new Map<string, Item[]>();
    flows.forEach((item, i) => {
      const own = group[i];
      const options = item.options.filter((port) => Math.max(0, network.spineGroup[network.portTo[port]!]!) === own);
      const key = `pod ${network.leafPod[item.at]}, core group ${own}`;
      parts.set(key, [...(parts.get(key) ?? []), { ...item, options }]);
    });
    const at: Item[] = [];
    for (const [name, items] of parts) {
      const chosen = await this.solve(
        `leaf to spine, ${name}`,
        items,
        () =>
          partitionedStep(
            'leaf_to_spine',
            items,
            [
              { maximum: 'maxval', key: (_, port) => ({ key: `${port}`, share: network.worth[port]! }) },
              {
                maximum: 'maxperdestleaf',
                key: ({ at: leaf, rank }, port) =>
                  network.leafPod[leaf] === this.podOfRank(rank)
                    ? { key: `${network.portTo[port]}/${network.leafOf[rank]}`, share: 1 }
                    : null,
              },
              {
                maximum: 'maxperdestlid',
                key: ({ rank }, port) => ({ key: `${network.portTo[port]}/${rank}`, share: 1 }),
              },
            ],
            ['maxval', 'maxperdestleaf', 'maxperdestlid'],
          ),
        3,
        this.limits.objectiveSeconds,
      );
      at.push(...this.push(items, chosen));
    }
    return this.merged(at, 1);
  }

  /** Spine to core (3.3.13 to 3.3.17), for each core group. @returns what is at cores */
  private async spineToCore(items: readonly Item[]): Promise<Item[]> {
    const { network } = this;
    const at: Item[] = [];
    for (const group of new Set(items.map((item) => network.spineGroup[item.at]!))) {
      const own = items.filter((item) => network.spineGroup[item.at] === group);
      const chosen = await this.solve(
        `spine to core, core group ${group}`,
        own,
        () =>
          partitionedStep(
            'spine_to_core',
            own,
            [
              { maximum: 'maxval', key: (_, port) => ({ key: `${port}`, share: network.worth[port]! }) },
              {
                maximum: 'maxperdestlid',
                key: ({ rank }, port) => ({ key: `${network.portTo[port]}/${rank}`, share: 1 }),
              },
              {
                maximum: 'maxperdestpod',
                key: ({ rank }, port) => ({ key: `${network.portTo[port]}/${this.podOfRank(rank)}`, share: 1 }),
              },
            ],
            ['maxval', 'maxperdestlid', 'maxperdestpod'],
          ),
        3,
        this.limits.objectiveSeconds,
      );
      at.push(...this.push(own, chosen));
    }
    return this.merged(at, 2);
  }

  /** Core down (3.3.18, 3.3.19), with what turned at spines. @returns what came to spines */
  private async coreDown(items: readonly Item[], turning: readonly Item[]): Promise<Item[]> {
    const { network } = this;
    const dropCapacity = new Map<string, number>();
    for (const port of network.drops.ports) {
      const key = `${network.portFrom[port]} ${network.portTo[port]}`;
      dropCapacity.set(key, (dropCapacity.get(key) ?? 0) + 1 / network.worth[port]!);
    }
    const drop = (spine: number, rank: number): string => `${spine} ${network.leafOf[rank]}`;
    const fixed = new Map<string, number>();
    for (const { at, rank, amount } of turning)
      fixed.set(drop(at, rank), (fixed.get(drop(at, rank)) ?? 0) + amount / dropCapacity.get(drop(at, rank))!);
    const chosen = await this.solve(
      'core down',
      items,
      () =>
        partitionedStep(
          'core_down',
          items,
          [
            { maximum: 'maxval', key: (_, port) => ({ key: `${port}`, share: network.worth[port]! }) },
            {
              maximum: 'maxval',
              fixed,
              key: ({ rank }, port) => ({
                key: drop(network.portTo[port]!, rank),
                share: 1 / dropCapacity.get(drop(network.portTo[port]!, rank))!,
              }),
            },
          ],
          ['maxval'],
        ),
      1,
      this.limits.secondsLeft(),
    );
    return this.merged(this.push(items, chosen), 1);
  }

  /** Enters the ports chosen and moves the traffic along them. */
  private push(items: readonly Item[], chosen: readonly number[]): Item[] {
    const { network, tables, tree } = this;
    const { hosts, portNode } = tree.fabric;
    return items.map(({ rank, amount }, i) => {
      tables.setPort(portNode[chosen[i]!]!, hosts[rank]!, chosen[i]!);
      return { at: network.portTo[chosen[i]!]!, rank, amount, options: [] };
    });
  }

  /** Traffic of one destination at one switch, added up, with the ports it may take from there. */
  private merged(items: readonly Item[], level: number): Item[] {
    const sums = new Map<string, { at: number; rank: number; amount: number }>();
    for (const { at, rank, amount } of items) {
      const own = sums.get(`${at} ${rank}`);
      if (own === undefined) sums.set(`${at} ${rank}`, { at, rank, amount });
      else own.amount += amount;
    }
    let towards = -1;
    return [...sums.values()]
      .sort((a, b) => a.rank - b.rank || a.at - b.at)
      .map((item) => {
        const leaf = this.tree.hostLeaf[item.rank]!;
        if (leaf !== towards) this.minimal.towards(leaf);
        towards = leaf;
        return {
          at: item.at,
          rank: item.rank,
          amount: item.amount,
          options: this.portsOf(this.tree.switches[level]![item.at]!),
        };
      });
  }

  /** Down to the leaves: the one link, or of parallel ones the least loaded. */
  private lastHops(items: readonly Item[]): void {
    const { tree, tables, network } = this;
    const { hosts, portNode, portCount } = tree.fabric;
    const load = new Float64Array(portCount);
    for (const { rank, amount, options } of this.merged(items, 1).sort((a, b) => b.amount - a.amount)) {
      let best = options[0]!;
      for (const port of options)
        if (load[port]! + amount * network.worth[port]! < load[best]! + amount * network.worth[best]!) best = port;
      load[best]! += amount * network.worth[best]!;
      tables.setPort(portNode[best]!, hosts[rank]!, best);
    }
  }
}

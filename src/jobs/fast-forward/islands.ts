// Islands: the parts of a network that the groups of a job use and that share nothing, so that what goes on in one
// cannot be felt in another. Groups are of one island if any way of any transfer of theirs meets at a link, a switch or
// an NVSwitch; messages between stages are of islands, too.
// Invariant: two transfers of different islands never pass the same link, switch or NVSwitch, whichever equal-cost way
// each of them takes, as long as routes stay as they are. What is shared all the same is said in
// docs/models/fast-forward.md: random streams, and nothing else.

import { addTo } from '../../base/lists-by-key.js';
import { type Fabric, NodeKind } from '../../fabric/fabric.js';
import type { EqualCostRoutes } from '../../routing/equal-cost.js';
import type { JobGroup } from '../job-groups.js';
import { type GroupPairs, visitPairs } from './group-pairs.js';
import { IslandShape } from './island-shape.js';

/** pairs of ends whose ways are looked at; with more, everything is one island */
const mostPairs = 2 ** 21;

export interface Island {
  readonly number: number;
  /** ascending by id */
  readonly groups: readonly JobGroup[];
  /** islands with the same number are the same but for the names of nodes (island-shape.ts) */
  readonly shape: number;
  /** messages between stages go over it, too */
  readonly hasMessages: boolean;
}

/**
 * The islands of groups.
 * @param messages pairs of hosts between which messages go, one after the other
 * @returns by group
 */
export function islandsOf(
  groups: readonly GroupPairs[],
  messages: readonly number[],
  routes: EqualCostRoutes,
): ReadonlyMap<JobGroup, Island> {
  const count = groups.reduce((sum, { pairs }) => sum + pairs.length, messages.length / 2);
  const ways = new Ways(routes);
  const used = groups.map(() => -1);
  const sent: number[] = [];
  if (count <= mostPairs) {
    groups.forEach((pairs, i) => {
      visitPairs(pairs, (source, destination) => (used[i] = ways.join(source, destination, used[i]!)));
    });
    for (let i = 0; i < messages.length; i += 2) sent.push(ways.join(messages[i]!, messages[i + 1]!, -1));
  }
  const rootOf = (thing: number): number => (thing < 0 ? -1 : ways.root(thing));
  const withMessages = new Set(sent.map(rootOf));
  const members = new Map<number, GroupPairs[]>();
  groups.forEach((pairs, i) => {
    const root = rootOf(used[i]!);
    addTo(members, root, pairs);
  });
  const shapes = new Map<string, number>();
  const found = new Map<JobGroup, Island>();
  let number = 0;
  for (const [root, list] of members) {
    list.sort((a, b) => a.group.id - b.group.id);
    // ways that a hash decides make an island like no other
    const text = root < 0 ? null : new IslandShape(routes).of(list);
    const key = text ?? `island ${number}`;
    let shape = shapes.get(key);
    if (shape === undefined) shapes.set(key, (shape = shapes.size));
    const island = {
      number: number++,
      groups: list.map(({ group }) => group),
      shape,
      hasMessages: messages.length > 0 && (root < 0 || withMessages.has(root)),
    };
    for (const { group } of list) found.set(group, island);
  }
  return found;
}

/** Links, switches and NVSwitches, joined where a way passes them. */
class Ways {
  private readonly fabric: Fabric;
  /** by node, then by link: what it was joined to */
  private readonly parent: Int32Array;
  private readonly seen: Int32Array;
  private walk = 0;
  private readonly ports: Int32Array;

  constructor(private readonly routes: EqualCostRoutes) {
    const { nodeCount, linkCount, portOffset } = (this.fabric = routes.fabric);
    this.parent = Int32Array.from({ length: nodeCount + linkCount }, (_, i) => i);
    this.seen = new Int32Array(nodeCount);
    let most = 1;
    for (let node = 0; node < nodeCount; node++) most = Math.max(most, portOffset[node + 1]! - portOffset[node]!);
    this.ports = new Int32Array(most);
  }

  root(thing: number): number {
    const { parent } = this;
    let at = thing;
    while (parent[at] !== at) at = parent[at] = parent[parent[at]!]!;
    return at;
  }

  /** Joins everything on all ways from a node to another to a thing (-1: to each other). @returns one of them */
  join(source: number, destination: number, thing: number): number {
    const { routes, fabric, ports } = this;
    this.walk++;
    let joined = thing;
    const open: number[] = [];
    const add = (other: number): void => {
      if (joined < 0) joined = other;
      else this.parent[this.root(other)] = this.root(joined);
    };
    const pass = (port: number): void => {
      add(fabric.nodeCount + fabric.portLink[port]!);
      const node = fabric.portNode[fabric.portPeer[port]!]!;
      if (fabric.nodeKind[node] !== NodeKind.host) add(node);
      if (node === destination || this.seen[node] === this.walk) return;
      this.seen[node] = this.walk;
      open.push(node);
    };
    if (fabric.nodeKind[source] !== NodeKind.host) add(source);
    const count = routes.sourcePorts(source, destination, ports);
    for (let i = 0; i < count; i++) pass(ports[i]!);
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      const set = routes.nextHopSet(node, destination);
      if (set < 0) continue;
      for (let i = routes.setOffset[set]!; i < routes.setOffset[set + 1]!; i++) pass(routes.setPorts[i]!);
    }
    return joined;
  }
}

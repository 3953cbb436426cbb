// Which links a packet may have taken, from its ends alone: those on any equal-cost way between them, whatever the
// hashes say. A receiver tests no others.
// Hosts that hang on the same switches share the links between switches, unless tables lead to each host by ways of its
// own; their own links are told apart by host.
// Links come in two parts, up to the middle of the way and behind it: in a tree all ways out of a part of the fabric share
// the first, and all ways into one the second. So there are few parts, each of many packets.
// Invariant: every link of every path that the routes allow is among them. Ways that were possible before the routes
// changed are not: packets under way when a link fails are tested for the new ones.
// Source: Taffet's dissertation (docs/SOURCES.md), 2.5.1, "we do not need to test link d".

import type { EqualCostRoutes } from '../routing/equal-cost.js';
import { blocksOf, type TestedLinks } from './word-tests.js';

/** Sending ports of links that are tested together; equal parts of the routes in force are one object. */
export interface LinkPart extends TestedLinks {
  /** no other part has it, whatever the routes */
  readonly number: number;
}

export class PossibleLinks {
  /** by node: number of its set of neighbours, and of the tables' ways to it */
  private readonly classOf: Int32Array;
  private readonly wayOf: Int32Array;
  private ways = 0;
  private readonly known = new Map<number, readonly LinkPart[]>();
  /** by a hash of their links: those that stand in `known` */
  private readonly parts = new Map<number, LinkPart[]>();
  private partCount = 0;
  private readonly scratch: Int32Array;
  private readonly seen: Uint8Array;

  /** @param inForce the routes in force */
  constructor(private inForce: EqualCostRoutes) {
    const { nodeCount, portCount } = inForce.fabric;
    this.classOf = new Int32Array(nodeCount);
    this.wayOf = new Int32Array(nodeCount);
    this.scratch = new Int32Array(portCount);
    this.seen = new Uint8Array(nodeCount);
    this.classify();
  }

  /** The routes in force. */
  get routes(): EqualCostRoutes {
    return this.inForce;
  }

  /** Other routes of the same fabric are in force: all that was known is forgotten. */
  follow(routes: EqualCostRoutes): void {
    this.inForce = routes;
    this.known.clear();
    this.parts.clear();
    this.classify();
  }

  /** One number for all pairs of nodes between which the same links between other nodes are possible. */
  pairOf(source: number, destination: number): number {
    return this.classOf[source]! * this.ways + this.wayOf[destination]!;
  }

  /** Links between the two that touch neither of them, of their `pairOf`: up to two parts, none of them empty. */
  between(source: number, destination: number): readonly LinkPart[] {
    const pair = this.pairOf(source, destination);
    const known = this.known.get(pair);
    if (known !== undefined) return known;
    const found = this.search(source, destination);
    this.known.set(pair, found);
    return found;
  }

  /** Gives nodes with the same neighbours, over links that are up, one number. */
  private classify(): void {
    const { inForce: routes, classOf, wayOf } = this;
    const { nodeCount, portOffset, portNeighbour } = routes.fabric;
    const names = new Map<string, number>();
    for (let node = 0; node < nodeCount; node++) {
      const peers: number[] = [];
      for (let port = portOffset[node]!; port < portOffset[node + 1]!; port++)
        if (routes.leads(port)) peers.push(portNeighbour[port]!);
      const name = peers.sort((a, b) => a - b).join(' ');
      const known = names.get(name) ?? names.size;
      names.set(name, known);
      classOf[node] = known;
      wayOf[node] = routes.isByHost ? node : known;
    }
    this.ways = routes.isByHost ? nodeCount : names.size;
  }

  private search(source: number, destination: number): LinkPart[] {
    const { inForce: routes, seen } = this;
    const { portNode, portPeer } = routes.fabric;
    const found: number[] = [];
    const todo: number[] = [];
    const visit = (node: number): void => {
      if (node === destination || seen[node] === 1) return;
      seen[node] = 1;
      todo.push(node);
    };
    const first = routes.sourcePorts(source, destination, this.scratch);
    for (let i = 0; i < first; i++) visit(portNode[portPeer[this.scratch[i]!]!]!);
    // where in `found` the links of each further step of the way begin
    const steps: number[] = [];
    for (let i = 0, end = 0; i < todo.length; i++) {
      if (i === end) {
        steps.push(found.length);
        end = todo.length;
      }
      const set = routes.nextHopSet(todo[i]!, destination);
      if (set < 0) continue;
      for (let at = routes.setOffset[set]!; at < routes.setOffset[set + 1]!; at++) {
        const port = routes.setPorts[at]!;
        const next = portNode[portPeer[port]!]!;
        if (next === destination) continue;
        found.push(port);
        visit(next);
      }
    }
    for (const node of todo) seen[node] = 0;
    const middle = steps[steps.length >> 1] ?? 0;
    const halves = [found.slice(0, middle), found.slice(middle)].filter((links) => links.length > 0);
    return halves.map((links) => this.part(Int32Array.from(links).sort()));
  }

  /** The part of these links, which ascend. */
  private part(links: Int32Array): LinkPart {
    let hash = links.length;
    for (const link of links) hash = Math.imul(hash ^ link, 0x9e3779b1) ^ (hash >>> 15);
    const alike = this.parts.get(hash) ?? [];
    const known = alike.find(
      (part) => part.links.length === links.length && part.links.every((l, i) => l === links[i]),
    );
    if (known !== undefined) return known;
    const made = { number: this.partCount++, links, blocks: blocksOf(links) };
    this.parts.set(hash, [...alike, made]);
    return made;
  }
}

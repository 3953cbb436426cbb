// Which switches of a level are wired alike, and which cables they should therefore have.
// Invariant: alike are those that share at least half of their neighbours one level up, or one level down.

import { addTo, listsBy } from '../base/lists-by-key.js';

/** Cables by the switch that they lead to, one level up or one level down. */
export type Neighbours = ReadonlyMap<number, readonly number[]>;

/** Cables of switches one way, by switch, and the switches by what they lead to. */
export interface LevelCables {
  readonly cables: ReadonlyMap<number, Neighbours>;
  readonly leadTo: ReadonlyMap<number, readonly number[]>;
}

/**
 * Switches that share at least half of the neighbours, the switch itself among them. One that is as near to two
 * groups that share nothing (two pods, where there are two spines in each) is put into the one with fewer switches,
 * then into the one that stands nearer in the order of the nodes.
 * @param joined by a switch of each group: how many were put into it so far
 */
export function alikeSwitches(node: number, view: LevelCables, joined: Map<number, number>): number[] {
  const own = view.cables.get(node)!;
  const shared = new Map<number, number>();
  for (const peer of own.keys())
    for (const sibling of view.leadTo.get(peer)!) shared.set(sibling, (shared.get(sibling) ?? 0) + 1);
  const alike = [...shared].flatMap(([sibling, count]) =>
    2 * count >= Math.max(own.size, view.cables.get(sibling)!.size) ? [sibling] : [],
  );
  const others = alike.filter((sibling) => sibling !== node);
  if (others.every((sibling) => areAlike(view, others[0]!, sibling))) return alike;
  const sameSets = [...listsBy(others, (sibling) => [...view.cables.get(sibling)!.keys()].sort().join(' ')).values()];
  const groups = sameSets.filter((group) => group.length > 1);
  if (groups.length < 2 || others.some((sibling) => hasAll(view, sibling, own))) return alike;
  const [first] = groups.sort(
    (a, b) =>
      shared.get(b[0]!)! - shared.get(a[0]!)! ||
      a.length + (joined.get(a[0]!) ?? 0) - b.length - (joined.get(b[0]!) ?? 0) ||
      distance(node, a) - distance(node, b),
  );
  joined.set(first![0]!, (joined.get(first![0]!) ?? 0) + 1);
  return [node, ...others.filter((sibling) => areAlike(view, first![0]!, sibling))];
}

/** Whether two switches share at least half of the neighbours of either. */
function areAlike({ cables }: LevelCables, a: number, b: number): boolean {
  const [first, second] = [cables.get(a)!, cables.get(b)!];
  let shared = 0;
  for (const peer of first.keys()) if (second.has(peer)) shared++;
  return 2 * shared >= Math.max(first.size, second.size);
}

/** Whether a switch leads to all of some neighbours. */
function hasAll({ cables }: LevelCables, node: number, neighbours: Neighbours): boolean {
  return [...neighbours.keys()].every((peer) => cables.get(node)!.has(peer));
}

/** How far a node is from a group in the order of nodes, on average. */
function distance(node: number, group: readonly number[]): number {
  return group.reduce((sum, other) => sum + Math.abs(other - node), 0) / group.length;
}

/**
 * How many cables most of them have to each switch. Half are enough if the other half is of both kinds: without a
 * cable, and with another number of them. What they do not agree on is left out.
 */
export function expectedCables(alike: readonly number[], { cables }: LevelCables): Map<number, number> {
  const counts = new Map<number, number[]>();
  for (const sibling of alike) for (const [peer, ports] of cables.get(sibling)!) addTo(counts, peer, ports.length);
  const expected = new Map<number, number>();
  for (const [peer, own] of counts) {
    const usual = mostCommon(own);
    const agreeing = own.filter((count) => count === usual).length;
    const isSplit = 2 * Math.max(alike.length - own.length, own.length - agreeing) >= alike.length;
    if (2 * agreeing >= alike.length && !isSplit) expected.set(peer, usual);
  }
  return expected;
}

/** The value that most have; the larger of two that as many have. */
export function mostCommon(values: Iterable<number>): number {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].reduce(
    (best, own) => (own[1] > best[1] || (own[1] === best[1] && own[0] > best[0]) ? own : best),
    [0, 0],
  )[0];
}

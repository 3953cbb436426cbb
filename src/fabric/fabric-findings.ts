// What is odd about the cables of a fabric, by cable: below the rate of their kind, missing or crossed against what
// alike switches have, hosts that hang above the leaves, switches with less bandwidth upwards than others.
// Invariants: a switch is compared with switches of its level that share at least half of its neighbours above, and
// only where most of them agree; without such switches nothing is claimed. A switch without any cable upwards, where
// most of its level have some, is paired with switches above that have too few. Every finding names its cables.
// Not modelled: a switch that lacks all its cables (compare with an earlier capture for that), cables between switches
// of one level that lack nothing.

import { addTo, listsBy } from '../base/lists-by-key.js';
import { alikeSwitches, expectedCables, mostCommon, type Neighbours, type LevelCables } from './alike-switches.js';
import { components } from './fat-tree.js';
import { NodeKind, type Fabric } from './fabric.js';

/** A cable: its two ports; a port that is not known (of a cable that is missing) is null. */
export interface FoundLink {
  readonly nodes: readonly [number, number];
  readonly ports: readonly [number | null, number | null];
  /** rate of the cable; 0 for one that is missing */
  readonly rateBps: number;
  /** rate of most cables of its kind */
  readonly usualRateBps: number;
  /** numbers of ports on which a missing cable is expected; null where nobody knows */
  readonly expectedPorts?: readonly [number | null, number | null];
}

/** What a finding may be. */
export const findingKinds = {
  'slow-link': 'cables below the rate of most others of their kind',
  'missing-link': 'cables that alike switches have',
  'crossed-link': 'cables that lead to another switch than those of alike switches',
  'host-above-leaves': 'hosts on a switch that leaf switches hang on',
  'unbalanced-uplinks': 'cables of switches with less bandwidth upwards than most of their level',
} as const;

/** Something odd, with the cables that show it. */
export interface FabricFinding {
  readonly kind: keyof typeof findingKinds;
  /** something to mend; false: something to know */
  readonly isFault: boolean;
  readonly links: readonly FoundLink[];
}

/** Share of the cables of a kind up to which slower ones are taken for faults, and not for an older part. */
const fewLinks = 0.25;

/** What is odd, in the order of {@link findingKinds}. @param numberOf number of each port on its node */
export function findFaults(fabric: Fabric, numberOf: (port: number) => number): FabricFinding[] {
  const levels = cableLevels(fabric);
  const slow = slowLinks(fabric, levels);
  const { missing, crossed } = oddNeighbours(fabric, levels, numberOf);
  const dark = cablesOfDark(fabric, levels, missing, numberOf);
  const faults: FabricFinding[] = [
    { kind: 'slow-link', isFault: true, links: slow.few },
    { kind: 'slow-link', isFault: false, links: slow.many },
    { kind: 'missing-link', isFault: true, links: [...missing, ...dark] },
    { kind: 'crossed-link', isFault: true, links: crossed },
    { kind: 'host-above-leaves', isFault: false, links: hostsAbove(fabric, levels) },
    { kind: 'unbalanced-uplinks', isFault: false, links: [...unbalanced(fabric, levels), ...dark] },
  ];
  return faults.filter(({ links }) => links.length > 0);
}

/**
 * Levels by cables: 0 hosts, 1 leaves, 2 what leaves hang on, and so on; -1 others. A switch with hosts is no leaf if it
 * stands above switches with more hosts ({@link standsAbove}), or has fewer than most and joins what hangs together
 * without it and the cores.
 */
function cableLevels(fabric: Fabric): Int8Array {
  const { nodeCount, nodeKind, portOffset, portNeighbour } = fabric;
  const hosts = new Int32Array(nodeCount);
  for (const host of fabric.hosts)
    for (let port = portOffset[host]!; port < portOffset[host + 1]!; port++)
      if (nodeKind[portNeighbour[port]!] === NodeKind.switch) hosts[portNeighbour[port]!]!++;
  const leaves = Array.from({ length: nodeCount }, (_, node) => node).filter(
    (node) => hosts[node]! > 0 && !standsAbove(fabric, hosts, node),
  );
  const usual = mostCommon(leaves.map((node) => hosts[node]!));
  const level = levelsAbove(fabric, leaves);
  const doubtful = leaves.filter((node) => hosts[node]! < usual && portsTo(fabric, level, node, 2).length > 1);
  if (doubtful.length === 0) return level;
  const withoutThem = new Set(doubtful);
  const sure = levelsAbove(
    fabric,
    leaves.filter((node) => !withoutThem.has(node)),
  );
  const pods = components(fabric, (node) => sure[node] === 1 || sure[node] === 2);
  const joins = (node: number): boolean =>
    new Set(portsTo(fabric, sure, node, 2).map((port) => pods.of[portNeighbour[port]!])).size > 1;
  const above = new Set(doubtful.filter(joins));
  return above.size === 0
    ? level
    : levelsAbove(
        fabric,
        leaves.filter((node) => !above.has(node)),
      );
}

/**
 * Whether most neighbours of a switch that has hosts are switches with more: all neighbours, or those that have hosts,
 * if these are a third of all (a spine has about as many cores above it as leaves below).
 */
function standsAbove({ nodeKind, portOffset, portNeighbour }: Fabric, hosts: Int32Array, node: number): boolean {
  let [switches, withHosts, larger] = [0, 0, 0];
  for (let port = portOffset[node]!; port < portOffset[node + 1]!; port++) {
    const peer = portNeighbour[port]!;
    if (nodeKind[peer] !== NodeKind.switch) continue;
    switches++;
    if (hosts[peer]! > 0) withHosts++;
    if (hosts[peer]! > hosts[node]!) larger++;
  }
  return 2 * larger > switches || (2 * larger > withHosts && 3 * larger >= switches);
}

/** Levels of the nodes: 0 hosts, 1 the leaves, one more for each link upwards from these; -1 others. */
function levelsAbove(
  { hosts, nodeCount, nodeKind, portOffset, portNeighbour }: Fabric,
  leaves: readonly number[],
): Int8Array {
  const level = new Int8Array(nodeCount).fill(-1);
  for (const host of hosts) level[host] = 0;
  for (const leaf of leaves) level[leaf] = 1;
  let frontier = leaves;
  for (let next = 2; frontier.length > 0 && next < 100; next++) {
    const found: number[] = [];
    for (const node of frontier)
      for (let port = portOffset[node]!; port < portOffset[node + 1]!; port++) {
        const peer = portNeighbour[port]!;
        if (nodeKind[peer] !== NodeKind.switch || level[peer] !== -1) continue;
        level[peer] = next;
        found.push(peer);
      }
    frontier = found;
  }
  return level;
}

/** A cable of the fabric. */
function cable({ portNode, portPeer, portLink, linkRateBps }: Fabric, port: number, usualRateBps = 0): FoundLink {
  const peer = portPeer[port]!;
  const rateBps = linkRateBps[portLink[port]!]!;
  return {
    nodes: [portNode[port]!, portNode[peer]!],
    ports: [port, peer],
    rateBps,
    usualRateBps: usualRateBps === 0 ? rateBps : usualRateBps,
  };
}

/** Cables below the rate of most between the same two levels: the few, and, of kinds with many of them, the others. */
function slowLinks(fabric: Fabric, level: Int8Array): { readonly few: FoundLink[]; readonly many: FoundLink[] } {
  const kinds = new Map<string, number[]>();
  for (let link = 0; link < fabric.linkCount; link++) {
    const ends = [0, 1].map((end) => fabric.linkPorts[2 * link + end]!);
    const [a, b] = ends.map((port) => level[fabric.portNode[port]!]!).sort((x, y) => x - y);
    if (fabric.nodeKind[fabric.portNode[ends[0]!]!] === NodeKind.nvswitch) continue;
    if (fabric.nodeKind[fabric.portNode[ends[1]!]!] === NodeKind.nvswitch) continue;
    addTo(kinds, `${a} ${b}`, link);
  }
  const [few, many]: [FoundLink[], FoundLink[]] = [[], []];
  for (const links of kinds.values()) {
    const usual = mostCommon(links.map((link) => fabric.linkRateBps[link]!));
    const slow = links.filter((link) => fabric.linkRateBps[link]! < usual);
    const to = slow.length <= Math.max(1, fewLinks * links.length) ? few : many;
    for (const link of slow) to.push(cable(fabric, fabric.linkPorts[2 * link]!, usual));
  }
  return { few, many };
}

/** Hosts on switches above the leaves. */
function hostsAbove(fabric: Fabric, level: Int8Array): FoundLink[] {
  const found: FoundLink[] = [];
  for (const host of fabric.hosts)
    for (let port = fabric.portOffset[host]!; port < fabric.portOffset[host + 1]!; port++)
      if (level[fabric.portNeighbour[port]!]! > 1) found.push(cable(fabric, port));
  return found;
}

/** Ports of a switch to nodes of a level. */
function portsTo({ portOffset, portNeighbour }: Fabric, level: Int8Array, node: number, to: number): number[] {
  const ports: number[] = [];
  for (let port = portOffset[node]!; port < portOffset[node + 1]!; port++)
    if (level[portNeighbour[port]!] === to) ports.push(port);
  return ports;
}

/** Ports of a switch to switches one level up. */
function uplinks(fabric: Fabric, level: Int8Array, node: number): number[] {
  return portsTo(fabric, level, node, level[node]! + 1);
}

/** Cables upwards of switches that have less than most switches of their level. */
function unbalanced(fabric: Fabric, level: Int8Array): FoundLink[] {
  return [...switchesByLevel(fabric, level).values()].flatMap((nodes) => {
    const switches = nodes.flatMap((node) => {
      const ports = uplinks(fabric, level, node);
      const rateBps = ports.reduce((sum, port) => sum + fabric.linkRateBps[fabric.portLink[port]!]!, 0);
      return ports.length === 0 ? [] : [{ ports, rateBps }];
    });
    const usual = mostCommon(switches.map(({ rateBps }) => rateBps));
    return switches
      .filter(({ rateBps }) => rateBps < usual)
      .flatMap(({ ports }) => ports.map((port) => cable(fabric, port)));
  });
}

/**
 * Cables that switches lack which have none upwards while most of their level have some: each to a switch one level up
 * with fewer cables downwards than most there, those first that lead to no switch above the same leaves.
 * @param missing cables that are known to be missing
 */
function cablesOfDark(
  fabric: Fabric,
  level: Int8Array,
  missing: readonly FoundLink[],
  numberOf: (port: number) => number,
): FoundLink[] {
  const { portNeighbour, linkRateBps, portLink } = fabric;
  const found: FoundLink[] = [];
  for (const [own, nodes] of switchesByLevel(fabric, level)) {
    const ports = nodes.map((node) => portsTo(fabric, level, node, own + 1));
    const dark = nodes.filter((_, i) => ports[i]!.length === 0);
    if (dark.length === 0 || 2 * dark.length >= nodes.length) continue;
    const usual = mostCommon(ports.flatMap(({ length }) => (length === 0 ? [] : [length])));
    const usualRateBps = mostCommon(ports.flat().map((port) => linkRateBps[portLink[port]!]!));
    const upper = Array.from(level.keys()).filter((node) => level[node] === own + 1);
    const below = new Map(upper.map((node) => [node, portsTo(fabric, level, node, own)]));
    const usualBelow = mostCommon(Array.from(below.values(), ({ length }) => length));
    const lacking = new Map(Array.from(below, ([node, { length }]) => [node, usualBelow - length]));
    for (const { nodes: ends } of missing)
      if (lacking.has(ends[1]) && level[ends[0]] === own) lacking.set(ends[1], lacking.get(ends[1])! - 1);
    for (const node of dark) {
      const leaves = new Set(portsTo(fabric, level, node, own - 1).map((port) => portNeighbour[port]!));
      const besides = new Set(
        [...leaves].flatMap((leaf) => portsTo(fabric, level, leaf, own).map((port) => portNeighbour[port]!)),
      );
      const leadsThere = (peer: number): number =>
        below.get(peer)!.some((port) => besides.has(portNeighbour[port]!)) ? 1 : 0;
      const peers = upper.filter((peer) => lacking.get(peer)! > 0).sort((a, b) => leadsThere(a) - leadsThere(b));
      const slots = peers.flatMap((peer) => Array.from({ length: lacking.get(peer)! }, () => peer));
      for (const peer of slots.slice(0, usual)) {
        lacking.set(peer, lacking.get(peer)! - 1);
        const expectedPorts = [null, onlyGap(fabric, peer, numberOf)] as const;
        found.push({ nodes: [node, peer], ports: [null, null], rateBps: 0, usualRateBps, expectedPorts });
      }
    }
  }
  return found;
}

/** Switches from the leaves up. */
function switchesByLevel({ nodeCount, nodeKind }: Fabric, level: Int8Array): Map<number, number[]> {
  const switches = Array.from({ length: nodeCount }, (_, node) => node).filter(
    (node) => nodeKind[node] === NodeKind.switch && level[node]! >= 1,
  );
  return listsBy(switches, (node) => level[node]!);
}

/** Cables between switches of adjacent levels. @param step 1: upwards, -1: downwards */
function wiring(fabric: Fabric, level: Int8Array, step: number): LevelCables {
  const cables = new Map<number, Neighbours>();
  const leadTo = new Map<number, number[]>();
  for (const [own, nodes] of switchesByLevel(fabric, level)) {
    if (own + step < 1) continue;
    for (const node of nodes) {
      const ports = listsBy(portsTo(fabric, level, node, own + step), (port) => fabric.portNeighbour[port]!);
      cables.set(node, ports);
      for (const peer of ports.keys()) addTo(leadTo, peer, node);
    }
  }
  return { cables, leadTo };
}

/**
 * Cables that alike switches have, and cables that they have elsewhere. Those that lead elsewhere are looked for from
 * both ends: switches above may agree where those below are too few or too different to.
 */
function oddNeighbours(
  fabric: Fabric,
  level: Int8Array,
  numberOf: (port: number) => number,
): { readonly missing: FoundLink[]; readonly crossed: FoundLink[] } {
  const up = wiring(fabric, level, 1);
  const down = wiring(fabric, level, -1);
  const missing: FoundLink[] = [];
  /** by link */
  const crossed = new Map<number, FoundLink>();
  for (const view of [up, down]) {
    const joined = new Map<number, number>();
    /** of what was asked before: most switches are alike to the same */
    const expectedOf = new Map<string, ReadonlyMap<number, number>>();
    for (const [node, own] of view.cables) {
      const alike = alikeSwitches(node, view, joined);
      if (alike.length < 3) continue;
      const key = alike.join();
      const expected = expectedOf.get(key) ?? expectedCables(alike, view);
      expectedOf.set(key, expected);
      const surplus = extraPorts(own, { alike, expected }, view, numberOf);
      const extra = view === up ? [...sidewaysPorts(fabric, level, node, alike), ...surplus] : surplus;
      for (const [peer, count] of expected)
        for (let lacking = count - (own.get(peer)?.length ?? 0); lacking > 0; lacking--) {
          const other = extra.pop();
          const link = other === undefined ? -1 : fabric.portLink[other]!;
          if (other !== undefined && view === up) crossed.set(link, cable(fabric, other));
          else if (other !== undefined && !crossed.has(link)) crossed.set(link, cable(fabric, fabric.portPeer[other]!));
          else if (other === undefined && view === up)
            missing.push(missingCable(fabric, [node, peer], alike, view, numberOf));
        }
    }
  }
  return { missing, crossed: [...crossed.values()] };
}

/** Ports of a switch to others of its level; none where more than half of those alike have such cables. */
function sidewaysPorts(fabric: Fabric, level: Int8Array, node: number, alike: readonly number[]): number[] {
  const sideways = (own: number): number[] => portsTo(fabric, level, own, level[own]!);
  return 2 * alike.filter((own) => sideways(own).length > 0).length > alike.length ? [] : sideways(node);
}

/**
 * Ports of cables beyond those expected, of each switch that they lead to the usual ones left out first. A switch that
 * a quarter of the others lead to is no odd one, though too few do to expect it.
 */
function extraPorts(
  own: Neighbours,
  { alike, expected }: { readonly alike: readonly number[]; readonly expected: ReadonlyMap<number, number> },
  view: LevelCables,
  numberOf: (port: number) => number,
): number[] {
  return [...own].flatMap(([peer, ports]) => {
    const surplus = ports.length - (expected.get(peer) ?? 0);
    if (surplus <= 0) return [];
    const leading = alike.filter((sibling) => view.cables.get(sibling)!.has(peer)).length - 1;
    if (!expected.has(peer) && 4 * leading >= alike.length - 1) return [];
    const usual = usualNumber(alike, view, peer, numberOf);
    const oddness = (port: number): number => (numberOf(port) === usual ? 0 : 1);
    return [...ports].sort((a, b) => oddness(b) - oddness(a)).slice(0, surplus);
  });
}

/** A cable that alike switches have. @param nodes the one that lacks it, and where it should lead */
function missingCable(
  fabric: Fabric,
  nodes: readonly [number, number],
  alike: readonly number[],
  view: LevelCables,
  numberOf: (port: number) => number,
): FoundLink {
  const [node, peer] = nodes;
  const ports = alike.flatMap((sibling) => view.cables.get(sibling)!.get(peer) ?? []);
  return {
    nodes,
    ports: [null, null],
    rateBps: 0,
    usualRateBps: mostCommon(ports.map((port) => fabric.linkRateBps[fabric.portLink[port]!]!)),
    expectedPorts: [
      freeNumber(fabric, node, usualNumber(alike, view, peer, numberOf), numberOf),
      onlyGap(fabric, peer, numberOf),
    ],
  };
}

/** The number of the port by which most of them lead to a switch; 0 where they differ. */
function usualNumber(
  alike: readonly number[],
  { cables }: LevelCables,
  peer: number,
  numberOf: (port: number) => number,
): number {
  const numbers = alike.flatMap((sibling) => (cables.get(sibling)!.get(peer) ?? []).map(numberOf));
  const usual = mostCommon(numbers);
  return 2 * numbers.filter((number) => number === usual).length > numbers.length ? usual : 0;
}

function freeNumber(fabric: Fabric, node: number, number: number, numberOf: (port: number) => number): number | null {
  return number === 0 || numbersOf(fabric, node, numberOf).includes(number) ? null : number;
}

/** The one number below the largest in use that has no cable; null if there are several or none. */
function onlyGap(fabric: Fabric, node: number, numberOf: (port: number) => number): number | null {
  const used = new Set(numbersOf(fabric, node, numberOf));
  const gaps = Array.from({ length: Math.max(...used) }, (_, i) => i + 1).filter((number) => !used.has(number));
  return gaps.length === 1 ? gaps[0]! : null;
}

function numbersOf({ portOffset }: Fabric, node: number, numberOf: (port: number) => number): number[] {
  return Array.from({ length: portOffset[node + 1]! - portOffset[node]! }, (_, i) => numberOf(portOffset[node]! + i));
}

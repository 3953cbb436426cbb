// A fabric in a few numbers, for people and for --json: what stands in it, how its links differ, what is odd about it.

import { NodeKind, serverCount, type Fabric } from './fabric.js';
import { switchPlanes } from './nics.js';
import { idRanges, namesText, NodeNames } from './node-names.js';
import { nodeWord, serverSwitchNames } from './server-switch.js';
import { switchLevels } from './switch-levels.js';
import { unlinkedHosts, unreachablePair, type UnreachablePair } from './connectivity.js';

/** Links that are alike: the same kinds of ends, rate, latency and error rate. */
interface LinkClass {
  /** kinds of the two ends, such as `host-switch` */
  readonly ends: string;
  readonly rateBps: number;
  readonly latencyPs: number;
  readonly errorRate: number;
  readonly count: number;
}

/** What the nodes of a tier are called, and their ids. */
interface TierSummary {
  /** such as `leaf[0..15]`, or `core[0]` */
  readonly names: string;
  readonly count: number;
  /** as ranges, such as `144-151`; in the order of the names */
  readonly ids: string;
}

/** A fabric in numbers: more than 14 fields, since it is the object that `weft topology check --json` prints. */
export interface FabricSummary {
  readonly nodes: number;
  readonly hosts: number;
  readonly servers: number;
  readonly gpusPerServer: number;
  /** "" if unknown */
  readonly gpuType: string;
  readonly nvswitches: number;
  /** in their place where GPUs have no NVLink */
  readonly pcieSwitches: number;
  readonly switches: number;
  /**
   * switches at 1, 2, ... hops from the nearest host: leaves, spines, cores; switches no host reaches are not counted
   */
  readonly switchesByTier: readonly number[];
  /** nodes that share a word and are counted together in names, such as `leaf[2]` */
  readonly tiers: readonly TierSummary[];
  /** planes, and what stands in each, if there are two or more; else empty */
  readonly planes: readonly string[];
  readonly links: number;
  /** in order of first appearance */
  readonly linkClasses: readonly LinkClass[];
  readonly unlinkedHosts: readonly number[];
  /** null if every pair of linked hosts has a path */
  readonly unreachable: UnreachablePair | null;
}

/** Counts a fabric. Linear in its links. */
export function summariseFabric(fabric: Fabric): FabricSummary {
  const names = new NodeNames(fabric);
  const { word } = serverSwitchNames(fabric);
  const withinServers = countKind(fabric, NodeKind.nvswitch);
  return {
    nodes: fabric.nodeCount,
    hosts: fabric.hosts.length,
    servers: serverCount(fabric),
    gpusPerServer: fabric.gpusPerServer,
    gpuType: fabric.gpuType,
    nvswitches: word === 'nvswitch' ? withinServers : 0,
    pcieSwitches: word === 'pcie' ? withinServers : 0,
    switches: countKind(fabric, NodeKind.switch),
    switchesByTier: switchTiers(fabric),
    tiers: names.tiers.map(({ word, nodes }) => ({
      names: namesText(word, nodes.length),
      count: nodes.length,
      ids: idRanges(nodes),
    })),
    planes: planesText(fabric, names),
    links: fabric.linkCount,
    linkClasses: linkClasses(fabric),
    unlinkedHosts: unlinkedHosts(fabric),
    unreachable: unreachablePair(fabric),
  };
}

/** `plane[0] holds leaf[0..7] and spine[0..3]`, by the names of tiers. */
function planesText(fabric: Fabric, names: NodeNames): string[] {
  const { planeOf, count } = switchPlanes(fabric);
  return Array.from({ length: count < 2 ? 0 : count }, (_, plane) => {
    const parts = names.tiers.flatMap(({ word, nodes }) => {
      const places = Int32Array.from(nodes.keys()).filter((place) => planeOf[nodes[place]!] === plane + 1);
      return word === 'host' || places.length === 0 ? [] : [`${word}[${idRanges(places).replaceAll('-', '..')}]`];
    });
    return `plane[${plane}] holds ${parts.join(' and ')}`;
  });
}

function countKind(fabric: Fabric, kind: NodeKind): number {
  let count = 0;
  for (let node = 0; node < fabric.nodeCount; node++) if (fabric.nodeKind[node] === kind) count++;
  return count;
}

function linkClasses(fabric: Fabric): LinkClass[] {
  const classes = new Map<string, { -readonly [K in keyof LinkClass]: LinkClass[K] }>();
  for (let link = 0; link < fabric.linkCount; link++) {
    const a = fabric.nodeKind[fabric.portNode[fabric.linkPorts[2 * link]!]!]!;
    const b = fabric.nodeKind[fabric.portNode[fabric.linkPorts[2 * link + 1]!]!]!;
    const ends = `${nodeWord(fabric, a < b ? a : b)}-${nodeWord(fabric, a < b ? b : a)}`;
    const rateBps = fabric.linkRateBps[link]!;
    const latencyPs = fabric.linkLatencyPs[link]!;
    const errorRate = fabric.linkErrorRate[link]!;
    const key = `${ends} ${rateBps} ${latencyPs} ${errorRate}`;
    const known = classes.get(key);
    if (known === undefined) classes.set(key, { ends, rateBps, latencyPs, errorRate, count: 1 });
    else known.count++;
  }
  return [...classes.values()];
}

/** How many switches stand on each level, from 1. */
function switchTiers(fabric: Fabric): number[] {
  const tiers: number[] = [];
  for (const level of switchLevels(fabric)) if (level >= 1) tiers[level - 1] = (tiers[level - 1] ?? 0) + 1;
  return tiers;
}

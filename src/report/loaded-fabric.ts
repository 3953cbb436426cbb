// A fat tree with the load of each link between switches, as pictures need it: by stage (leaf and spine, spine and
// core) and direction.
// Invariant: every link between switches stands in one stage, once in each direction.

import type { FatTree } from '../fabric/fat-tree.js';
import type { LoadScale } from './load-classes.js';

export interface LoadedFabric {
  readonly tree: FatTree;
  /** load by sending port; with several phases that of the phase in which the link is worst */
  readonly load: Float64Array;
  /** the same / adaptive bound between switches (of that phase), or whatever the scale measures by; NaN = not known */
  readonly relative: Float64Array;
  readonly scale: LoadScale;
  /** what a switch is called */
  readonly nodeName: (node: number) => string;
  /** what a port is called, with its switch */
  readonly portName: (port: number) => string;
}

/** Links in one direction between two levels. */
export interface LinkStage {
  /** the lower of the two levels: 0 leaves, 1 spines */
  readonly level: number;
  readonly up: boolean;
  readonly title: string;
  /** sending ports, ascending */
  readonly ports: readonly number[];
}

/** Names of levels, one switch and several. */
const levelTexts = [
  ['leaf', 'leaves'],
  ['spine', 'spines'],
  ['core', 'cores'],
] as const;

/** The stages on the way of a packet: up from leaf to core, and down again. */
export function stagesOf({ fabric, levels, nodeLevel }: FatTree): LinkStage[] {
  const lists: number[][] = Array.from({ length: 2 * levels }, () => []);
  for (let port = 0; port < fabric.portCount; port++) {
    const own = nodeLevel[fabric.portNode[port]!]!;
    const other = nodeLevel[fabric.portNode[fabric.portPeer[port]!]!]!;
    if (own >= 0 && other >= 0) lists[2 * Math.min(own, other) + (own < other ? 0 : 1)]!.push(port);
  }
  const stages: LinkStage[] = [];
  for (let level = 0; level + 1 < levels; level++)
    stages.push({
      level,
      up: true,
      title: `up, ${levelTexts[level]![0]} to ${levelTexts[level + 1]![0]}`,
      ports: lists[2 * level]!,
    });
  for (let level = levels - 2; level >= 0; level--)
    stages.push({
      level,
      up: false,
      title: `down, ${levelTexts[level + 1]![0]} to ${levelTexts[level]![0]}`,
      ports: lists[2 * level + 1]!,
    });
  return stages;
}

/** The most loaded ports, the most loaded first; idle ones are left out. */
export function worstPorts({ tree, load, relative }: LoadedFabric, count: number): number[] {
  const ports = stagesOf(tree)
    .flatMap((stage) => stage.ports)
    .filter((port) => load[port]! > 0);
  return ports.sort((a, b) => relative[b]! - relative[a]! || a - b).slice(0, count);
}

/**
 * Spines of each pod by core group, leaves of each pod, cores of each core group: in the order of the fabric's
 * switches.
 */
export function podsOf(tree: FatTree): { pods: { leaves: number[]; spines: number[] }[]; coreGroups: number[][] } {
  const pods = Array.from({ length: Math.max(1, tree.podCount) }, () => ({
    leaves: [] as number[],
    spines: [] as number[],
  }));
  const coreGroups = Array.from({ length: tree.coreGroupCount }, () => [] as number[]);
  for (const node of tree.switches[0] ?? []) pods[tree.podOf[node]!]!.leaves.push(node);
  for (const node of tree.switches[1] ?? []) pods[tree.podOf[node]!]!.spines.push(node);
  for (const node of tree.switches[2] ?? []) coreGroups[tree.coreGroupOf[node]!]!.push(node);
  for (const { spines } of pods) spines.sort((a, b) => tree.coreGroupOf[a]! - tree.coreGroupOf[b]! || a - b);
  return { pods, coreGroups };
}

// Which links stand in for each other: all of a host; all that lead up from what hangs together below, and all that lead
// down into it (a leaf, a pod). Of switches of one level, as in a torus, those that leave a switch.

import { NodeKind, type Fabric } from '../fabric/fabric.js';
import { linkTiers } from '../fabric/link-tiers.js';
import { switchLevels } from '../fabric/switch-levels.js';

/** By output port: the number of its group, from 0. */
export function portGroups(fabric: Fabric): Int32Array {
  const { portCount, portNode, portNeighbour } = fabric;
  const levels = switchLevels(fabric);
  const { tierOf } = linkTiers(fabric);
  const below = new Map<number, Int32Array>();
  const rootOf = (node: number): number => {
    const level = levels[node]!;
    if (fabric.nodeKind[node] !== NodeKind.switch || level < 2) return node;
    let roots = below.get(level);
    if (roots === undefined) below.set(level, (roots = rootsUpTo(fabric, levels, level)));
    return roots[node]!;
  };
  const numbers = new Map<string, number>();
  return Int32Array.from({ length: portCount }, (_, port) => {
    const [from, to] = [portNode[port]!, portNeighbour[port]!];
    const [fromLevel, toLevel] = [levels[from]!, levels[to]!];
    const key = `${tierOf[port]!} ${fromLevel === toLevel ? from : rootOf(fromLevel < toLevel ? from : to)}`;
    let number = numbers.get(key);
    if (number === undefined) numbers.set(key, (number = numbers.size));
    return number;
  });
}

/** By node: the first of the switches that hang together with it by links between levels up to one, hosts left out. */
function rootsUpTo(
  { nodeCount, nodeKind, portCount, portNode, portNeighbour }: Fabric,
  levels: Float64Array,
  level: number,
): Int32Array {
  const rootOf = Int32Array.from({ length: nodeCount }, (_, node) => node);
  const find = (node: number): number => {
    let root = node;
    while (rootOf[root] !== root) root = rootOf[root] = rootOf[rootOf[root]!]!;
    return root;
  };
  for (let port = 0; port < portCount; port++) {
    const [from, to] = [portNode[port]!, portNeighbour[port]!];
    if (nodeKind[from] !== NodeKind.switch || nodeKind[to] !== NodeKind.switch) continue;
    if (levels[from]! > level || levels[to]! > level || levels[from] === levels[to]) continue;
    const [a, b] = [find(from), find(to)];
    rootOf[Math.max(a, b)] = Math.min(a, b);
  }
  return rootOf.map((_, node) => find(node));
}

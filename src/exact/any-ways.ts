// What no routes of any fabric are below: traffic split in any shares over any ways, as a linear programme
// (multi-commodity flow, one commodity for each switch that receives). Minimised is the largest load of links between
// switches.
// Invariant: a flow of tables is a solution, so that the optimum is a lower bound of all tables' largest load.
// Source: F. Shahrokhi and D. Matula, "The maximum concurrent flow problem", Journal of the ACM 37(2), 1990.

import type { LeafTraffic } from '../optimization/leaf-traffic.js';
import { interSwitchPorts, loadPerTraffic } from '../optimization/table-loads.js';
import { LinearProgram } from './linear-program.js';

/** Variables of the programme: what it costs to solve it. */
export function anyWaysSize({ tree, offset }: LeafTraffic): number {
  const between = interSwitchPorts(tree).reduce((sum, own) => sum + own, 0);
  const targets = new Set(tree.hostLeaf.filter((_, rank) => offset[rank]! < offset[rank + 1]!));
  return targets.size * between;
}

/** The programme. */
export function anyWaysProgram({ tree, offset, leaf, weight }: LeafTraffic): LinearProgram {
  const { fabric, hostLeaf } = tree;
  const { portNode, portCount, portNeighbour } = fabric;
  const between = interSwitchPorts(tree);
  const worth = loadPerTraffic(fabric);
  const leaves = tree.switches[0]!;
  const program = new LinearProgram('any_ways');
  const largest = program.real('z');
  /** by switch that receives: what each switch sends to its hosts */
  const demand = new Map<number, Map<number, number>>();
  for (let rank = 0; rank + 1 < offset.length; rank++)
    for (let flow = offset[rank]!; flow < offset[rank + 1]!; flow++) {
      const own = demand.get(hostLeaf[rank]!) ?? new Map<number, number>();
      demand.set(hostLeaf[rank]!, own);
      const from = leaves[leaf[flow]!]!;
      own.set(from, (own.get(from) ?? 0) + weight[flow]!);
    }
  const crossing: [variable: number, coefficient: number][][] = Array.from({ length: portCount }, () => []);
  for (const [target, sent] of demand) {
    const balance = new Map<number, [variable: number, coefficient: number][]>();
    const terms = (node: number): [variable: number, coefficient: number][] => {
      const own = balance.get(node) ?? [];
      balance.set(node, own);
      return own;
    };
    for (let port = 0; port < portCount; port++) {
      // what has arrived does not go on
      if (between[port] === 0 || portNode[port] === target) continue;
      const variable = program.real(`f_${target}_${port}`);
      crossing[port]!.push([variable, worth[port]!]);
      terms(portNode[port]!).push([variable, 1]);
      terms(portNeighbour[port]!).push([variable, -1]);
    }
    for (const [node, own] of balance)
      if (node !== target) program.row(`b_${target}_${node}`, own, '=', sent.get(node) ?? 0);
  }
  crossing.forEach((own, port) => {
    if (own.length > 0) program.row(`c_${port}`, [...own, [largest, -1]], '<=', 0);
  });
  program.objectives.push({ name: 'largest_load', terms: [[largest, 1]] });
  return program;
}

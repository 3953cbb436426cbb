// Cycles of ports as people read them.

import { type Fabric, portName } from './fabric.js';
import { NodeNames } from './node-names.js';

/** A cycle of ports: `10:3 (leaf[0]) -> 11:3 (leaf[1]) -> 10:3 (leaf[0])`, node and interface of each. */
export function cycleText(fabric: Fabric, cycle: readonly number[]): string {
  const names = new NodeNames(fabric);
  const textOf = (port: number): string => `${portName(fabric, port)} (${names.nameOf(fabric.portNode[port]!)})`;
  return [...cycle, cycle[0]!].map(textOf).join(' -> ');
}

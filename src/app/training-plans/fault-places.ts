// Where a fabric is disturbed to see how firm the order of plans is.

import { type Fabric, NodeKind } from '../../fabric/fabric.js';

/** The link from the leaf of the first GPU to its first switch above, as `node-node`; null: there is none. */
export function firstUplink({ hosts, nodeKind, portOffset, portNode, portPeer }: Fabric): string | null {
  const peersOf = (node: number): number[] =>
    Array.from(
      { length: portOffset[node + 1]! - portOffset[node]! },
      (_, i) => portNode[portPeer[portOffset[node]! + i]!]!,
    );
  const isSwitch = (node: number): boolean => nodeKind[node] === NodeKind.switch;
  const leaf = peersOf(hosts[0]!).find(isSwitch);
  const above = leaf === undefined ? undefined : peersOf(leaf).find(isSwitch);
  return above === undefined ? null : `${leaf!}-${above}`;
}

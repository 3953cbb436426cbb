// A link as reports name it: by the names of its ends, and by their GUIDs where the fabric has them, as names of switches
// repeat on real fabrics.

import type { Fabric } from './fabric.js';
import type { FabricIdentity } from './identity.js';
import { NodeNames } from './node-names.js';
import { endGuid } from './port-identity.js';

/** A link in one direction. */
export interface NamedLink {
  readonly from: string;
  readonly to: string;
  /** GUIDs of the end ports, where the fabric has them */
  readonly fromGuid: string | undefined;
  readonly toGuid: string | undefined;
}

/** Names links by their output ports. @param identity null: the fabric has no GUIDs */
export function linkNamer(fabric: Fabric, identity: FabricIdentity | null): (port: number) => NamedLink {
  const names = new NodeNames(fabric);
  const guidOf = (node: number): string | undefined => (identity === null ? undefined : endGuid(identity, node));
  return (port) => {
    const [from, to] = [fabric.portNode[port]!, fabric.portNeighbour[port]!];
    return { from: names.nameOf(from), to: names.nameOf(to), fromGuid: guidOf(from), toGuid: guidOf(to) };
  };
}

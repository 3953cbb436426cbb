// Names, GUIDs and LIDs for a fabric that has none of its own, such as a generated one: the same for everybody who
// asks, so that tables made for it by one command fit it in another.

import { InputError, wholeFile } from '../base/diagnostics.js';
import { NodeKind, type Fabric } from './fabric.js';
import { recogniseFatTree, type FatTree } from './fat-tree.js';
import {
  generatedIdentity,
  maxLid,
  maxRadix,
  namesWithoutLevels,
  withColdStartLids,
  type FabricIdentity,
} from './identity.js';

/**
 * Names, GUIDs and LIDs by level; where there are no levels, switches are called so.
 * @throws InputError if the fabric is too large
 */
export function levelIdentity(fabric: Fabric, file: string, tree?: FatTree): FabricIdentity {
  const identity = identityByLevel(fabric, tree ?? null);
  if (identity === null)
    throw InputError.at('too-large', file, wholeFile, 'the fabric does not fit an InfiniBand subnet', {
      got: `${fabric.nodeCount} end ports`,
      wanted: `at most ${maxLid} end ports, ${maxRadix} ports per switch`,
    });
  return identity;
}

/**
 * The identity under which every command knows a fabric, each node with a LID.
 * @param own what its file says of it; null: nothing
 * @returns null if it does not fit an InfiniBand subnet
 */
export function knownIdentity(fabric: Fabric, own: FabricIdentity | null): FabricIdentity | null {
  const identity = own ?? identityByLevel(fabric, recogniseFatTree(fabric).tree);
  return identity === null ? null : withColdStartLids(fabric, identity);
}

function identityByLevel(fabric: Fabric, tree: FatTree | null): FabricIdentity | null {
  return generatedIdentity(
    fabric,
    tree?.nodeLevel ?? Int8Array.from(fabric.nodeKind, (kind) => (kind === NodeKind.host ? -1 : 0)),
    tree?.isTree === true ? undefined : namesWithoutLevels,
  );
}

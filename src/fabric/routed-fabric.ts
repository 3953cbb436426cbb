// A fabric that routes are computed for: recognised as a fat tree, with the names that people know its parts by.
// Invariant: tree and identity are those of the same fabric. Not held: traffic and tables.

import type { Diagnostic } from '../base/diagnostics.js';
import { interfaceIndex, type Fabric } from './fabric.js';
import type { FatTree, NotAFatTree } from './fat-tree.js';
import type { FabricIdentity } from './identity.js';
import { shownName } from './port-identity.js';

/** A fabric to route, recognised. */
export interface RoutedFabric {
  readonly fabric: Fabric;
  readonly identity: FabricIdentity;
  /** of the file or family that it comes from */
  readonly name: string;
  /** of what is no fat tree: all switches on one level (oneLevel) */
  readonly tree: FatTree;
  /** why it is no fat tree; null = it is one */
  readonly noTree: NotAFatTree | null;
  /** switches of the top level that were named, empty if none were */
  readonly roots: readonly number[];
  readonly warnings: readonly Diagnostic[];
}

/** A port as people name it: switch[port number], with a GUID where names repeat; null without one (-1). */
export function portText({ fabric, identity }: RoutedFabric, port: number): string | null {
  if (port === -1) return null;
  const node = fabric.portNode[port]!;
  return `${shownName(identity, node)}[${identity.portNumber[port] ?? interfaceIndex(fabric, port)}]`;
}

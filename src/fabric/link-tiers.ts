// Where a link stands in a fabric: between hosts and NVSwitches (or PCIe switches), hosts and leaves, leaves and
// spines, in which direction.
// Invariant: every output port has one tier; the numbers of tiers count up in the order in which a packet would meet
// them.

import { type Fabric, NodeKind } from './fabric.js';
import { serverSwitchNames } from './server-switch.js';
import { levelWord, nvswitchLevel, switchLevels } from './switch-levels.js';

/** Output ports of one kind, as people name them. */
interface LinkTier {
  /**
   * such as `host-NVSwitch` (`host-PCIe` where GPUs have no NVLink), `host-leaf`, `leaf-spine`, `spine-leaf`,
   * `leaf-host`
   */
  readonly name: string;
  readonly ports: number;
}

export interface LinkTiers {
  readonly tiers: readonly LinkTier[];
  /** tier of each output port */
  readonly tierOf: Uint8Array;
}

/** Whether an output port's link has a host at either end. */
export function isOfHost({ portNode, portNeighbour, nodeKind }: Fabric, port: number): boolean {
  return nodeKind[portNode[port]!] === NodeKind.host || nodeKind[portNeighbour[port]!] === NodeKind.host;
}

/** Names every output port by the kinds of its ends. Linear in the links. */
export function linkTiers(fabric: Fabric): LinkTiers {
  const { portCount, portNode, portPeer, nodeKind } = fabric;
  const levels = switchLevels(fabric);
  const { short } = serverSwitchNames(fabric);
  const nameOf = (node: number): string => {
    if (nodeKind[node] === NodeKind.host) return 'host';
    if (nodeKind[node] === NodeKind.nvswitch) return short;
    return levels[node] === 0 ? 'switch' : levelWord(levels[node]!);
  };
  const names = new Map<string, { readonly order: number; ports: number }>();
  const nameOfPort = Array.from({ length: portCount }, (_, port) => {
    const [from, to] = [portNode[port]!, portNode[portPeer[port]!]!];
    const name = `${nameOf(from)}-${nameOf(to)}`;
    const known = names.get(name);
    if (known === undefined) names.set(name, { order: orderOf(levels[from]!, levels[to]!), ports: 1 });
    else known.ports++;
    return name;
  });
  const ordered = [...names];
  ordered.sort(([, a], [, b]) => a.order - b.order);
  const index = new Map(ordered.map(([name], tier) => [name, tier]));
  return {
    tiers: ordered.map(([name, { ports }]) => ({ name, ports })),
    tierOf: Uint8Array.from(nameOfPort, (name) => index.get(name)!),
  };
}

/** NVLink before the network, up before down, lower levels first on the way up. */
function orderOf(from: number, to: number): number {
  if (from <= to) return to;
  return from === nvswitchLevel ? nvswitchLevel + 0.1 : 1000 - from;
}

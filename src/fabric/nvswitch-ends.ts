// An NVSwitch at one end of a transfer: it may send to, and receive from, the hosts that are linked to it, and nobody
// else. That is what NVLS needs: every GPU of a server sends its part up to the NVSwitch, which sends the result down
// to every GPU.

import { type Fabric, NodeKind } from './fabric.js';
import { serverSwitchNames } from './server-switch.js';

/** What is wrong with an NVSwitch at one end of a transfer. */
export interface NvswitchEndProblem {
  /** the NVSwitch that is meant */
  readonly end: 'source' | 'destination';
  readonly message: string;
  readonly wanted: string;
}

/** True if a link joins two nodes. @param a the one with fewer ports */
export function isLinked({ portOffset, portNode, portPeer }: Fabric, a: number, b: number): boolean {
  for (let p = portOffset[a]!; p < portOffset[a + 1]!; p++) if (portNode[portPeer[p]!] === b) return true;
  return false;
}

/**
 * Checks the ends of a transfer as far as NVSwitches go.
 * @param source host or NVSwitch, as is `destination`; two different nodes
 * @returns null if both are hosts, or one is an NVSwitch that is linked to the other, a host
 */
export function nvswitchEndProblem(fabric: Fabric, source: number, destination: number): NvswitchEndProblem | null {
  const { nodeKind } = fabric;
  const isSource = nodeKind[source] === NodeKind.nvswitch;
  const isDestination = nodeKind[destination] === NodeKind.nvswitch;
  if (!isSource && !isDestination) return null;
  const { one, withArticle } = serverSwitchNames(fabric);
  if (isSource && isDestination) {
    const hosts = neighboursOf(fabric, source, NodeKind.host);
    return {
      end: 'destination',
      message: `a transfer from ${withArticle} to ${withArticle}`,
      wanted: hosts.length === 0 ? 'a host at one end' : `a host that is linked to ${one} ${source}: ${idsText(hosts)}`,
    };
  }
  const [host, nvswitch] = isSource ? [destination, source] : [source, destination];
  if (isLinked(fabric, host, nvswitch)) return null;
  const nvswitches = neighboursOf(fabric, host, NodeKind.nvswitch);
  return {
    end: isSource ? 'source' : 'destination',
    message: `${one} ${nvswitch} has no link to host ${host}: it sends and receives over its own links only`,
    wanted:
      nvswitches.length === 0
        ? `a host: no ${one} is linked to host ${host}`
        : `${withArticle} that is linked to host ${host}: ${idsText(nvswitches)}`,
  };
}

function neighboursOf({ portOffset, portNode, portPeer, nodeKind }: Fabric, node: number, kind: NodeKind): number[] {
  const found = new Set<number>();
  for (let p = portOffset[node]!; p < portOffset[node + 1]!; p++) {
    const neighbour = portNode[portPeer[p]!]!;
    if (nodeKind[neighbour] === kind) found.add(neighbour);
  }
  return [...found].sort((a, b) => a - b);
}

function idsText(ids: readonly number[]): string {
  const first = ids[0]!;
  const last = ids[ids.length - 1]!;
  return ids.length > 2 && last - first + 1 === ids.length
    ? `${first} to ${last}`
    : ids.length > 8
      ? `${ids.slice(0, 8).join(', ')}, …`
      : ids.join(', ');
}

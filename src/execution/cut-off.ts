// Which hosts failures have cut off from the other ends of their flows, and which links that stay down did it.
// Hosts do not forward: whatever leaves one goes over switches, or over a cable to the other host.

import { type Fabric, NodeKind } from '../fabric/fabric.js';
import { isMeshPort } from '../fabric/server-mesh.js';

/** flows that are looked at, and links and ranks that are named, at most */
const mostLooked = 64;
const mostNamed = 4;

/**
 * @param isUp by link
 * @param pairs source and destination of the flows that cannot end
 * @returns such as `link 0-18 is down for good: rank 0 cannot be reached`; empty if every destination can be reached
 */
export function cutOffText(fabric: Fabric, isUp: Uint8Array, pairs: readonly (readonly [number, number])[]): string {
  const reachedFrom = new Map<number, Uint8Array>();
  const reached = (host: number): Uint8Array => {
    const known = reachedFrom.get(host) ?? nodesReached(fabric, isUp, host);
    reachedFrom.set(host, known);
    return known;
  };
  const apart = pairs.slice(0, mostLooked).filter(([from, to]) => reached(from)[to] === 0);
  // an end that has lost all its NICs is the one to name, whichever way its flows go
  const cut = [...new Set(apart.flat())].filter((host) => hasLostNics(fabric, isUp, host));
  const down = linksDown(fabric, isUp, cut);
  if (apart.length === 0 || down.length === 0) return '';
  const ranks = (cut.length > 0 ? cut : [...new Set(apart.map(([, to]) => to))]).map((host) =>
    fabric.hosts.indexOf(host),
  );
  ranks.sort((a, b) => a - b);
  return `${namedList('link', down)} ${down.length === 1 ? 'is' : 'are'} down for good: ${namedList('rank', ranks)} cannot be reached`;
}

/** Whether all links of a host that leave its server are down, and there are some. */
function hasLostNics(fabric: Fabric, isUp: Uint8Array, host: number): boolean {
  const { portOffset, portLink, portNode, portPeer, nodeKind } = fabric;
  let lost = 0;
  for (let port = portOffset[host]!; port < portOffset[host + 1]!; port++) {
    if (nodeKind[portNode[portPeer[port]!]!] === NodeKind.nvswitch || isMeshPort(fabric, port)) continue;
    if (isUp[portLink[port]!] === 1) return false;
    lost++;
  }
  return lost > 0;
}

/** Links that are down, by their ends: those of these hosts, or all of them if there is none. */
function linksDown(fabric: Fabric, isUp: Uint8Array, hosts: readonly number[]): string[] {
  const { portCount, portLink, portNode, portPeer } = fabric;
  const down: string[] = [];
  for (let port = 0; port < portCount; port++) {
    if (isUp[portLink[port]!] === 1) continue;
    const [own, other] = [portNode[port]!, portNode[portPeer[port]!]!];
    if (hosts.length > 0 ? hosts.includes(own) : own < other) down.push(`${own}-${other}`);
  }
  return down;
}

function namedList(what: string, items: readonly (string | number)[]): string {
  const rest = items.length - mostNamed;
  const named = items.slice(0, mostNamed).join(', ');
  return `${what}${items.length === 1 ? '' : 's'} ${named}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** By node: 1 if packets of a host come there, breadth first over links that are up. */
function nodesReached(
  { portOffset, portLink, portNode, portPeer, nodeKind, nodeCount }: Fabric,
  isUp: Uint8Array,
  from: number,
): Uint8Array {
  const isReached = new Uint8Array(nodeCount);
  const queue = [from];
  isReached[from] = 1;
  for (let i = 0; i < queue.length; i++) {
    const node = queue[i]!;
    for (let port = portOffset[node]!; port < portOffset[node + 1]!; port++) {
      const other = portNode[portPeer[port]!]!;
      if (isUp[portLink[port]!] === 0 || isReached[other] === 1) continue;
      isReached[other] = 1;
      if (nodeKind[other] !== NodeKind.host) queue.push(other);
    }
  }
  return isReached;
}

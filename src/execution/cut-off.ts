// Which hosts failures have cut off from the other ends of their flows, and which links that stay down did it.
// Hosts do not forward: whatever leaves one goes over switches, or over a cable to the other host.

import { type Fabric, NodeKind } from '../fabric/fabric.js';

/** flows that are looked at, and links and ranks that are named, at most */
const mostLooked = 256;
const mostNamed = 4;

/**
 * @param isUp by link
 * @param pairs source and destination of the flows that cannot end
 * @returns such as `link 0-18 is down for good: rank 0 cannot be reached`; empty if every destination can be reached
 */
export function cutOffText(fabric: Fabric, isUp: Uint8Array, pairs: readonly (readonly [number, number])[]): string {
  const apart = pairs.slice(0, mostLooked).filter(([from, to]) => !reaches(fabric, isUp, from, to));
  if (apart.length === 0) return '';
  const ends = new Set(apart.flat());
  // a host all of whose links are down, or that can reach none of the others, is the one to name
  const lonely = [...ends].filter(
    (host) => !fabric.hosts.some((other) => other !== host && reaches(fabric, isUp, host, other)),
  );
  const ranks = (lonely.length > 0 ? lonely : [...new Set(apart.map(([, to]) => to))]).map((host) =>
    fabric.hosts.indexOf(host),
  );
  ranks.sort((a, b) => a - b);
  const down = linksDown(fabric, isUp, lonely);
  return `${namedList('link', down)} ${down.length === 1 ? 'is' : 'are'} down for good: ${namedList('rank', ranks)} cannot be reached`;
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

/** Breadth first over links that are up. */
function reaches(
  { portOffset, portLink, portNode, portPeer, nodeKind, nodeCount }: Fabric,
  isUp: Uint8Array,
  from: number,
  to: number,
): boolean {
  const isSeen = new Uint8Array(nodeCount);
  const queue = [from];
  isSeen[from] = 1;
  for (let i = 0; i < queue.length; i++) {
    const node = queue[i]!;
    for (let port = portOffset[node]!; port < portOffset[node + 1]!; port++) {
      const other = portNode[portPeer[port]!]!;
      if (isUp[portLink[port]!] === 0 || isSeen[other] === 1) continue;
      if (other === to) return true;
      isSeen[other] = 1;
      if (nodeKind[other] !== NodeKind.host) queue.push(other);
    }
  }
  return false;
}

// What the `failures.events` of a scenario name: links between two nodes, one port's link, a switch, a plane.

import { type Fabric, NodeKind } from '../fabric/fabric.js';
import { switchPlanes } from '../fabric/nics.js';

/** Links, or what is wrong with the name. */
export type Target = { readonly links: readonly number[] } | { readonly got: string; readonly wanted: string };

/** `16-20` (all links between two nodes) or `16:3` (the link of one port, node and interface number). */
export function linksNamed(fabric: Fabric, text: string): Target {
  const match = /^\s*(\d{1,9})\s*([-:])\s*(\d{1,9})\s*$/.exec(text);
  if (match === null)
    return { got: text, wanted: 'two nodes, such as 16-20, or a node and its interface, such as 16:3' };
  const node = Number(match[1]);
  const second = Number(match[3]);
  if (node >= fabric.nodeCount) return { got: text, wanted: `nodes from 0 to ${fabric.nodeCount - 1}` };
  const first = fabric.portOffset[node]!;
  const ports = fabric.portOffset[node + 1]! - first;
  if (match[2] === ':') {
    if (second < 1 || second > ports)
      return {
        got: text,
        wanted:
          ports === 0 ? `a node with links; node ${node} has none` : `an interface of node ${node}, 1 to ${ports}`,
      };
    return { links: [fabric.portLink[first + second - 1]!] };
  }
  const links: number[] = [];
  for (let port = first; port < first + ports; port++)
    if (fabric.portNode[fabric.portPeer[port]!] === second) links.push(fabric.portLink[port]!);
  if (links.length > 0) return { links };
  return { got: text, wanted: `two nodes joined by a link; node ${node} is linked to ${neighbours(fabric, node)}` };
}

/** All links of a switch. */
export function linksOfSwitch(fabric: Fabric, node: number): Target {
  if (node < fabric.nodeCount && fabric.nodeKind[node] !== NodeKind.host)
    return {
      links: fabric.portLink.subarray(fabric.portOffset[node]!, fabric.portOffset[node + 1]!) as unknown as number[],
    };
  const switches = Array.from(fabric.nodeKind.keys()).filter((id) => fabric.nodeKind[id] !== NodeKind.host);
  return {
    got: String(node),
    wanted:
      switches.length === 0
        ? 'a switch; this fabric has none'
        : `a switch, ${switches[0]!} to ${switches[switches.length - 1]!}`,
  };
}

/** All links of the switches of a plane. */
export function linksOfPlane(fabric: Fabric, plane: number): Target {
  const { planeOf, count } = switchPlanes(fabric);
  if (plane < 1 || plane > count)
    return { got: String(plane), wanted: count === 0 ? 'a fabric with switches' : `a plane from 1 to ${count}` };
  const links = new Set<number>();
  for (let port = 0; port < fabric.portCount; port++)
    if (planeOf[fabric.portNode[port]!] === plane) links.add(fabric.portLink[port]!);
  return { links: [...links] };
}

function neighbours(fabric: Fabric, node: number): string {
  const ids = new Set<number>();
  for (let port = fabric.portOffset[node]!; port < fabric.portOffset[node + 1]!; port++)
    ids.add(fabric.portNode[fabric.portPeer[port]!]!);
  return ids.size === 0 ? 'nothing' : `${[...ids].slice(0, 8).join(', ')}${ids.size > 8 ? ', …' : ''}`;
}

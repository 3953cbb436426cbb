// What the `failures.events` of a scenario name: links between two nodes, one port's link, a switch, a plane.

import { type Fabric, NodeKind } from '../../fabric/fabric.js';
import { switchPlanes } from '../../fabric/nics.js';
import {
  idRanges,
  looksLikeNodeName,
  namesText,
  type NamedNode,
  type NodeNameProblem,
  type NodeNames,
} from '../../fabric/node-names.js';
import { linkForm } from '../form/schema.js';

/** Links, or what is wrong with the name. */
export type Target = { readonly links: readonly number[] } | NodeNameProblem;

/** Two nodes and what stands between them, or one name alone. */
const linkText = /^([^-:]+)(?:([-:])([^-:]+))?$/;

/**
 * `leaf[2]-spine[0]` or `16-20` (all links between two nodes), `leaf[2]:3` or `16:3` (the link of one port, node and
 * interface number), `server[2].nic[1]` (the link of a NIC).
 */
export function linksNamed(fabric: Fabric, names: NodeNames, text: string): Target {
  if (fabric.identity === undefined) return linksInTiers(fabric, names, text);
  const found = linksIdentified(fabric, names, text);
  if (found !== null || /^\s*\d/.test(text) || looksLikeNodeName(text))
    return found ?? linksInTiers(fabric, names, text);
  const example = names.nameOf(fabric.nodeCount - 1);
  return { got: text, wanted: `two nodes with " - " between them, or a port of one, such as "${example}[1]"` };
}

/** A place in a text at which a link is cut into its ends. */
const cuts = /\s-\s|-/g;

/**
 * Links as InfiniBand's tools and `weft topology check` name them: `leaf00 - spine01` (all between two nodes),
 * `leaf00[5] - spine01[1]` (those ports), `leaf00[5]` (the link of one port). Names may have dashes themselves.
 * @returns null if the text names none
 */
function linksIdentified(fabric: Fabric, names: NodeNames, text: string): Target | null {
  const alone = names.findPort(text);
  if (alone !== null) return 'port' in alone ? { links: [fabric.portLink[alone.port]!] } : alone;
  let problem: NodeNameProblem | null = null;
  for (const { index, 0: cut } of text.matchAll(cuts)) {
    const halves = [text.slice(0, index), text.slice(index + cut.length)];
    const ends = halves.map((half) => names.findPort(half) ?? (/\[|^\s*\d+\s*$/.test(half) ? null : names.find(half)));
    const [first, second] = ends;
    if (first === undefined || first === null || second === undefined || second === null) continue;
    const wrong = [first, second].find((end) => !('node' in end));
    if (wrong === undefined) return joining(fabric, names, text, first as NamedNode, second as NamedNode);
    // a name that several nodes have is worth telling, one that a dash was cut out of is not
    if ((wrong as NodeNameProblem).unknown === undefined || cut.length > 1) problem ??= wrong as NodeNameProblem;
  }
  return problem;
}

function linksInTiers(fabric: Fabric, names: NodeNames, text: string): Target {
  const match = linkText.exec(text);
  const first = match === null ? null : nodeMeant(fabric, names, match[1]!);
  if (match === null || first === null) return { got: text, wanted: linkForm };
  if (!('node' in first)) return first;
  const [, , separator, rest] = match;
  if (separator === undefined || rest === undefined)
    return first.port >= 0 ? { links: [fabric.portLink[first.port]!] } : { got: text, wanted: linkForm };
  const { node } = first;
  const firstPort = fabric.portOffset[node]!;
  const ports = fabric.portOffset[node + 1]! - firstPort;
  const called = nodeText(names, node);
  if (separator === ':') {
    const place = /^\s*(\d{1,9})\s*$/.exec(rest);
    if (place === null) return { got: text, wanted: linkForm };
    const port = Number(place[1]);
    if (port >= 1 && port <= ports) return { links: [fabric.portLink[firstPort + port - 1]!] };
    return {
      got: text,
      wanted: ports === 0 ? `a node with links; ${called} has none` : `an interface of ${called}, 1 to ${ports}`,
    };
  }
  const second = nodeMeant(fabric, names, rest);
  if (second === null) return { got: text, wanted: linkForm };
  if (!('node' in second)) return second;
  return joining(fabric, names, text, { node, port: -1 }, { node: second.node, port: -1 });
}

/** All links between two nodes; between two ports, or one and a node, where ports are meant. */
function joining(fabric: Fabric, names: NodeNames, text: string, first: NamedNode, second: NamedNode): Target {
  const links: number[] = [];
  for (let port = fabric.portOffset[first.node]!; port < fabric.portOffset[first.node + 1]!; port++) {
    const peer = fabric.portPeer[port]!;
    if (fabric.portNode[peer] !== second.node) continue;
    if ((first.port < 0 || first.port === port) && (second.port < 0 || second.port === peer))
      links.push(fabric.portLink[port]!);
  }
  if (links.length > 0) return { links };
  const [called, other] = [first, second].map(({ node, port }) => nodeText(names, node, port));
  return {
    got: text,
    message: `link: no link joins ${called} and ${other}`,
    wanted: `two nodes joined by a link; ${called} is linked to ${neighbours(fabric, names, first.node)}`,
  };
}

/** An id or a name; null if it is neither. */
function nodeMeant(fabric: Fabric, names: NodeNames, text: string): NamedNode | NodeNameProblem | null {
  if (looksLikeNodeName(text)) return names.find(text);
  const match = /^\s*(\d{1,9})\s*$/.exec(text);
  if (match === null) return null;
  const node = Number(match[1]);
  if (node < fabric.nodeCount) return { node, port: -1 };
  return { got: text.trim(), wanted: `nodes from 0 to ${fabric.nodeCount - 1}` };
}

/** All links of a switch, by its number or name. */
export function linksOfSwitchNamed(fabric: Fabric, names: NodeNames, text: string): Target {
  const found = nodeMeant(fabric, names, text) ?? names.find(text);
  if (!('node' in found) && fabric.identity !== undefined) return found;
  return linksOfSwitch(fabric, names, 'node' in found ? found.node : fabric.nodeCount);
}

/** All links of a switch. */
export function linksOfSwitch(fabric: Fabric, names: NodeNames, node: number): Target {
  if (node < fabric.nodeCount && fabric.nodeKind[node] !== NodeKind.host)
    return {
      links: fabric.portLink.subarray(fabric.portOffset[node]!, fabric.portOffset[node + 1]!) as unknown as number[],
    };
  const tiers = names.tiers.filter(({ word }) => word !== 'host');
  const each = tiers.map(({ word, nodes }) => `${namesText(word, nodes.length)} (${idRanges(nodes)})`);
  return {
    got: node < fabric.nodeCount ? nodeText(names, node) : String(node),
    wanted: tiers.length === 0 ? 'a switch; this fabric has none' : `a switch: ${each.join(', ')}`,
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

function neighbours(fabric: Fabric, names: NodeNames, node: number): string {
  const ids = new Set<number>();
  for (let port = fabric.portOffset[node]!; port < fabric.portOffset[node + 1]!; port++)
    ids.add(fabric.portNode[fabric.portPeer[port]!]!);
  const first = [...ids].slice(0, 8).map((id) => nodeText(names, id));
  return ids.size === 0 ? 'nothing' : `${first.join(', ')}${ids.size > 8 ? ', …' : ''}`;
}

/** A node by both of what people may call it: `leaf[2] (node 18)`; a port where one is meant. */
function nodeText(names: NodeNames, node: number, port = -1): string {
  return `${port < 0 ? names.nameOf(node) : names.portName(port)} (node ${node})`;
}

// Where links stand in a congested-fraction plot: switches by level, each direction of a link as the half of a line on
// the side that sends, and below each leaf its hosts as pairs of bars: above what they receive, below what they send.
// Invariants: every link between two nodes that are drawn has a mark in each direction; what carries nothing has none,
// and is counted, as is what stands inside servers.
// Source: Taffet's dissertation (docs/SOURCES.md), 2.3.3.

import { NodeKind, type Fabric } from '../../fabric/fabric.js';
import { counted } from '../text-style.js';
import { boxHeight, type Box, chunks, halvesOf, layOutFabric, numbers } from './fabric-layout.js';

const mostLines = 1500;
/** pairs of bars below a leaf; of more hosts neighbours share one */
const mostRows = 36;
/** pairs are this high together with the gap below them, where there are few in a column or many */
const pairHeight = { few: 14, many: 8 };
const fewRows = 12;

/** A link or several, of which both directions are drawn. */
export interface DrawnLink {
  readonly low: string;
  readonly high: string;
  /** sending ports by direction: up, down */
  readonly ports: readonly [readonly number[], readonly number[]];
  /** paths of the two halves; null: it is a pair of bars */
  readonly halves: readonly [string, string] | null;
  /** of bars: their middle, where the pair begins and what a bar may be wide and is high */
  readonly x: number;
  readonly y: number;
  readonly room: number;
  readonly barHeight: number;
}

export interface CongestedPlan {
  readonly boxes: readonly Box[];
  readonly links: readonly DrawnLink[];
  /** numbers of hosts below each leaf, and where they stand */
  readonly hostNumbers: readonly { readonly x: number; readonly y: number; readonly text: string }[];
  readonly height: number;
  /** what was left out or put together, in sentences */
  readonly note: string;
}

/** Lays out all that carries something. @param traffic packets by sending port @param nameOf own names of nodes */
export function congestedPlan(
  fabric: Fabric,
  traffic: Float64Array,
  nameOf: (node: number) => string | null,
): CongestedPlan {
  const { nodeCount, nodeKind, portCount, portNode, portPeer } = fabric;
  const carries = (port: number): boolean => traffic[port]! > 0 || traffic[portPeer[port]!]! > 0;
  const isShown = new Uint8Array(nodeCount);
  let [idle, inside] = [0, 0];
  for (let port = 0; port < portCount; port++) {
    if (portPeer[port]! < port) continue;
    const ends = [portNode[port]!, portNode[portPeer[port]!]!];
    if (!carries(port)) idle++;
    else if (ends.every((node) => nodeKind[node] !== NodeKind.switch)) inside++;
    else for (const node of ends) isShown[node] = 1;
  }
  const { boxes, boxOf, groups, note } = layOutFabric(fabric, {
    mostLines,
    nameOf,
    isShown: (node) => isShown[node] === 1,
    hasHosts: false,
  });
  const links: DrawnLink[] = [];
  for (const { from, to, ports } of groups) {
    const up = ports.filter(carries);
    if (up.length === 0) continue;
    const [low, high] = [boxes[from]!, boxes[to]!];
    links.push({
      low: low.label,
      high: high.label,
      ports: [up, up.map((port) => portPeer[port]!)],
      halves: halvesOf(low, high),
      x: 0,
      y: 0,
      room: 0,
      barHeight: 0,
    });
  }
  const columns = hostColumns(fabric, boxOf, boxes.length, carries);
  const placed = placeColumns(fabric, boxes, columns, nameOf);
  const idleSwitches = nodeKind.reduce(
    (sum, kind, node) => sum + (kind === NodeKind.switch && isShown[node] === 0 ? 1 : 0),
    0,
  );
  const notes = [
    ...(idle > 0
      ? [
          `Left out, as they carry nothing: ${counted(idle, 'link')}${idleSwitches > 0 ? ` and ${counted(idleSwitches, 'switch', 'switches')}` : ''}.`,
        ]
      : []),
    ...(inside > 0 ? [`Not drawn: ${counted(inside, 'link')} inside servers.`] : []),
    ...(note === '' ? [] : [`Many nodes share a box (${note}); a line is the sum of its links.`]),
    ...(placed.perPair > 1 ? [`A pair of bars is up to ${counted(placed.perPair, 'host')}.`] : []),
  ];
  return {
    boxes,
    links: [...links, ...placed.links],
    hostNumbers: placed.hostNumbers,
    height: placed.height,
    note: notes.join(' '),
  };
}

/** By box: ports by which hosts below it send, in the order of the hosts. */
function hostColumns(
  { hosts, portOffset, portNode, portPeer }: Fabric,
  boxOf: Int32Array,
  boxes: number,
  carries: (port: number) => boolean,
): number[][] {
  const columns: number[][] = Array.from({ length: boxes }, () => []);
  for (const host of hosts)
    for (let port = portOffset[host]!; port < portOffset[host + 1]!; port++) {
      const box = boxOf[portNode[portPeer[port]!]!]!;
      if (box >= 0 && carries(port)) columns[box]!.push(port);
    }
  return columns;
}

function placeColumns(
  fabric: Fabric,
  boxes: readonly Box[],
  columns: readonly (readonly number[])[],
  nameOf: (node: number) => string | null,
): { links: DrawnLink[]; hostNumbers: CongestedPlan['hostNumbers']; height: number; perPair: number } {
  const { hosts, portNode, portPeer } = fabric;
  const numberOf = new Map(Array.from(hosts, (host, i) => [host, i]));
  const numberAt = (port: number): number => numberOf.get(portNode[port]!)!;
  const longest = columns.reduce((most, { length }) => Math.max(most, length), 0);
  const perPair = Math.max(1, Math.ceil(longest / mostRows));
  const high = Math.ceil(longest / perPair) <= fewRows ? pairHeight.few : pairHeight.many;
  const barHeight = (high - 2) / 2;
  const links: DrawnLink[] = [];
  const hostNumbers: { x: number; y: number; text: string }[] = [];
  let height = boxes.reduce((most, { y }) => Math.max(most, y + boxHeight), 0);
  columns.forEach((ports, box) => {
    if (ports.length === 0) return;
    const { x, y, room, label } = boxes[box]!;
    hostNumbers.push({ x, y: y + boxHeight / 2 + 12, text: numbers(numberAt(ports[0]!), numberAt(ports.at(-1)!)) });
    chunks(ports, perPair).forEach((own, row) => {
      const [first, last] = [own[0]!, own.at(-1)!];
      const name = own.length === 1 ? nameOf(portNode[first]!) : null;
      links.push({
        low: name ?? `host[${numbers(numberAt(first), numberAt(last))}]`,
        high: label,
        ports: [own, own.map((port) => portPeer[port]!)],
        halves: null,
        x,
        y: y + boxHeight / 2 + 17 + row * high,
        room: Math.max(2, room - 4),
        barHeight,
      });
      height = Math.max(height, y + boxHeight / 2 + 17 + (row + 1) * high);
    });
  });
  return { links, hostNumbers, height: height + 8, perPair };
}

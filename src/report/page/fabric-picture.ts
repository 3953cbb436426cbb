// The fabric of a run as a picture: hosts or servers below, leaves, spines and cores above, each half of a link in the
// colour of what is sent from that side (as the weather maps of network operators): of the time that flows lost by
// sharing it, or of its load. The page adds what the pointer
// says: loads of links, and the ways of the slowest flows.
// Invariants: a fabric of any size becomes at most `mostBoxes` boxes per level and `mostLines` lines (neighbours share
// a box, and a line then has the highest load of its links); colours are classes of CSS, so that the page has them
// light and dark; every text is escaped.

import { NodeKind } from '../../fabric/fabric.js';
import { coordinate } from '../svg-text.js';
import {
  boxesSvg,
  type Box,
  type FabricLayout,
  halvesOf,
  layOutFabric,
  pairKey,
  pictureWidth,
} from './fabric-layout.js';
import { short } from './figures.js';
import { type Contention, contentionOf } from './contention.js';
import { shareOf, type CarriedLoads } from './carried-loads.js';
import { contentionClass, loadClass } from './look.js';
import type { FlowColumns } from './flow-columns.js';

const mostLines = 1500;

/** What is sent over a line in one direction. */
export interface LineLoad {
  readonly bytes: number;
  /** of its most loaded link, in percent */
  readonly load: number;
  readonly lostPs: number;
  /** of the link on which most was lost beside what its flows would have taken alone, in percent */
  readonly lost: number;
  /** most flows at once on a link, where any time was lost */
  readonly sharers: number;
  readonly flows: number;
}

/** A line between two boxes: links that lead from the lower to the upper. */
interface FabricLine {
  readonly from: number;
  readonly to: number;
  readonly links: number;
  readonly up: LineLoad;
  readonly down: LineLoad;
}

/** A flow with its way: numbers of lines, and whether it goes up. */
export interface PicturedFlow {
  readonly flow: number;
  readonly source: number;
  readonly destination: number;
  readonly completionPs: number;
  readonly slowdown: number;
  readonly sizeBytes: number;
  readonly sourcePort: number;
  readonly lines: readonly number[];
  readonly ups: readonly number[];
  /** boxes of its switches by name */
  readonly through: string;
}

export interface FabricPicture {
  readonly svg: string;
  readonly names: readonly string[];
  readonly lines: readonly FabricLine[];
  /** the slowest first */
  readonly flows: readonly PicturedFlow[];
  /** what was put together, in words; empty: nothing */
  readonly note: string;
}

/** Draws the fabric of a run. @param flows its finished flows @param nameOf own names of nodes; null: by their tier */
export function fabricPicture(
  loads: CarriedLoads,
  flows: FlowColumns,
  durationPs: number,
  nameOf: (node: number) => string | null = () => null,
): FabricPicture {
  const { fabric } = loads;
  const layout = layOutFabric(fabric, { mostLines, nameOf, hasHosts: true });
  const { boxes, boxOf } = layout;
  const contention = contentionOf(loads, flows);
  const lines = layout.groups.map((group) => lineOf(loads, contention, group, durationPs));
  const lineAt = new Map(lines.map(({ from, to }, i) => [pairKey(from, to), i]));
  const pictured = loads.ways
    .map(({ flow, ports }): PicturedFlow => {
      const [own, ups, through]: [number[], number[], string[]] = [[], [], []];
      for (const port of ports) {
        const node = fabric.portNode[port]!;
        const [a, b] = [boxOf[node]!, boxOf[fabric.portNode[fabric.portPeer[port]!]!]!];
        if (fabric.nodeKind[node] === NodeKind.switch && boxes[a] !== undefined) through.push(boxes[a].label);
        const up = lineAt.get(pairKey(a, b));
        const line = up ?? lineAt.get(pairKey(b, a));
        if (line === undefined) continue;
        own.push(line);
        ups.push(up === undefined ? 0 : 1);
      }
      return {
        flow: flows.flow.values[flow]!,
        source: flows.source.values[flow]!,
        destination: flows.destination.values[flow]!,
        completionPs: flows.completionPs(flow),
        slowdown: short(flows.slowdown(flow), 4),
        sizeBytes: flows.sizeBytes.values[flow]!,
        sourcePort: flows.sourcePort.values[flow]!,
        lines: own,
        ups,
        through: through.join(', '),
      };
    })
    .sort((a, b) => b.completionPs - a.completionPs || a.flow - b.flow);
  return {
    svg: drawn(boxes, lines),
    names: boxes.map(({ label }) => label),
    lines,
    flows: pictured,
    note: layout.note,
  };
}

function lineOf(
  loads: CarriedLoads,
  { lostPs, alonePs, mostFlows }: Contention,
  { from, to, ports }: FabricLayout['groups'][number],
  durationPs: number,
): FabricLine {
  const sum = (sending: readonly number[]): LineLoad => ({
    bytes: sending.reduce((all, port) => all + loads.bytes[port]!, 0),
    load: sending.reduce((most, port) => Math.max(most, short(100 * shareOf(loads, port, durationPs), 4)), 0),
    flows: sending.reduce((all, port) => all + loads.flows[port]!, 0),
    lostPs: Math.round(sending.reduce((all, port) => all + lostPs[port]!, 0)),
    lost: sending.reduce(
      (most, port) => (lostPs[port] === 0 ? most : Math.max(most, short((100 * lostPs[port]!) / alonePs[port]!, 4))),
      0,
    ),
    sharers: sending.reduce((most, port) => Math.max(most, mostFlows[port]!), 0),
  });
  return {
    from,
    to,
    links: ports.length,
    up: sum(ports),
    down: sum(ports.map((port) => loads.fabric.portPeer[port]!)),
  };
}

/** Of utilisation and of contention: the page shows one of them. */
function classesOf({ load, lost }: LineLoad): string {
  return `c${loadClass(load / 100)} w${contentionClass(lost / 100)}`;
}

/** The picture; the page finds boxes and lines by their numbers. */
function drawn(boxes: readonly Box[], lines: readonly FabricLine[]): string {
  const height = Math.max(...boxes.map(({ y }) => y)) + 36;
  const order = lines.map((_, i) => i);
  const lost = ({ up, down }: FabricLine): number => Math.max(up.lost, down.lost);
  const load = ({ up, down }: FabricLine): number => Math.max(up.load, down.load);
  order.sort((a, b) => lost(lines[a]!) - lost(lines[b]!) || load(lines[a]!) - load(lines[b]!) || a - b);
  const halves: string[] = [];
  for (const index of order) {
    const { from, to, up, down } = lines[index]!;
    const [lower, upper] = halvesOf(boxes[from]!, boxes[to]!);
    halves.push(
      `<g data-line="${index}"><path class="half ${classesOf(up)}" d="${lower}"/>` +
        `<path class="half ${classesOf(down)}" d="${upper}"/>` +
        `<path class="touch" d="${lower}"/><path class="touch" d="${upper}"/></g>`,
    );
  }
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" class="fabric" viewBox="0 0 ${pictureWidth} ${coordinate(height)}" ` +
    'role="img" aria-label="The fabric with contention and load of its links" ' +
    `font-size="11">${halves.join('')}${boxesSvg(boxes)}</svg>`
  );
}

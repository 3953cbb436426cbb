// The fabric of a run as a picture: hosts or servers below, leaves, spines and cores above, each half of a link in the
// colour of what is sent from that side (as the weather maps of network operators). The page adds what the pointer
// says: loads of links, and the ways of the slowest flows.
// Invariants: a fabric of any size becomes at most `mostBoxes` boxes per level and `mostLines` lines (neighbours share
// a box, and a line then has the highest load of its links); colours are classes of CSS, so that the page has them
// light and dark; every text is escaped.

import { NodeKind, serverOf, type Fabric } from '../../fabric/fabric.js';
import { nvswitchLevel, levelWord, switchLevels } from '../../fabric/switch-levels.js';
import { coordinate, escaped, fitting, textWidth } from '../svg-text.js';
import { short } from './figures.js';
import { shareOf, type CarriedLoads } from './carried-loads.js';
import { loadClass } from './look.js';
import type { FlowColumns } from './flow-columns.js';

const mostBoxes = 64;
const mostLines = 1500;
const width = 1120;
const levelHeight = 150;
const boxHeight = 22;
/** a narrower box has a number in place of its label */
const widestNumber = 44;

/** A box: one node, or neighbours of a level. */
interface Box {
  readonly label: string;
  /** in a box too narrow for its label: its number, or the first of them */
  readonly number: string;
  readonly level: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

/** What is sent over a line in one direction. */
export interface LineLoad {
  readonly bytes: number;
  /** of its most loaded link, in percent */
  readonly load: number;
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
  const levels = switchLevels(fabric);
  let layout = layOut(fabric, levels, mostBoxes, nameOf);
  let lines = linesOf(loads, levels, layout.boxOf, durationPs);
  for (let most = mostBoxes / 2; lines.length > mostLines && most >= 4; most /= 2) {
    layout = layOut(fabric, levels, most, nameOf);
    lines = linesOf(loads, levels, layout.boxOf, durationPs);
  }
  const lineOf = new Map(lines.map(({ from, to }, i) => [from * 65_536 + to, i]));
  const { boxes, boxOf } = layout;
  const pictured = loads.ways
    .map(({ flow, ports }): PicturedFlow => {
      const [own, ups, through]: [number[], number[], string[]] = [[], [], []];
      for (const port of ports) {
        const node = fabric.portNode[port]!;
        const [a, b] = [boxOf[node]!, boxOf[fabric.portNode[fabric.portPeer[port]!]!]!];
        if (fabric.nodeKind[node] === NodeKind.switch && boxes[a] !== undefined) through.push(boxes[a].label);
        const up = lineOf.get(a * 65_536 + b);
        const line = up ?? lineOf.get(b * 65_536 + a);
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

interface Layout {
  readonly boxes: Box[];
  /** by node; -1: it is not drawn (NVSwitches stand within servers) */
  readonly boxOf: Int32Array;
  readonly note: string;
}

function layOut(fabric: Fabric, levels: Float64Array, most: number, nameOf: (node: number) => string | null): Layout {
  const boxOf = new Int32Array(fabric.nodeCount).fill(-1);
  const boxes: Box[] = [];
  const notes: string[] = [];
  const highest = levels.reduce((top, level) => Math.max(top, level), 0);
  const isServers = fabric.gpusPerServer > 1;
  const y = (level: number): number => 36 + (highest - level) * levelHeight;
  const place = (level: number, groups: readonly (readonly number[])[], word: string, per: number): void => {
    const room = (width - 24) / groups.length;
    const own = Math.min(110, room - 4);
    groups.forEach((nodes, i) => {
      for (const node of nodes) boxOf[node] = boxes.length;
      const number = per === 1 ? String(i) : `${i * per}..${i * per + Math.ceil(nodes.length / unit) - 1}`;
      const label = (nodes.length === 1 ? nameOf(nodes[0]!) : null) ?? `${word}[${number}]`;
      boxes.push({ label, number: String(i * per), level, x: 12 + room * (i + 0.5), y: y(level), width: own });
    });
    if (per > 1) notes.push(`a box is ${per} ${word === 'leaf' ? 'leave' : word}s`);
  };
  let unit = isServers ? fabric.gpusPerServer : 1;
  const bottom: number[][] = [];
  for (const host of fabric.hosts) (bottom[isServers ? serverOf(fabric, host) : bottom.length] ??= []).push(host);
  const perBox = Math.ceil(bottom.length / most);
  place(
    0,
    chunks(bottom, perBox).map((group) => group.flat()),
    isServers ? 'server' : 'host',
    perBox,
  );
  unit = 1;
  for (let level = 1; level <= highest; level++) {
    if (level === nvswitchLevel) continue;
    const nodes: number[] = [];
    levels.forEach((own, node) => {
      if (own === level) nodes.push(node);
    });
    const per = Math.ceil(nodes.length / most);
    place(level, chunks(nodes, per), levelWord(level), per);
  }
  return { boxes, boxOf, note: notes.join('; ') };
}

function chunks<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, i) => list.slice(i * size, (i + 1) * size));
}

function linesOf(loads: CarriedLoads, levels: Float64Array, boxOf: Int32Array, durationPs: number): FabricLine[] {
  const { fabric, bytes, flows } = loads;
  const found = new Map<number, { from: number; to: number; links: number; up: LineLoad; down: LineLoad }>();
  const none: LineLoad = { bytes: 0, load: 0, flows: 0 };
  const joined = (load: LineLoad, port: number): LineLoad => ({
    bytes: load.bytes + bytes[port]!,
    load: Math.max(load.load, short(100 * shareOf(loads, port, durationPs), 4)),
    flows: load.flows + flows[port]!,
  });
  for (let port = 0; port < fabric.portCount; port++) {
    const peer = fabric.portPeer[port]!;
    const [node, other] = [fabric.portNode[port]!, fabric.portNode[peer]!];
    const [from, to] = [boxOf[node]!, boxOf[other]!];
    // each link once, from below; links between switches of a level from the first of them
    const isLower = levels[node]! < levels[other]! || (levels[node] === levels[other] && node < other);
    if (from < 0 || to < 0 || from === to || !isLower) continue;
    const key = from * 65_536 + to;
    let line = found.get(key);
    if (line === undefined) found.set(key, (line = { from, to, links: 0, up: none, down: none }));
    line.links++;
    line.up = joined(line.up, port);
    line.down = joined(line.down, peer);
  }
  return [...found.values()];
}

/** The picture; the page finds boxes and lines by their numbers. */
function drawn(boxes: readonly Box[], lines: readonly FabricLine[]): string {
  const height = Math.max(...boxes.map(({ y }) => y)) + 36;
  const order = lines.map((_, i) => i);
  const most = ({ up, down }: FabricLine): number => Math.max(up.load, down.load);
  order.sort((a, b) => most(lines[a]!) - most(lines[b]!) || a - b);
  const halves: string[] = [];
  for (const index of order) {
    const { from, to, up, down } = lines[index]!;
    const [low, high] = [boxes[from]!, boxes[to]!];
    const [x1, y1] = [low.x, low.y - boxHeight / 2];
    const [x2, y2] = [high.x, high.y + boxHeight / 2];
    const [mx, my] = [(x1 + x2) / 2, (y1 + y2) / 2];
    halves.push(
      `<g data-line="${index}"><path class="half c${loadClass(up.load / 100)}" d="M${coordinate(x1)} ${coordinate(y1)}L${coordinate(mx)} ${coordinate(my)}"/>` +
        `<path class="half c${loadClass(down.load / 100)}" d="M${coordinate(mx)} ${coordinate(my)}L${coordinate(x2)} ${coordinate(y2)}"/>` +
        `<path class="touch" d="M${coordinate(x1)} ${coordinate(y1)}L${coordinate(x2)} ${coordinate(y2)}"/></g>`,
    );
  }
  const texts = boxes.map(({ label, x, y, width: own }, index) => {
    const text = own < widestNumber ? '' : fitting(label, own - 4, 11);
    return (
      `<g data-box="${index}"><rect class="box" x="${coordinate(x - own / 2)}" ` +
      `y="${coordinate(y - boxHeight / 2)}" width="${coordinate(own)}" height="${boxHeight}" rx="4"/>` +
      `${text === '' ? '' : `<text class="name" x="${coordinate(x)}" y="${coordinate(y + 4)}" text-anchor="middle">${escaped(text)}</text>`}</g>`
    );
  });
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" class="fabric" viewBox="0 0 ${width} ${coordinate(height)}" ` +
    'role="img" aria-label="The fabric with the load of its links" ' +
    `font-size="11">${halves.join('')}${texts.join('')}${rowNames(boxes)}</svg>`
  );
}

/** Where boxes are too narrow for their labels: what they are, and as many of their numbers as there is room for. */
function rowNames(boxes: readonly Box[]): string {
  const rows = new Map<number, Box[]>();
  for (const box of boxes) (rows.get(box.y) ?? rows.set(box.y, []).get(box.y)!).push(box);
  const texts: string[] = [];
  for (const row of rows.values()) {
    const first = row[0]!;
    if (first.width >= widestNumber) continue;
    const room = row.length > 1 ? row[1]!.x - first.x : width;
    const stride = Math.ceil((textWidth(row.at(-1)!.number, 11) + 6) / room);
    row.forEach(({ x, y, number, width: own }, i) => {
      if (i % stride !== 0) return;
      const isInside = stride === 1 && textWidth(number, 11) <= own - 2;
      texts.push(
        `<text class="name" pointer-events="none" x="${coordinate(x)}" ` +
          `y="${coordinate(isInside ? y + 4 : y + boxHeight / 2 + 13)}" ` +
          `text-anchor="middle">${escaped(number)}</text>`,
      );
    });
    texts.push(
      `<text class="name row" x="${coordinate(first.x - first.width / 2)}" ` +
        `y="${coordinate(first.y - boxHeight / 2 - 6)}">${escaped(first.label.replace(/ .*$/, ''))}</text>`,
    );
  }
  return texts.join('');
}

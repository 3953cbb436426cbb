// Where switches and hosts of a fabric stand in a picture: by level, hosts or servers below, leaves, spines and cores
// above, and which links become one line between two boxes.
// Invariants: a fabric of any size becomes at most so many boxes per level and so many lines (neighbours share a box);
// every link between boxes stands in one group, from its lower end; every text is escaped.

import { serverOf, type Fabric } from '../../fabric/fabric.js';
import { nvswitchLevel, levelWord, switchLevels } from '../../fabric/switch-levels.js';
import { coordinate, escaped, fitting, textWidth } from '../svg-text.js';

export const pictureWidth = 1120;
const mostBoxes = 64;
const levelHeight = 150;
/** room for the word of the highest level */
const topMargin = 52;
export const boxHeight = 22;
/** a narrower box has a number in place of its label */
const widestNumber = 44;

/** A box: one node, or neighbours of a level. */
export interface Box {
  readonly label: string;
  /** in a box too narrow for its label: its number, or the first of them */
  readonly number: string;
  readonly level: number;
  /** what nodes of its level are called: `leaf` */
  readonly word: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  /** for it and the gap beside it */
  readonly room: number;
}

/** Links between two boxes. */
interface LinkGroup {
  readonly from: number;
  readonly to: number;
  /** sending ports of the lower ends: those of the ways up */
  readonly ports: number[];
}

export interface FabricLayout {
  readonly boxes: readonly Box[];
  /** by node; -1: it is not drawn (NVSwitches stand within servers) */
  readonly boxOf: Int32Array;
  readonly groups: readonly LinkGroup[];
  /** what was put together, in words; empty: nothing */
  readonly note: string;
}

/** What is to be laid out. */
export interface LayoutRequest {
  readonly mostLines: number;
  /** own names of nodes; null: by their tier */
  readonly nameOf: (node: number) => string | null;
  /** whether a node has a place; left out: all have */
  readonly isShown?: (node: number) => boolean;
  /** whether hosts or servers have boxes */
  readonly hasHosts: boolean;
}

/** Lays a fabric out, with fewer boxes until there are few enough lines. */
export function layOutFabric(fabric: Fabric, request: LayoutRequest): FabricLayout {
  const levels = switchLevels(fabric);
  for (let most = mostBoxes; ; most /= 2) {
    const made = placed(fabric, levels, most, request);
    const groups = groupsOf(fabric, levels, made.boxOf);
    if (groups.length <= request.mostLines || most / 2 < 4) return { ...made, groups };
  }
}

/** Nodes that share a box unless there are too many boxes: a switch, or the hosts of a server. */
interface Place {
  readonly number: number;
  readonly nodes: readonly number[];
}

function placed(
  fabric: Fabric,
  levels: Float64Array,
  most: number,
  { nameOf, isShown = () => true, hasHosts }: LayoutRequest,
): Omit<FabricLayout, 'groups'> {
  const boxOf = new Int32Array(fabric.nodeCount).fill(-1);
  const boxes: Box[] = [];
  const notes: string[] = [];
  const highest = levels.reduce((top, level) => Math.max(top, level), 0);
  const place = (level: number, places: readonly Place[], word: string): void => {
    const per = Math.max(1, Math.ceil(places.length / most));
    const groups = chunks(places, per);
    const room = (pictureWidth - 24) / groups.length;
    groups.forEach((group, i) => {
      const nodes = group.flatMap((own) => own.nodes);
      for (const node of nodes) boxOf[node] = boxes.length;
      const [first, last] = [group[0]!.number, group.at(-1)!.number];
      const label = (nodes.length === 1 ? nameOf(nodes[0]!) : null) ?? `${word}[${numbers(first, last)}]`;
      boxes.push({
        label,
        number: String(first),
        level,
        word,
        x: 12 + room * (i + 0.5),
        y: topMargin + (highest - level) * levelHeight,
        width: Math.min(110, room - 4),
        room,
      });
    });
    if (per > 1) notes.push(`a box is ${per} ${word === 'leaf' ? 'leave' : word}s`);
  };
  if (hasHosts) place(0, hostPlaces(fabric), fabric.gpusPerServer > 1 ? 'server' : 'host');
  for (let level = 1; level <= highest; level++) {
    if (level === nvswitchLevel) continue;
    const places: Place[] = [];
    let number = 0;
    levels.forEach((own, node) => {
      if (own !== level) return;
      if (isShown(node)) places.push({ number, nodes: [node] });
      number++;
    });
    place(level, places, levelWord(level));
  }
  return { boxes, boxOf, note: notes.join('; ') };
}

function hostPlaces(fabric: Fabric): Place[] {
  const isServers = fabric.gpusPerServer > 1;
  const nodes: number[][] = [];
  for (const host of fabric.hosts) (nodes[isServers ? serverOf(fabric, host) : nodes.length] ??= []).push(host);
  return nodes.map((own, number) => ({ number, nodes: own }));
}

/** `3`, or `3..5`. */
export function numbers(first: number, last: number): string {
  return first === last ? String(first) : `${first}..${last}`;
}

export function chunks<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, i) => list.slice(i * size, (i + 1) * size));
}

function groupsOf(fabric: Fabric, levels: Float64Array, boxOf: Int32Array): LinkGroup[] {
  const found = new Map<number, LinkGroup>();
  for (let port = 0; port < fabric.portCount; port++) {
    const [node, other] = [fabric.portNode[port]!, fabric.portNode[fabric.portPeer[port]!]!];
    const [from, to] = [boxOf[node]!, boxOf[other]!];
    // each link once, from below; links between switches of a level from the first of them
    const isLower = levels[node]! < levels[other]! || (levels[node] === levels[other] && node < other);
    if (from < 0 || to < 0 || from === to || !isLower) continue;
    const key = pairKey(from, to);
    const group = found.get(key);
    if (group === undefined) found.set(key, { from, to, ports: [port] });
    else group.ports.push(port);
  }
  return [...found.values()];
}

/** One number for two boxes. */
export function pairKey(from: number, to: number): number {
  return from * 65_536 + to;
}

/** A place in a path. */
function point(x: number, y: number): string {
  return `${coordinate(x)} ${coordinate(y)}`;
}

/**
 * Both halves of a line as paths, from the lower box to the middle and from there on. Boxes of one level are joined by
 * an arc above them, higher the farther they are apart.
 */
export function halvesOf(low: Box, high: Box): readonly [string, string] {
  const [mx, y1] = [(low.x + high.x) / 2, low.y - boxHeight / 2];
  if (low.level === high.level) {
    const rise = 24 + Math.min(70, Math.abs(high.x - low.x) / 8);
    const top = point(mx, y1 - rise);
    return [
      `M${point(low.x, y1)}Q${point((low.x + mx) / 2, y1 - rise)} ${top}`,
      `M${top}Q${point((high.x + mx) / 2, y1 - rise)} ${point(high.x, y1)}`,
    ];
  }
  const y2 = high.y + boxHeight / 2;
  const middle = point(mx, (y1 + y2) / 2);
  return [`M${point(low.x, y1)}L${middle}`, `M${middle}L${point(high.x, y2)}`];
}

/** All boxes with their labels; the page finds them by their numbers. */
export function boxesSvg(boxes: readonly Box[]): string {
  const texts = boxes.map(({ label, x, y, width: own }, index) => {
    const text = own < widestNumber ? '' : fitting(label, own - 4, 11);
    return (
      `<g data-box="${index}"><rect class="box" x="${coordinate(x - own / 2)}" ` +
      `y="${coordinate(y - boxHeight / 2)}" width="${coordinate(own)}" height="${boxHeight}" rx="4"/>` +
      `${text === '' ? '' : `<text class="name" x="${coordinate(x)}" y="${coordinate(y + 4)}" text-anchor="middle">${escaped(text)}</text>`}</g>`
    );
  });
  return `${texts.join('')}${rowNames(boxes)}${levelNames(boxes)}`;
}

/** What each level is, in letters that a telephone shows large enough: the page has them there in place of labels. */
function levelNames(boxes: readonly Box[]): string {
  const seen = new Set<number>();
  const texts: string[] = [];
  for (const { level, y, word } of boxes) {
    if (seen.has(level)) continue;
    seen.add(level);
    texts.push(`<text class="level" font-size="30" x="0" y="${coordinate(y - boxHeight / 2 - 8)}">${word}</text>`);
  }
  return texts.join('');
}

/** Where boxes are too narrow for their labels: what they are, and as many of their numbers as there is room for. */
function rowNames(boxes: readonly Box[]): string {
  const rows = new Map<number, Box[]>();
  for (const box of boxes) (rows.get(box.y) ?? rows.set(box.y, []).get(box.y)!).push(box);
  const texts: string[] = [];
  for (const row of rows.values()) {
    const first = row[0]!;
    if (first.width >= widestNumber) continue;
    const room = row.length > 1 ? row[1]!.x - first.x : pictureWidth;
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

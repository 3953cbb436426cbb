// A small fabric as switches by level with every link: cores above, leaves below, pods and core groups side by side.
// Each half of a link has the colour of what the switch on that side sends, as on the weather maps of network
// operators: the lower half is up, the upper down.
// Invariant: every link between switches is drawn, parallel ones side by side; the most loaded are drawn last, above
// the others.

import { loadColour } from './load-classes.js';
import { podsOf, type LoadedFabric } from './loaded-fabric.js';
import { coordinate, escaped, fitting, textElement } from './svg-text.js';

const levelHeight = 150;
const boxHeight = 20;
const parallelGap = 5;
const groupGap = 24;
/** of idle links: that of the class would hardly be seen as a line */
const idleColour = '#c4c4c4';

/** The most links, and switches side by side, that are drawn one by one. */
const mostLinks = 120;
const mostSwitches = 24;

/** Whether a fabric is small enough for it. */
export function fitsDiagram({ tree }: LoadedFabric): boolean {
  const links = tree.switches
    .slice(1)
    .reduce((sum, level) => sum + Array.from(level, (node) => linksDown(tree, node)).reduce((a, b) => a + b, 0), 0);
  return links <= mostLinks && tree.switches.every((level) => level.length <= mostSwitches);
}

function linksDown({ fabric, nodeLevel }: LoadedFabric['tree'], node: number): number {
  let links = 0;
  for (let port = fabric.portOffset[node]!; port < fabric.portOffset[node + 1]!; port++) {
    const other = nodeLevel[fabric.portNode[fabric.portPeer[port]!]!]!;
    if (other >= 0 && other < nodeLevel[node]!) links++;
  }
  return links;
}

/** Where a switch stands: the middle of its box. */
interface Place {
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

/** Where groups may stand, and where their switches came to stand. */
interface Room {
  readonly left: number;
  readonly width: number;
  readonly y: (level: number) => number;
  readonly places: Map<number, Place>;
}

/** The picture from a place on. @returns elements and how high it is */
export function fabricDiagram(
  loaded: LoadedFabric,
  left: number,
  top: number,
  width: number,
): { elements: string[]; height: number } {
  const { tree } = loaded;
  const { pods, coreGroups } = podsOf(tree);
  const y = (level: number): number => top + 34 + (tree.levels - 1 - level) * levelHeight;
  const places = new Map<number, Place>();
  const frames: string[] = [];
  const frame = (x: number, own: number, from: number, to: number, text: string, textY: number): void => {
    frames.push(
      `<rect x="${coordinate(x)}" y="${from}" width="${coordinate(own)}" height="${to - from}" rx="6" fill="#f7f7f4" stroke="#dddddd"/>`,
      textElement(x + 6, textY, text, { size: 11, colour: '#777777' }),
    );
  };
  const room = { left, width, y, places };
  // leaves and spines of a pod share its width, whichever are more
  const rowsOfPods = pods.map(({ leaves, spines }) => [leaves, spines]);
  placeGroups(rowsOfPods, 0, room, (at, own, pod) => {
    if (tree.levels === 3) frame(at, own, y(1) - 26, y(0) + 44, `pod ${pod}`, y(0) + 40);
  });
  const rowsOfCores = coreGroups.map((cores) => [cores]);
  placeGroups(rowsOfCores, 2, room, (at, own, group) => {
    frame(at, own, y(2) - 34, y(2) + 20, `core group ${group}`, y(2) - 20);
  });
  return {
    elements: [...frames, ...linkHalves(loaded, places), ...boxes(loaded, places)],
    height: 34 + (tree.levels - 1) * levelHeight + 50,
  };
}

/**
 * Puts groups of switches beside each other, each as wide as the longest of its rows; the rows of a group stand on
 * levels from `level` up.
 */
function placeGroups(
  groups: readonly (readonly (readonly number[])[])[],
  level: number,
  { left, width, y, places }: Room,
  frame: (at: number, own: number, index: number) => void,
): void {
  const longest = groups.map((rows) => Math.max(1, ...rows.map((row) => row.length)));
  const all = longest.reduce((sum, own) => sum + own, 0);
  const unit = (width - groupGap * (groups.length - 1)) / Math.max(1, all);
  let at = left;
  groups.forEach((rows, index) => {
    const own = unit * longest[index]!;
    frame(at, own, index);
    rows.forEach((nodes, row) => {
      const each = own / nodes.length;
      nodes.forEach((node, i) =>
        places.set(node, { x: at + each * (i + 0.5), y: y(level + row), width: Math.min(90, each - 4) }),
      );
    });
    at += own + groupGap;
  });
}

function boxes({ tree, nodeName }: LoadedFabric, places: ReadonlyMap<number, Place>): string[] {
  const hosts = new Map<number, number>();
  for (const leaf of tree.hostLeaf) hosts.set(leaf, (hosts.get(leaf) ?? 0) + 1);
  const elements: string[] = [];
  for (const [node, { x, y, width }] of places) {
    const name = nodeName(node);
    elements.push(
      `<rect x="${coordinate(x - width / 2)}" y="${coordinate(y - boxHeight / 2)}" ` +
        `width="${coordinate(width)}" height="${boxHeight}" rx="3" fill="#ffffff" ` +
        `stroke="#555555"><title>${escaped(name)}</title></rect>`,
      `<g pointer-events="none">${textElement(x, y + 4, fitting(name, width - 2, 11), { size: 11, anchor: 'middle' })}</g>`,
    );
    if (tree.nodeLevel[node] !== 0) continue;
    const below = fitting(`${hosts.get(node) ?? 0}${width < 50 ? '' : ' hosts'}`, width + 4, 10);
    elements.push(textElement(x, y + boxHeight / 2 + 12, below, { size: 10, colour: '#777777', anchor: 'middle' }));
  }
  return elements;
}

/** Both halves of every link, by load. */
function linkHalves(
  { tree, load, relative, scale, portName }: LoadedFabric,
  places: ReadonlyMap<number, Place>,
): string[] {
  const { fabric, nodeLevel } = tree;
  const halves: { port: number; line: string }[] = [];
  const parallel = new Map<number, number>();
  for (let port = 0; port < fabric.portCount; port++) {
    const node = fabric.portNode[port]!;
    const other = fabric.portNode[fabric.portPeer[port]!]!;
    if (nodeLevel[node]! < 0 || nodeLevel[other]! <= nodeLevel[node]!) continue;
    const pair = node * fabric.nodeCount + other;
    const place = parallel.get(pair) ?? 0;
    parallel.set(pair, place + 1);
    const shift = (place % 2 === 0 ? 1 : -1) * Math.ceil(place / 2) * parallelGap;
    const [low, high] = [places.get(node)!, places.get(other)!];
    const ends = { x1: low.x + shift, y1: low.y - boxHeight / 2, x2: high.x + shift, y2: high.y + boxHeight / 2 };
    const middle = { x: (ends.x1 + ends.x2) / 2, y: (ends.y1 + ends.y2) / 2 };
    halves.push(
      { port, line: half(ends.x1, ends.y1, middle.x, middle.y, port) },
      { port: fabric.portPeer[port]!, line: half(middle.x, middle.y, ends.x2, ends.y2, fabric.portPeer[port]!) },
    );
  }
  return halves
    .sort((a, b) => (relative[a.port] || 0) - (relative[b.port] || 0) || a.port - b.port)
    .map(({ line }) => line);

  function half(x1: number, y1: number, x2: number, y2: number, port: number): string {
    const own = relative[port]!;
    const known = !Number.isNaN(own);
    const text = `${portName(port)} to ${portName(fabric.portPeer[port]!)}: ${known ? scale.text(load[port]!, own) : 'not known'}`;
    return (
      `<line x1="${coordinate(x1)}" y1="${coordinate(y1)}" x2="${coordinate(x2)}" y2="${coordinate(y2)}" ` +
      `stroke="${known && own > 0 ? loadColour(scale, own) : idleColour}" ` +
      `stroke-width="${coordinate(known ? 1.5 + 2.5 * Math.min(2, own / scale.mark) : 1)}"${known ? '' : ' stroke-dasharray="2 3"'}><title>${escaped(text)}</title></line>`
    );
  }
}

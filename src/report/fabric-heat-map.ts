// A large fabric as matrices: for every pod, leaves and cores as rows against its spines as columns, a cell for each
// link; one half of the picture for the way up, the other for the way down. The matrix of cores stands above that of
// leaves, as in the fabric, so that a column is a spine with all its links.
// Invariant: a cell for every pair of switches with a link whose load is known, of parallel links the most loaded;
// cells of a class are one path, so that a fabric of 11,664 hosts (46,656 cells) is less than a megabyte.

import { addTo } from '../base/lists-by-key.js';
import { loadColour } from './load-classes.js';
import { podsOf, type LoadedFabric } from './loaded-fabric.js';
import { coordinate, textElement } from './svg-text.js';

const halfGap = 40;
const podGap = 14;
const matrixGap = 8;
const podTitle = 16;
const mostCell = 14;
/** what the pods of a half should not be higher than together */
const goodHeight = { few: 600, many: 900 };
const fewPods = 6;
const rowTitles = { size: 11, colour: '#555555', anchor: 'end' } as const;
/** outlines are at least as wide: those of tiny cells would hide them */
const leastOutline = 9;

interface Cells {
  readonly cell: number;
  readonly podsPerRow: number;
  readonly podWidth: number;
  readonly podHeight: number;
}

/** The picture from a place on. @param marked ports to be outlined @returns elements and how high it is */
export function fabricHeatMap(
  loaded: LoadedFabric,
  marked: readonly number[],
  left: number,
  top: number,
  width: number,
): { elements: string[]; height: number } {
  const { tree } = loaded;
  const { pods, coreGroups } = podsOf(tree);
  const columns = Math.max(1, ...pods.map(({ spines }) => spines.length));
  const leafRows = Math.max(1, ...pods.map(({ leaves }) => leaves.length));
  const coreRows = Math.max(0, ...coreGroups.map((cores) => cores.length));
  const rowTitle = 42;
  const half = (width - halfGap) / 2;
  const cells = layOut(half - rowTitle, pods.length, columns, leafRows, coreRows);
  const { cell, podsPerRow, podWidth, podHeight } = cells;
  const rowOfCore = new Map(coreGroups.flatMap((cores) => cores.map((node, row) => [node, row] as const)));
  const paths = new Map<string, string[]>();
  const elements: string[] = [];
  const outlines: string[] = [];
  const marks = new Set(marked);
  const box = `h${coordinate(cell - gapOf(cell))}v${coordinate(cell - gapOf(cell))}h-${coordinate(cell - gapOf(cell))}z`;
  for (const up of [true, false]) {
    const x0 = left + (up ? 0 : half + halfGap) + rowTitle;
    const [sent, received] =
      tree.levels < 3
        ? ['leaves send to spines', 'spines send to leaves']
        : ['leaves and spines send towards cores', 'cores and spines send towards leaves'];
    elements.push(
      textElement(x0, top + 12, up ? `up: what ${sent}` : `down: what ${received}`, { bold: true }),
      textElement(x0 + half - rowTitle, top + 12, 'columns: spines', { size: 11, colour: '#777777', anchor: 'end' }),
    );
    pods.forEach(({ leaves, spines }, pod) => {
      const x = x0 + (pod % podsPerRow) * (podWidth + podGap);
      const y = top + 22 + Math.floor(pod / podsPerRow) * podHeight;
      if (pods.length > 1)
        elements.push(
          textElement(x, y + 11, podWidth < 40 ? String(pod) : `pod ${pod}`, { size: 11, colour: '#555555' }),
        );
      const coreTop = y + podTitle;
      const leafTop = coreTop + (coreRows > 0 ? coreRows * cell + matrixGap : 0);
      if (pod % podsPerRow === 0) {
        if (coreRows > 0) elements.push(textElement(x - 6, coreTop + (coreRows * cell) / 2 + 4, 'cores', rowTitles));
        elements.push(textElement(x - 6, leafTop + (leafRows * cell) / 2 + 4, 'leaves', rowTitles));
      }
      const rowOfLeaf = new Map(leaves.map((node, row) => [node, row] as const));
      spines.forEach((spine, column) => {
        for (const [peer, worst] of worstByPeer(loaded, spine, up)) {
          const row = rowOfLeaf.get(peer) ?? rowOfCore.get(peer)!;
          const [cx, cy] = [x + column * cell, (rowOfLeaf.has(peer) ? leafTop : coreTop) + row * cell];
          const own = loadColour(loaded.scale, loaded.relative[worst]!);
          addTo(paths, own, `M${coordinate(cx)} ${coordinate(cy)}${box}`);
          if (marks.has(worst)) outlines.push(outline(cx, cy, cell - gapOf(cell)));
        }
      });
    });
  }
  for (const { colour } of loaded.scale.classes)
    if (paths.has(colour)) elements.push(`<path fill="${colour}" d="${paths.get(colour)!.join('')}"/>`);
  elements.push(...outlines);
  return { elements, height: 22 + Math.ceil(pods.length / podsPerRow) * podHeight };
}

/** A black frame around a cell. */
function outline(x: number, y: number, cell: number): string {
  const size = Math.max(leastOutline, cell + 2);
  const shift = (size - cell) / 2;
  return (
    `<rect x="${coordinate(x - shift)}" y="${coordinate(y - shift)}" width="${coordinate(size)}" ` +
    `height="${coordinate(size)}" fill="none" stroke="#000000" stroke-width="1.2"/>`
  );
}

/** The white line between cells; none where cells are small. */
function gapOf(cell: number): number {
  return cell >= 6 ? 1 : 0;
}

/** The largest cells with which the pods fit: as wide as there is room, not much higher than wide. */
function layOut(width: number, pods: number, columns: number, leafRows: number, coreRows: number): Cells {
  let best: Cells | null = null;
  for (let podsPerRow = 1; podsPerRow <= pods; podsPerRow++) {
    const widest = (width - podGap * (podsPerRow - 1)) / podsPerRow / columns;
    const rows = Math.ceil(pods / podsPerRow);
    const highest =
      ((pods <= fewPods ? goodHeight.few : goodHeight.many) / rows - podTitle - 2 * matrixGap) / (leafRows + coreRows);
    const cell = Math.min(mostCell, Math.max(1, Math.floor(2 * Math.min(widest, highest)) / 2));
    if (widest < 1 && best !== null) break;
    const made = {
      cell,
      podsPerRow,
      podWidth: columns * cell,
      podHeight: podTitle + (leafRows + coreRows) * cell + (coreRows > 0 ? matrixGap : 0) + podGap,
    };
    if (best === null || made.cell > best.cell) best = made;
  }
  return best!;
}

/** For every neighbour of a spine the most loaded port in one direction: the spine's own, or the neighbour's to it. */
function worstByPeer(
  { tree: { fabric, nodeLevel }, relative }: LoadedFabric,
  spine: number,
  up: boolean,
): Map<number, number> {
  const worst = new Map<number, number>();
  for (let port = fabric.portOffset[spine]!; port < fabric.portOffset[spine + 1]!; port++) {
    const peer = fabric.portNode[fabric.portPeer[port]!]!;
    if (nodeLevel[peer]! < 0) continue;
    const leadsUp = nodeLevel[peer]! > nodeLevel[spine]!;
    const sender = leadsUp === up ? port : fabric.portPeer[port]!;
    if (Number.isNaN(relative[sender]!)) continue;
    const known = worst.get(peer);
    if (known === undefined || relative[sender]! > relative[known]!) worst.set(peer, sender);
  }
  return worst;
}

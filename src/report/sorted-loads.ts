// Loads of all links between switches as falling curves, one for each level and direction: how many links are how hot,
// and which links are worst, with their names.

import { stagesOf, type LoadedFabric, type LinkStage } from './loaded-fabric.js';
import { coordinate, fitting, textElement } from './svg-text.js';

const plotHeight = 96;
const [belowColour, aboveColour] = ['#8296a8', '#e46c1c'];
/** points of a curve */
const mostPoints = 200;

/** The largest load of any link as measured by its scale, at least 1. */
export function largestLoad({ relative }: LoadedFabric, stages: readonly LinkStage[]): number {
  return stages.reduce((most, { ports }) => ports.reduce((own, port) => Math.max(own, relative[port] || 0), most), 1);
}

/**
 * The curves from a place on, beside each other.
 * @param largest load that has to fit, as measured
 * @returns elements and how high they are
 */
export function sortedLoads(
  loaded: LoadedFabric,
  largest: number,
  left: number,
  top: number,
  width: number,
): { elements: string[]; height: number } {
  const stages = stagesOf(loaded.tree);
  const elements: string[] = [];
  const scale = niceCeiling(largest);
  const { mark } = loaded.scale;
  const gap = 34;
  const own = (width - gap * (stages.length - 1)) / stages.length;
  const y = (relative: number): number => top + 18 + plotHeight * (1 - relative / scale);
  stages.forEach(({ title, ports }, i) => {
    const x0 = left + i * (own + gap);
    const sorted = Float64Array.from(ports, (port) => loaded.relative[port]!)
      .filter((value) => !Number.isNaN(value))
      .sort((a, b) => b - a);
    const x = (place: number): number => x0 + (own * place) / Math.max(1, sorted.length);
    const above = sorted.filter((value) => value > mark);
    elements.push(
      textElement(x0, top + 8, fitting(title, own - 50, 11), { size: 11, bold: true }),
      textElement(x0 + own, top + 8, `${sorted.length} links`, { size: 10, colour: '#777777', anchor: 'end' }),
      `<path d="${curve(
        sorted.map((value) => Math.min(mark, value)),
        x,
        y,
        0,
      )}" fill="${belowColour}"/>`,
      ...(above.length > 0 ? [`<path d="${curve(above, x, y, mark)}" fill="${aboveColour}"/>`] : []),
      `<line x1="${coordinate(x0)}" x2="${coordinate(x0 + own)}" y1="${coordinate(y(mark))}" ` +
        `y2="${coordinate(y(mark))}" stroke="#000000" stroke-dasharray="4 3"/>`,
      `<line x1="${coordinate(x0)}" x2="${coordinate(x0 + own)}" y1="${coordinate(y(0))}" y2="${coordinate(y(0))}" stroke="#999999"/>`,
    );
    for (const tick of [0, mark, scale])
      if (tick <= mark || tick >= 1.25 * mark)
        elements.push(textElement(x0 - 4, y(tick) + 4, String(tick), { size: 10, colour: '#777777', anchor: 'end' }));
  });
  return { elements, height: plotHeight + 30 };
}

/** The area between falling values and a base, in at most as many steps as can be seen: of each step the largest. */
function curve(sorted: Float64Array, x: (place: number) => number, y: (value: number) => number, base: number): string {
  const step = Math.max(1, Math.ceil(sorted.length / mostPoints));
  let path = `M${coordinate(x(0))} ${coordinate(y(base))}`;
  for (let place = 0; place < sorted.length; place += step)
    path += `V${coordinate(y(sorted[place]!))}H${coordinate(x(Math.min(sorted.length, place + step)))}`;
  return `${path}V${coordinate(y(base))}z`;
}

/** The smallest of 1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 6, 8 times a power of ten that is not below. */
function niceCeiling(value: number): number {
  for (let decade = 1; ; decade *= 10) {
    for (const factor of [1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 6, 8])
      if (value <= decade * factor * (1 + 1e-9)) return decade * factor;
  }
}

/** The worst links by name, in two columns. @returns elements and how high they are */
export function worstLinks(
  { tree: { fabric, nodeLevel }, load, relative, scale, portName }: LoadedFabric,
  ports: readonly number[],
  left: number,
  top: number,
  width: number,
): { elements: string[]; height: number } {
  if (ports.length === 0)
    return {
      elements: [textElement(left, top + 12, scale.none, { colour: '#777777' })],
      height: 24,
    };
  const rows = Math.ceil(ports.length / 2);
  const elements = [textElement(left, top + 10, 'worst links', { size: 11, bold: true })];
  ports.forEach((port, i) => {
    const peer = fabric.portPeer[port]!;
    const up = nodeLevel[fabric.portNode[port]!]! < nodeLevel[fabric.portNode[peer]!]!;
    const x = left + Math.floor(i / rows) * (width / 2);
    const y = top + 26 + (i % rows) * 15;
    const numbers = scale.text(load[port]!, relative[port]!);
    elements.push(
      textElement(x + 116, y, numbers, { size: 11, anchor: 'end' }),
      textElement(x + 132, y, up ? 'up' : 'down', { size: 11, colour: '#777777' }),
      textElement(x + 168, y, fitting(`${portName(port)} to ${portName(peer)}`, width / 2 - 176, 11), { size: 11 }),
    );
  });
  return { elements, height: 26 + rows * 15 };
}

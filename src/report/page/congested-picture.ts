// A congested-fraction plot as SVG: by itself, with title and legend, or for the page, whose style has the colours and
// whose program changes widths and shades by window.
// Invariants: marks of link i are 2 i (up) and 2 i + 1 (down); the darkest stand above the others; every text is
// escaped.
// Source: Taffet's dissertation (docs/SOURCES.md), 2.3.3.

import { coordinate, escaped, fitting, textElement, textWidth } from '../svg-text.js';
import { barFactor, isCut, fittingScale, markWidth, roundUp, shadeOf } from './congested-scale.js';
import type { CongestedPlan, DrawnLink } from './congested-plan.js';
import { boxesSvg, pictureWidth } from './fabric-layout.js';
import { numberText } from './figures.js';
import { lightLook, shadesOf } from './look.js';
import type { LinkEstimates } from './sampled-links.js';

/** marks beyond which none says what it is when pointed at */
const mostTitles = 8000;
const margin = 12;

/** Packets on each mark. */
export interface MarkPackets {
  readonly traffic: Float64Array;
  readonly congested: Float64Array;
}

/** Sums by mark: those of links that were put together are added up. */
export function packetsOfMarks(
  { links }: { readonly links: readonly Pick<DrawnLink, 'ports'>[] },
  { traffic, congested }: LinkEstimates,
): MarkPackets {
  const sums = { traffic: new Float64Array(2 * links.length), congested: new Float64Array(2 * links.length) };
  links.forEach(({ ports }, i) =>
    ports.forEach((own, way) => {
      for (const port of own) {
        sums.traffic[2 * i + way]! += traffic[port]!;
        sums.congested[2 * i + way]! += congested[port]!;
      }
    }),
  );
  return sums;
}

/** Packets per pixel, a round number, with which all marks have room. */
export function scaleOf({ links }: CongestedPlan, { traffic }: MarkPackets): number {
  const lines = links.filter(({ halves }) => halves !== null).length;
  return roundUp(
    traffic.reduce((most, own, mark) => Math.max(most, fittingScale(own, links[mark >> 1]!.room, lines)), 0),
  );
}

/** The plot for the page. */
export function congestedSvg(plan: CongestedPlan, packets: MarkPackets, packetsPerPixel: number): string {
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" class="fabric congested" viewBox="0 0 ${pictureWidth} ` +
    `${coordinate(plan.height)}" role="img" aria-label="Traffic and congestion of every link" font-size="11">` +
    `${body(plan, packets, packetsPerPixel, false)}</svg>`
  );
}

/** The plot as a picture of its own. */
export function congestedFile(
  plan: CongestedPlan,
  packets: MarkPackets,
  packetsPerPixel: number,
  title: string,
): string {
  const cut = packets.traffic.reduce(
    (sum, own, mark) => sum + (isCut(own, packetsPerPixel, plan.links[mark >> 1]!.room) ? 1 : 0),
    0,
  );
  return shadedFile({
    title,
    lines: [plan.note, cut > 0 ? cutText(cut) : ''],
    scale: scaleText(packetsPerPixel),
    height: plan.height,
    body: body(plan, packets, packetsPerPixel, plan.links.length < mostTitles / 2),
  });
}

/** A drawing in shades of congestion. */
interface ShadedDrawing {
  readonly title: string;
  /** what is said below it; empty ones are left out */
  readonly lines: readonly string[];
  /** what sizes mean; empty: nothing */
  readonly scale: string;
  readonly height: number;
  readonly body: string;
}

/** A drawing with title, legend and the colours of its marks, as a file. */
export function shadedFile({ title, lines: all, scale, height: own, body: drawing }: ShadedDrawing): string {
  const lines = all.filter((line) => line !== '');
  const top = 66 + 16 * lines.length;
  const shades = shadesOf(lightLook);
  const height = top + own;
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" width="${pictureWidth}" height="${coordinate(height)}" ` +
      `viewBox="0 0 ${pictureWidth} ${coordinate(height)}" font-family="Helvetica, Arial, sans-serif" font-size="11">`,
    `<style>.box{fill:#fff;stroke:${lightLook.line}}.name{fill:${lightLook.text}}.row{fill:${lightLook.faint}}` +
      `.way{fill:${lightLook.text};font-size:14px}` +
      `.level{display:none}.m,.guide,.none{fill:none}.guide,.none{stroke:${lightLook.grid};stroke-width:0.6}` +
      `${shades.map((colour, i) => `.l${i}{stroke:${colour}}.b${i}{fill:${colour}}`).join('')}</style>`,
    `<rect width="${pictureWidth}" height="${coordinate(height)}" fill="#ffffff"/>`,
    textElement(margin, 24, fitting(title, pictureWidth - 2 * margin, 16), { size: 16, bold: true }),
    ...lines.map((line, i) =>
      textElement(margin, 42 + 16 * i, fitting(line, pictureWidth - 2 * margin, 12), { colour: '#555555' }),
    ),
    ...legend(42 + 16 * lines.length, scale, shades),
    `<g transform="translate(0 ${top})">${drawing}</g>`,
    '</svg>',
  ].join('\n')}\n`;
}

/** What the scale says, for page and picture. */
export function scaleText(packetsPerPixel: number): string {
  return `a line of 1 pixel, or a bar of ${barFactor}, stands for ${numberText(packetsPerPixel)} packets`;
}

/** What is said of marks that are wider than their room. */
function cutText(marks: number): string {
  return `${marks} of the widest are cut to the room there is.`;
}

function legend(y: number, scale: string, shades: readonly string[]): string[] {
  const text = 'packets that met congestion: 0 %';
  const begin = margin + textWidth(text, 10.5);
  return [
    textElement(margin, y + 11, text, { colour: '#555555' }),
    ...shades.map(
      (colour, i) => `<rect x="${coordinate(begin + 16 * i)}" y="${y}" width="16" height="12" fill="${colour}"/>`,
    ),
    textElement(begin + 16 * shades.length + 6, y + 11, `100 %${scale === '' ? '' : `; ${scale}`}`, {
      colour: '#555555',
    }),
  ];
}

function body(
  { boxes, links, hostNumbers }: CongestedPlan,
  { traffic, congested }: MarkPackets,
  packetsPerPixel: number,
  hasTitles: boolean,
): string {
  const shade = Uint8Array.from(traffic, (own, mark) => shadeOf(congested[mark]!, own));
  const order = Array.from(traffic, (_, mark) => mark).sort((a, b) => shade[a]! - shade[b]! || a - b);
  const marks = order.map((mark) => {
    const link = links[mark >> 1]!;
    const width = markWidth(traffic[mark]!, packetsPerPixel, link.room);
    const title = hasTitles && width > 0 ? `<title>${escaped(markText(link, mark, traffic, congested))}</title>` : '';
    return markSvg(link, mark, width, shade[mark]!, title);
  });
  const guides = links.map(({ halves }) => (halves === null ? '' : halves.join(''))).join('');
  const numberTexts = hostNumbers.map(
    ({ x, y, text }) =>
      `<text class="name row" x="${coordinate(x)}" y="${coordinate(y)}" text-anchor="middle">${escaped(text)}</text>`,
  );
  const room = hostNumbers.length < 2 ? pictureWidth : Math.abs(hostNumbers[1]!.x - hostNumbers[0]!.x);
  const hasRoom = hostNumbers.every(({ text }) => textWidth(text, 11) <= room);
  return `<path class="guide" d="${guides}"/>${marks.join('')}${boxesSvg(boxes)}${hasRoom ? numberTexts.join('') : ''}`;
}

function markSvg(link: DrawnLink, mark: number, width: number, shade: number, title: string): string {
  const way = mark % 2;
  const [from, to] = title === '' ? ['', '/>'] : [`>${title}`, ''];
  if (link.halves !== null)
    return `<path data-mark="${mark}" class="m l${shade}" stroke-width="${coordinate(width)}" d="${link.halves[way]!}"${to === '' ? `${from}</path>` : to}`;
  // what a host receives stands above what it sends
  const y = link.y + (way === 0 ? link.barHeight : 0);
  return (
    `<rect data-mark="${mark}" class="b${shade}" x="${coordinate(link.x - width / 2)}" y="${coordinate(y)}" ` +
    `width="${coordinate(width)}" height="${coordinate(link.barHeight)}"${to === '' ? `${from}</rect>` : to}`
  );
}

/** `leaf[0] to spine[1]: 1,200 packets, 35 % of them met congestion`. */
function markText(
  { low, high, ports }: DrawnLink,
  mark: number,
  traffic: Float64Array,
  congested: Float64Array,
): string {
  const [from, to] = mark % 2 === 0 ? [low, high] : [high, low];
  const links = ports[0].length > 1 ? ` (${ports[0].length} links)` : '';
  return `${from} to ${to}${links}: ${packetsText(traffic[mark]!, congested[mark]!)}`;
}

/** What a mark carries, in words. */
export function packetsText(traffic: number, congested: number): string {
  if (traffic <= 0) return 'nothing';
  const share = Math.round((100 * congested) / traffic);
  return `about ${numberText(Math.round(traffic), 3)} packets, ${share} % of them met congestion`;
}

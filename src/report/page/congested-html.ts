// The congested-fraction plots of a report's page: choice of traffic and window, the plot, and the links on which most
// packets met congestion.
// Invariant: what the pointer shows can be reached with the keyboard: rows of the table take the focus; without the
// program, and on paper, the plot is of the whole run.

import { escaped } from '../svg-text.js';
import { numberText } from './figures.js';
import { scaleText } from './congested-picture.js';
import type { CongestedDesk, CongestedPlot } from './congested-plots.js';
import { lastShade } from './congested-scale.js';

const mostRows = 10;

/** A panel for each plot; empty: there is none. @param isOneOfMany whether the report has several runs */
export function congestedHtml(plots: readonly CongestedPlot[], isOneOfMany: boolean): string {
  return plots.map((plot, index) => panel(plot, index, isOneOfMany)).join('\n');
}

function panel(plot: CongestedPlot, index: number, isOneOfMany: boolean): string {
  const { label, title, svg, reading, note, desk } = plot;
  const steps = Array.from({ length: lastShade / 2 + 1 }, (_, i) => `<li><i class="s${2 * i}"></i>${20 * i} %</li>`);
  return `<div class="panel" data-congested="${index}"><h3>${escaped(`${title}${isOneOfMany ? `: ${label}` : ''}`)}</h3>
<p class="note">${escaped(note === '' ? reading : `${reading} ${note}`)}</p>
<ul class="key" aria-label="Share of packets that met congestion">${steps.join('')}</ul>
<div class="controls">${controls(desk)}</div>
<p class="note" data-frame aria-live="polite">${escaped(frameText(desk.slices[0]!.frames[0]!))}</p>
<div class="fabricbox" tabindex="0" role="group" aria-label="${escaped(title)}">${svg}</div>
<output class="said" aria-live="polite">Point at a ${desk.slices[0]!.frames[0]!.packetsPerPixel === null ? 'cell' : 'line, a bar'} or a row below.</output>
${table(plot)}</div>`;
}

/** `2ms to 4ms: a line of 1 pixel stands for 100 packets.` */
export function frameText({ text, packetsPerPixel }: CongestedDesk['slices'][number]['frames'][number]): string {
  const own = `${text[0]!.toUpperCase()}${text.slice(1)}`;
  return packetsPerPixel === null ? `${own}.` : `${own}: ${scaleText(packetsPerPixel)}.`;
}

function controls({ slices }: CongestedDesk): string {
  const windows = slices[0]!.frames.length - 1;
  const options = slices.map(({ name }, i) => `<option value="${i}">${escaped(name)}</option>`);
  return (
    (slices.length < 2 ? '' : `<label>Traffic <select data-slice>${options.join('')}</select></label>`) +
    (windows < 1 ? '' : `<label>Window <input type="range" min="0" max="${windows}" value="0" data-window></label>`)
  );
}

function table({ rowsTitle, desk: { links, slices } }: CongestedPlot): string {
  const { traffic, percent } = slices[0]!.frames[0]!;
  const congested = (mark: number): number => traffic[mark]! * percent[mark]!;
  const worst = traffic
    .map((_, mark) => mark)
    .filter((mark) => congested(mark) > 0)
    .sort((a, b) => congested(b) - congested(a) || a - b)
    .slice(0, mostRows);
  if (worst.length === 0) return '<p class="note">No packet met congestion.</p>';
  const rows = worst.map(
    (mark) =>
      `<tr tabindex="0" data-show-mark="${mark}"><td>${escaped(markName(links[mark >> 1]!, mark))}</td><td ` +
      `class="number">${numberText(traffic[mark]!, 3)}</td><td class="number">${percent[mark]!} %</td></tr>`,
  );
  return `<h3>${escaped(rowsTitle)}</h3><div class="scroll"><table><thead><tr><th scope="col">Link</th><th scope="col" class="number">Packets, about</th><th scope="col" class="number">Congested</th></tr></thead><tbody>${rows.join('')}</tbody></table></div>`;
}

/** `leaf[0] to spine[1] (2 links)`. */
export function markName({ low, high, count }: CongestedDesk['links'][number], mark: number): string {
  const [from, to] = mark % 2 === 0 ? [low, high] : [high, low];
  return `${from} to ${to}${count > 1 ? ` (${count} links)` : ''}`;
}

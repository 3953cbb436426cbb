// The drawings of a run in a report's page: the fabric with its most loaded links and slowest flows, which light up on
// it, and what each rank did.
// Invariant: whatever the pointer shows can be reached with the keyboard: rows of both tables take the focus.

import { formatSizeBytes, formatTimePs } from '../../base/units.js';
import { escaped } from '../svg-text.js';
import { grouped } from '../text-style.js';
import type { FabricPicture } from './fabric-picture.js';
import { numberText } from './figures.js';
import type { RunDrawings } from './report.js';

const mostLinks = 10;
const mostFlows = 12;

/** The drawings of a run. @param index of the run @param keys what the colours of loads say */
export function drawingHtml(
  { label, fabric, timeline, note }: RunDrawings,
  index: number,
  isOneOfMany: boolean,
  keys: readonly string[],
): string {
  const name = isOneOfMany ? `: ${label}` : '';
  const parts: string[] = [];
  if (fabric !== null) parts.push(fabricHtml(fabric, index, name, keys));
  if (timeline !== null)
    parts.push(
      `<div class="panel"><h3>${escaped(`What each rank did${name}`)}</h3><p class="note">Phases of ` +
        'micro-batches and the waits between them; point at a bar for what it is.</p><div ' +
        `class="paper">${timeline}</div></div>`,
    );
  if (note !== '') parts.push(`<p class="note">${escaped(isOneOfMany ? `${label}: ${note}` : note)}</p>`);
  return parts.join('\n');
}

function fabricHtml(picture: FabricPicture, index: number, name: string, keys: readonly string[]): string {
  const isBundled = picture.lines.some(({ links }) => links > 1);
  const bundles = isBundled ? ' A line of several links has the load of the most loaded, and the sums of all.' : '';
  const together = picture.note === '' ? '' : ` Many nodes share a box (${picture.note}).`;
  return `<div class="panel" data-fabric="${index}"><h3>${escaped(`Fabric and link load${name}`)}</h3>
<p class="note">${escaped(
    'Each half of a line is what the switch or host at that end sends; point at a line, a box or a row below for ' +
      `loads and paths.${bundles}${together}`,
  )}</p>
<ul class="key" aria-label="Load of a link, share of what it could carry">${keys.map((text, i) => `<li><i class="c${i}"></i>${escaped(text)}</li>`).join('')}</ul>
<div class="fabricbox" tabindex="0" role="group" aria-label="Drawing of the fabric">${picture.svg}</div>
<output class="said" aria-live="polite">Nothing is chosen: all links are shown by their load.</output>
<div class="two">${linkTable(picture)}${flowTable(picture)}</div></div>`;
}

function linkTable({ lines, names }: FabricPicture): string {
  const ways = lines.flatMap(({ from, to, up, down }, line) => [
    { line, isUp: 1, text: `${names[from]!} to ${names[to]!}`, own: up },
    { line, isUp: 0, text: `${names[to]!} to ${names[from]!}`, own: down },
  ]);
  const worst = ways
    .filter(({ own }) => own.bytes > 0)
    .sort((a, b) => b.own.load - a.own.load || b.own.bytes - a.own.bytes || a.line - b.line)
    .slice(0, mostLinks);
  if (worst.length === 0) return '<p class="note">No link carried a finished flow.</p>';
  return `<div><h3>Most loaded links</h3><div class="scroll"><table><thead><tr><th scope="col">Link</th><th scope="col" class="number">Load</th><th scope="col" class="number">Sent</th><th scope="col" class="number">Flows</th></tr></thead><tbody>${worst
    .map(
      ({ line, isUp, text, own }) =>
        `<tr tabindex="0" data-show-line="${line}" data-up="${isUp}"><td>${escaped(text)}</td><td ` +
        `class="number">${numberText(own.load, 3)} %</td><td ` +
        `class="number">${escaped(formatSizeBytes(Math.round(own.bytes)))}</td><td ` +
        `class="number">${grouped(own.flows)}</td></tr>`,
    )
    .join('')}</tbody></table></div></div>`;
}

function flowTable({ flows }: FabricPicture): string {
  if (flows.length === 0) return '';
  return `<div><h3>Slowest flows</h3><div class="scroll"><table><thead><tr><th scope="col">Flow</th><th scope="col">Hosts</th><th scope="col" class="number">Time</th><th scope="col" class="number">Slow-down</th></tr></thead><tbody>${flows
    .slice(0, mostFlows)
    .map(
      ({ flow, source, destination, completionPs, slowdown }, i) =>
        `<tr tabindex="0" data-show-flow="${i}"><td>${grouped(flow)}</td><td>${source} to ` +
        `${destination}</td><td class="number">${escaped(formatTimePs(completionPs))}</td><td ` +
        `class="number">${numberText(slowdown, 3)} x</td></tr>`,
    )
    .join('')}</tbody></table></div></div>`;
}

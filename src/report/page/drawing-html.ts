// The drawings of a run in a report's page: the fabric with its most loaded links and slowest flows, which light up on
// it, and what each rank did.
// Invariant: whatever the pointer shows can be reached with the keyboard: rows of both tables take the focus.

import { formatSizeBytes, formatTimePs } from '../../base/units.js';
import { escaped } from '../svg-text.js';
import { counted, grouped } from '../text-style.js';
import type { FabricPicture } from './fabric-picture.js';
import { numberText } from './figures.js';
import { contentionTexts, loadTexts } from './look.js';
import type { RunDrawings } from './report.js';

const mostLinks = 10;
const mostFlows = 12;

const timeButtons = `<span role="group" aria-label="Part of the time that is shown">${[
  ['in', '+', 'Larger'],
  ['out', '−', 'Smaller'],
  ['left', '←', 'Earlier'],
  ['right', '→', 'Later'],
  ['whole', 'All', 'The whole time'],
]
  .map(
    ([does, sign, text]) =>
      `<button type="button" data-time="${does!}" title="${text!}" aria-label="${text!}">${sign!}</button>`,
  )
  .join(' ')}</span>`;

/** What each rank of a run did; empty: it has no jobs. @param index of the run */
export function timelineHtml(
  { label, timeline, timelineEndPs }: RunDrawings,
  index: number,
  isOneOfMany: boolean,
): string {
  if (timeline === null) return '';
  return `<div class="panel" data-timeline="${index}" data-end="${timelineEndPs}"><h3>${escaped(`What each rank did${isOneOfMany ? `: ${label}` : ''}`)}</h3>
<p class="note">Phases of micro-batches and the waits between them; point at a bar for what it is.</p>
<div class="controls">${timeButtons}<label>Find <input type="search" placeholder="rank 3, waits, micro-batch 2" data-search></label><output data-found aria-live="polite"></output></div>
<div class="paper">${timeline}</div></div>`;
}

/** The fabric of a run. @param index of the run */
export function fabricHtml({ label, fabric, note }: RunDrawings, index: number, isOneOfMany: boolean): string {
  const said = note === '' ? '' : `<p class="note">${escaped(isOneOfMany ? `${label}: ${note}` : note)}</p>`;
  return `${fabric === null ? '' : panel(fabric, index, isOneOfMany ? `: ${label}` : '')}${said}`;
}

function panel(picture: FabricPicture, index: number, name: string): string {
  const isBundled = picture.lines.some(({ links }) => links > 1);
  const bundles = isBundled
    ? ' A line of several links has the colour of the one with most contention or load, and the sums of all.'
    : '';
  const together = picture.note === '' ? '' : ` Many nodes share a box (${picture.note}).`;
  return `<div class="panel" data-fabric="${index}"><h3>${escaped(`Contention and load of links${name}`)}</h3>
<p class="note">${escaped(
    'Each half of a line is what the switch or host at that end sends. Contention is the time that flows lost by ' +
      'sharing a link, beside what they would have taken alone. Point at a line, a box or a row below for figures ' +
      `and paths.${bundles}${together}`,
  )}</p>
<div class="controls"><label><input type="radio" name="fabric-${index}" value="contention" checked>Contention</label><label><input type="radio" name="fabric-${index}" value="load">Load, of what a link could carry</label></div>
${keyHtml('contention', 'w', 'Time that flows lost on a link, beside their time alone', contentionTexts)}
${keyHtml('load', 'c', 'Load of a link, share of what it could carry', loadTexts)}
<div class="fabricbox" tabindex="0" role="group" aria-label="Drawing of the fabric">${picture.svg}</div>
<output class="said" aria-live="polite">Nothing is chosen: all links are shown.</output>
<div class="two">${linkTable(picture)}${flowTable(picture)}</div></div>`;
}

function keyHtml(of: string, letter: string, label: string, texts: readonly string[]): string {
  return `<ul class="key ${of}" aria-label="${label}">${texts.map((text, i) => `<li><i class="${letter}${i}"></i>${escaped(text)}</li>`).join('')}</ul>`;
}

function cell(text: string): string {
  return `<td class="number">${escaped(text)}</td>`;
}

/** Four columns at most: on a telephone more would be cut. */
function linkTable({ lines, names }: FabricPicture): string {
  const ways = lines.flatMap(({ from, to, up, down }, line) => [
    { line, isUp: 1, text: `${names[from]!} to ${names[to]!}`, own: up },
    { line, isUp: 0, text: `${names[to]!} to ${names[from]!}`, own: down },
  ]);
  const worst = ways
    .filter(({ own }) => own.bytes > 0)
    .sort(
      (a, b) => b.own.lostPs - a.own.lostPs || b.own.load - a.own.load || b.own.bytes - a.own.bytes || a.line - b.line,
    )
    .slice(0, mostLinks);
  if (worst.length === 0) return '<p class="note">No link carried a finished flow.</p>';
  const isLost = worst[0]!.own.lostPs > 0;
  return `<div><h3>${isLost ? 'Links on which most was lost' : 'Most loaded links'}</h3><div class="scroll"><table><thead><tr><th scope="col">Link</th>${isLost ? '<th scope="col" class="number">Lost</th><th scope="col" class="number">At once</th>' : ''}<th scope="col" class="number">Load</th></tr></thead><tbody>${worst
    .map(
      ({ line, isUp, text, own }) =>
        `<tr tabindex="0" data-show-line="${line}" data-up="${isUp}"><td>${escaped(text)}<div class="note">${escaped(`${formatSizeBytes(Math.round(own.bytes))} by ${counted(own.flows, 'flow')}`)}</div></td>` +
        `${isLost ? cell(own.lostPs === 0 ? 'none' : formatTimePs(own.lostPs)) + cell(own.sharers === 0 ? '' : grouped(own.sharers)) : ''}` +
        `${cell(`${numberText(own.load, 3)} %`)}</tr>`,
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

// The evidence of a run's verdict: causes of lost time, the links on which most was lost, what the network counted, what
// ranks waited for, and how a collective was done.
// Invariant: everything is as the summary has it, of whichever version wrote it: what is missing is left out.

import { formatTimePs } from '../../base/units.js';
import type { Cause } from '../../diagnosis/finding.js';
import type { LostCause } from '../../measurement/lost-causes.js';
import { titleOf, titles } from '../diagnosis/diagnosis-object.js';
import { escaped } from '../svg-text.js';
import { counted, grouped, percentText } from '../text-style.js';
import { listAt, numberAt, textAt, jsonAt, type Json, type ReportRun } from './report-run.js';
import { dot } from './page-shell.js';

const mostPlaces = 6;
const mostPaused = 5;

const causeWords: Readonly<Record<LostCause, string>> = {
  endpoint: 'links of hosts',
  'slow-part': 'links below the rate of their kind',
  routes: 'links that other routes avoid',
  interior: 'too few links between switches',
  unshared: 'no shared link explains it',
};

/** Counters that mean trouble, and what they count. */
const troubles: readonly (readonly [key: string, noun: string, plural?: string])[] = [
  ['packetsDropped', 'packet dropped', 'packets dropped'],
  ['packetsLost', 'packet lost', 'packets lost'],
  ['timeouts', 'timeout'],
  ['retransmittedPackets', 'packet sent again', 'packets sent again'],
  ['packetsTrimmed', 'packet trimmed', 'packets trimmed'],
  ['pauseFrames', 'pause'],
  ['ecnMarks', 'ECN mark'],
  ['creditStalls', 'credit stall'],
];

/** What the verdicts of the runs rest on; empty: their summaries have nothing of it. */
export function evidenceHtml(runs: readonly ReportRun[]): string {
  return runs
    .map((run, index) => {
      const parts = [findingTable(run), causeTable(run), placeTable(run), rankTable(run)].filter((html) => html !== '');
      const notes = [choiceOf(run), countsOf(run)].filter((text) => text !== '');
      if (parts.length === 0 && notes.length === 0) return '';
      const name = runs.length > 1 ? `<h3>${dot(index)} ${escaped(run.label)}</h3>` : '';
      return `<div class="panel">${name}${notes.map((text) => `<p class="note">${escaped(text)}</p>`).join('')}<div class="two">${parts.join('')}</div></div>`;
    })
    .join('\n');
}

/** All columns but the first are figures. */
function numeric(column: number): string {
  return column === 0 ? '' : ' class="number"';
}

function table(title: string, heads: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  return `<div><h3>${title}</h3><div class="scroll"><table><thead><tr>${heads.map((head, i) => `<th scope="col"${numeric(i)}>${head}</th>`).join('')}</tr></thead><tbody>${rows
    .map((row) => `<tr>${row.map((text, i) => `<td${numeric(i)}>${cellHtml(text)}</td>`).join('')}</tr>`)
    .join('')}</tbody></table></div></div>`;
}

/** A text, and a note in a line of its own below it. */
function cellHtml(text: string): string {
  const [first, note] = text.split('\n') as [string, string | undefined];
  return `${escaped(first)}${note === undefined ? '' : `<div class="note">${escaped(note)}</div>`}`;
}

function time(value: Json | undefined, key: string): string {
  const found = numberAt(value, key);
  return found === null ? '' : found === 0 ? '0' : formatTimePs(Math.round(found * 1000));
}

function causeWord(cause: string): string {
  return Object.hasOwn(causeWords, cause) ? causeWords[cause as LostCause] : cause;
}

function numbersAt(own: Json, key: string): number[] {
  return listAt(own, key).filter((one): one is number => typeof one === 'number');
}

/** What a diagnosis of the run found: each with what it cost, the link on which most was lost, and what to try. */
function findingTable({ summary }: ReportRun): string {
  const rows = listAt(summary, 'findings').map((own) => {
    const cause = textAt(own, 'cause');
    const titled = Object.hasOwn(titles, cause)
      ? titleOf({ cause: cause as Cause, jobs: numbersAt(own, 'jobs'), others: numbersAt(own, 'others') })
      : cause;
    const [link] = listAt(own, 'links');
    // on a telephone a column of its own would be cut
    const at = link === undefined ? '' : `Most on ${textAt(link, 'from')} to ${textAt(link, 'to')}. `;
    return [
      `${titled}\n${at}To try: ${textAt(own, 'suggestion')}`,
      percentText(numberAt(own, 'share') ?? 0),
      time(own, 'lostNs'),
    ];
  });
  return table('What held it up (weft diagnose)', ['Cause', 'Share', 'Lost'], rows);
}

function causeTable({ summary }: ReportRun): string {
  const allNs = numberAt(summary, 'lostTime', 'lostNs') ?? 0;
  if (allNs <= 0) return '';
  const rows = listAt(summary, 'lostTime', 'causes').map((own) => [
    causeWord(textAt(own, 'cause')),
    percentText((numberAt(own, 'lostNs') ?? 0) / allNs),
    time(own, 'lostNs'),
    grouped(numberAt(own, 'links') ?? 0),
    grouped(numberAt(own, 'flows') ?? 0),
  ]);
  return table('Why flows took longer than alone', ['Cause', 'Share', 'Lost', 'Links', 'Flows'], rows);
}

function placeTable({ summary }: ReportRun): string {
  const rows = listAt(summary, 'lostTime', 'places')
    .slice(0, mostPlaces)
    .map((own) => [
      `${textAt(own, 'from')} to ${textAt(own, 'to')}\n${causeWord(textAt(own, 'cause'))}`,
      time(own, 'lostNs'),
      grouped(numberAt(own, 'flows') ?? 0),
      grouped(numberAt(own, 'mostFlows') ?? 0),
    ]);
  return table('Where', ['Link', 'Lost', 'Flows', 'At once'], rows);
}

/** What the first rank of each stage did with its time. */
function rankTable({ summary }: ReportRun): string {
  const jobs = listAt(summary, 'jobs');
  const all = jobs.length > 0 ? jobs : [jsonAt(summary, 'workload')].flatMap((own) => (own === undefined ? [] : [own]));
  const rows = all.flatMap((job) =>
    listAt(job, 'stages').map((stage) => [
      // columns of their own would be cut on a telephone
      `${all.length > 1 ? `${textAt(job, 'name')}, ` : ''}rank ${numberAt(stage, 'rank') ?? '?'}\nIn bubbles ${time(stage, 'bubbleNs')}. For ranks that came later ${time(stage, 'skewNs')}`,
      time(stage, 'totalNs'),
      time(stage, 'computeNs'),
      time(stage, 'communicationNs'),
    ]),
  );
  return table('What ranks did with their time', ['Rank', 'Total', 'Computed', 'Waited'], rows);
}

/** Of a collective: how it was done and why, and how far such times lie from measured ones. */
function choiceOf({ summary }: ReportRun): string {
  const own = jsonAt(summary, 'collective');
  if (own === undefined || own === null) return '';
  const count = (key: string, noun: string): string => counted(numberAt(own, key) ?? 0, noun);
  const protocol = textAt(own, 'protocol');
  const band = numberAt(own, 'errorBand', 'p90Percent');
  const error =
    band === null
      ? ''
      : ` Nine of ten measured times of its class (${textAt(own, 'errorBand', 'class')}) lie within ${band.toFixed(1)} % of simulated ones.`;
  return `Algorithm ${textAt(own, 'algorithm')}, protocol ${protocol}, ${count('channels', 'channel')}, ${count('chunks', 'chunk')}. Why: ${textAt(own, 'reason')}.${error}`;
}

function countsOf({ summary }: ReportRun): string {
  const counters = jsonAt(summary, 'counters');
  const seen = troubles.flatMap(([key, noun, plural]) => {
    const count = numberAt(counters, key);
    return count === null || count === 0 ? [] : [counted(count, noun, plural)];
  });
  const paused = [...listAt(summary, 'pauses')]
    .sort((a, b) => (numberAt(b, 'pausedNs') ?? 0) - (numberAt(a, 'pausedNs') ?? 0))
    .map((own) => `host ${numberAt(own, 'host') ?? '?'} (${time(own, 'pausedNs')})`);
  const more = paused.length > mostPaused ? ` and ${paused.length - mostPaused} more` : '';
  return [
    ...(seen.length === 0 ? [] : [`The network counted ${seen.join(', ')}.`]),
    ...(paused.length === 0 ? [] : [`Paused longest: ${paused.slice(0, mostPaused).join(', ')}${more}.`]),
  ].join(' ');
}

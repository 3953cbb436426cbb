// The page about the health of a fabric, to be mailed: it has no program and fetches nothing.
// Invariants: the answer stands first; every name of a file is escaped; a list that is cut says how much is left.

import { findingKinds } from '../../fabric/fabric-findings.js';
import {
  changeLists,
  findingRows,
  naming,
  toldFindings,
  type CableEnd,
  type CableRow,
  type FabricFindingReport,
} from '../fabric-check-text.js';
import type { HealthReport, HealthVerdict } from '../fabric-health.js';
import {
  busiestLinks,
  errorMeanings,
  errorText,
  faultyLinks,
  linksWithErrors,
  longestWaits,
  type CountedLink,
  type LinkCounters,
} from '../routes/counter-text.js';
import { deadlockLines, evaluationLines, omittedLines, titleLine, validityLines } from '../routes/route-text.js';
import { escaped } from '../svg-text.js';
import { counted, grouped, percentText } from '../text-style.js';
import { pageDocument } from './page-shell.js';

/** Rows of a table; what is beyond is counted. */
const mostRows = 20;

/** The page. @param verdict of the same report */
export function healthHtml(report: HealthReport, verdict: HealthVerdict, weftVersion: string): string {
  const { check, counters } = report;
  const { hosts, switches, links } = check.summary;
  return pageDocument(
    {
      title: `Fabric ${check.name}`,
      head: `<p class="by">${escaped(`${counted(hosts, 'host')}, ${counted(switches, 'switch', 'switches')}, ${counted(links, 'link')}`)}</p>`,
      legend: '',
      parts: [
        { id: 'health', title: 'Health', html: healthPart(report, verdict) },
        { id: 'cables', title: 'Cables', html: check.findings.map((finding) => findingHtml(finding)).join('\n') },
        { id: 'changes', title: 'Since the earlier capture', html: changesHtml(report) },
        { id: 'errors', title: 'Errors', html: counters === null ? '' : errorsHtml(counters) },
        { id: 'busy', title: 'Busy links', html: counters === null ? '' : busyHtml(counters) },
        { id: 'tables', title: 'Forwarding tables', html: tablesHtml(report) },
        { id: 'drawing', title: 'Drawing', html: drawing(report) },
        { id: 'lids', title: 'LIDs', html: lidsHtml(report) },
        { id: 'warnings', title: 'Odd in the files', html: warningsHtml(report) },
      ],
      weftVersion,
      data: { figures: [], drawings: [], congestion: [] },
    },
    null,
  );
}

function healthPart(report: HealthReport, { isHealthy, sentences, notLookedAt }: HealthVerdict): string {
  const [first, ...others] = sentences;
  return (
    `<p><strong class="${isHealthy ? 'good' : 'bad'}">${escaped(first!)}</strong></p>` +
    others.map((sentence) => `<p><strong>${escaped(sentence)}</strong></p>`).join('') +
    cards(report) +
    (notLookedAt.length === 0 ? '' : note(`Not given, so not looked at: ${notLookedAt.join(', ')}.`))
  );
}

function cards({ check, counters, tables }: HealthReport): string {
  const faults = check.findings.filter(({ isFault }) => isFault);
  const cables = faults.reduce((sum, finding) => sum + findingRows(finding).length, 0);
  const all = [card('Cables at fault', grouped(cables), cables === 0)];
  if (check.changes !== null) {
    const changes = changeLists(check.changes, naming(check.identity)).reduce((sum, { rows }) => sum + rows.length, 0);
    all.push(card('Changes', grouped(changes), changes === 0));
  }
  if (counters !== null) {
    const faulty = faultyLinks(counters.links).length;
    all.push(
      card('Ports with errors of a cable', `${grouped(faulty)} of ${grouped(counters.portsRead)}`, faulty === 0),
    );
  }
  if (tables !== null) {
    const isValid = tables.judged?.validity.valid === true;
    all.push(card('Tables lead everywhere', isValid ? 'yes' : 'NO', isValid));
    const isFree = tables.judged?.deadlock.cycle === null;
    all.push(card('Deadlock', isFree ? 'cannot arise' : 'MAY ARISE', isFree));
  }
  return `<div class="cards">${all.join('')}</div>`;
}

function card(title: string, text: string, isGood: boolean): string {
  return `<div class="card"><div class="name">${escaped(title)}</div><div class="big ${isGood ? 'good' : 'bad'}">${escaped(text)}</div></div>`;
}

function findingHtml(finding: FabricFindingReport): string {
  const title = `${finding.isFault ? 'To mend' : 'To know'}: ${toldFindings([finding])}`;
  return panel(title, note(findingKinds[finding.kind]) + cableTable(findingRows(finding)));
}

function changesHtml({ check: { changes, identity } }: HealthReport): string {
  if (changes === null) return '';
  const lists = changeLists(changes, naming(identity));
  if (lists.length === 0) return note('Nothing changed.');
  return lists.map(({ told, rows }) => panel(told, cableTable(rows))).join('\n');
}

/** Cables with both ends, or nodes, and what is said of them. */
function cableTable(rows: readonly CableRow[]): string {
  const ends = Math.max(...rows.map((row) => row.ends.length));
  const hasRemarks = rows.some(({ remark }) => remark !== '');
  const heads = [...(ends === 1 ? ['Node'] : ['One end', 'Other end']), ...(hasRemarks ? [''] : [])];
  return table(
    heads,
    rows.map((row) => [
      ...row.ends.map((end) => endCell(end, row.ends.length > 1)),
      ...(hasRemarks ? [escaped(row.remark)] : []),
    ]),
  );
}

/** Name and port; GUID and LID below it. @param isOfCable the port is told, or that nobody knows it */
function endCell(end: CableEnd, isOfCable: boolean): string {
  const port = isOfCable ? ` <strong>port ${end.port ?? 'not known'}</strong>` : '';
  const identity = [
    ...(end.guid === null ? [] : [end.guid]),
    ...(end.lid === null || end.lid === 0 ? [] : [`LID ${end.lid}`]),
  ];
  return `${escaped(end.name)}${port}${identity.length === 0 ? '' : `<div class="hash">${escaped(identity.join(' · '))}</div>`}`;
}

function errorsHtml({ links, portsRead, intervalSeconds }: LinkCounters): string {
  const withErrors = linksWithErrors(links);
  const since = intervalSeconds === null ? 'since the counters were cleared' : `in ${intervalSeconds} s`;
  if (withErrors.length === 0) return note(`${counted(portsRead, 'port')} read: none counts errors.`);
  const faulty = faultyLinks(links).length;
  const said =
    faulty === 0
      ? 'None of these errors is one that a cable or a port makes.'
      : `${counted(faulty, 'port')} with errors that a cable or a port makes: look at these cables first.`;
  return (
    note(`${counted(portsRead, 'port')} read. ${said} Counts are ${since}.`) +
    panel(
      'Ports with errors',
      table(
        ['Port', 'Other end', 'Errors'],
        withErrors.map((link) =>
          linkCells(link).concat(link.errorCounts.map((own) => escaped(errorText(own))).join('<br>')),
        ),
      ),
    ) +
    panel(
      'What they say',
      table(
        ['Counter', ''],
        errorMeanings(links).map((row) => row.map(escaped)),
      ),
    )
  );
}

function linkCells({ ends }: CountedLink): string[] {
  return ends.map((end) => endCell(end, true));
}

function busyHtml({ links, intervalSeconds }: LinkCounters): string {
  const [busiest, waits] = [busiestLinks(links), longestWaits(links)];
  const unit = intervalSeconds === null ? 'sent since the counters were cleared' : `sent in ${intervalSeconds} s`;
  return (
    linksHtml('Most sent, for their rate', unit, busiest, sentText) +
    linksHtml('Longest waits', 'ticks without a credit', waits, ({ waitTicks }) => grouped(waitTicks ?? 0))
  );
}

function sentText({ sentBytes, utilisation }: CountedLink): string {
  return `${grouped(sentBytes ?? 0)} B${utilisation === null ? '' : `, ${percentText(utilisation)}`}`;
}

function linksHtml(
  title: string,
  head: string,
  links: readonly CountedLink[],
  cell: (link: CountedLink) => string,
): string {
  if (links.length === 0) return '';
  const rows = links.map((link) => linkCells(link).concat(escaped(cell(link))));
  return panel(title, table(['Port', 'Other end', head], rows));
}

function tablesHtml({ tables, source, traffic }: HealthReport): string {
  if (tables === null || source === null) return '';
  if (tables.judged === null)
    return panel(tables.name, note(`${tables.loop!.message}: ${tables.loop!.got ?? ''} (line ${tables.loop!.line})`));
  const { validity, deadlock, omitted, evaluation } = tables.judged;
  const lines = [
    ...validityLines(source, validity),
    `    longest way: ${validity.lengths.mostSwitches} switches, ${validity.lengths.averageSwitches.toFixed(2)} on average`,
    ...deadlockLines(source, deadlock),
    ...omittedLines(source, omitted),
  ];
  const loads =
    evaluation === null
      ? ''
      : panel(`Load of links: ${titleLine(tables.name, traffic)}`, pre(evaluationLines(source, evaluation)));
  return panel(tables.name, pre(lines)) + loads;
}

function lidsHtml({ lids }: HealthReport): string {
  if (lids === null) return '';
  const { endPorts, lowest, highest, without, free, perHost } = lids;
  const range =
    lowest === null
      ? 'none in the file: those shown here are what OpenSM gives at a cold start'
      : `${lowest} to ${highest}`;
  const rows: readonly (readonly [string, string])[] = [
    ['End ports', grouped(endPorts)],
    ['LIDs', range],
    ['Not used in between', grouped(free)],
    ['End ports without a LID', grouped(without)],
    ['LIDs of a host', grouped(perHost)],
  ];
  return panel(
    '',
    table(
      ['', ''],
      rows.map((row) => row.map(escaped)),
    ),
  );
}

function warningsHtml({ warnings }: HealthReport): string {
  if (warnings.length === 0) return '';
  return panel(
    '',
    table(
      ['File', 'What'],
      warnings.map(({ file, line, message, got }) => [
        escaped(line > 0 ? `${file}:${line}` : file),
        escaped(got === undefined ? message : `${message} (${got})`),
      ]),
    ),
  );
}

function drawing({ figure, source }: HealthReport): string {
  if (figure !== null) return `<div class="panel long"><div class="paper">${figure}</div></div>`;
  const why = source?.noTree?.reason;
  return why === undefined ? '' : note(`Fat trees alone are drawn, and this is none: ${why}.`);
}

function note(text: string): string {
  return `<p class="note">${escaped(text)}</p>`;
}

function pre(lines: readonly string[]): string {
  return `<pre>${lines.map(escaped).join('\n')}</pre>`;
}

function panel(title: string, html: string): string {
  return `<div class="panel long">${title === '' ? '' : `<h3>${escaped(title)}</h3>`}${html}</div>`;
}

/** A table of at most so many rows. @param rows of cells that are markup */
function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const head = heads.every((text) => text === '')
    ? ''
    : `<thead><tr>${heads.map((text) => `<th scope="col">${escaped(text)}</th>`).join('')}</tr></thead>`;
  const body = rows.slice(0, mostRows).map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`);
  const left = rows.length - mostRows;
  return (
    `<div class="scroll"><table>${head}<tbody>${body.join('')}</tbody></table></div>` +
    (left > 0 ? note(`and ${grouped(left)} more: weft report --fabric … --json has all`) : '')
  );
}

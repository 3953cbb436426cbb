// Counters of links as `weft route import` prints them: which were busiest, where packets waited or were lost.
// Invariant: 80 columns; what is not known is null, and a dash for people.

import { formatTimePs } from '../../base/units.js';
import type { PortIdentity } from '../../fabric/port-identity.js';
import { portCounterKinds, type PortCounterKind, type PortCounterName } from '../../formats/port-counter-kinds.js';
import { counted, percentText, shortened } from '../text-style.js';

/** A counter of errors of a port. */
interface ErrorCount {
  readonly name: PortCounterName;
  readonly count: number;
  /** it stands at its largest value and may have stopped */
  readonly isFull: boolean;
}

/** A port with its counters as they were printed, by perfquery's names. */
export interface CountedPort extends PortIdentity {
  readonly counters: Readonly<Record<string, number>>;
}

/** A directed link with its counters; null is unknown. */
export interface CountedLink {
  readonly from: string;
  readonly to: string;
  /** the port that counted, and the other end */
  readonly ends: readonly PortIdentity[];
  readonly sentBytes: number | null;
  /** share of the time in which the link was busy, 0 to 1; null without an interval */
  readonly utilisation: number | null;
  readonly waitTicks: number | null;
  /** all of them, and by kind */
  readonly errors: number;
  readonly errorCounts: readonly ErrorCount[];
  /** a counter stands at its largest value: there may be more */
  readonly saturated: boolean;
}

export interface LinkCounters {
  readonly portsRead: number;
  /** rounds of readings in the file; of several the links have what came between the first and the last */
  readonly polls: number;
  /** between the two readings of a port, as they say or as `--interval` does; the longest of them */
  readonly intervalSeconds: number | null;
  /** the busiest, those where packets waited longest, and all with errors */
  readonly links: readonly CountedLink[];
  /** every port that was read */
  readonly ports: readonly CountedPort[];
}

/** Links listed as the busiest, and as those that waited longest. */
const busiestListed = 10;

/** Links with errors that people get to read. */
const faultyListed = 20;

/** The busiest links, by share of the rate if that is known, else by bytes. */
export function busiestLinks(links: readonly CountedLink[]): CountedLink[] {
  return byLoad(links)
    .slice(0, busiestListed)
    .filter(({ sentBytes }) => sentBytes !== null);
}

function byLoad(links: readonly CountedLink[]): CountedLink[] {
  const worth = ({ utilisation, sentBytes }: CountedLink): number => utilisation ?? sentBytes ?? -1;
  return [...links].sort((a, b) => worth(b) - worth(a));
}

/** Links on which packets waited longest. */
export function longestWaits(links: readonly CountedLink[]): CountedLink[] {
  const ticks = ({ waitTicks }: CountedLink): number => waitTicks ?? 0;
  return links
    .filter((link) => ticks(link) > 0)
    .sort((a, b) => ticks(b) - ticks(a))
    .slice(0, busiestListed);
}

/** Links with errors, first those with most that a cable or a port makes. */
export function linksWithErrors(links: readonly CountedLink[]): CountedLink[] {
  return links.filter(({ errors }) => errors > 0).sort((a, b) => faultsOf(b) - faultsOf(a) || b.errors - a.errors);
}

/**
 * Links that are remarkable: the busiest, those that waited longest, those with errors. The busiest come first.
 * @param mostWithErrors listed for their errors, the worst of them
 */
export function remarkableLinks(links: readonly CountedLink[], mostWithErrors = Infinity): CountedLink[] {
  const chosen = new Set([
    ...busiestLinks(links),
    ...longestWaits(links),
    ...linksWithErrors(links).slice(0, mostWithErrors),
  ]);
  return byLoad(links).filter((link) => chosen.has(link));
}

/** Counters for people: 80 columns. */
export function counterLines({ portsRead, polls, intervalSeconds, links }: LinkCounters): string[] {
  const shown = remarkableLinks(links, faultyListed);
  const left = links.length - shown.length;
  const lines = [
    `  counters       of ${counted(portsRead, 'port')}${polls > 1 ? `, ${polls} times` : ''}${intervalSeconds === null ? '' : ` over ${durationText(intervalSeconds)}`}; most sent, longest waits, errors:`,
  ];
  for (const { from, to, sentBytes, utilisation, waitTicks, errorCounts, saturated } of shown) {
    const remarks = [
      ...(waitTicks !== null && waitTicks > 0 ? [`waited ${waitTicks} ticks`] : []),
      ...(saturated && !errorCounts.some(({ isFull }) => isFull) ? ['may be more'] : []),
    ];
    const names = linkLines(from, to, 44);
    const sent = `${String(sentBytes ?? '-').padStart(17)} B${utilisation === null ? '' : percentText(utilisation).padStart(8)}`;
    // long names stand on lines of their own: what tells alike switches apart is at their ends
    if (names.length > 1) lines.push(...names);
    lines.push(`${(names.length > 1 ? '' : names[0]!).padEnd(48)} ${sent}`);
    if (remarks.length > 0) lines.push(`      ${remarks.join(', ')}`);
    for (const own of errorCounts) lines.push(`      ${errorText(own)}`);
  }
  if (left > 0)
    lines.push(`    and ${counted(left, 'port')} more with errors, fewer or of less weight (--json has all)`);
  return [...faultLines(links), ...lines, ...meaningLines(links)];
}

/** A time between readings: those of simulated runs are short. */
function durationText(seconds: number): string {
  return seconds < 1 ? formatTimePs(seconds * 1e12) : `${seconds} s`;
}

/** The answer first: which cables to look at. */
function faultLines(links: readonly CountedLink[]): string[] {
  const [worst, ...others] = faultyLinks(links);
  if (worst === undefined)
    return links.some(({ errors }) => errors > 0) ? ['  errors         none that a cable or a port makes'] : [];
  return [
    `  errors         look at ${counted(others.length + 1, 'port')} and ${others.length === 0 ? 'its cable' : 'their cables'}, first`,
    ...linkLines(worst.from, worst.to, 76),
  ];
}

/** A link on a line, or on two if that has more columns than given. */
function linkLines(from: string, to: string, columns: number): string[] {
  if (from.length + to.length + 4 <= columns) return [`    ${from} -> ${to}`];
  return [`    ${shortened(from, 76, '...')}`, `      -> ${shortened(to, 71, '...')}`];
}

/** Links with errors that a cable or a port makes, the worst first. */
export function faultyLinks(links: readonly CountedLink[]): CountedLink[] {
  return linksWithErrors(links).filter((link) => faultsOf(link) > 0);
}

function faultsOf({ errorCounts }: CountedLink): number {
  return errorCounts.reduce((sum, { name, count }) => sum + (kindOf(name).isFault === true ? count : 0), 0);
}

/** What each kind of error that occurs says, by its name. */
export function errorMeanings(links: readonly CountedLink[]): (readonly [PortCounterName, string])[] {
  const names = new Set(links.flatMap(({ errorCounts }) => errorCounts.map(({ name }) => name)));
  return [...names].map((name) => [name, kindOf(name).error ?? '']);
}

function meaningLines(links: readonly CountedLink[]): string[] {
  const meanings = errorMeanings(links);
  return meanings.length === 0
    ? []
    : ['  what they say', ...meanings.map(([name, meaning]) => `    ${name}: ${meaning}`)];
}

/** A kind of error with its count: "SymbolErrorCounter 65535 or more: it stops there". */
export function errorText({ name, count, isFull }: ErrorCount): string {
  return `${name} ${count}${isFull ? ' or more: it stops there' : ''}`;
}

function kindOf(name: PortCounterName): PortCounterKind {
  return portCounterKinds[name];
}

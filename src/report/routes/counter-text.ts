// Counters of links as `weft route import` prints them: which were busiest, where packets waited or were lost.
// Invariant: 80 columns; what is not known is null, and a dash for people.

import { percentText, shortened } from '../text-style.js';

/** A directed link with its counters; null is unknown. */
export interface CountedLink {
  readonly from: string;
  readonly to: string;
  readonly sentBytes: number | null;
  /** share of the time in which the link was busy, 0 to 1; null without an interval */
  readonly utilisation: number | null;
  readonly waitTicks: number | null;
  readonly errors: number;
  /** a counter stands at its largest value: there may be more */
  readonly saturated: boolean;
}

export interface LinkCounters {
  readonly portsRead: number;
  readonly intervalSeconds: number | null;
  /** the busiest, those where packets waited longest, and all with errors */
  readonly links: readonly CountedLink[];
}

/** Counters for people: 80 columns. */
export function counterLines({ portsRead, intervalSeconds, links }: LinkCounters): string[] {
  const lines = [
    `  counters       of ${portsRead} ports${intervalSeconds === null ? '' : ` over ${intervalSeconds} s`}; most sent, longest waits, errors:`,
  ];
  for (const { from, to, sentBytes, utilisation, waitTicks, errors, saturated } of links) {
    const remarks = [
      ...(waitTicks !== null && waitTicks > 0 ? [`waited ${waitTicks} ticks`] : []),
      ...(errors > 0 ? [`${errors} errors`] : []),
      ...(saturated ? ['may be more'] : []),
    ];
    lines.push(
      `    ${shortened(`${from} -> ${to}`, 44, '...').padEnd(44)} ${String(sentBytes ?? '-').padStart(17)} ` +
        `B${utilisation === null ? '' : percentText(utilisation).padStart(8)}`,
    );
    if (remarks.length > 0) lines.push(`      ${remarks.join(', ')}`);
  }
  return lines;
}

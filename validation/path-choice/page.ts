// The page of path choices: completion beside the bound, by traffic; path-choice.csv beside it has every figure.

import { csvText } from '../data-file.js';
import type { PathChoice, Traffic } from './cases.js';

/** One run. */
export interface PathRow extends PathChoice {
  readonly traffic: Traffic;
  readonly failed: number;
  readonly completionPs: number;
  readonly p99Ns: number;
  readonly heldBytes: number;
  readonly retransmittedPackets: number;
  /** of streams over one fast spine */
  readonly boundPs: number;
}

/** The page in Markdown. */
export function pathChoicePage(rows: readonly PathRow[]): string {
  const traffics = [...new Set(rows.map(({ traffic }) => traffic))];
  return `# What a path choice costs and gains

<!-- the whole page is written by \`npm run path-choice\` -->

How near does each balancer come to what the links could carry, and what do failed links cost it?

**The cases** (\`validation/path-choice/cases.ts\`). 128 GPUs below 8 leaves and 16 spines of 100 Gb/s; no link is oversubscribed. Of the 128 links between leaves and spines 0, 1 or 6 are down
from the start. A permutation sends 16 MB from each GPU to one below another leaf, an all-to-all 32 KiB from each to each other. The neighbours of a ring AllReduce of 4 MB are below different leaves. Every
balancer has a transport that suits it: go-back-N and IRN with PFC, UEC without it and with trimming, in buffers of 4 MiB. UEC acknowledges every 16 KiB, its default.

**The columns**. Completion of all flows in multiples of the bound, with 0, 1 and 6 links down. The bound is the fluid backend's completion over one spine with the rate of all, less what the failed links had.
It has no acknowledgements, which take 2 % of a link that is busy both ways. Transfers of an AllReduce take turns, and may beat it by a few per mille. *Held back* is the most payload that one host would have had to
keep to hand packets on in order. UEC and IRN place it in memory at once; what ConWeave keeps in the last switch is not in it. *Sent again* counts packets. Both are the largest of the three cases.
[path-choice.csv](path-choice.csv) has them by case, with the 99th percentile of flows.

**How far to trust it.** One seed: differences of a per cent or two mean nothing.

${traffics
  .map((traffic) =>
    section(
      traffic,
      rows.filter((row) => row.traffic === traffic),
    ),
  )
  .join('\n')}`;
}

function section(traffic: Traffic, rows: readonly PathRow[]): string {
  const failures = [...new Set(rows.map(({ failed }) => failed))];
  const bounds = failures.map((failed) => micros(rows.find((row) => row.failed === failed)!.boundPs));
  const choices = new Map<string, PathRow[]>();
  for (const row of [...rows].sort((a, b) => a.failed - b.failed || a.completionPs - b.completionPs)) {
    const name = `${nameOf(row)} | ${row.transport}`;
    choices.set(name, [...(choices.get(name) ?? []), row]);
  }
  return `## ${traffic[0]!.toUpperCase()}${traffic.slice(1)}

Bounds: ${bounds.join(', ')}.

| balancing | transport | ${failures.map((failed) => `${failed} down`).join(' | ')} | held back | sent again |
|---|---|${failures.map(() => '---|').join('')}---|---|
${[...choices].map(([name, own]) => line(name, own)).join('\n')}
`;
}

function line(name: string, rows: readonly PathRow[]): string {
  const most = (figure: (row: PathRow) => number): number => Math.max(...rows.map(figure));
  const ratios = rows.map(({ completionPs, boundPs }) => (completionPs / boundPs).toFixed(3));
  return `| ${[name, ...ratios, `${kilobytes(most(({ heldBytes }) => heldBytes))} kB`, most((row) => row.retransmittedPackets)].join(' | ')} |`;
}

/** Every run with all its figures. */
export function pathChoiceCsv(rows: readonly PathRow[]): string {
  return csvText(
    ['traffic', 'linksDown', 'balancing', 'transport', 'completionUs', 'boundUs', 'p99Us', 'heldBackKB', 'sentAgain'],
    rows.map((row) => [
      row.traffic,
      row.failed,
      nameOf(row),
      row.transport,
      (row.completionPs / 1e6).toFixed(1),
      (row.boundPs / 1e6).toFixed(1),
      (row.p99Ns / 1e3).toFixed(1),
      kilobytes(row.heldBytes),
      row.retransmittedPackets,
    ]),
  );
}

function kilobytes(bytes: number): string {
  return (bytes / 1000).toFixed(0);
}

/** A balancer, and in which order it sprays. */
export function nameOf({ balancing, settings }: PathChoice): string {
  if (settings.includes('maximumWindow: 3')) return `${balancing}, window of 3 products`;
  return settings.includes('round-robin') ? `${balancing}, in turn` : balancing;
}

function micros(ps: number): string {
  return `${(ps / 1e6).toFixed(1)} us`;
}

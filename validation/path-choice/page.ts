// The page of the table: completion, 99th percentile and reorder memory of every choice of paths beside the bound.

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

128 GPUs below 8 leaves and 16 spines of 100 Gb/s (no link is oversubscribed), a permutation (16 MB from each GPU to one below another leaf), an all-to-all (32 KiB
from each to each other) and a ring AllReduce of 4 MB whose neighbours are below different leaves; every balancer with a transport that suits it, with 0, 1 and 6 of
the 128 links between leaves and spines down from the start (0, 1 and 5 %). \`npm run path-choice\` writes this page; the cases are in \`validation/path-choice/cases.ts\`.

- **Bound**: the fluid backend's completion over one spine with the rate of all, less what the failed links had. It has no acknowledgements, which take 2 % of a link that is busy both
  ways. Flows that share it all the time cannot be faster; transfers of an AllReduce take turns, and may be by a few per mille.
- **Completion** is that of all flows, beside its ratio to the bound; **p99** that of flows (of the AllReduce, of its transfers).
- **Held back**: the most payload that one host would have had to keep to hand packets on in order, at any time. UEC and IRN place it in memory at once. ConWeave puts packets in order
  in the last switch: what it keeps there is not in this column.
- go-back-N and IRN run with PFC, UEC without it and with trimming, in buffers of 4 MiB. One seed: differences of a per cent or two mean nothing.

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
  return failures
    .map((failed) => {
      const own = rows.filter((row) => row.failed === failed).sort((a, b) => a.completionPs - b.completionPs);
      return `## ${traffic[0]!.toUpperCase()}${traffic.slice(1)}, ${failed} of 128 links down

Bound: ${micros(own[0]!.boundPs)}.

| balancing | transport | completion | of the bound | p99 | held back | sent again |
|---|---|---|---|---|---|---|
${own.map(line).join('\n')}
`;
    })
    .join('\n');
}

function line(row: PathRow): string {
  return `| ${nameOf(row)} | ${row.transport} | ${micros(row.completionPs)} | ${(row.completionPs / row.boundPs).toFixed(3)} | ${micros(row.p99Ns * 1000)} | ${(row.heldBytes / 1000).toFixed(0)} kB | ${row.retransmittedPackets} packets |`;
}

/** A balancer, and in which order it sprays. */
export function nameOf({ balancing, settings }: PathChoice): string {
  if (settings.includes('maximumWindow: 3')) return `${balancing}, window of 3 products`;
  return settings.includes('round-robin') ? `${balancing}, in turn` : balancing;
}

function micros(ps: number): string {
  return `${(ps / 1e6).toFixed(1)} us`;
}

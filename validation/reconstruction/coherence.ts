// Coherence of routing matrices by levels and lanes (Taffet's dissertation, docs/SOURCES.md, 4.2 and 4.4): the largest
// share of counters that two pairs have in common, as the cosine of their columns of R; and how many counters there are.

import { generatedFabric, routedFabric } from '#weft/app/routes/fabric-input.js';
import { assignmentOf } from '#weft/app/reconstruct/lane-strategies.js';
import { requestedTables } from '#weft/app/reconstruct/named-tables.js';
import { memoryHost } from '#weft/app/memory-host.js';
import { Diagnostics } from '#weft/base/diagnostics.js';
import { PairRows } from '#weft/reconstruction/pair-rows.js';
import type { LaneColumn } from './printed-tables.js';

/** What levels and lanes make of the pairs of some hosts in a row. */
export interface Coherence {
  /** counters that a pair touches */
  readonly counters: number;
  /** mu: the largest cosine of two columns */
  readonly largest: number;
  /** mean over pairs of the largest cosine that each has */
  readonly mean: number;
}

/** @param first rank of the first host @param ranks how many hosts in a row */
export async function coherenceOf(first: number, ranks: number, column: LaneColumn): Promise<Coherence> {
  const source = routedFabric(generatedFabric('quartz1')!);
  const tables = (await requestedTables('ftree', memoryHost(), source)).tables!;
  const request = { fabric: 'quartz1', tables: 'ftree', ...column } as const;
  const rows = new PairRows(
    source.fabric,
    tables![0]!,
    await assignmentOf(request, 1, memoryHost(), source, tables, new Diagnostics()),
  );
  const columns: number[][] = [];
  const byRow = new Map<number, number[]>();
  const hosts = Array.from({ length: ranks }, (_, i) => source.fabric.hosts[first + i]!);
  for (const from of hosts)
    for (const to of hosts) {
      const own = Array.from(rows.rows.subarray(0, rows.open(from, to, null)));
      if (own.length === 0) continue;
      for (const row of own) {
        const others = byRow.get(row);
        if (others === undefined) byRow.set(row, [columns.length]);
        else others.push(columns.length);
      }
      columns.push(own);
    }
  let largest = 0;
  let sum = 0;
  const shared = new Uint8Array(columns.length);
  columns.forEach((own, i) => {
    shared.fill(0);
    let most = 0;
    for (const row of own)
      for (const other of byRow.get(row)!) {
        if (other === i) continue;
        const cosine = ++shared[other]! / Math.sqrt(own.length * columns[other]!.length);
        if (cosine > most) most = cosine;
      }
    largest = Math.max(largest, most);
    sum += most;
  });
  return { counters: byRow.size, largest, mean: sum / columns.length };
}

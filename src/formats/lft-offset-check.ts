// Whether a table file has entries for all LIDs of hosts that have several (LMC above 0): one of another LMC has not,
// and one that was cut or edited lacks some.

import type { FileProblems, Position } from '../base/diagnostics.js';
import type { TablesByOffset } from '../routing/lid-offsets.js';
import type { EntryLines } from './lft-entry-lines.js';
import type { IdentifiedFabric } from './subnet-records.js';

/**
 * Of hosts with several LIDs every switch that has an entry for one should have one for all. Said once, with how many
 * are missing.
 * @param at the beginning of the last table
 */
export function checkOffsets(
  { fabric, identity }: IdentifiedFabric,
  offsets: TablesByOffset,
  entryLines: EntryLines,
  at: Position,
  problems: FileProblems,
): void {
  if (offsets.length === 1) return;
  const { switches, rowOf } = offsets[0]!;
  const absent = offsets.findIndex((_, offset) => !entryLines.hasAny(offset));
  if (absent > 0) {
    problems.error('missing-offset', at, `no entry is for LID offset ${absent} of any host`, {
      got: 'tables of fewer LIDs per host than the fabric has',
      wanted: `${offsets.length} LIDs per host (LMC ${31 - Math.clz32(offsets.length)})`,
      hint: 'for tables of the first LIDs alone: --lmc 0',
    });
    return;
  }
  let missing = 0;
  let first: { readonly line: number; readonly what: string } | null = null;
  for (const node of switches)
    for (const host of fabric.hosts) {
      const lines = offsets.map((_, offset) => entryLines.line(offset, rowOf[node]!, host));
      const line = Math.max(...lines);
      if (line === 0) continue;
      for (let offset = 0; offset < offsets.length; offset++) {
        if (lines[offset] !== 0) continue;
        missing++;
        first ??= {
          line,
          what: `${identity.nodeName[node]} has an entry for ${identity.nodeName[host]}, but none for its LID offset ${offset}`,
        };
      }
    }
  if (first === null) return;
  problems.warning('missing-offset', { line: first.line, column: 1 }, first.what, {
    got: `${missing} such entries are missing`,
    wanted: `one for each of the ${offsets.length} LIDs of a host`,
  });
}

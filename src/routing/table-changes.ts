// Entries of tables as what differs from the entries of others: some kilobytes for tables of megabytes where few
// differ, as while a search goes on. All of them where that is less.
// Invariant: `withChanges(from, changesBetween(from, to))` is `to`, and neither changes what it is given.

import { fail } from '../base/fail.js';

/** What differs: cells of the entries and what stands there; or all entries, where that is less. */
export type EntryChanges = { readonly cells: Uint32Array; readonly entries: Uint8Array } | { readonly all: Uint8Array };

/** bytes of a cell's number and its entry */
const bytesPerChange = 5;

/** Finds what differs. Linear in the entries. @throws InvariantError if they are of two fabrics */
export function changesBetween(from: Uint8Array, to: Uint8Array): EntryChanges {
  if (from.length !== to.length) fail('entries of tables of two fabrics compared');
  let count = 0;
  for (let cell = 0; cell < to.length; cell++) if (from[cell] !== to[cell]) count++;
  if (bytesPerChange * count >= to.length) return { all: to };
  const cells = new Uint32Array(count);
  const entries = new Uint8Array(count);
  let place = 0;
  for (let cell = 0; cell < to.length; cell++) {
    if (from[cell] === to[cell]) continue;
    cells[place] = cell;
    entries[place++] = to[cell]!;
  }
  return { cells, entries };
}

/** Carries changes out on a copy; of all entries there is none. */
export function withChanges(from: Uint8Array, changes: EntryChanges): Uint8Array {
  if ('all' in changes) return changes.all;
  const to = from.slice();
  const { cells, entries } = changes;
  for (let i = 0; i < cells.length; i++) to[cells[i]!] = entries[i]!;
  return to;
}

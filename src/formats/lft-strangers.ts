// What a table file has that the fabric has not: passed over, counted, and told once for each kind, at the first place.

import { wholeFile, type FileProblems, type Position } from '../base/diagnostics.js';

/** Kinds, in the order in which they are told. */
const kinds = {
  switch: {
    code: 'unknown-switch',
    words: 'tables are of switches that the fabric has not',
    hint: 'OpenSM ignores them without a word',
  },
  port: { code: 'unknown-destination', words: 'entries are for LIDs or GUIDs that the fabric has not' },
  lid: { code: 'left-out-lids', words: 'entries are for LIDs that --lmc leaves out: they are passed over' },
  renumbered: {
    code: 'other-lids',
    words: 'LIDs stand before GUIDs that have others in the fabric: the GUIDs count, as in OpenSM',
    hint: 'with --guid2lid the fabric has the LIDs of these tables',
  },
  last: {
    code: 'last-lid',
    words: 'tables end before the last LID of their first line: dump_fts and ibroute leave out a multiple of 64 there',
    hint: 'to that LID these tables lead from nowhere; opensm-lfts.dump, which OpenSM writes, has it',
  },
  dead: { code: 'unlinked-port', words: 'entries name ports without a link: nothing passes them' },
} as const;

export type Stranger = keyof typeof kinds;

export class Strangers {
  private readonly met = new Map<Stranger, { count: number; readonly first: Position }>();

  /** Counts one, and keeps where the first of its kind was. */
  add(kind: Stranger, at: Position): void {
    const met = this.met.get(kind);
    if (met === undefined) this.met.set(kind, { count: 1, first: at });
    else met.count++;
  }

  count(kind: Stranger): number {
    return this.met.get(kind)?.count ?? 0;
  }

  /** Where the first of a kind was; the whole file if there was none. */
  first(kind: Stranger): Position {
    return this.met.get(kind)?.first ?? wholeFile;
  }

  /** Warns of all that were met. */
  tell(problems: FileProblems): void {
    for (const [kind, { code, words, ...more }] of Object.entries(kinds)) {
      const count = this.count(kind as Stranger);
      if (count > 0) problems.warning(code, this.first(kind as Stranger), `${count} ${words}`, more);
    }
  }
}

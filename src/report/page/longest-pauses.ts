// The pauses of a run that lasted longest, out of the table `pauses`.
// Memory: those that are kept, twice.

import { PauseColumn } from '../../records/probe-records.js';
import type { Batch } from '../../records/schema.js';

/** pauses that are kept */
const mostKept = 200;

/** A pause: a switch told the sender of a link to wait, since one of its outputs was full. */
export interface LongPause {
  readonly beginPs: number;
  /** Infinity: it had not ended when the run did */
  readonly endPs: number;
  readonly priority: number;
  /** the end that sends nothing, and its port, from 1 */
  readonly pausedNode: number;
  readonly pausedInterface: number;
  /** where what waits wants to leave, and that port */
  readonly causeNode: number;
  readonly causeInterface: number;
  /** pauses between it and the output at which it all began */
  readonly depth: number;
}

export class LongestPauses {
  /** of all */
  count = 0;
  private kept: LongPause[] = [];

  /** Takes rows of the table. */
  put({ columns, rows }: Batch): void {
    this.count += rows;
    const column = (name: keyof typeof PauseColumn): ArrayLike<number> => columns[PauseColumn[name]]!;
    for (let row = 0; row < rows; row++) {
      const endPs = column('end')[row]!;
      this.kept.push({
        beginPs: column('begin')[row]!,
        endPs: endPs < 0 ? Infinity : endPs,
        priority: column('priority')[row]!,
        pausedNode: column('pausedNode')[row]!,
        pausedInterface: column('pausedInterface')[row]!,
        causeNode: column('causeNode')[row]!,
        causeInterface: column('causeInterface')[row]!,
        depth: column('depth')[row]!,
      });
      if (this.kept.length >= 2 * mostKept) this.kept = this.longest;
    }
  }

  /** The longest, in order; of equal ones the earlier first. */
  get longest(): LongPause[] {
    const length = ({ beginPs, endPs }: LongPause): number => endPs - beginPs;
    // two that never ended: the one that began first lasted longer
    const later = (a: LongPause, b: LongPause): number => a.beginPs - b.beginPs;
    return [...this.kept]
      .sort((a, b) => (length(a) === length(b) ? later(a, b) : length(b) - length(a)))
      .slice(0, mostKept);
  }
}

// Lines of a file of InfiniBand's tools, and among them what is none of its own: what a tool said on stderr, or a shell
// before it began.
// Invariant: lines are passed over before the first line of the form, and later only if they have the form of a tool's
// log; one warning says how many, and where the first stands.

import { FileProblems, type Position } from '../base/diagnostics.js';

/**
 * What libibumad, libibmad, libibnetdisc and the tools over them say on stderr, and the progress of `ibnetdiscover -s`.
 */
const toolLog =
  /^(?:[^\s:]{0,80}: )?(?:ibwarn|iberror|ibpanic|ibdebug|warn|umad_\w{1,20}): |^[\w./-]{1,80}\.c:\d{1,6}[;:] |^DR path slid /;

/** Counts lines that are passed over. */
export class LogLines extends FileProblems {
  private count = 0;
  private first: Position | null = null;
  private text = '';
  private begun = false;

  /** A line of the form has come: from here on only a tool's log is passed over. */
  begin(): void {
    this.begun = true;
  }

  /** Whether a line that is not understood is passed over. @param own how lines of the form begin: these never are */
  takes(content: string, at: Position, own?: RegExp): boolean {
    if (own?.test(content) === true) {
      this.begun = true;
      return false;
    }
    if (this.begun && !toolLog.test(content)) return false;
    if (this.count++ === 0) {
      this.first = at;
      this.text = content;
    }
    return true;
  }

  /** The first line that was passed over, if nothing of the form has come. */
  get onlyOthers(): { readonly at: Position; readonly text: string } | null {
    return this.first === null || this.begun ? null : { at: this.first, text: this.text };
  }

  /** Warns of what was passed over. */
  end(): void {
    if (this.first === null) return;
    this.warning(
      'other-lines',
      this.first,
      this.count === 1
        ? 'a line that is no part of the fabric is passed over'
        : `${this.count} lines that are no part of the fabric are passed over`,
      { got: this.text.slice(0, 200), hint: 'where discovery failed, nodes or links are missing' },
    );
  }
}

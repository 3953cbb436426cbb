// Lines of a file of InfiniBand's tools, and among them what is none of its own: what a tool said on stderr, or a shell
// before it began.
// Invariant: lines are passed over before the first line of the form, and later only if they have the form of a tool's
// log; one warning says how many, and where the first stands.

import type { Diagnostics, Position } from '../base/diagnostics.js';

/**
 * What libibumad, libibmad, libibnetdisc and the tools over them say on stderr, and the progress of `ibnetdiscover -s`.
 */
const toolLog =
  /^(?:[^\s:]{0,80}: )?(?:ibwarn|iberror|ibpanic|ibdebug|warn|umad_\w{1,20}): |^[\w./-]{1,80}\.c:\d{1,6}[;:] |^DR path slid /;

/** Calls for every line that is not blank, without the blanks around it, until there are too many mistakes. */
export function eachLine(text: string, diagnostics: Diagnostics, use: (content: string, at: Position) => void): void {
  let start = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  for (let line = 1; start < text.length && !diagnostics.full; line++) {
    const newline = text.indexOf('\n', start);
    const stop = newline === -1 ? text.length : newline;
    const whole = text.slice(start, stop);
    const column = whole.search(/\S/) + 1;
    if (column > 0) use(whole.trim(), { line, column });
    start = stop + 1;
  }
}

/** Counts lines that are passed over. */
export class LogLines {
  private count = 0;
  private first: Position | null = null;
  private text = '';
  private begun = false;

  constructor(
    private readonly file: string,
    private readonly diagnostics: Diagnostics,
  ) {}

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
    this.diagnostics.warning(
      'other-lines',
      this.file,
      this.first,
      this.count === 1
        ? 'a line that is no part of the fabric is passed over'
        : `${this.count} lines that are no part of the fabric are passed over`,
      { got: this.text.slice(0, 200), hint: 'where discovery failed, nodes or links are missing' },
    );
  }
}

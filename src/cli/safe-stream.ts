// The streams of a command as it sees them: whatever it writes is made printable here, in one place, so that no name in
// a file can steer the terminal. Displays of progress, which do steer it, write to `terminal` and make printable
// themselves what they show.
// Invariant: the only escape sequences that get through are those of report/text-style.ts, on a terminal.

import { printable, printableLines } from '../base/printable.js';
import type { ProgressStream } from './progress.js';

/** The colours of report/text-style.ts (which the start of the program does not load), as a group for split(). */
const colourSequence = /(\u001b\[(?:0|1|2|31|32|33)m)/;
/** Characters of a line of messages; longer ones are cut. */
const longestMessage = 4000;

/** Standard output: reports in colour on a terminal, JSON, texts of any length. */
export function safeOutput(stream: ProgressStream): ProgressStream {
  return safeStream(stream, (text) =>
    stream.isTTY === true
      ? text
          .split(colourSequence)
          .map((part, i) => (i % 2 === 1 ? part : printableLines(part)))
          .join('')
      : printableLines(text),
  );
}

/** Standard error: messages. */
export function safeMessages(stream: ProgressStream): ProgressStream {
  return safeStream(stream, (text) =>
    text
      .split('\n')
      .map((line) => printable(line, longestMessage))
      .join('\n'),
  );
}

function safeStream(stream: ProgressStream, safe: (text: string) => string): ProgressStream {
  return {
    get isTTY() {
      return stream.isTTY;
    },
    get columns() {
      return stream.columns;
    },
    terminal: stream,
    write: (text) => stream.write(safe(text)),
  };
}

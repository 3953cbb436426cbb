// What a long command is doing, on stderr: after two seconds on a terminal, in one line that is written over; elsewhere
// a line every ten.
// Invariant: nothing for a command that is over before its time has come; nothing on stdout.

import { printable } from '../base/printable.js';

const terminalAfterMs = 2000;
const lineEveryMs = 10_000;
const updateEveryMs = 200;
const clearLine = '\r\u001b[2K';

/** Where progress goes: process.stderr, or a stand-in in tests. */
export interface ProgressStream {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  /** what to draw on, if `write` lets no escape sequences through */
  readonly terminal?: ProgressStream;
  write(text: string): boolean;
}

/** A share as a bar of so many characters. */
export function barText(share: number, columns: number): string {
  const filled = Math.round(columns * share);
  return `[${'#'.repeat(filled)}${'.'.repeat(columns - filled)}]`;
}

export class StageProgress {
  private nextMs: number;
  private shown = false;
  private readonly isTerminal: boolean;

  constructor(
    private readonly stream: ProgressStream,
    private readonly wallMs: () => number,
  ) {
    this.isTerminal = stream.isTTY === true;
    this.nextMs = wallMs() + (this.isTerminal ? terminalAfterMs : lineEveryMs);
  }

  /** Whether it is time to say something. */
  isDue(nowMs: number): boolean {
    return nowMs >= this.nextMs;
  }

  /** Says what is being done, if it is time to. @param share done, 0 to 1: a bar before it where a terminal has room */
  update(text: string, share: number | null = null, nowMs = this.wallMs()): void {
    if (!this.isDue(nowMs)) return;
    this.nextMs = nowMs + (this.isTerminal ? updateEveryMs : lineEveryMs);
    this.shown = this.isTerminal;
    if (!this.isTerminal) {
      this.stream.write(`${text}\n`);
      return;
    }
    // a terminal that does not know its width says 0
    const columns = this.stream.columns || 80;
    const room = Math.min(20, columns - text.length - 12);
    const line = share === null || room < 5 ? text : `${barText(share, room)} ${text}`;
    this.draw(`${clearLine}${printable(line).slice(0, columns - 1)}`);
  }

  /** Takes the line off the screen until the next update. @returns true if there was one */
  stop(): boolean {
    const wasShown = this.shown;
    if (wasShown) this.draw(clearLine);
    this.shown = false;
    return wasShown;
  }

  private draw(text: string): void {
    (this.stream.terminal ?? this.stream).write(text);
  }
}

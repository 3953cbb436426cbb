// What a long command is doing, on stderr: after two seconds on a terminal, in one line that is written over; elsewhere
// a line every ten.
// Invariant: nothing for a command that is over before its time has come; nothing on stdout.

import { printable } from '../base/printable.js';
import type { ProgressStream } from './progress.js';

const terminalAfterMs = 2000;
const lineEveryMs = 10_000;
const updateEveryMs = 200;

export class StageProgress {
  private nextMs: number;
  private shown = false;

  constructor(
    private readonly stream: ProgressStream,
    private readonly wallMs: () => number,
  ) {
    this.nextMs = wallMs() + (stream.isTTY === true ? terminalAfterMs : lineEveryMs);
  }

  /** Says what is being done, if it is time to. */
  update(text: string): void {
    const nowMs = this.wallMs();
    if (nowMs < this.nextMs) return;
    const terminal = this.stream.isTTY === true;
    this.nextMs = nowMs + (terminal ? updateEveryMs : lineEveryMs);
    if (terminal) this.draw(`\r\u001b[K${printable(text).slice(0, (this.stream.columns || 80) - 1)}`);
    else this.stream.write(`${text}\n`);
    this.shown = terminal;
  }

  /** Takes the line off the screen. @returns true if there was one */
  stop(): boolean {
    const wasShown = this.shown;
    if (wasShown) this.draw('\r\u001b[K');
    this.shown = false;
    return wasShown;
  }

  private draw(text: string): void {
    (this.stream.terminal ?? this.stream).write(text);
  }
}

// How far a long check is, on stderr: a bar on a terminal once the check has lasted two seconds, a plain line every ten
// seconds elsewhere.

import { SingleBar } from 'cli-progress';

const barAfterMs = 2000;
const barEveryMs = 200;
const lineEveryMs = 10_000;

export class CheckProgress {
  private bar: SingleBar | null = null;
  private nextMs: number;

  constructor(
    private readonly name: string,
    private readonly stream: NodeJS.WriteStream,
  ) {
    this.nextMs = Date.now() + (stream.isTTY ? barAfterMs : lineEveryMs);
  }

  /** Shows where the check stands, if it is time to. */
  update(done: number, total: number): void {
    const nowMs = Date.now();
    if (nowMs < this.nextMs) return;
    this.nextMs = nowMs + (this.stream.isTTY ? barEveryMs : lineEveryMs);
    if (!this.stream.isTTY) this.stream.write(`${this.name}: ${done} of ${total}\n`);
    else if (this.bar === null) {
      this.bar = new SingleBar({
        stream: this.stream,
        format: `${this.name} [{bar}] {value} of {total}`,
        barsize: 30,
        barCompleteChar: '#',
        barIncompleteChar: '.',
        clearOnComplete: true,
        linewrap: true,
        gracefulExit: false,
        hideCursor: false,
      });
      this.bar.start(total, done);
    } else this.bar.update(done);
  }

  /** Takes the bar off the screen. */
  stop(): void {
    this.bar?.stop();
    this.bar = null;
  }
}

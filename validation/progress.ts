// How far a long check is, on stderr, as the commands of Weft show it.

import { StageProgress } from '#weft/cli/stage-progress.js';

export class CheckProgress {
  private readonly line: StageProgress;

  constructor(
    private readonly name: string,
    stream: NodeJS.WriteStream,
  ) {
    this.line = new StageProgress(stream, () => Date.now());
  }

  /** Shows where the check stands, if it is time to. */
  update(done: number, total: number): void {
    this.line.update(`${this.name}: ${done} of ${total}`, done / total);
  }

  /** Takes the line off the screen. */
  stop(): void {
    this.line.stop();
  }
}

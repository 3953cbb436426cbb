// Ctrl-C (and SIGTERM, which batch systems send before they kill, and SIGHUP, which a terminal sends that is closed):
// the first asks the run to end cleanly, the second ends at once.

import { ExitCode } from './exit-codes.js';
import type { ProgressStream } from './progress.js';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Listens from its creation to `close`. */
export class Interrupt {
  private signal: NodeJS.Signals | null = null;
  private readonly listener = (signal: NodeJS.Signals): void => {
    if (this.signal !== null) process.exit(this.exitCode);
    this.signal = signal;
    this.announce('stopping cleanly; press Ctrl-C again to end at once\n');
  };

  /** @param announce tells the user that the first signal was heard */
  constructor(private readonly announce: (text: string) => void) {
    for (const signal of signals) process.on(signal, this.listener);
  }

  get requested(): boolean {
    return this.signal !== null;
  }

  /** What the process should end with if it was stopped. */
  get exitCode(): number {
    if (this.signal === 'SIGHUP') return ExitCode.hungUp;
    return this.signal === 'SIGTERM' ? ExitCode.terminated : ExitCode.interrupted;
  }

  close(): void {
    for (const signal of signals) process.off(signal, this.listener);
  }
}

/**
 * How a first signal is announced: the progress display ends before anything is said, so that nothing is drawn over it.
 * @param display the one on the screen at that moment, if any @param onStop called once it is announced
 */
export function announcer(
  stderr: ProgressStream,
  display: () => { stop(): boolean } | null,
  onStop: () => void = () => {},
): (text: string) => void {
  return (text) => {
    const barWasShown = display()?.stop() ?? false;
    // without a bar the cursor stands behind the ^C that the terminal shows
    stderr.write(stderr.isTTY === true && !barWasShown ? `\n${text}` : text);
    onStop();
  };
}

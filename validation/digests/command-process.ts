// A build's command lines, carried out one after the other in a process that is started anew now and then.
// Invariant: a command line that hangs or dies costs that process and nothing else; none is left when `close` returns.

import { type ChildProcess, fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runChild } from '../commits/child.js';
import type { Outcome, Request } from './run-commands.js';

const runner = fileURLToPath(new URL('run-commands.js', import.meta.url));
/** After so many the process is started anew: every run leaves a module behind. */
const mostRuns = 200;

export class CommandProcess {
  private child: ChildProcess | null = null;
  private runs = 0;
  private giveUp: ((why: string) => void) | null = null;
  /** the file whose import carries out a command line: what main.js starts, where that is another */
  private readonly program: string;
  private readonly main: string;

  /**
   * @param build folder of a built clone
   * @param workFolder current folder of the command lines
   * @param patienceMs a command line that takes longer is given up
   */
  constructor(
    build: string,
    private readonly workFolder: string,
    private readonly patienceMs: number,
  ) {
    this.main = join(build, 'dist/cli/main.js');
    const started = join(build, 'dist/cli/process.js');
    this.program = existsSync(started) ? started : this.main;
  }

  /** Carries out one command line. */
  run(request: Request): Promise<Outcome> {
    if (this.child === null || this.runs >= mostRuns) this.restart();
    const child = this.child!;
    this.runs++;
    return new Promise((resolve) => {
      const end = (outcome: Outcome): void => {
        clearTimeout(timer);
        child.removeAllListeners();
        this.giveUp = null;
        if (outcome.status === null) this.close();
        resolve(outcome);
      };
      this.giveUp = (why) => end({ status: null, stdout: '', stderr: why });
      const timer = setTimeout(() => this.giveUp?.(`took more than ${this.patienceMs / 1000} s`), this.patienceMs);
      child.once('message', (outcome) => end(outcome as Outcome));
      child.once('exit', (code, signal) => this.giveUp?.(`the process died (${signal ?? code})`));
      child.send(request);
    });
  }

  /** The same as a process of its own, as a user runs it. */
  async runAlone({ args }: Request, signal: AbortSignal): Promise<Outcome> {
    const { status, stdout, stderr } = await runChild(process.execPath, [this.main, ...args], {
      folder: this.workFolder,
      signal,
    });
    return { status, stdout, stderr };
  }

  /** Ends the process; a command line under way comes to no status. */
  close(): void {
    const { child } = this;
    this.child = null;
    child?.removeAllListeners();
    child?.kill('SIGKILL');
    this.giveUp?.('ended');
  }

  private restart(): void {
    this.close();
    this.runs = 0;
    this.child = fork(runner, [this.program], {
      cwd: this.workFolder,
      env: { ...process.env, LANG: 'C.UTF-8' },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
  }
}

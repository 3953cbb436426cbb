// Child processes that end with us.
// Invariant: when a promise of this file settles, its process is gone, so that what it wrote in can be removed.

import { spawn } from 'node:child_process';

/** What a process printed, and how it ended. */
export interface Ended {
  /** null if a signal ended it */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A process that runs. */
export interface Running {
  /** rejects if the program cannot be started, or with the reason of the signal that ended it early */
  readonly ended: Promise<Ended>;
  /** Stops it, by a signal of POSIX, until goOn. Nothing if it has ended. */
  pause(): void;
  goOn(): void;
}

export interface ChildPlace {
  readonly folder: string;
  /** ends it early */
  readonly signal: AbortSignal;
}

/**
 * Runs a program to its end.
 * @throws Error if the program cannot be started; the reason of `signal` if that was given
 */
export function runChild(command: string, args: readonly string[], place: ChildPlace): Promise<Ended> {
  place.signal.throwIfAborted();
  return startChild(command, args, place).ended;
}

/** Starts a program. */
export function startChild(command: string, args: readonly string[], { folder, signal }: ChildPlace): Running {
  const child = spawn(command, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  const goOn = (): void => void child.kill('SIGCONT');
  const kill = (): void => {
    child.kill('SIGTERM');
    // a stopped process ends when it goes on
    goOn();
  };
  const ended = new Promise<Ended>((resolve, reject) => {
    if (signal.aborted) kill();
    else signal.addEventListener('abort', kill, { once: true });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.on('error', reject);
    child.on('close', (status) => {
      signal.removeEventListener('abort', kill);
      if (signal.aborted) reject(signal.reason as Error);
      else resolve({ status, stdout, stderr });
    });
  });
  return { ended, goOn, pause: () => void child.kill('SIGSTOP') };
}

/** The process is to end early: Ctrl-C, or a batch system's signal. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';

  constructor(readonly exitCode: number) {
    super('interrupted');
  }
}

/** @returns a signal that a Ctrl-C, SIGTERM or SIGHUP from now on gives, with an `Interrupted` as its reason */
export function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const [name, exitCode] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)
    process.on(name, () => controller.abort(new Interrupted(exitCode)));
  return controller.signal;
}

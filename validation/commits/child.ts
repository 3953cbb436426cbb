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

/**
 * Runs a program to its end.
 * @param signal ends it early
 * @throws Error if the program cannot be started; the reason of `signal` if that was given
 */
export function runChild(
  command: string,
  args: readonly string[],
  { folder, signal }: { readonly folder: string; readonly signal: AbortSignal },
): Promise<Ended> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    const kill = (): void => void child.kill('SIGTERM');
    signal.addEventListener('abort', kill, { once: true });
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

// Processes that a process under test has begun, by /proc; and waiting for something to come about.

import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** Whether this machine tells. */
export const hasProc = existsSync('/proc/self/task');

/** Processes that a process has begun and that live. */
export function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((one) => {
      try {
        // pid (comm) state ppid
        const [state, parent] = readFileSync(`/proc/${one}/stat`, 'utf8')
          .replace(/^.*\) /, '')
          .split(' ');
        return Number(parent) === pid && state !== 'Z';
      } catch {
        return false;
      }
    });
}

/** Waits until something is not null any more. @throws after half a minute */
export async function until<T>(what: () => T | null): Promise<T> {
  for (let i = 0; i < 600; i++) {
    const found = what();
    if (found !== null) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('it did not come about in 30 s');
}

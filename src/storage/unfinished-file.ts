// The name under which a file is written until it is whole, and what processes that were killed left under such names.
// Invariants: the name begins with a dot and tells whose it is; a leftover goes with the next file that is written
// under the same name, and only if the process that wrote it, on this machine, is gone.

import { createHash, randomBytes } from 'node:crypto';
import { readdir, unlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { isLiveWriter, writerParts } from './writer-mark.js';

/** The machine in a name, whose letters may not stand in one. */
function machine(): string {
  return createHash('sha256').update(hostname()).digest('hex').slice(0, 8);
}

/** A name beside a place for what is not whole yet, such as `.trace.csv.4711.88123.0badcafe.1f2e3d4c.partial`. */
export function unfinishedName(path: string): string {
  const { pid, began } = writerParts();
  const parts = [basename(path), pid, began === '' ? '0' : began, machine(), randomBytes(4).toString('hex')];
  return join(dirname(path), `.${parts.join('.')}.partial`);
}

/** Removes what killed processes left beside a place. Never throws: it is no harm if something stays. */
export async function removeLeftovers(path: string): Promise<void> {
  const start = `.${basename(path)}.`;
  for (const name of await readdir(dirname(path)).catch((): string[] => [])) {
    if (!name.startsWith(start)) continue;
    const [, pid, began, host] =
      /^(\d+)\.(\d+)\.([0-9a-f]{8})\.[0-9a-f]{8}\.partial$/.exec(name.slice(start.length)) ?? [];
    if (host !== machine() || isLiveWriter({ pid: pid!, began: began === '0' ? '' : began! })) continue;
    await unlink(join(dirname(path), name)).catch(() => {});
  }
}

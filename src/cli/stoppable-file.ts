// A file of any size that is made piece by piece, with progress, and that Ctrl-C leaves unwritten.
// Invariants: the file appears whole or not at all, also if it is stopped; progress is told, and Ctrl-C heard, between
// pieces.

import { Stopped } from '../base/host.js';
import type { CommandContext } from './context.js';
import { announcer, Interrupt } from './interrupt.js';
import { StageProgress } from './stage-progress.js';
import { writeStreamedFile } from './whole-file.js';

/**
 * Writes pieces.
 * @param path undefined: they are printed, without progress @param state what has been written so far, in words
 * @returns the exit code if it was stopped; null: it was not
 * @throws InputError, OutputError, what pieces throw; nothing is left behind then
 */
export async function writeStoppable(
  path: string | undefined,
  pieces: Iterable<string | Uint8Array>,
  state: () => string,
  { force, quiet }: { readonly force: boolean; readonly quiet: boolean },
  { host, stdout, stderr }: CommandContext,
): Promise<number | null> {
  const progress = quiet || path === undefined ? null : new StageProgress(stderr, () => host.wallMs());
  const interrupt = new Interrupt(announcer(stderr, () => null));
  async function* watched(): AsyncGenerator<string | Uint8Array> {
    for (const piece of pieces) {
      yield piece;
      progress?.update(`${path}: ${state()}`);
      await host.breathe();
      if (interrupt.requested) throw new Stopped();
    }
  }
  try {
    if (path !== undefined) await writeStreamedFile(path, watched(), force);
    else for await (const piece of watched()) stdout.write(piece as string);
    return null;
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    stderr.write(path === undefined ? 'stopped\n' : `stopped: ${path} is not written\n`);
    return interrupt.exitCode;
  } finally {
    progress?.stop();
    interrupt.close();
  }
}

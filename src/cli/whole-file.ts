// A file that a command makes under a name that the user chose.
// Invariants: it appears whole or not at all (written beside its place, then renamed); a file that stands there already is replaced only
// with --force, unless it has the very same content.

import { randomBytes } from 'node:crypto';
import { readFile, rename, stat, unlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { InputError, wholeFile } from '../base/diagnostics.js';
import { outputError } from '../storage/output-error.js';

/** What --force says in the help of a command. */
export const forceHelp = 'replace a file that exists';

/**
 * Writes a file.
 * @param force whether a file with other content may be replaced
 * @throws InputError if something stands there that must stay; OutputError
 */
export async function writeWholeFile(path: string, text: string, force: boolean): Promise<void> {
  try {
    const there = await stat(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    if (there?.isDirectory() === true) throw refused(path, 'there is a folder of this name', 'give another path with --out');
    if (there !== null && !there.isFile()) throw refused(path, 'is not a regular file', 'leave out --out to print instead');
    if (there !== null && !force) {
      if (there.size === Buffer.byteLength(text) && (await readFile(path, 'utf8')) === text) return;
      throw refused(path, 'exists and has other content, so it is left as it is', 'give another path with --out, or add --force to replace it');
    }
    await replaceFile(path, text);
  } catch (error) {
    throw outputError(path, error);
  }
}

function refused(path: string, message: string, hint: string): InputError {
  return InputError.at('output-path', path, wholeFile, message, { hint });
}

async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(4).toString('hex')}.partial`);
  try {
    await writeFile(temporary, text, { flag: 'wx' });
    await rename(temporary, path);
  } catch (error) {
    await unlink(temporary).catch(() => {});
    throw error;
  }
}

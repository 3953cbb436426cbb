// Results that cannot be written: disk full, no permission, a device that fails. Neither bad input (a path that cannot
// be meant) nor a bug; the command line turns it into one clear line and exit code 1.

import { InputError, wholeFile } from '../base/diagnostics.js';
import { HostFileError } from '../base/host.js';
import { machineLimit } from './machine-limits.js';

/** The results could not be written. */
export class OutputError extends Error {
  override readonly name = 'OutputError';

  constructor(
    readonly path: string,
    /** what the operating system said, such as `ENOSPC` */
    readonly code: string,
    reason: string,
  ) {
    super(`${path}: ${reason}`);
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such folder',
  EDQUOT: 'disk quota exceeded',
  EFBIG: 'the file would become larger than the file system allows',
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  EROFS: 'the file system is read-only',
  EIO: 'input/output error',
  EBUSY: 'in use by another program',
};

/** Paths that cannot name a folder: the user's mistake, not the machine's state. */
const unusable: Readonly<Record<string, string>> = {
  ENOTDIR: 'a part of this path is a file, not a folder',
  EEXIST: 'something that is no folder has this name',
  ENAMETOOLONG: 'this name is too long for the file system',
  ELOOP: 'symbolic links in this path lead in a circle',
  ERR_INVALID_ARG_VALUE: 'this cannot be a path',
};

/**
 * An error of node:fs as the error to throw.
 * @returns an InputError if the path itself cannot be meant, an OutputError otherwise; errors that say already
 * what cannot be used stay as they are
 */
export function outputError(path: string, error: unknown): Error {
  if (error instanceof OutputError || error instanceof InputError || error instanceof HostFileError) return error;
  const { code = '', message } = error as NodeJS.ErrnoException;
  const mistake = unusable[code];
  if (mistake !== undefined)
    return InputError.at('output-path', path, wholeFile, mistake, { hint: 'give another folder with --out' });
  return new OutputError(
    path,
    code,
    reasons[code] ?? machineLimit(error)?.what ?? `cannot be written (${code === '' ? message : code})`,
  );
}

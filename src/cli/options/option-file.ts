// Files that an option names: read whole, a failure told at the option.

import { InputError, wholeFile } from '../../base/diagnostics.js';
import { type Host, HostFileError } from '../../base/host.js';

/** What a message calls a file, and what may stand in it. */
export interface OptionFile {
  /** such as `--profile` */
  readonly option: string;
  /** such as `the profile` */
  readonly called: string;
  readonly wanted: string;
  readonly hint?: string | undefined;
}

/** The text of a file that an option names. @throws InputError if it cannot be read */
export async function optionFileText(
  path: string,
  host: Host,
  { option, called, wanted, hint }: OptionFile,
): Promise<string> {
  try {
    return await host.readText(path);
  } catch (error) {
    if (!(error instanceof HostFileError)) throw error;
    throw InputError.at(`file-${error.reason}`, option, wholeFile, `${called} cannot be read: ${error.message}`, {
      got: path,
      wanted,
      hint,
    });
  }
}

// Files that an option names: read whole, a failure told at the option; and names of figures to be written.

import { InputError } from '../../base/diagnostics.js';
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
    throw InputError.about(`file-${error.reason}`, option, `${called} cannot be read: ${error.message}`, {
      got: path,
      wanted,
      hint,
    });
  }
}

/** Refuses names that say another format than SVG. @param drawsPng or PNG @throws InputError */
export function checkFigurePath(option: string, path: string | undefined, drawsPng = false): void {
  if (path === '') throw InputError.about('output-path', option, 'the path is empty', { wanted: 'a file' });
  if (path === undefined || !/\.(png|jpe?g|pdf|eps|gif|webp|html?|txt|json)$/i.test(path)) return;
  if (drawsPng && /\.png$/i.test(path)) return;
  throw InputError.about('output-path', option, `figures are written as SVG${drawsPng ? ' or PNG' : ''}`, {
    got: path,
    wanted: `a file such as loads.svg${drawsPng ? ' or loads.png' : ''}`,
    hint: 'browsers show and print SVG; rsvg-convert and Inkscape turn it into other formats',
  });
}

// Where the rows of a sweep go.

import { basename, extname } from 'node:path';
import { InputError } from '../../base/diagnostics.js';

/**
 * The folder of a sweep: the one that was given, or one that is named after the scenario.
 * @throws InputError if none can be
 */
export function sweepFolderOf(scenario: string, out: string | undefined): string {
  return (out ?? `${stemOf(scenario)}.sweep`).replace(/(?<=[^/])\/+$/, '');
}

/** `examples/incast/incast.yaml` -> `incast` */
function stemOf(path: string): string {
  const name = basename(path);
  const stem = name.slice(0, name.length - extname(name).length);
  if (stem === '' || stem === '..')
    throw InputError.about('output-path', '--out', 'no folder can be named after this scenario', {
      got: path,
      hint: 'give a folder with --out',
    });
  return stem;
}

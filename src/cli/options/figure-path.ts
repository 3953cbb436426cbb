// Names of files that figures are written to.

import { InputError, wholeFile } from '../../base/diagnostics.js';

/** Refuses names that say another format than SVG. @throws InputError */
export function checkFigurePath(option: string, path: string | undefined): void {
  if (path === '') throw InputError.at('output-path', option, wholeFile, 'the path is empty', { wanted: 'a file' });
  if (path !== undefined && /\.(png|jpe?g|pdf|eps|gif|webp|html?|txt|json)$/i.test(path))
    throw InputError.at('output-path', option, wholeFile, 'figures are written as SVG', {
      got: path,
      wanted: 'a file such as loads.svg',
      hint: 'browsers show and print SVG; rsvg-convert and Inkscape turn it into other formats',
    });
}

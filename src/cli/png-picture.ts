// Pictures as PNG, drawn from their SVG by resvg (https://github.com/thx/resvg-js, MPL-2.0), which takes fonts of the
// system.

import { InputError } from '../base/diagnostics.js';

const pngScale = 2;

/**
 * What draws an SVG as PNG, twice as many pixels wide.
 * @param place where it is to go, for messages
 * @throws InputError where the system has no font: texts would be missing without a word
 */
export async function pngMaker(place: string): Promise<(svg: string) => Uint8Array> {
  const { Resvg } = await import('@resvg/resvg-js');
  const options = { font: { loadSystemFonts: true, defaultFontFamily: 'DejaVu Sans' } };
  const sample =
    '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><text x="2" y="16" font-family="sans-serif">A</text></svg>';
  if (new Resvg(sample, options).getBBox() === undefined)
    throw InputError.about('no-font', place, 'this machine has no font, so pictures would have no text', {
      wanted: 'a font such as DejaVu Sans (Debian: fonts-dejavu-core)',
      hint: 'SVG needs none',
    });
  return (svg) =>
    new Resvg(svg, { ...options, fitTo: { mode: 'zoom', value: pngScale }, background: '#ffffff' }).render().asPng();
}

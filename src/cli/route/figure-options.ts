// The options --figure and --trace-figure of `weft route`: their help, and what is refused before anything is computed.
// The figures themselves are report/routes/route-figure.ts.

import { InputError, wholeFile } from '../../base/diagnostics.js';

/** What --figure says in the help of a command. */
export const figureHelp = 'draw the fabric by level with the load of every link, as SVG';

/** Refuses names that say another format. @throws InputError */
export function checkFigurePath(option: string, path: string | undefined): void {
  if (path === '') throw InputError.at('output-path', option, wholeFile, 'the path is empty', { wanted: 'a file' });
  if (path !== undefined && /\.(png|jpe?g|pdf|eps|gif|webp|html?|txt|json)$/i.test(path))
    throw InputError.at('output-path', option, wholeFile, 'figures are written as SVG', {
      got: path,
      wanted: 'a file such as loads.svg',
      hint: 'browsers show and print SVG; rsvg-convert and Inkscape turn it into other formats',
    });
}

/** Refuses a figure of nothing. @throws InputError */
export function checkFigure(figure: string | undefined, traffic: string | undefined): void {
  checkFigurePath('--figure', figure);
  if (figure !== undefined && traffic === undefined)
    throw InputError.at('missing-traffic', '--figure', wholeFile, 'loads are those of given traffic', {
      hint: 'add --traffic PATTERN or --traffic FILE',
    });
}

/** Refuses a figure of counters without the time in which they counted. @throws InputError */
export function checkCounterFigure(figure: string | undefined, interval: number | undefined): void {
  checkFigurePath('--figure', figure);
  if (figure !== undefined && interval === undefined)
    throw InputError.at(
      'missing-counters',
      '--figure',
      wholeFile,
      'how busy links were follows from two readings of their counters',
      { hint: 'add --before FILE, --counters FILE and --interval' },
    );
}

/** What --trace-figure says in the help of a command. */
export const traceFigureHelp =
  'weft, basic-mcf, combined: draw largest load and bound over work (weft) or time, as SVG';

/** Refuses the figure of a search where there is none. @throws InputError */
export function checkTraceFigure(figure: string | undefined, algorithm: string): void {
  checkFigurePath('--trace-figure', figure);
  if (figure !== undefined && algorithm !== 'weft' && algorithm !== 'basic-mcf' && algorithm !== 'combined')
    throw InputError.at(
      'unused-option',
      '--trace-figure',
      wholeFile,
      `${algorithm} has no incumbent and bound to draw`,
      { hint: 'it belongs to --algorithm weft, basic-mcf and combined' },
    );
}

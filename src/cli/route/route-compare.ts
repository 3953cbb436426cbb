// weft route compare: several tables, computed or from files, side by side for one traffic.

import { InvalidArgumentError } from 'commander';
import { allAlgorithms, type AnyAlgorithm } from '../../app/routes/algorithms/catalogue.js';
import { compareRoutes } from '../../app/routes/compare-routes.js';
import { comparisonLines, routeComparisonObject } from '../../report/routes/route-comparison-text.js';
import { DeclaredOption, repeated, text } from '../options/declared-command.js';
import { routeCommandOf } from './route-command.js';
import { figureOption, judgedScope, timeOption } from './route-options.js';

const names: readonly string[] = allAlgorithms.map(({ name }) => name);

const algorithmsOption = new DeclaredOption<'algorithms', readonly AnyAlgorithm[] | undefined>(
  '--algorithms <names...>',
  `which to compute, with commas between them: ${names.join(', ')} (default: ftree,afar,weft, without --tables)`,
  undefined,
  true,
).argParser(algorithmList);

/** The command `route compare`. */
export const compareCommand = routeCommandOf({
  name: 'compare',
  description: 'compare tables, computed or from files, for one traffic',
  options: [
    ...judgedScope,
    algorithmsOption,
    repeated('--tables <files...>', 'tables from files'),
    repeated(
      '--lanes <files...>',
      'service levels of pairs of hosts, a file for each of --tables in the same order; - = one lane',
    ),
    text(
      '--current <file>',
      'tables in use: entries that differ are counted against them, not against ftree; weft begins with them, too',
    ),
    timeOption,
    figureOption(', a picture for each table'),
  ],
  isQuick: () => false,
  help: `Examples:
  weft route compare --fabric quartz1 --traffic lulesh
  weft route compare --fabric quartz1 --traffic bs-random-shuffle \\
    --algorithms ftree,random,dmodk,weft --time 10s --json
  weft route compare --fabric fabric.net --traffic jobs.csv \\
    --algorithms ftree,weft --tables opensm-lfts.dump new.lfts \\
    --figure loads.svg

  weft route compare --fabric torus.net --traffic all-to-all \\
    --tables a.lfts b.lfts --lanes a.lanes -

Exit code 1 if some tables do not lead everywhere, 2 if a file has mistakes.
Ctrl-C ends the search under way with its best and leaves out what is to come.`,
  run: async (request, host) => {
    const comparison = await compareRoutes(request, host);
    return {
      texts: { figure: comparison.figure },
      object: (files) => routeComparisonObject(comparison, files.figure),
      lines: (files) => comparisonLines(comparison, files.figure),
      warnings: comparison.warnings,
      failed: comparison.rows.some(({ verdicts }) => verdicts.some(({ ok }) => !ok)),
    };
  },
});

/**
 * Names of algorithms with commas or spaces between them.
 * @param former words of the option before this one
 * @throws InvalidArgumentError
 */
function algorithmList(text: string, former: readonly AnyAlgorithm[] | undefined): AnyAlgorithm[] {
  // what a comma stands beside may be a word of its own: ftree, weft
  const words = text.split(',').map((name) => name.trim());
  const more = words.filter((name, i) => name !== '' || (i > 0 && i < words.length - 1));
  const all = [...(former ?? []), ...more];
  for (const [place, name] of all.entries()) {
    if (!names.includes(name))
      throw new InvalidArgumentError(`Allowed are ${names.join(', ')}, with commas between them.`);
    if (all.indexOf(name) !== place) throw new InvalidArgumentError(`${name} stands there twice.`);
  }
  return all as AnyAlgorithm[];
}

// weft route evaluate: what given tables are worth for given traffic, and whether they lead everywhere.

import { evaluateTables, programmeSeconds } from '../../app/routes/evaluate-tables.js';
import { InputError } from '../../base/diagnostics.js';
import { evaluatedLines, evaluatedObject } from '../../report/routes/computed-routes-text.js';
import { oneOf, text, value } from '../options/declared-command.js';
import { routeCommandOf } from './route-command.js';
import { figureOption, judgedScope, seconds, tablesOption } from './route-options.js';
import { bundledSolver, solverOption } from './solver-option.js';

/** The command `route evaluate`. */
export const evaluateCommand = routeCommandOf({
  name: 'evaluate',
  description: 'say what tables are worth: loads, gaps to the bounds, whether they lead everywhere',
  options: [
    ...judgedScope,
    tablesOption(),
    text('--current <file>', 'other tables: count the entries that differ'),
    oneOf(
      '--adaptive-bound <how>',
      'on trees that are not whole: by spreading the traffic, from above and below; by cuts alone, a lower bound; by a linear programme',
      ['spread', 'cuts', 'lp'],
      'spread',
    ),
    solverOption,
    value('--time <time>', `for each linear programme of --adaptive-bound lp (default: ${programmeSeconds}s)`, seconds),
    text(
      '--lanes <file>',
      "service levels of pairs of hosts: OpenSM's opensm-path-records.dump, saquery -p, or --lanes-out of compute",
    ),
    text('--sl2vl <file>', 'lanes of service levels (needs --lanes): opensm-sl2vl.dump; without it level s has lane s'),
    figureOption(),
  ],
  help: `Examples:
  weft route evaluate --fabric fabric.net --tables opensm-lfts.dump \\
    --traffic all-to-all
  weft route evaluate --fabric quartz1 --tables a.lfts --traffic stencil --json
  weft route evaluate --fabric broken.net --tables opensm-lfts.dump \\
    --traffic jobs.csv --adaptive-bound lp
  weft route evaluate --fabric torus.net --tables opensm-lfts.dump \\
    --lanes opensm-path-records.dump --sl2vl opensm-sl2vl.dump
  weft route evaluate --fabric quartz1 --tables a.lfts --traffic lulesh \\
    --figure loads.svg
  weft route evaluate --fabric fabric.net --tables two-lids.lfts --lmc 1 \\
    --traffic all-to-all --lid-offset hash

Without --traffic only whether the tables lead everywhere. Exit code 1 if they
do not, 2 if a file has mistakes or packets go round in circles.`,
  check: ({ adaptiveBound, solver, time }) => {
    if (adaptiveBound === 'lp') return;
    if (solver !== bundledSolver) refuseWithoutProgramme('--solver', 'nothing is solved');
    if (time !== undefined) refuseWithoutProgramme('--time', 'nothing here is limited by time');
  },
  run: async (request, host) => {
    const found = await evaluateTables(request, host);
    return {
      texts: { figure: found.figure },
      object: (files) => evaluatedObject(found.tables, found, files.figure),
      lines: (files) => evaluatedLines(found.tables, found, files.figure),
      warnings: found.warnings,
      failed: !found.verdicts.every(({ ok }) => ok),
    };
  },
});

function refuseWithoutProgramme(place: string, message: string): never {
  throw InputError.about('unused-option', place, message, { hint: 'it belongs to --adaptive-bound lp' });
}

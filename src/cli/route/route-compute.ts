// weft route compute: forwarding tables for a fabric, with what they are worth for given traffic.

import { algorithmNamed, allAlgorithms, heededBy, refuseUnheeded } from '../../app/routes/algorithms/catalogue.js';
import { computeRoutes } from '../../app/routes/compute-routes.js';
import { lftTexts } from '../../formats/opensm-lfts-writer.js';
import { pathRecordTexts } from '../../formats/opensm-path-records.js';
import { computedLines, computedObject } from '../../report/routes/computed-routes-text.js';
import { labelled } from '../../report/text-style.js';
import { levelZero } from '../../routing/route-lanes.js';
import { oneOf, required, text, value } from '../options/declared-command.js';
import { readBy, wholeNumberFrom } from '../options/option-values.js';
import { chartSvg } from '../report/page-program.js';
import { routeCommandOf } from './route-command.js';
import { figureOption, judgedScope, objectiveOption, outOption, timeOption, wholeNumber } from './route-options.js';
import { bundledSolver, solverOption } from './solver-option.js';

const factor = readBy((given) => {
  const number = /^\d*\.?\d+$/.test(given) ? Number(given) : NaN;
  return number > 0 && number <= 1e6 ? number : null;
}, 'a number above 0, such as 2 or 0.5.');

/** A name with what it does beside it, or below it where it is too long. */
function helpOf({ name, about }: { readonly name: string; readonly about: string }): string[] {
  return name.length < 8 ? labelled(name, about, 10) : [`  ${name}`, ...labelled('', about, 10)];
}

const examples = `
Examples:
  weft route compute --fabric quartz1 --algorithm ftree --out ftree.lfts
  weft route compute --fabric fabric.net --guid2lid guid2lid --algorithm afar \\
    --traffic jobs.csv --current opensm-lfts.dump --out new.lfts
  weft route compute --fabric quartz1 --algorithm weft --traffic lulesh \\
    --time 10s --out new.lfts --figure loads.svg
  weft route compute --fabric quartz1 --algorithm weft --workers 4 \\
    --traffic multigrid-c-star --patience 3 --time 5min --out new.lfts
  weft route compute --fabric quartz1 --algorithm random --seed 7 \\
    --traffic stencil --json
  weft route compute --fabric torus --algorithm dfsssp --out new.lfts \\
    --lanes-out new.lanes
  weft route compute --fabric quartz1 --failed-links 1% --algorithm weft \\
    --traffic bs-random-shuffle
  weft route compute --fabric fabric.net --lmc 1 --algorithm weft \\
    --traffic jobs.csv --out two-lids.lfts

Ctrl-C ends a search with the best tables so far, writes them and ends with
130; a second Ctrl-C ends at once.`;

/** The command `route compute`. */
export const computeCommand = routeCommandOf({
  name: 'compute',
  description: 'compute forwarding tables',
  options: [
    ...judgedScope,
    required(
      oneOf(
        '--algorithm <name>',
        'how',
        allAlgorithms.map(({ name }) => name),
      ),
    ),
    text('--current <file>', 'tables in use: entries that change are counted against them, not against ftree'),
    objectiveOption,
    timeOption,
    value('--work <count>', 'weft: stop searching after this much work, as a former run reports it', wholeNumber),
    value('--patience <factor>', 'weft: go on that much longer without finding anything better', factor),
    value(
      '--workers <count>',
      'weft: searches at the same time, each in a thread; the best is kept',
      wholeNumberFrom(1, 256),
    ),
    value('--most-changes <count>', 'weft: change at most as many entries of --current', wholeNumber),
    solverOption,
    text(
      '--background <file>',
      'weft: counters of ports, for what other traffic puts on links (perfquery, ibqueryerrors)',
    ),
    text('--background-before <file>', 'an earlier reading of these counters'),
    outOption,
    text('--lanes-out <file>', 'write the service level of every pair of hosts (path records): its lane'),
    figureOption(),
    text(
      '--trace-figure <file>',
      `${heededBy('--trace-figure')}: draw largest load and bound over work (weft) or time, as SVG`,
    ),
  ],
  isQuick: ({ algorithm }) => algorithmNamed(algorithm).kind === 'fabric',
  help: `Algorithms:\n${allAlgorithms.flatMap(helpOf).join('\n')}\n${examples}`,
  check: ({ algorithm, work, patience, workers, solver }) => {
    refuseUnheeded(algorithm, '--solver', solver === bundledSolver ? null : solver, 'needs no solver');
    refuseUnheeded(algorithm, '--work', work);
    refuseUnheeded(algorithm, '--patience', patience);
    refuseUnheeded(algorithm, '--workers', workers);
  },
  run: async (request, host) => {
    const routes = await computeRoutes(request, host);
    const { source, made, verdicts, warnings, traceFigure: chart } = routes;
    return {
      texts: {
        out: lftTexts(source, made.tables),
        lanesOut: pathRecordTexts(source, made.lanes ?? levelZero),
        figure: routes.figure,
        traceFigure: chart === undefined ? undefined : await chartSvg(chart),
      },
      object: (files) => computedObject(routes, files),
      lines: (files) => computedLines(routes, files),
      warnings,
      failed: !verdicts.every(({ ok }) => ok),
    };
  },
});

// weft route compute: forwarding tables for a fabric, with what they are worth for given traffic.

import { Option, type Command } from 'commander';
import {
  algorithmNamed,
  allAlgorithms,
  heededBy,
  refuseUnheeded,
  type AnyAlgorithm,
} from '../../app/routes/algorithms/catalogue.js';
import { computeRoutes, type RouteRequest } from '../../app/routes/compute-routes.js';
import { lftTexts } from '../../formats/opensm-lfts-writer.js';
import { pathRecordTexts } from '../../formats/opensm-path-records.js';
import { computedLines, computedObject } from '../../report/routes/computed-routes-text.js';
import { labelled } from '../../report/text-style.js';
import { levelZero } from '../../routing/route-lanes.js';
import type { CommandContext } from '../context.js';
import { chartSvg } from '../report/page-program.js';
import { routeCommandOf } from './route-command.js';
import { factor, figureOption, option, outOption, timeOption, wholeNumber, workerCount } from './route-options.js';
import { bundledSolver, solverOption, type SolverName } from './solver-option.js';

interface ComputeValues extends Omit<RouteRequest, 'figure' | 'traceFigure'> {
  readonly algorithm: AnyAlgorithm;
  readonly time: number;
  readonly work?: number;
  readonly solver: SolverName;
  readonly figure?: string;
  readonly traceFigure?: string;
}

/** The command `route compute`. */
export function computeCommand(context: CommandContext): Command {
  return routeCommandOf<ComputeValues>(
    {
      name: 'compute',
      description: 'compute forwarding tables',
      scope: 'judged tables',
      options: [
        new Option('--algorithm <name>', 'how').choices(allAlgorithms.map(({ name }) => name)).makeOptionMandatory(),
        option('--current <file>', 'tables in use: entries that change are counted against them, not against ftree'),
        timeOption(),
        option('--work <count>', 'weft: stop searching after this much work, as a former run reports it', wholeNumber),
        option('--patience <factor>', 'weft: go on that much longer without finding anything better', factor),
        option('--workers <count>', 'weft: searches at the same time, each in a thread; the best is kept', workerCount),
        option('--most-changes <count>', 'weft: change at most as many entries of --current', wholeNumber),
        solverOption(),
        option(
          '--background <file>',
          'weft: counters of ports, for what other traffic puts on links (perfquery, ibqueryerrors)',
        ),
        option('--background-before <file>', 'an earlier reading of these counters'),
        outOption(),
        option('--lanes-out <file>', 'write the service level of every pair of hosts (path records): its lane'),
        figureOption(),
        option(
          '--trace-figure <file>',
          `${heededBy('--trace-figure')}: draw largest load and bound over work (weft) or time, as SVG`,
        ),
      ],
      outputs: ['out', 'lanesOut', 'figure', 'traceFigure'],
      isQuick: ({ algorithm }) => algorithmNamed(algorithm).kind === 'fabric',
      help: `Algorithms:\n${allAlgorithms.flatMap(helpOf).join('\n')}\n${examples}`,
      check: ({ algorithm, work, patience, workers, solver }) => {
        refuseUnheeded(algorithm, '--solver', solver === bundledSolver ? null : solver, 'needs no solver');
        refuseUnheeded(algorithm, '--work', work);
        refuseUnheeded(algorithm, '--patience', patience);
        refuseUnheeded(algorithm, '--workers', workers);
      },
      run: async ({ work, time, figure, traceFigure, ...values }, host) => {
        const routes = await computeRoutes(
          {
            ...values,
            seconds: time,
            ...(work === undefined ? {} : { mostWork: work }),
            figure: figure !== undefined,
            traceFigure: traceFigure !== undefined,
          },
          host,
        );
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
    },
    context,
  );
}

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

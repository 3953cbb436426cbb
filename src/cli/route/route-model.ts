// weft route model: the routing problem as a file for any solver.

import { Option, type Command } from 'commander';
import { routeModel, type ModelRequest } from '../../app/routes/route-model.js';
import { InputError, wholeFile } from '../../base/diagnostics.js';
import { fabricObject } from '../../report/routes/route-text.js';
import type { CommandContext } from '../context.js';
import { routeCommandOf } from './route-command.js';
import { option } from './route-options.js';

interface ModelValues extends ModelRequest {
  readonly out: string;
}

/** The command `route model`. */
export function modelCommand(context: CommandContext): Command {
  return routeCommandOf<ModelValues>(
    {
      name: 'model',
      description: 'write the routing problem for a solver of linear programmes',
      scope: 'tables and traffic',
      options: [
        new Option('--model <name>', 'static routes, or traffic split at will')
          .choices(['basic-mcf', 'relaxation'])
          .default('basic-mcf'),
        option('--out <file>', 'ends in .lp (CPLEX LP) or .mps (free MPS)').makeOptionMandatory(),
      ],
      outputs: ['out'],
      help: `Examples:
  weft route model --fabric fabric.net --traffic jobs.csv --out routes.mps
  weft route model --fabric quartz1 --traffic stencil --model relaxation \\
    --out bound.lp

x_PORT_NODE is 1 if a switch sends to a host by that port; T_PHASE_PORT_NODE is
the traffic to it there; maxval_PHASE the largest load between switches.`,
      check: ({ out }) => {
        if (!/\.(lp|mps)$/i.test(out))
          throw InputError.at('output-path', '--out', wholeFile, 'the name does not tell the format', {
            got: out,
            wanted: 'a file that ends in .lp or .mps',
          });
      },
      run: async ({ out, ...values }, host) => {
        const form = /mps$/i.test(out) ? 'mps' : 'lp';
        const { source, traffic, text, warnings, ...size } = await routeModel({ ...values, form }, host);
        const { variables, wholeVariables, rows } = size;
        return {
          texts: { out: text },
          object: () => ({
            model: values.model,
            traffic: traffic.name,
            fabric: fabricObject(source),
            ...size,
            out,
          }),
          lines: () => [`${out}: ${variables} variables, ${wholeVariables} of them whole, ${rows} rows`],
          warnings,
        };
      },
    },
    context,
  );
}

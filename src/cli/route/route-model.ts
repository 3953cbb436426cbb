// weft route model: the routing problem as a file for any solver.

import { routeModel } from '../../app/routes/route-model.js';
import { InputError } from '../../base/diagnostics.js';
import { fabricObject } from '../../report/routes/route-text.js';
import { oneOf, required, text } from '../options/declared-command.js';
import { routeCommandOf } from './route-command.js';
import { problemScope } from './route-options.js';

/** The command `route model`. */
export const modelCommand = routeCommandOf({
  name: 'model',
  description: 'write the routing problem for a solver of linear programmes',
  options: [
    ...problemScope,
    oneOf('--model <name>', 'static routes, or traffic split at will', ['basic-mcf', 'relaxation'], 'basic-mcf'),
    required(text('--out <file>', 'ends in .lp (CPLEX LP) or .mps (free MPS)')),
  ],
  help: `Examples:
  weft route model --fabric fabric.net --traffic jobs.csv --out routes.mps
  weft route model --fabric quartz1 --traffic stencil --model relaxation \\
    --out bound.lp

x_PORT_NODE is 1 if a switch sends to a host by that port; T_PHASE_PORT_NODE is
the traffic to it there; maxval_PHASE the largest load between switches.`,
  check: ({ out }) => {
    if (!/\.(lp|mps)$/i.test(out))
      throw InputError.about('output-path', '--out', 'the name does not tell the format', {
        got: out,
        wanted: 'a file that ends in .lp or .mps',
      });
  },
  run: async (request, host) => {
    const { model, out } = request;
    const form = /mps$/i.test(out) ? 'mps' : 'lp';
    const { source, traffic, text, warnings, ...size } = await routeModel({ ...request, form }, host);
    const { variables, wholeVariables, rows } = size;
    return {
      texts: { out: text },
      object: () => ({
        model,
        traffic: traffic.name,
        fabric: fabricObject(source),
        ...size,
        out,
      }),
      lines: () => [`${out}: ${variables} variables, ${wholeVariables} of them whole, ${rows} rows`],
      warnings,
    };
  },
});

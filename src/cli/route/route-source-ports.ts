// weft route source-ports: forwarding tables as source ports for Ethernet fabrics whose switches hash (RoCE).

import { routeSourcePorts } from '../../app/routes/source-ports.js';
import { sourcePortsCsv } from '../../formats/source-ports.js';
import { fileLines } from '../../report/routes/computed-routes-text.js';
import { fabricLine, fabricObject, loadText } from '../../report/routes/route-text.js';
import { text } from '../options/declared-command.js';
import { routeCommandOf } from './route-command.js';
import { problemScope, tablesOption } from './route-options.js';

/** The command `route source-ports`. */
export const sourcePortsCommand = routeCommandOf({
  name: 'source-ports',
  description:
    'tables as static source routes for RoCE: the source port whose hash takes each pair of hosts along them',
  options: [
    ...problemScope,
    tablesOption('tables of weft route compute --out'),
    text('--out <file>', 'write source, destination, source port and path of each pair as CSV'),
  ],
  help: `Example:
  weft topology generate leaf-spine --leaves 8 --spines 4 --hosts-per-leaf 8 \\
    --out ls.topo
  weft route compute --fabric ls.topo --algorithm weft \\
    --traffic random-permutation --out new.lfts
  weft route source-ports --fabric ls.topo --tables new.lfts \\
    --traffic random-permutation --out ports.csv
  weft run scenario.yaml --set routing.sourcePorts=ports.csv

Ports are those of Weft's hash (docs/models/routing-and-ecmp.md); the path of
each pair stands beside it, a switch and its interface per step, for networks
that take lists of segments. Exit code 1 if no port takes the way of a pair.`,
  run: async (request, host) => {
    const { source, traffic, rows, withoutPort, loads, warnings } = await routeSourcePorts(request, host);
    const { byPorts, byTables, byHash } = loads;
    return {
      texts: { out: sourcePortsCsv(rows) },
      object: ({ out }) => ({
        fabric: fabricObject(source),
        traffic: traffic.name,
        pairs: rows.length + withoutPort,
        withoutPort,
        largestLoad: loads,
        out,
      }),
      lines: ({ out }) => [
        fabricLine(source),
        `  pairs          ${rows.length} with a port, ${withoutPort} whose way no port takes`,
        `  largest load   ${loadText(byPorts)} by these ports, ${loadText(byTables)} by the tables, ${loadText(byHash)} by hash`,
        ...fileLines('written', out),
      ],
      warnings,
      failed: withoutPort > 0,
    };
  },
});

// weft route source-ports: forwarding tables as source ports for Ethernet fabrics whose switches hash (RoCE).
// Invariant: bad input ends with 2; pairs whose way no port takes are counted, and end with 1.

import { Command } from 'commander';
import { InputError, wholeFile } from '../../base/diagnostics.js';
import { refuseSeveralLids } from '../../app/routes/route-algorithms.js';
import { loadFabric } from '../../app/routes/fabric-input.js';
import { findSourcePorts } from '../../app/routes/source-ports.js';
import { loadTables } from '../../app/routes/tables-input.js';
import { loadTraffic } from '../../app/routes/traffic-input.js';
import { sourcePortsCsv } from '../../formats/source-ports.js';
import { fabricLine, fabricObject, reportText } from '../../report/routes/route-text.js';
import type { CommandContext } from '../context.js';
import { ExitCode } from '../exit-codes.js';
import { refuseRepeats } from '../options/repeated-options.js';
import { StageProgress } from '../stage-progress.js';
import { forceHelp, writeWholeFile } from '../whole-file.js';
import { fabricAndTrafficOptions, lmcOption, trafficHelp, type RouteOptions } from './route-options.js';

interface SourcePortsOptions extends RouteOptions {
  readonly tables: string;
  readonly out?: string;
  readonly force?: boolean;
}

function figure(load: number): string {
  return String(Number(load.toPrecision(6)));
}

/** The command `route source-ports`. */
export function sourcePortsCommand(context: CommandContext): Command {
  const command = fabricAndTrafficOptions(
    lmcOption(new Command('source-ports')).description(
      'tables as static source routes for RoCE: the source port whose hash takes each pair of hosts along them',
    ),
    trafficHelp,
  )
    .requiredOption('--tables <file>', 'tables of weft route compute --out')
    .option('--out <file>', 'write source, destination, source port and path of each pair as CSV')
    .option('--force', forceHelp)
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
Example:
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
    )
    .action(async (options: SourcePortsOptions) => {
      const { host } = context;
      if (options.traffic === undefined)
        throw InputError.at('missing-traffic', '--traffic', wholeFile, 'which pairs send?', {
          wanted: 'a pattern (weft traffic list) or a file',
        });
      const progress = new StageProgress(context.stderr, () => host.wallMs());
      const source = await loadFabric(host, options);
      refuseSeveralLids(source, 'weft route source-ports', 'pairs have one way each');
      const { tables, warnings: tableWarnings } = await loadTables(host, options.tables, source);
      const { traffic, warnings } = await loadTraffic(host, { ...options, traffic: options.traffic }, source);
      progress.update('searching ports');
      const { rows, withoutPort, loads } = await findSourcePorts(source, tables, traffic, () => host.breathe());
      progress.stop();
      if (options.out !== undefined) await writeWholeFile(options.out, sourcePortsCsv(rows), options.force === true);
      const all = [...source.warnings, ...tableWarnings, ...warnings];
      context.stdout.write(
        options.json === true
          ? `${JSON.stringify({ fabric: fabricObject(source), traffic: traffic.name, pairs: rows.length + withoutPort, withoutPort, largestLoad: loads, out: options.out ?? null, warnings: all }, null, 2)}\n`
          : reportText(
              [
                fabricLine(source),
                `  pairs          ${rows.length} with a port, ${withoutPort} whose way no port takes`,
                `  largest load   ${figure(loads.byPorts)} by these ports, ${figure(loads.byTables)} by the tables, ${figure(loads.byHash)} by hash`,
                ...(options.out === undefined ? [] : [`  written        ${options.out}`]),
              ],
              all,
            ),
      );
      if (withoutPort > 0) context.endWith(ExitCode.failed);
    });
  return refuseRepeats(command);
}

// weft traffic list | stats | write: which patterns there are, a matrix in the columns of Table 3.1, a pattern as a CSV
// file.

import { Command } from 'commander';
import { InputError, wholeFile } from '../../base/diagnostics.js';
import { collectivePatterns, trainingForm } from '../../collectives/collective-patterns.js';
import { trafficPatterns } from '../../flows/traffic/catalogue.js';
import { trafficStatistics } from '../../flows/traffic/statistics.js';
import { trafficCsv } from '../../formats/traffic-matrix.js';
import type { CommandContext } from '../context.js';
import { refuseRepeats } from '../options/repeated-options.js';
import { addScope } from '../route/route-options.js';
import { loadFabric, type FabricRequest } from '../../app/routes/fabric-input.js';
import { loadTraffic, requireTraffic, type TrafficRequest } from '../../app/routes/traffic-input.js';
import { fabricObject, statisticsText, warningText } from '../../report/routes/route-text.js';
import { forceHelp, writeWholeFile } from '../whole-file.js';

interface TrafficOptions extends FabricRequest, TrafficRequest {
  readonly out?: string;
  readonly force?: boolean;
  readonly json?: boolean;
}

/** The command `traffic` with its subcommands. */
export function trafficCommand(context: CommandContext): Command {
  const traffic = new Command('traffic').description('traffic matrices: patterns by name, statistics, files');
  traffic.addCommand(
    new Command('list')
      .description('list the patterns')
      .option('--json', 'print them as JSON')
      .action(({ json }: { json?: boolean }) => {
        const objects = [...trafficPatterns, ...collectivePatterns].map(
          ({ name, description, ranks, synthetic, phases }) => ({
            name,
            description,
            ranks,
            synthetic,
            phases,
          }),
        );
        const lines = [...trafficPatterns, ...collectivePatterns].map(
          ({ name, description }) => `  ${name}\n      ${description}`,
        );
        context.stdout.write(
          json === true
            ? `${JSON.stringify(objects, null, 2)}\n`
            : `${lines.join('\n')}\n\nJobs: 100xstencil:64, 2xlulesh+6xpartisn; NAME-star couples all jobs of a ` +
                `kind.\n${trainingForm}: a training iteration of so many\nranks, a phase for each kind of ` +
                'parallelism (dp as ring; training-tree-… as\ntrees).\n',
        );
      }),
  );
  traffic.addCommand(
    refuseRepeats(
      addScope(new Command('stats').description('pairs, average hops and traffic of a matrix'), 'traffic')
        .option('--json', 'print the statistics as JSON')
        .addHelpText(
          'after',
          `
Examples:
  weft traffic stats --fabric quartz1 --traffic lulesh --seed 11
  weft traffic stats --fabric fabric.net --traffic measured.csv --json`,
        )
        .action(async (options: TrafficOptions) => {
          await stats(options, context);
        }),
    ),
  );
  traffic.addCommand(
    refuseRepeats(
      addScope(new Command('write').description('write traffic as CSV'), 'traffic')
        .requiredOption('--out <file>', 'the file')
        .option('--force', forceHelp)
        .addHelpText('after', '\nExample:\n  weft traffic write --fabric quartz1 --traffic partisn --out partisn.csv')
        .action(async (options: TrafficOptions) => {
          const { traffic: made } = await load(options, context);
          await writeWholeFile(options.out!, trafficCsv(made), options.force === true);
        }),
    ),
  );
  return traffic.addHelpText(
    'after',
    `
Traffic of one's own is a CSV file (docs/formats/traffic-matrix.md); hosts are
names or ranks, in place of bytes may stand MiB, GB and others, or weight:
  source,destination,bytes
  node0000,node0017,1048576

Examples:
  weft traffic list
  weft traffic stats --fabric quartz1 --traffic lulesh`,
  );
}

async function load(options: TrafficOptions, { host }: CommandContext) {
  requireTraffic(options.traffic, 'which traffic?');
  if (options.out === '')
    throw InputError.at('output-path', '--out', wholeFile, 'the path is empty', { wanted: 'a file' });
  const source = await loadFabric(host, options);
  return { source, ...(await loadTraffic(host, options, source)) };
}

async function stats(options: TrafficOptions, context: CommandContext): Promise<void> {
  const { source, traffic, warnings } = await load(options, context);
  const statistics = traffic.phases.map(({ matrix }) => trafficStatistics(source.tree, matrix));
  if (options.json === true) {
    const phases = traffic.phases.map(({ name }, i) => ({ name, ...statistics[i]! }));
    context.stdout.write(
      `${JSON.stringify({ traffic: traffic.name, note: traffic.note, unit: traffic.unit, fabric: fabricObject(source), phases, warnings: [...source.warnings, ...warnings] }, null, 2)}\n`,
    );
  } else
    context.stdout.write(statisticsText(source, traffic, statistics) + warningText([...source.warnings, ...warnings]));
}

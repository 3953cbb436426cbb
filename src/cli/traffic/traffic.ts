// weft traffic list | stats | write: which patterns there are, a matrix in the columns of Table 3.1, a pattern as a CSV
// file.

import { loadFabric } from '../../app/routes/fabric-input.js';
import { loadTraffic, requireTraffic } from '../../app/routes/traffic-input.js';
import { InputError } from '../../base/diagnostics.js';
import { collectivePatterns, trainingForm } from '../../collectives/collective-patterns.js';
import { trafficPatterns } from '../../flows/traffic/catalogue.js';
import { trafficStatistics } from '../../flows/traffic/statistics.js';
import { trafficCsv } from '../../formats/traffic-matrix.js';
import { fabricObject, statisticsText, warningText } from '../../report/routes/route-text.js';
import type { CommandContext } from '../context.js';
import {
  commandGroup,
  declaredCommand,
  type OptionValues,
  required,
  text,
  toggle,
} from '../options/declared-command.js';
import { trafficScope } from '../route/route-options.js';
import { forceHelp, writeWholeFile } from '../whole-file.js';

const listCommand = declaredCommand({
  name: 'list',
  description: 'list the patterns',
  options: [toggle('--json', 'print them as JSON')],
  run: ({ options: { json }, context }) => {
    const patterns = [...trafficPatterns, ...collectivePatterns];
    const objects = patterns.map(({ name, description, ranks, synthetic, phases }) => ({
      name,
      description,
      ranks,
      synthetic,
      phases,
    }));
    const lines = patterns.map(({ name, description }) => `  ${name}\n      ${description}`);
    context.stdout.write(
      json
        ? `${JSON.stringify(objects, null, 2)}\n`
        : `${lines.join('\n')}\n\nJobs: 100xstencil:64, 2xlulesh+6xpartisn; NAME-star couples all jobs of a ` +
            `kind.\n${trainingForm}: a training iteration of so many\nranks, a phase for each kind of ` +
            'parallelism (dp as ring; training-tree-… as\ntrees).\n',
    );
  },
});

const statsCommand = declaredCommand({
  name: 'stats',
  description: 'pairs, average hops and traffic of a matrix',
  options: [...trafficScope, toggle('--json', 'print the statistics as JSON')],
  after: `
Examples:
  weft traffic stats --fabric quartz1 --traffic lulesh --seed 11
  weft traffic stats --fabric fabric.net --traffic measured.csv --json`,
  run: async ({ options, context }) => {
    const { source, traffic, warnings: own } = await load(options, context);
    const warnings = [...source.warnings, ...own];
    const statistics = traffic.phases.map(({ matrix }) => trafficStatistics(source.tree, matrix));
    const { name, note, unit } = traffic;
    const phases = traffic.phases.map((phase, i) => ({ name: phase.name, ...statistics[i]! }));
    context.stdout.write(
      options.json
        ? `${JSON.stringify({ traffic: name, note, unit, fabric: fabricObject(source), phases, warnings }, null, 2)}\n`
        : statisticsText(source, traffic, statistics) + warningText(warnings),
    );
  },
});

const writeCommand = declaredCommand({
  name: 'write',
  description: 'write traffic as CSV',
  options: [...trafficScope, required(text('--out <file>', 'the file')), toggle('--force', forceHelp)],
  after: '\nExample:\n  weft traffic write --fabric quartz1 --traffic partisn --out partisn.csv',
  run: async ({ options, context }) => {
    if (options.out === '') throw InputError.about('output-path', '--out', 'the path is empty', { wanted: 'a file' });
    const { traffic } = await load(options, context);
    await writeWholeFile(options.out, trafficCsv(traffic), options.force);
  },
});

/** The command `traffic` with its subcommands. */
export default commandGroup(
  'traffic',
  'traffic matrices: patterns by name, statistics, files',
  [listCommand, statsCommand, writeCommand],
  `
Traffic of one's own is a CSV file (docs/formats/traffic-matrix.md); hosts are
names or ranks, in place of bytes may stand MiB, GB and others, or weight:
  source,destination,bytes
  node0000,node0017,1048576

Examples:
  weft traffic list
  weft traffic stats --fabric quartz1 --traffic lulesh`,
);

async function load(options: OptionValues<typeof trafficScope>, { host }: CommandContext) {
  requireTraffic(options.traffic, 'which traffic?');
  const source = await loadFabric(host, options);
  return { source, ...(await loadTraffic(host, options, source)) };
}

// weft reconstruct: who sent how much to whom, from counters of ports.

import { reconstructTraffic } from '../../app/reconstruct/reconstruct-traffic.js';
import type { LaneStrategy } from '../../app/reconstruct/reconstruction-request.js';
import { usualReconstructionSeconds } from '../../app/reconstruct/search-until.js';
import { reconstructionLines, reconstructionObject } from '../../report/reconstruct/reconstruction-text.js';
import { oneOf, text, value } from '../options/declared-command.js';
import { wholeNumberFrom } from '../options/option-values.js';
import { routeCommandOf } from '../route/route-command.js';
import { fabricScope, seconds, tablesOption, wholeNumber } from '../route/route-options.js';

/** Lanes for data that a link has at most. */
const mostLanes = 15;
const strategies = ['random', 'pairs', 'steady'] as const satisfies readonly LaneStrategy[];

/** The command `reconstruct`. */
export default routeCommandOf({
  name: 'reconstruct',
  description: 'who sent how much to whom, from what ports counted',
  options: [
    ...fabricScope,
    tablesOption('opensm-lfts.dump, or what dump_lfts or ibroute print; or ftree or dmodk'),
    text('--counters <file>', 'what ports counted: output of perfquery or ibqueryerrors'),
    text('--before <file>', 'an earlier reading; without it counters began at 0'),
    text('--traffic <pattern|file>', 'what is sent: it makes the counters, and the result is compared with it'),
    text(
      '--allocation <kind|file>',
      'hosts of a pattern: alone (one job in a row from the eleventh host), contiguous, fragmented, or a list of jobs',
      'alone',
    ),
    value('--lanes <count>', 'virtual lanes that counters tell apart', wholeNumberFrom(1, mostLanes), 1),
    value('--service-levels <count>', 'levels of pairs (default: as many as lanes)', wholeNumberFrom(1, 16)),
    oneOf(
      '--strategy <how>',
      'lanes: random (drawn by ports and level), pairs (drawn by port, source and destination), steady (that of the level)',
      strategies,
      'random',
    ),
    text('--dictionary <bases>', 'od, or bases of i, s, cd, scd, cs, scs joined by +', 'od'),
    value('--seed <number>', 'of levels, lanes and random traffic', wholeNumber, 1),
    value(
      '--time <time>',
      `stop after this time and keep what was found (default: ${usualReconstructionSeconds}s)`,
      seconds,
    ),
    value('--work <steps>', 'stop after so many steps', wholeNumber),
    text('--out <file>', 'write the matrix as CSV, which --traffic reads'),
  ],
  help: `Examples:
  weft reconstruct --fabric quartz1 --tables ftree --traffic partisn --lanes 5
  weft reconstruct --fabric fabric.net --tables opensm-lfts.dump \\
    --counters after.txt --before before.txt --out matrix.csv

docs/models/reconstruction.md says how, and how far to trust it.`,
  run: async (request, host) => {
    const found = await reconstructTraffic(request, host);
    return {
      texts: { out: found.csv },
      object: ({ out }) => reconstructionObject(found, out ?? null),
      lines: ({ out }) => reconstructionLines(found, out ?? null),
      warnings: found.warnings,
    };
  },
});

// weft adapt: epoch after epoch a run, its counters, who sent to whom, and routes for that.

import { join } from 'node:path';
import { adaptFiles, requireUnused } from '../../app/adapt/adapt-files.js';
import { adaptRoutes } from '../../app/adapt/adapt-routes.js';
import { knowledges, routeCarriers } from '../../app/adapt/adapt-request.js';
import { counterMixes } from '../../app/reconstruct/reconstruction-request.js';
import { usualSeconds } from '../../app/routes/route-problem.js';
import { adaptLines, adaptObject } from '../../report/adapt/adapt-report.js';
import { oneOf, repeated, text, toggle, value } from '../options/declared-command.js';
import { wholeNumberFrom } from '../options/option-values.js';
import { routeCommandOf } from '../route/route-command.js';
import { objectiveOption, seconds, wholeNumber } from '../route/route-options.js';

/** The command `adapt`. */
export default routeCommandOf({
  name: 'adapt',
  fillsFolder: true,
  description: 'measure, reconstruct, route anew: static routes that follow the traffic, epoch by epoch',
  argument: ['<scenario>', 'what runs in every epoch: a scenario whose backend goes by routes'],
  second: ['[more...]', 'scenarios of further epochs, in turn: traffic that changes, on the same fabric'],
  options: [
    value(
      '--epochs <count>',
      'how often tables are made anew (default: 1, or one less than scenarios)',
      wholeNumberFrom(1, 1000),
    ),
    repeated('--set <path=value>', 'a setting of the scenarios, as weft run takes it'),
    oneOf(
      '--by <carrier>',
      'how routes come to the fabric: tables of switches, or source ports of pairs where switches hash (RoCE, on packet)',
      routeCarriers,
      'tables',
    ),
    toggle('--new-seeds', 'every epoch draws anew: the seed of the scenario and the number of the epoch'),
    value(
      '--lanes <count>',
      'virtual lanes that counters tell apart (default: those of the scenario, or 5)',
      wholeNumberFrom(1, 15),
    ),
    value('--phases <count>', 'readings within an epoch, each a phase for the optimizer', wholeNumberFrom(1, 64), 1),
    oneOf(
      '--mix <what>',
      'what is counted: bytes, packets, or mixed: (packets x MTU + bytes) / 2',
      counterMixes,
      'bytes',
    ),
    oneOf('--knowledge <of>', 'what routes are made for: counters, or perfect (what was sent)', knowledges, 'counters'),
    text('--dictionary <bases>', 'od, or bases of i, s, cd, scd, cs, scs joined by +', 'od'),
    objectiveOption,
    value('--most-changes <count>', 'entries that an epoch may change (default: all)', wholeNumber),
    value('--time <time>', `limit of each search; CPU time of that for traffic (default: ${usualSeconds}s)`, seconds),
    value('--work <work>', 'stop each search of routes after so much work, which repeats it', wholeNumber),
    text('--why <hosts>', 'two hosts, by name or rank, such as 0,17: how their way changed, and why'),
    text('--out <folder>', "gets each epoch's tables and traffic, and the steps from tables to tables and back"),
  ],
  help: `Examples:
  weft adapt scenario.yaml --epochs 2
  weft adapt monday.yaml tuesday.yaml --epochs 6 --json
  weft adapt roce.yaml --by source-ports --out ports

docs/models/adapt.md says how, and how far to trust it.`,
  run: async ({ set, out, force, ...request }, host, scenarios) => {
    if (out !== undefined && !force && host.files !== undefined) await requireUnused(out, host.files);
    const adapted = await adaptRoutes({ ...request, scenarios, overrides: set ?? [] }, host);
    const files =
      out === undefined ? [] : adaptFiles(adapted).map(({ name, text }) => ({ path: join(out, name), text }));
    return {
      ...(out === undefined ? {} : { folder: { path: out, files } }),
      object: () => adaptObject(adapted, out ?? null),
      lines: () => adaptLines(adapted, out ?? null),
      warnings: adapted.warnings,
      failed: adapted.epochs.some(({ outcome }) => outcome !== 'finished'),
    };
  },
});

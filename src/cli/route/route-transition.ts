// weft route transition: whether switches may get new tables in any order, and if not, in which steps.
// Invariants: nothing is written to a fabric; bad input ends with 2; without steps that keep traffic going with 1.

import { Command } from 'commander';
import { refuseSeveralLids } from '../../app/routes/route-algorithms.js';
import { loadFabric, type FabricOptions } from '../../app/routes/fabric-input.js';
import { InputError, wholeFile } from '../../base/diagnostics.js';
import { loadLevels } from '../../app/routes/route-lanes.js';
import { loadTables } from '../../app/routes/tables-input.js';
import { transitionLines, transitionObject } from '../../report/routes/transition-text.js';
import { reportText } from '../../report/routes/route-text.js';
import { changedEntries } from '../../routing/forwarding-tables.js';
import { planTransition } from '../../optimization/route-transition.js';
import type { CommandContext } from '../context.js';
import { ExitCode } from '../exit-codes.js';
import { refuseRepeats } from '../options/repeated-options.js';
import { lmcOption } from './route-options.js';
import { StageProgress } from '../stage-progress.js';

interface TransitionOptions extends FabricOptions {
  readonly lanes?: string;
  readonly newLanes?: string;
  readonly json?: boolean;
}

/** The command `route transition`. */
export function transitionCommand(context: CommandContext): Command {
  const command = lmcOption(new Command('transition'))
    .description('say in which order switches may get new tables, so that no packet loops, is lost or deadlocks')
    .argument('<old>', 'tables in use: opensm-lfts.dump, or what dump_lfts or ibroute print')
    .argument('<new>', 'tables that are to be written')
    .requiredOption(
      '--fabric <file>',
      'output of ibnetdiscover or ibdiagnet (.lst, .db_csv), a topology file, or quartz1',
    )
    .option('--guid2lid <file>', "LIDs: OpenSM's guid2lid")
    .option('--roots <file>', 'GUIDs of the switches of the top level, one per line')
    .option(
      '--lanes <file>',
      "service levels of pairs of hosts, each a lane: opensm-path-records.dump, saquery -p, or compute's --lanes-out",
    )
    .option('--new-lanes <file>', 'those with the new tables, if they differ (needs --lanes)')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
Examples:
  weft route transition now.lfts new.lfts --fabric fabric.net
  weft route transition now.lfts new.lfts --fabric fabric.net --json
  weft route transition new.lfts now.lfts --fabric fabric.net    (the way back)
  weft route transition now.lfts new.lfts --fabric torus.net \\
    --lanes now.lanes --new-lanes new.lanes

A subnet manager writes switch after switch; meanwhile some have old tables and
some new ones. Safe: no mixture loops, loses what both tables deliver, or can
deadlock (on the lanes of --lanes; without it on one). Else steps: between two
of them wait until packets under way have gone. Exit code 1 if the only step
found is to stop traffic.`,
    )
    .action(async (old: string, next: string, options: TransitionOptions) => {
      const { host } = context;
      if (options.newLanes !== undefined && options.lanes === undefined)
        throw InputError.at('missing-levels', '--new-lanes', wholeFile, 'the lanes of the old tables are missing', {
          hint: 'add --lanes FILE',
        });
      const progress = new StageProgress(context.stderr, () => host.wallMs());
      const source = await loadFabric(host, options);
      refuseSeveralLids(source, 'weft route transition', 'it looks at one way to each host');
      progress.update('reading tables');
      const before = await loadTables(host, old, source);
      const after = await loadTables(host, next, source);
      const lanes = await Promise.all(
        [options.lanes, options.newLanes].flatMap((file) =>
          file === undefined ? [] : [loadLevels(host, file, undefined, source)],
        ),
      );
      const levels = lanes[0] === undefined ? null : { before: lanes[0].levels, after: (lanes[1] ?? lanes[0]).levels };
      progress.update('looking at mixtures');
      const plan = planTransition(before.tables, after.tables, levels);
      progress.stop();
      const told = {
        source,
        old,
        new: next,
        plan,
        changedEntries: changedEntries(before.tables, after.tables),
        warnings: [
          ...source.warnings,
          ...before.warnings,
          ...after.warnings,
          ...lanes.flatMap(({ warnings }) => warnings),
        ],
        lanes: levels === null ? 1 : Math.max(levels.before.count, levels.after.count),
      };
      context.stdout.write(
        options.json === true
          ? `${JSON.stringify(transitionObject(told), null, 2)}\n`
          : reportText(transitionLines(told), told.warnings),
      );
      if (plan.steps.some(({ kind }) => kind === 'drain')) context.endWith(ExitCode.failed);
    });
  return refuseRepeats(command);
}

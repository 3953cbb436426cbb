// weft route transition: whether switches may get new tables in any order, and if not, in which steps.
// Invariant: nothing is written to a fabric; without steps that keep traffic going it ends with 1.

import { routeTransition } from '../../app/routes/plan-transition.js';
import { transitionLines, transitionObject } from '../../report/routes/transition-text.js';
import { text } from '../options/declared-command.js';
import { routeCommandOf } from './route-command.js';
import { tablesScope } from './route-options.js';

/** The command `route transition`. */
export const transitionCommand = routeCommandOf({
  name: 'transition',
  description: 'say in which order switches may get new tables, so that no packet loops, is lost or deadlocks',
  argument: ['<old>', 'tables in use: opensm-lfts.dump, or what dump_lfts or ibroute print'],
  second: ['<new>', 'tables that are to be written'],
  options: [
    ...tablesScope,
    text(
      '--lanes <file>',
      "service levels of pairs of hosts, each a lane: opensm-path-records.dump, saquery -p, or compute's --lanes-out",
    ),
    text('--new-lanes <file>', 'those with the new tables, if they differ (needs --lanes)'),
  ],
  help: `Examples:
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
  run: async (request, host, [old, next]) => {
    const told = await routeTransition({ ...request, old: old!, new: next! }, host);
    return {
      object: () => transitionObject(told),
      lines: () => transitionLines(told),
      warnings: told.warnings,
      failed: told.plan.steps.some(({ kind }) => kind === 'drain'),
    };
  },
});

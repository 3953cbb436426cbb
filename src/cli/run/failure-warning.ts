// The warning of `weft run` that what fails cannot meet any traffic.

import { wholeFile, type Diagnostic } from '../../base/diagnostics.js';
import type { Plan } from '../../scenario/plan.js';

const switchesNamed = 4;

/** The plan with a warning more, if some of its failures are idle. */
export async function withFailureWarning(plan: Plan): Promise<Plan> {
  if (plan.failures.changes.count === 0) return plan;
  const { idleFailures } = await import('../../app/forecast/idle-failures.js');
  const idle = idleFailures(plan);
  if (idle === null) return plan;
  const { switches, links, allLinks, longestPath } = idle;
  const named = switches.slice(0, switchesNamed).join(', ');
  const more = switches.length > switchesNamed ? ` and ${switches.length - switchesNamed} more` : '';
  const warning: Diagnostic = {
    severity: 'warning',
    code: 'failure-idle',
    file: plan.inputs[0]?.path ?? plan.name,
    ...wholeFile,
    message: `failures.events: no traffic can meet ${links} of the ${allLinks} links that fail (of ${named}${more})`,
    got: `paths of at most ${longestPath} links, which stay below`,
    path: 'failures.events',
    hint: 'where a leaf takes a whole rail, rail traffic meets no spine: a smaller fabric.nicsPerAsw spreads a rail over several leaves',
  };
  return { ...plan, warnings: [...plan.warnings, warning] };
}

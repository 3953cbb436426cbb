// What `weft run` says before a run begins: that what fails cannot meet any traffic, that it will be long or large.

import { expectedCost, type ExpectedCost } from '../../app/forecast/expected-cost.js';
import { wholeFile, type Diagnostic } from '../../base/diagnostics.js';
import type { Host } from '../../base/host.js';
import { bytesText, cpuText } from '../../report/forecast-report.js';
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

/** CPU time and memory from which on it is said. */
const longSeconds = 30;
const largeBytes = 1e9;

/**
 * A line for people if a run will take long or much memory; null if not, or if nobody knows.
 * @param slowness of this machine; left out: measured
 */
export function longRunNote(plan: Plan, host: Host, slowness?: number): string | null {
  return noteOf(expectedCost(plan, host, slowness));
}

/** The same of a cost that is known. */
export function noteOf(cost: ExpectedCost | null): string | null {
  if (cost === null || (cost.cpuSeconds < longSeconds && cost.memoryBytes < largeBytes)) return null;
  const how = cost.replays === true ? 'without what fast-forward saves, about' : 'about';
  return `note: ${how} ${cpuText(cost.cpuSeconds)} of CPU and ${bytesText(cost.memoryBytes)} of memory; --dry-run says more\n`;
}

// What is said of a run that will be long or large, before it begins.

import { expectedCost, type ExpectedCost } from '../../app/forecast/expected-cost.js';
import type { Host } from '../../base/host.js';
import { bytesText, cpuText } from '../../report/forecast-report.js';
import type { Plan } from '../../scenario/plan.js';

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

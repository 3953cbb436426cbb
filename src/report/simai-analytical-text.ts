// What SimAI's analytical form came to, for people, within 80 columns.
// Invariant: the parts add up to the time of the iteration.

import { formatTimePs } from '../base/units.js';
import type { ParallelSizes } from '../collectives/parallel-groups.js';
import type { EndToEnd } from '../formats/simai-end-to-end.js';

/** @param results where the file is, or why there is none @returns text that ends with a newline */
export function simaiAnalyticalReport(
  { exposedUs, bubbleUs, totalComputeUs, totalUs, layers }: EndToEnd,
  { tensor, data, pipeline, expert }: ParallelSizes,
  results: string,
): string {
  const part = (label: string, us: number): string =>
    `  ${label.padEnd(24)}${time(us).padStart(14)}${`${(totalUs > 0 ? (100 * us) / totalUs : 0).toFixed(2)} %`.padStart(11)}`;
  return [
    `iteration of ${time(totalUs)}: ${layers.length} layers on ${tensor * data * pipeline} GPUs (TP ${tensor}, EP ${expert}, PP ${pipeline}, DP ${data})`,
    'an estimate by the profile simai-busbw: sums, nothing is simulated',
    '',
    part('computation', totalComputeUs),
    part('exposed TP', exposedUs.TP),
    part('exposed EP', exposedUs.EP),
    part('exposed DP', exposedUs.DP),
    part('exposed DP_EP', exposedUs.DP_EP),
    part('between stages (PP)', exposedUs.PP),
    part('pipeline bubble', bubbleUs),
    '',
    `results: ${results}`,
    '',
  ].join('\n');
}

function time(us: number): string {
  return formatTimePs(Math.round(us * 1e6));
}

// The comparison of two builds as rows of at most 80 columns.

import type { Compared, Ratio } from './paired-ratios.js';

const nameWidth = 20;
const secondsWidth = 6;
const ratioWidth = 24;

/** Two lines above the rows. @param commit short name of the build that is compared with */
export function ratioHeader(commit: string): string {
  return [
    row('', 'CPU s', 'CPU s', `ours to ${commit}`, `${commit} to itself`),
    row('', 'ours', 'theirs', 'median (best/best)', 'median (best/best)'),
  ].join('\n');
}

/** One workload: medians of CPU seconds, and of ratios with the fastest runs' in brackets and the quartiles beside. */
export function ratioRow(name: string, { oursCpuSeconds, commitCpuSeconds, ours, itself }: Compared): string {
  return row(name, secondsText(oursCpuSeconds), secondsText(commitCpuSeconds), ratioText(ours), ratioText(itself));
}

function row(name: string, oursSeconds: string, theirSeconds: string, ours: string, itself: string): string {
  const seconds = `${oursSeconds.padStart(secondsWidth)} ${theirSeconds.padStart(secondsWidth)}`;
  return `${name.padEnd(nameWidth)}${seconds} ${ours.padEnd(ratioWidth)}${itself}`;
}

function secondsText(value: number): string {
  return value.toFixed(value < 100 ? 2 : 1);
}

function ratioText({ median, best, lowerQuartile, upperQuartile }: Ratio): string {
  return `${median.toFixed(3)} (${best.toFixed(2)}) ${lowerQuartile.toFixed(2)}-${upperQuartile.toFixed(2)}`;
}

// The incast of 127 senders with every congestion control: docs/figures/incast-127.svg and the table of
// examples/incast-127/README.md.

import { mechanisms } from '#weft/backends/packet/mechanisms.js';
import { incastChart } from './incast-chart.js';
import { incastRun, type IncastRun } from './incast-run.js';
import { pathOf, writeBlock, writeFile } from './pages.js';

const senders = 127;
const lineBps = 100e9;

/** Runs and draws. */
export async function drawIncast(): Promise<void> {
  const runs: IncastRun[] = [];
  for (const algorithm of Object.keys(mechanisms.congestionControls)) {
    process.stderr.write(`incast of ${senders} with ${algorithm} …\n`);
    runs.push(await incastRun(pathOf('examples/incast-127/incast-127.yaml'), algorithm, '20us'));
  }
  writeFile(
    'docs/figures/incast-127.svg',
    incastChart(runs, `${senders} hosts send 1 MiB each to one at 100 Gb/s`, lineBps / senders),
  );
  writeBlock('examples/incast-127/README.md', 'table', table(runs));
  process.stdout.write(table(runs));
}

function table(all: readonly IncastRun[]): string {
  const rows = all.map(({ algorithm, summary, peakQueueBytes }) => {
    const { fct, counters } = summary;
    const failed = summary.verdicts.filter(({ ok }) => !ok).length;
    const cells = [
      algorithm,
      ms(fct.meanNs),
      ms(fct.p99Ns),
      ms(fct.maxNs),
      String(counters.pauseFrames),
      String(counters.ecnMarks),
      `${(peakQueueBytes / 1e6).toFixed(3)} MB`,
      String(counters.packetsDropped),
      failed === 0 ? 'all passed' : `${failed} failed`,
    ];
    return `| ${cells.join(' | ')} |\n`;
  });
  return `| control | mean FCT | 99th percentile | slowest | PFC pauses | ECN marks | peak queue | drops | checks |\n|---|---|---|---|---|---|---|---|---|\n${rows.join('')}`;
}

function ms(ns: number): string {
  return `${(ns / 1e6).toFixed(3)} ms`;
}

// `npm run figures`: runs the incast of 127 senders with every congestion control, draws docs/figures/incast-127.svg and writes the table
// of examples/incast-127/README.md.

import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { congestionControls } from '#weft/backends/packet/registry.js';
import { incastChart } from './incast-chart.js';
import { incastRun, type IncastRun } from './incast-run.js';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');
const senders = 127;
const lineBps = 100e9;

new Command('npm run figures')
  .description('runs the incast of examples/incast-127 with every congestion control; writes docs/figures/incast-127.svg and the table of its README.md')
  .allowExcessArguments(false)
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2))
  .parse();

const runs: IncastRun[] = [];
for (const algorithm of Object.keys(congestionControls)) {
  process.stderr.write(`incast of ${senders} with ${algorithm} …\n`);
  runs.push(await incastRun(path.join(root, 'examples/incast-127/incast-127.yaml'), algorithm, '20us'));
}
write('docs/figures/incast-127.svg', incastChart(runs, `${senders} hosts send 1 MiB each to one at 100 Gb/s`, lineBps / senders));
const page = 'examples/incast-127/README.md';
const text = readFileSync(path.join(root, page), 'utf8');
const marker = /(<!-- table: npm run figures -->\n)[\s\S]*?(<!-- end -->)/;
if (!marker.test(text)) throw new Error(`${page} has no place for the table`);
write(page, text.replace(marker, (_all, before: string, after: string) => `${before}${table(runs)}${after}`));
process.stdout.write(table(runs));
process.stderr.write(`written: docs/figures/incast-127.svg and the table of ${page}\n`);

function table(all: readonly IncastRun[]): string {
  const rows = all.map(({ algorithm, summary, peakQueueBytes }) => {
    const { fct, counters } = summary;
    const failed = summary.verdicts.filter(({ ok }) => !ok).length;
    const cells = [algorithm, ms(fct.meanNs), ms(fct.p99Ns), ms(fct.maxNs), String(counters.pauseFrames), String(counters.ecnMarks), `${(peakQueueBytes / 1e6).toFixed(3)} MB`, String(counters.packetsDropped), failed === 0 ? 'all passed' : `${failed} failed`];
    return `| ${cells.join(' | ')} |\n`;
  });
  return `| control | mean FCT | 99th percentile | slowest | PFC pauses | ECN marks | peak queue | drops | checks |\n|---|---|---|---|---|---|---|---|---|\n${rows.join('')}`;
}

function ms(ns: number): string {
  return `${(ns / 1e6).toFixed(3)} ms`;
}

/** All or nothing. */
function write(file: string, text: string): void {
  const target = path.join(root, file);
  writeFileSync(`${target}.new`, text);
  renameSync(`${target}.new`, target);
}

// What a run came to, for people, within 80 columns: what ran, the completion times, what the network did, the
// self-checks.
// Invariant: everything said comes from the figures; a failed check is never collapsed.

import { formatSizeBytes, formatTimePs } from '../base/units.js';
import { bandSentence } from './error-band.js';
import { runLines } from './figures/run.js';
import type { RunLabel } from './run-figures.js';
import { inferenceLines } from './inference-text.js';
import { jobLines } from './job-report-text.js';
import type { RunFigures } from './run-figures.js';
import { runVerdict } from './run-verdict.js';
import { type TextStyle, coloured, labelled, wrapped } from './text-style.js';

const indent = 15;

/**
 * The report of one run.
 * @param results one line saying where the results are
 * @returns text that ends with a newline
 */
export function runReport(run: RunLabel, figures: RunFigures, results: string, style: TextStyle): string {
  const say = (label: string, text: string): string[] => labelled(label, text, indent);
  // nothing was measured of jobs that do not end
  const hasBand = figures.outcome === 'finished' && figures.jobs.length > 0 && run.errorBand !== undefined;
  const memoryBytes = Math.round(figures.peakMemoryBytes / 1e5) * 1e5;
  const lines = [
    ...wrapped(headline(run.name, figures)).map((line) => coloured(style, 'bold', line)),
    ...wrapped(runVerdict(figures)),
    '',
    ...jobLines(figures.jobs, style),
    ...inferenceLines(figures.inference, style),
    ...(hasBand ? say('error band', bandSentence(run.errorBand)) : []),
    ...runLines(run, figures, indent),
    ...checks(figures, style),
    ...say(
      'run',
      `seed ${run.seed}, ${figures.cpuSeconds.toFixed(2)} s of CPU, at most ${formatSizeBytes(memoryBytes)}, digest ${figures.digest.slice(0, 16)}`,
    ),
    ...(run.warnings.length > 0 ? say('warnings', String(run.warnings.length)) : []),
    ...say('results', results),
  ];
  return `${lines.join('\n')}\n`;
}

function headline(name: string, figures: RunFigures): string {
  const after = formatTimePs(figures.simulatedPs);
  switch (figures.outcome) {
    case 'finished':
      return `${name}: finished after ${after} of simulated time`;
    case 'ended':
      return `${name}: ended at its stopTime, ${after}`;
    case 'stopped':
      return `${name}: stopped; what follows is partial`;
    case 'blocked':
      return `${name}: BLOCKED: ${figures.verdicts.find(({ cause }) => cause !== undefined)?.cause ?? 'flows are unfinished, but nothing moves any more'}`;
  }
}

function checks({ verdicts }: RunFigures, style: TextStyle): string[] {
  const failed = verdicts.filter((verdict) => !verdict.ok);
  const label = `  ${'checks'.padEnd(indent - 2)}`;
  if (failed.length === 0) return [`${label}${coloured(style, 'green', `all ${verdicts.length} passed`)}`];
  const lines = [`${label}${coloured(style, 'red', `${failed.length} of ${verdicts.length} FAILED`)}`];
  for (const { name, detail } of failed) {
    for (const [i, part] of wrapped(`${name}: ${detail}`, 80 - indent - 2).entries())
      lines.push(`${' '.repeat(indent)}${i === 0 ? '- ' : '  '}${part}`);
  }
  return lines;
}

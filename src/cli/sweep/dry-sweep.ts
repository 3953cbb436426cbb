// `weft sweep --dry-run`: how many runs a sweep has, what they take, and how many of them are there already.
// Invariant: nothing is simulated, and nothing is written but the report.

import { formatDiagnostic } from '../../base/diagnostics.js';
import { printable } from '../../base/printable.js';
import { bytesText, cpuText } from '../../report/forecast-report.js';
import { counted, grouped, labelled } from '../../report/text-style.js';
import { untilText } from '../../report/sweep/until-target.js';
import { SweepJournal } from '../../storage/sweep/sweep-journal.js';
import { journalName } from '../../storage/sweep/sweep-files.js';
import { join } from 'node:path';
import type { CommandContext } from '../context.js';
import { ExitCode } from '../exit-codes.js';
import { planSweep, type SweepRequest } from './run-sweep.js';

const indent = 15;

/**
 * Says what a sweep would run and take.
 * @returns the exit code
 * @throws InputError, HostFileError, OutputError
 */
export async function drySweep(request: SweepRequest, context: CommandContext): Promise<number> {
  const { found, checked, description, refusal } = await planSweep(request, true, context);
  const { combinations } = request;
  const { runs } = combinations;
  const ended = found.earlier === null || refusal !== null ? 0 : endedIn(found.path, runs);
  const jobs = Math.max(1, Math.min(request.jobs ?? context.sideBySide.processes, runs - ended));
  if (refusal !== null && !request.quiet)
    for (const each of refusal.diagnostics)
      context.stderr.write(`${formatDiagnostic({ ...each, severity: 'warning' })}\n`);
  const { cost } = checked;
  const cpuSeconds = cost === null ? null : cost.cpuSeconds * (runs - ended);
  if (request.json) {
    context.stdout.write(
      `${JSON.stringify({
        dryRun: true,
        name: description.name,
        scenario: description.scenario,
        settings: description.settings.map(({ path, values }) => ({ path, values })),
        sample: description.sample,
        seeds: description.seeds,
        until: description.until,
        combinations: combinations.count,
        runs,
        ended,
        lookedAt: checked.lookedAt,
        jobs,
        cpuSeconds,
        wallSeconds: cpuSeconds === null ? null : cpuSeconds / jobs,
        memoryBytes: cost?.memoryBytes ?? null,
        folder: found.shown,
        folderRefusal: refusal === null ? null : refusal.diagnostics.map(({ message }) => message).join('; '),
        warnings: checked.warnings,
      })}\n`,
    );
    return ExitCode.ok;
  }
  const seeds = combinations.seeds === null ? '' : ` x ${counted(combinations.seeds.count, 'seed')}`;
  const lines: [string, string][] = [
    [
      'runs',
      `${request.until === null ? '' : 'at most '}${grouped(runs)}: ${counted(combinations.count, 'combination')}${seeds}`,
    ],
    ...description.settings.map(({ path, values }, i): [string, string] => [
      i === 0 ? 'settings' : '',
      `${path}: ${valuesText(values)}`,
    ]),
    ...(description.seeds === null ? [] : [['seeds', description.seeds] as [string, string]]),
    ...(request.until === null ? [] : [['until', untilText(request.until)] as [string, string]]),
    [
      'time',
      cpuSeconds === null
        ? 'not known of these runs'
        : `about ${cpuText(cpuSeconds)} of CPU on this machine${jobs === 1 ? '' : `, ${cpuText(cpuSeconds / jobs)} with ${jobs} processes`}`,
    ],
    ...(cost === null
      ? []
      : [['memory', `about ${bytesText(cost.memoryBytes)}${jobs === 1 ? '' : ' a process'}`] as [string, string]]),
    [
      'folder',
      `${found.shown}${refusal !== null ? ', which cannot be used' : ended === 0 ? '' : `, which has ${grouped(ended)} of the runs already`}`,
    ],
  ];
  const text = lines.flatMap(([label, words]) => labelled(label, printable(words), indent));
  const title = `${printable(description.name)}: what would be swept, and what it would take`;
  context.stdout.write(`${[title, '', ...text, '', '  Within a factor of three.'].join('\n')}\n`);
  return ExitCode.ok;
}

function endedIn(folder: string, runs: number): number {
  let journal: SweepJournal;
  try {
    journal = SweepJournal.read(join(folder, journalName), runs);
  } catch {
    // killed before its first run
    return 0;
  }
  try {
    return Array.from({ length: runs }, (_, run) => journal.outcomeOf(run)).filter(
      (outcome) => outcome !== null && outcome !== 'lost',
    ).length;
  } finally {
    journal.close();
  }
}

const valuesNamed = 12;

function valuesText(values: readonly string[]): string {
  const shown = values.slice(0, valuesNamed).join(', ');
  return values.length > valuesNamed ? `${shown} and ${values.length - valuesNamed} more` : shown;
}

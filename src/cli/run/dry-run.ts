// `weft run --dry-run`: what a scenario would run, how long that takes and how much memory and disk it needs.
// Invariant: nothing is simulated, and nothing is written but the report.

import { forecastRun } from '../../app/forecast/forecast.js';
import { machineSlowness } from '../../app/forecast/machine-speed.js';
import { formatDiagnostic } from '../../base/diagnostics.js';
import { forecastObject, forecastReport, type ForecastRun } from '../../report/forecast-report.js';
import { changedSettings } from '../../scenario/changed-settings.js';
import type { CommandContext } from '../context.js';
import { ExitCode } from '../exit-codes.js';
import { withFailureWarning } from './failure-warning.js';
import { planOf, foldersFor, foldersForBackends, type RunRequest, sourceOf } from './run-plan.js';

/**
 * Reads a scenario and forecasts its run, on each backend that is asked for.
 * @returns the exit code
 * @throws InputError, HostFileError
 */
export async function dryRun(request: RunRequest, context: CommandContext): Promise<number> {
  const { host, stdout, stderr } = context;
  const { backends = [], quiet, json } = request;
  const slowness = machineSlowness(host);
  const forecasts: ForecastRun[] = [];
  // a folder that cannot be used is found now, as it would be
  if (backends.length > 1) await foldersForBackends(request.out, backends);
  else await foldersFor(request.out);
  const named = backends.length === 0 ? [undefined] : backends;
  for (const [i, backend] of named.entries()) {
    const made = await planOf(sourceOf(request, backend), context, () => false);
    const plan = await withFailureWarning(made);
    if (!quiet && i === 0) for (const warning of plan.warnings) stderr.write(`${formatDiagnostic(warning)}\n`);
    const { name, seed, fabric, jobs } = plan;
    const figures = await forecastRun(plan, host, slowness);
    forecasts.push({ name, seed, fabric, jobs, changed: changedSettings(plan), figures });
  }
  if (json) {
    const objects = forecasts.map(forecastObject);
    stdout.write(`${JSON.stringify(backends.length > 1 ? objects : objects[0])}\n`);
  } else stdout.write(forecasts.map(forecastReport).join('\n'));
  return ExitCode.ok;
}

// `weft report --fabric`: the health of a fabric as one page that can be mailed, a few lines, JSON and an exit code.
// Invariant: exit code 1 if and only if the first sentence of the page says that the fabric is not healthy.

import { fabricHealth, type CheckedFabricHealth, type FabricHealthRequest } from '../../app/fabric-health.js';
import { formatDiagnostic } from '../../base/diagnostics.js';
import { formatSizeBytes } from '../../base/units.js';
import { healthVerdict, type HealthTables } from '../../report/fabric-health.js';
import { healthHtml } from '../../report/page/health-html.js';
import { evaluationObject, passedObject } from '../../report/routes/route-text.js';
import { wrapped } from '../../report/text-style.js';
import type { CommandContext } from '../context.js';
import { ExitCode } from '../exit-codes.js';
import type { OptionValues } from '../options/declared-command.js';
import { checkObject } from '../topology/check-object.js';
import { weftVersion } from '../version.js';
import { checkOutputs, writeWholeFile } from '../whole-file.js';
import type { fabricOptions } from './fabric-options.js';

/** What is asked of the page. */
interface PageOptions extends OptionValues<typeof fabricOptions> {
  readonly out: string;
  readonly force: boolean;
  readonly json: boolean;
  readonly quiet: boolean;
}

/** @returns the exit code, if it is not 0 @throws InputError, HostFileError, OutputError; nothing is written then */
export async function writeFabricReport(
  { out, force, json, quiet, ...options }: PageOptions,
  { host, stdout }: CommandContext,
): Promise<number | undefined> {
  await checkOutputs([out], force, true);
  const report = await fabricHealth({ ...options, fabric: options.fabric! } as FabricHealthRequest, host);
  const verdict = healthVerdict(report);
  const page = healthHtml(report, verdict, weftVersion());
  await writeWholeFile(out, page, force);
  const { isHealthy, sentences, notLookedAt } = verdict;
  const sizeBytes = Buffer.byteLength(page);
  if (json)
    stdout.write(
      `${JSON.stringify({ report: out, sizeBytes, isHealthy, sentences, notLookedAt, ...healthObject(report) }, null, 2)}\n`,
    );
  else if (!quiet) {
    const lines = [
      ...sentences.flatMap((sentence) => wrapped(sentence)),
      `${out}: ${formatSizeBytes(Math.round(sizeBytes / 1000) * 1000)}`,
    ];
    stdout.write(`${[...lines, ...report.warnings.map(formatDiagnostic)].join('\n')}\n`);
  }
  return isHealthy ? undefined : ExitCode.failed;
}

/** What the page shows, as data. */
function healthObject(report: CheckedFabricHealth): Record<string, unknown> {
  const { check, counters, lids, warnings } = report;
  const { ports = [], ...links } = counters ?? {};
  return {
    check: checkObject(check),
    counters: counters === null ? null : links,
    ports,
    tables: report.tables === null ? null : tablesObject(report, report.tables),
    lids,
    warnings,
  };
}

function tablesObject({ source }: CheckedFabricHealth, { name, loop, judged }: HealthTables): Record<string, unknown> {
  if (judged === null) return { tables: name, loop };
  return {
    ...passedObject({ source: source!, name, ...judged }),
    loop,
    ...evaluationObject(source!, judged.evaluation),
  };
}

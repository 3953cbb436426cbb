// SimAI's analytical form of `weft run`: adds the iteration up, writes SimAI's EndToEnd file, says what came of it.
// Invariant: nothing is written before everything is computed; an earlier file of the name is replaced, as SimAI does.

import { dirname } from 'node:path';
import { simaiAnalytical } from '../../app/simai-analytical.js';
import { formatDiagnostic } from '../../base/diagnostics.js';
import { simaiBusbw } from '../../collectives/simai-busbw.js';
import { writeEndToEnd } from '../../formats/simai-end-to-end.js';
import { simaiAnalyticalReport } from '../../report/simai-analytical-text.js';
import { analyticalVariablesNote } from '../../scenario/foreign/simai/environment.js';
import type { CommandContext } from '../context.js';
import { ExitCode } from '../exit-codes.js';
import { writeWholeFiles } from '../whole-file.js';
import type { AnalyticalRun } from './analytical-options.js';

/**
 * Runs the form.
 * @returns the exit code
 * @throws InputError, HostFileError, OutputError
 */
export async function runAnalytical(
  { request, file, passedOver }: AnalyticalRun,
  { json, quiet }: { readonly json: boolean; readonly quiet: boolean },
  { host, stdout, stderr, environment }: CommandContext,
): Promise<number> {
  const { sizes, iteration, endToEnd, warnings } = await simaiAnalytical(request, host);
  const note = analyticalVariablesNote(environment);
  const all = [...passedOver, ...warnings, ...(note === null ? [] : [note])];
  if (!quiet) for (const warning of all) stderr.write(`${formatDiagnostic(warning)}\n`);
  if (file !== null) await writeWholeFiles([{ path: file, text: writeEndToEnd(endToEnd) }], true, dirname(file));
  if (json) {
    const { exposedUs, bubbleUs, totalExposedUs, totalComputeUs, totalUs } = endToEnd;
    stdout.write(
      `${JSON.stringify({
        name: endToEnd.run,
        profile: simaiBusbw,
        gpus: request.gpus,
        groups: sizes,
        layers: iteration.layers.length,
        totalUs,
        computeUs: totalComputeUs,
        exposedUs,
        totalExposedUs,
        bubbleUs,
        file,
        warnings: all,
      })}\n`,
    );
  } else if (!quiet)
    stdout.write(simaiAnalyticalReport(endToEnd, sizes, file ?? "not kept; add -r PREFIX to write SimAI's CSV"));
  return ExitCode.ok;
}

// What `weft collective` prints: the table with its title and foot, the same as JSON, both beside measurements, and one
// collective taken apart.
// Invariant: the text and the JSON object come from the same rows.

import type { CollectiveRow } from '../../report/figures/collectives.js';
import type { CollectiveSetup, MeasuredCollective } from '../../app/simulate-collective.js';
import { formatDiagnostic } from '../../base/diagnostics.js';
import { profileName } from '../../collectives/selection.js';
import type { LinkLoads } from '../../measurement/link-loads.js';
import { explainCollective, type OtherTime } from '../../report/collective-explanation.js';
import { explanationObject, explanationText } from '../../report/collective-explanation-text.js';
import { bandLines, collectiveBand } from '../../report/error-band.js';
import { collectiveVerdict } from '../../report/collective-verdict.js';
import { modelLine, collectiveObject } from '../../report/collective-table.js';
import { wrapped } from '../../report/text-style.js';
import { hasRoot } from '../../report/figures/collectives.js';
import type { CommandContext } from '../context.js';
import { terminalStyle } from '../terminal.js';
import { weftVersion } from '../version.js';
import { chartSvg } from '../report/page-program.js';
import { writeWholeFile } from '../whole-file.js';
import { comparedTables, type MeasuredFile } from '../../app/calibrate/compared-tables.js';
import { comparisonFigure, comparisonJson, measuredComparisonText } from './measured-tables.js';
import type { CollectiveOptions, Measurement } from './measurement.js';

/** moves that --explain --json lists */
const movesListed = 10_000;

/** A size that was simulated, as a row of the table. */
export function rowOf(measured: MeasuredCollective, { communicator, profile }: CollectiveSetup): CollectiveRow {
  const { task, choice, timePs, algorithmBandwidth, busBandwidth, summary } = measured;
  const isBlocked = summary.outcome === 'blocked';
  return {
    kind: task.kind,
    ranks: communicator.rankCount,
    sizeBytes: task.sizeBytes,
    root: task.root,
    choice,
    timePs,
    algorithmBandwidth,
    busBandwidth,
    flows: summary.flows,
    cpuSeconds: summary.cpuSeconds,
    digest: summary.digest,
    isBlocked,
    places: summary.lostTime.places,
    errorBand: isBlocked
      ? null
      : collectiveBand(profile, {
          kind: task.kind,
          servers: communicator.servers.length,
          sizeBytes: task.sizeBytes,
          gpuType: communicator.fabric.gpuType,
        }),
    problems: summary.verdicts
      .filter(({ ok }) => !ok)
      .map(({ name, detail, cause }) => `${cause === undefined ? '' : `${cause}; `}${name}: ${detail}`),
  };
}

/** The lines above the table. */
export function titleLines({ kind, setup, fabricName, plan, collectives }: Measurement): string {
  const { communicator, profile } = setup;
  const root = hasRoot(kind) ? `, root ${collectives[0]!.task.root}` : '';
  return (
    `# weft ${weftVersion()}: ${kind}${root} on ${fabricName}, ` +
    `${plan.backend.insteadOfPackets === null ? plan.backend.description : plan.backend.name}, seed ` +
    `${plan.seed}\n# ${communicator.rankCount} ranks on ${communicator.servers.length} servers; profile ` +
    `${profileName(profile)}\n#\n`
  );
}

/** What bounds the sizes that were timed. */
export function verdictOf(rows: readonly CollectiveRow[], { collectives, setup }: Measurement): string {
  const timed = rows.flatMap(({ sizeBytes, timePs, places, isBlocked }, i) =>
    isBlocked ? [] : [{ sizeBytes, timePs, places, schedule: collectives[i]!.schedule }],
  );
  if (timed.length < rows.length) return `Blocked: ${rows.find(({ isBlocked }) => isBlocked)!.problems[0] ?? ''}`;
  timed.sort((a, b) => a.sizeBytes - b.sizeBytes);
  return collectiveVerdict(setup.communicator, timed);
}

/** The lines below the table. */
export function footer(rows: readonly CollectiveRow[], measurement: Measurement): string {
  const { collectives, setup } = measurement;
  const { profile, communicator } = setup;
  const timed = rows.filter(({ isBlocked }) => !isBlocked);
  const mean = timed.length === 0 ? 0 : timed.reduce((sum, { busBandwidth }) => sum + busBandwidth, 0) / timed.length;
  const stopped =
    rows.length < collectives.length ? `# stopped after ${rows.length} of ${collectives.length} sizes\n` : '';
  const bands = bandLines(
    profile,
    communicator.fabric.gpuType,
    timed.map(({ errorBand }) => errorBand),
  );
  const verdict = wrapped(verdictOf(rows, measurement), 78).map((line) => `# ${line}\n`);
  return `#\n${verdict.join('')}#\n# Avg bus bandwidth    : ${(mean / 1e9).toFixed(4)}\n${stopped}${modelLine(rows)}${bands}`;
}

/** The whole table as one JSON object. */
export function resultObject(rows: readonly CollectiveRow[], measurement: Measurement): Record<string, unknown> {
  const { kind, fabricName, setup, plan, collectives } = measurement;
  return {
    weftVersion: weftVersion(),
    verdict: verdictOf(rows, measurement),
    kind,
    fabric: fabricName,
    ranks: Array.from(setup.communicator.ranks),
    servers: setup.communicator.servers.length,
    groupKind: setup.groupKind,
    profile: profileName(setup.profile),
    backend: plan.backend.name,
    seed: plan.seed,
    outcome: rows.length < collectives.length ? 'stopped' : 'finished',
    rows: rows.map(collectiveObject),
    warnings: plan.warnings,
  };
}

/** Prints and draws what was simulated beside what was measured. @throws InputError, OutputError */
export async function compare(
  rows: readonly CollectiveRow[],
  measurement: Measurement,
  measured: MeasuredFile,
  { json, figure, force, quiet }: CollectiveOptions,
  { stdout, stderr }: CommandContext,
): Promise<void> {
  if (!quiet) for (const warning of measured.warnings) stderr.write(`${formatDiagnostic(warning)}\n`);
  const compared = comparedTables(measured, rows);
  stdout.write(
    json
      ? `${JSON.stringify({ ...resultObject(rows, measurement), comparison: comparisonJson(measured, compared) })}\n`
      : `${titleLines(measurement)}${measuredComparisonText(measured, compared)}`,
  );
  const chart = comparisonFigure(`${measurement.kind} on ${measurement.fabricName}`, measured, compared);
  if (figure !== undefined && chart !== null) await writeWholeFile(figure, await chartSvg(chart), force);
}

/** Prints where the time of one collective goes. */
export function explain(
  measured: MeasuredCollective,
  others: readonly OtherTime[],
  measurement: Measurement,
  linkLoads: LinkLoads,
  json: boolean,
  { stdout, environment }: CommandContext,
): void {
  const { setup } = measurement;
  const row = rowOf(measured, setup);
  const verdict = verdictOf([row], measurement);
  const explanation = explainCollective({ ...measured, ...setup, others }, linkLoads.byTier(), json ? movesListed : 0);
  stdout.write(
    json
      ? `${JSON.stringify({ verdict, ...explanationObject(explanation), row: collectiveObject(row) })}\n`
      : `${wrapped(verdict).join('\n')}\n\n${explanationText(explanation, terminalStyle(stdout, environment))}${bandLines(setup.profile, setup.communicator.fabric.gpuType, [row.errorBand])}`,
  );
}

// What Weft predicts for the published runs: the cluster's own fabric and profile, nothing set per row.
// Invariant: small groups on fluid, larger ones by closed form, whatever fits better.

import { generateFabric } from '#weft/library/fabrics.js';
import { profileFromText } from '#weft/library/profile-from-text.js';
import { timeCollective } from '#weft/library/time-collective.js';
import { busFactor } from '#weft/collectives/bus-bandwidth.js';
import { type ComparedRow, comparedSize } from '#weft/report/measured-comparison.js';
import { type Cluster, type CollectiveMeasurement, disturbanceOf, measuredUs, readProfile } from './runs.js';

/** Groups up to so many ranks run on the fluid backend, larger ones on the analytical one. */
export const mostFluidRanks = 16;

/** One size of a run. */
export interface PredictedRow extends ComparedRow {
  /** why the row is of the class of its own; null if it is not */
  readonly disturbed: string | null;
}

/** A run with all its sizes. */
export interface PredictedRun {
  readonly run: CollectiveMeasurement;
  readonly backend: 'fluid' | 'analytical';
  readonly rows: readonly PredictedRow[];
}

/** Predicts every size of a run. */
export async function predict(run: CollectiveMeasurement, cluster: Cluster): Promise<PredictedRun> {
  const { generate, ...parameters } = cluster.fabric;
  const { gpusPerServer } = cluster.fabric;
  const fabric = generateFabric(generate, { ...parameters, gpus: run.servers * gpusPerServer });
  const ranks: number[] = [];
  for (let server = 0; server < run.servers; server++)
    for (let local = 0; local < run.ranksPerServer; local++) ranks.push(server * gpusPerServer + local);
  const backend = ranks.length <= mostFluidRanks || run.kind === 'sendrecv' ? 'fluid' : 'analytical';
  const rows: PredictedRow[] = [];
  for (const [i, sizeBytes] of run.sizeBytes.entries()) {
    const { timePs, busBandwidth, choice } = await timeCollective(fabric, {
      kind: run.kind,
      size: sizeBytes,
      ranks,
      backend,
      // GPUs without a NIC reach other servers by NVLink, as NCCL's PXN (on by default) lets them
      pxn: cluster.fabric['nicsPerServer'] !== undefined,
      nvls: run.nvls ?? cluster.nvls ?? true,
      profile: profileFromText(readProfile(run.cluster), `${run.cluster}.yaml`),
      ...(cluster.environment === undefined ? {} : { environment: cluster.environment }),
      algorithm: run.algorithm ?? 'auto',
      protocol: run.protocol ?? 'auto',
    });
    const measured = { timeUs: measuredUs(run, i), busbwGBps: run.busbwGBps?.[i] ?? null };
    const simulated = { sizeBytes, timePs, busBandwidth, choice };
    rows.push({
      ...comparedSize(measured, simulated, busFactor(run.kind, ranks.length)),
      disturbed: disturbanceOf(run, sizeBytes),
    });
  }
  return { run, backend, rows };
}

// What Weft predicts for the published runs: the cluster's own fabric and the profile that its users name, nothing set per
// row; and what the way in which a run was measured makes of it (methods.ts).
// Invariant: small groups on fluid, larger ones by closed form, whatever fits better.

import { generateFabric } from '#weft/library/fabrics.js';
import { timeCollective } from '#weft/library/time-collective.js';
import { busFactor } from '#weft/collectives/bus-bandwidth.js';
import { type ComparedRow, comparedSize } from '#weft/report/measured-comparison.js';
import {
  type Cluster,
  type CollectiveMeasurement,
  disturbanceOf,
  measuredUs,
  methodOf,
  profileOfCluster,
  remarkOn,
} from './runs.js';

/** Groups up to so many ranks run on the fluid backend, larger ones on the analytical one. */
export const mostFluidRanks = 16;

/** One size of a run. */
export interface PredictedRow extends ComparedRow {
  /** of the time that commands give without --profile and --env: by `nccl`; null: the cluster's users have no other */
  readonly plainTimeError: number | null;
  /** why the row is of the class of its own; null if it is not */
  readonly disturbed: string | null;
  /** what is known of a size that stands out, without a word of the source on why; null if it does not */
  readonly remark: string | null;
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
  const method = methodOf(run);
  const reportedPs = (timePs: number): number => method.reportedUs(timePs / 1e6, run.ranksPerServer) * 1e6;
  const profile = profileOfCluster(cluster);
  const isPlain = profile === 'nccl' && cluster.environment === undefined;
  for (const [i, sizeBytes] of run.sizeBytes.entries()) {
    const options = {
      kind: run.kind,
      size: sizeBytes,
      ranks,
      backend,
      // GPUs without a NIC reach other servers by NVLink, as NCCL's PXN (on by default) lets them
      pxn: cluster.fabric['nicsPerServer'] !== undefined,
      nvls: run.nvls ?? cluster.nvls ?? true,
      algorithm: run.algorithm ?? 'auto',
      protocol: run.protocol ?? 'auto',
    } as const;
    const { timePs, busBandwidth, choice } = await timeCollective(fabric, {
      ...options,
      profile,
      ...(cluster.environment === undefined ? {} : { environment: cluster.environment }),
    });
    const plainPs = isPlain ? null : (await timeCollective(fabric, options)).timePs;
    const measured = { timeUs: measuredUs(run, i), busbwGBps: run.busbwGBps?.[i] ?? null };
    const asReported = reportedPs(timePs);
    const simulated = { sizeBytes, timePs: asReported, busBandwidth: (busBandwidth * timePs) / asReported, choice };
    rows.push({
      ...comparedSize(measured, simulated, busFactor(run.kind, ranks.length)),
      plainTimeError: plainPs === null ? null : reportedPs(plainPs) / 1e6 / measured.timeUs - 1,
      disturbed: disturbanceOf(run, sizeBytes),
      remark: remarkOn(run, sizeBytes),
    });
  }
  return { run, backend, rows };
}

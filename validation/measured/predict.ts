// What Weft predicts for the published runs: the cluster's own fabric and the profile that its users name, nothing set per
// row; and what the way in which a run was measured makes of it (methods.ts).
// Invariant: small groups on fluid, larger ones by closed form, whatever fits better.

import type { ComparedRow } from '#weft/report/figures/collectives.js';
import { generateFabric } from '#weft/library/fabrics.js';
import { timeCollective } from '#weft/library/time-collective.js';
import { profileOf } from '#weft/collectives/calibrated-profile.js';
import type { HardwareFigures } from '#weft/collectives/hardware-figures.js';
import type { NcclProfile } from '#weft/collectives/nccl-figures.js';
import type { Profile } from '#weft/collectives/selection.js';
import { withFigures } from '#weft/collectives/taken-figures.js';
import { busFactor } from '#weft/collectives/bus-bandwidth.js';
import { comparedSize } from '#weft/report/measured-comparison.js';
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
  /** of the time by what was not fitted to the row's cluster */
  readonly leftOutTimeError: number;
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

/** What takes the place of a cluster's own profile. */
export interface LeftOutFigures {
  readonly base: NcclProfile;
  readonly figures: HardwareFigures;
}

type TimedSize = Awaited<ReturnType<typeof timeCollective>>;

function backendOf({ kind, servers, ranksPerServer }: CollectiveMeasurement): PredictedRun['backend'] {
  return servers * ranksPerServer <= mostFluidRanks || kind === 'sendrecv' ? 'fluid' : 'analytical';
}

/**
 * Times a run's collective on its cluster, as reported: size by size, by any profile, in the environment that the cluster's
 * provider sets, or in none.
 */
export function timedRun(
  run: CollectiveMeasurement,
  cluster: Cluster,
  backend: PredictedRun['backend'],
): (sizeBytes: number, profile: Profile, environment?: Cluster['environment'] | null) => Promise<TimedSize> {
  const { generate, ...parameters } = cluster.fabric;
  const { gpusPerServer } = cluster.fabric;
  const fabric = generateFabric(generate, { ...parameters, gpus: run.servers * gpusPerServer });
  const ranks: number[] = [];
  for (let server = 0; server < run.servers; server++)
    for (let local = 0; local < run.ranksPerServer; local++) ranks.push(server * gpusPerServer + local);
  const method = methodOf(run);
  return async (sizeBytes, profile, environment = cluster.environment) => {
    const timed = await timeCollective(fabric, {
      kind: run.kind,
      size: sizeBytes,
      ranks,
      backend,
      // GPUs without a NIC reach other servers by NVLink, as NCCL's PXN (on by default) lets them
      pxn: cluster.fabric['nicsPerServer'] !== undefined,
      nvls: run.nvls ?? cluster.nvls ?? true,
      algorithm: run.algorithm ?? 'auto',
      protocol: run.protocol ?? 'auto',
      profile,
      ...(environment === undefined || environment === null ? {} : { environment }),
    });
    const asReported = method.reportedUs(timed.timePs / 1e6, run.ranksPerServer) * 1e6;
    return { ...timed, timePs: asReported, busBandwidth: (timed.busBandwidth * timed.timePs) / asReported };
  };
}

/** Predicts every size of a run. @param leftOut in place of the profile; null: nothing was fitted to the cluster */
export async function predict(
  run: CollectiveMeasurement,
  cluster: Cluster,
  leftOut: LeftOutFigures | null = null,
): Promise<PredictedRun> {
  const rows: PredictedRow[] = [];
  const backend = backendOf(run);
  const timed = timedRun(run, cluster, backend);
  const profile = profileOfCluster(cluster);
  const isPlain = profile === 'nccl' && cluster.environment === undefined;
  const unfitted = leftOut === null ? null : withFigures(profileOf(leftOut.base), leftOut.figures);
  for (const [i, sizeBytes] of run.sizeBytes.entries()) {
    const simulated = await timed(sizeBytes, profile);
    const { timePs } = simulated;
    const plainPs = isPlain ? null : (await timed(sizeBytes, 'nccl', null)).timePs;
    const leftOutPs = unfitted === null ? timePs : (await timed(sizeBytes, unfitted)).timePs;
    const measured = { timeUs: measuredUs(run, i), busbwGBps: run.busbwGBps?.[i] ?? null };
    rows.push({
      ...comparedSize(measured, { sizeBytes, ...simulated }, busFactor(run.kind, run.servers * run.ranksPerServer)),
      plainTimeError: plainPs === null ? null : plainPs / 1e6 / measured.timeUs - 1,
      leftOutTimeError: leftOutPs / 1e6 / measured.timeUs - 1,
      disturbed: disturbanceOf(run, sizeBytes),
      remark: remarkOn(run, sizeBytes),
    });
  }
  return { run, backend, rows };
}

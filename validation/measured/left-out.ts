// What a published cluster is predicted by when nothing that it measured is known: every figure of hardware-figures.ts that
// was fitted to it is fitted to the others, or is what hardware without rows of its own takes.
// Invariant: a figure and the clusters that it was fitted to stand there by the names of their runs; here by cluster.
// Not fitted anew: what stands on no cluster, NCCL's tables, rates by data sheet with SimAI's share of them.

import { profileOf } from '#weft/collectives/calibrated-profile.js';
import { hardwareFigures, type HardwareFigures } from '#weft/collectives/hardware-figures.js';
import { ncclFigures } from '#weft/collectives/nccl-figures.js';
import { protocols } from '#weft/collectives/protocols.js';
import { withFigures } from '#weft/collectives/taken-figures.js';
import { middle } from '#weft/report/measured-comparison.js';
import { bandwidthFromBytes } from '#weft/report/band-classes.js';
import { type LeftOutFigures, timedRun } from './predict.js';
import { type Cluster, clusterOf, type CollectiveMeasurement, measuredUs } from './runs.js';

/** Figures of NVLS that are fitted to runs of several clusters, or can be. */
interface NvlsFit {
  readonly fittedTo: readonly string[];
  /** of clusters that the figure was not fitted to, in case that nothing else is left */
  readonly others: readonly string[];
  readonly candidates: readonly HardwareFigures[];
}

const steps = (from: number, to: number, step: number): number[] =>
  Array.from({ length: Math.round((to - from) / step) + 1 }, (_, i) => Number((from + i * step).toFixed(4)));
/** The share of NVLink, and the round of a server. */
const nvlsCandidates = steps(0.84, 1, 0.02).flatMap((nvlsLinkShare) =>
  steps(3, 9, 1).map((nvls) => ({ nvlsLinkShare, nvlsRoundUs: { nvls } })),
);
const treeCandidates = steps(3, 12, 1).map((roundUs) => ({ nvlsRoundUs: { 'nvls-tree': roundUs } }));
const nvlsFits: readonly NvlsFit[] = [
  { fittedTo: ['A-02', 'A-04.8', 'A-06.nvls', 'A-08'], others: [], candidates: nvlsCandidates },
  { fittedTo: ['A-03', 'A-12'], others: [], candidates: nvlsCandidates },
  { fittedTo: ['B-05'], others: ['B-19', 'B-20'], candidates: treeCandidates },
];

const serverOf = (gpuType: string): HardwareFigures => hardwareFigures('infiniband', gpuType)[0]!;
const networkOf = (network: 'infiniband' | 'slingshot', gpuType: string): HardwareFigures =>
  hardwareFigures(network, gpuType)[1]!;
/** NCCL's own of a ring */
const table = ncclFigures('nccl');
const [ll, simple] = [protocols.indexOf('ll'), protocols.indexOf('simple')];

/** By cluster, what was fitted to it alone. */
const fittedAlone: Readonly<Record<string, LeftOutFigures>> = {
  // B-03: as other GPUs' network of its kind
  'a100-200g argonne-lcf/alcf-nccl-tests': {
    base: 'nccl',
    figures: { shares: { network: { simple: 1, ll128: 1 } }, ...networkOf('infiniband', '') },
  },
  // C-04: as the sends of A100
  'h100-400g xxrjun/nccl-tests-cluster': {
    base: 'nccl',
    figures: { sendsShare: networkOf('infiniband', 'A100').sendsShare! },
  },
  // C-05: as the other cluster of Slingshot
  'a100-slingshot argonne-lcf/alcf-nccl-tests': { base: 'nccl-slingshot', figures: networkOf('slingshot', '') },
  // NVLink as NCCL has it
  'a100-slingshot 69121655620': {
    base: 'nccl-slingshot',
    figures: {
      hopUs: { nvlink: { ring: { simple: table.hopUs.nvlink.ring[simple]! } } },
      shares: { nvlink: { simple: 1 } },
    },
  },
  // C-06: the network's share as the other cluster of Slingshot, and no rendezvous
  'gh200-slingshot boeschf/nccl-benchmark-on-alps-2025': {
    base: 'nccl-slingshot',
    figures: { rendezvousPs: 0, shares: { network: networkOf('slingshot', 'A100').shares!.network! } },
  },
  // C-02, B-08, B-11: nobody else has such a network
  'h200-efa stas00/ml-engineering': { base: 'nccl', figures: {} },
  'h100-tcpx dstackai/dstack': { base: 'nccl', figures: {} },
  'h100-tcpxo lessizzmore/create-a3mega-ztan-fork': { base: 'nccl', figures: {} },
  // NVLink and the base of rings as NCCL has them
  'b200-400g 60744093665': {
    base: 'nccl',
    figures: {
      baseUs: { ring: { ll: table.baseUs.ring[ll]! } },
      shares: { nvlink: { simple: 1 } },
    },
  },
  // B-06: rounds of NVLS-tree as Hopper's
  'b200-400g dstackai/dstack': {
    base: 'nccl',
    figures: { nvlsRoundUs: { 'nvls-tree': serverOf('H100').nvlsRoundUs!['nvls-tree']! } },
  },
  // C-08: as other Blackwells
  'gb200-nvl72 coreweave/nccl-tests': {
    base: 'nccl',
    figures: { nvlsLinkShare: serverOf('B200').nvlsLinkShare! },
  },
};

/** Absolute errors of a run's rows of 64 MiB and more by closed form, for each candidate. */
async function errorsBy(
  candidates: readonly HardwareFigures[],
  run: CollectiveMeasurement,
  cluster: Cluster,
): Promise<readonly (readonly number[])[]> {
  const timed = timedRun(run, cluster, 'analytical');
  const errors: number[][] = [];
  for (const figures of candidates) {
    const profile = withFigures(profileOf('nccl'), figures);
    const own: number[] = [];
    for (const [i, sizeBytes] of run.sizeBytes.entries())
      if (sizeBytes >= bandwidthFromBytes)
        own.push(Math.abs((await timed(sizeBytes, profile)).timePs / 1e6 / measuredUs(run, i) - 1));
    errors.push(own);
  }
  return errors;
}

/**
 * What each cluster is predicted by without its own rows, by `clusterOf`; to one that is missing nothing was fitted.
 * Figures of NVLS are the candidate by which the other clusters' rows have the least median error.
 * @param runs all: a cluster that left-out figures name and no run has is an error
 */
export async function leftOutFigures(
  clusters: ReadonlyMap<string, Cluster>,
  runs: readonly CollectiveMeasurement[],
): Promise<ReadonlyMap<string, LeftOutFigures>> {
  const result = new Map(Object.entries(fittedAlone));
  const measured = new Set(runs.map(clusterOf));
  for (const cluster of result.keys())
    if (!measured.has(cluster)) throw new Error(`validation/measured/left-out.ts: no run is of ${cluster}`);
  for (const { fittedTo, others, candidates } of nvlsFits) {
    const errors = new Map<CollectiveMeasurement, readonly (readonly number[])[]>();
    for (const run of runs)
      if (fittedTo.includes(run.id) || others.includes(run.id))
        errors.set(run, await errorsBy(candidates, run, clusters.get(run.cluster)!));
    for (const left of new Set(runs.filter(({ id }) => fittedTo.includes(id)).map(clusterOf))) {
      const known = [...errors].filter(([run]) => clusterOf(run) !== left);
      const medians = candidates.map((_, at) => middle(known.flatMap(([, own]) => own[at]!)));
      const best = candidates[medians.indexOf(Math.min(...medians))]!;
      const { base, figures } = result.get(left) ?? { base: 'nccl', figures: {} };
      result.set(left, { base, figures: { ...figures, ...best } });
    }
  }
  return result;
}

// The published measurements of runs.yaml and the clusters of clusters.yaml, read and checked.
// Invariant: a run is predicted, or says why not; columns have one length; a cluster that is named exists.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { busFactor } from '#weft/collectives/bus-bandwidth.js';
import { type NcclProfile, ncclProfiles } from '#weft/collectives/nccl-figures.js';
import type { Protocol } from '#weft/collectives/protocols.js';
import type { AlgorithmName, CollectiveKind } from '#weft/collectives/schedule.js';
import { repositoryFolder } from '../repository.js';
import { type Method, type MethodName, methods } from './methods.js';

/** A cluster, by what one server of it has. */
export interface Cluster {
  readonly about: string;
  readonly assumed?: string;
  readonly nvls?: boolean;
  /** that users of its network name; left out: `nccl` */
  readonly profile?: NcclProfile;
  /** variables of NCCL's environment that its provider tells its users to set */
  readonly environment?: Readonly<Record<string, string>>;
  /** a scenario's block without the number of GPUs */
  readonly fabric: Readonly<Record<string, string | number>> & {
    readonly generate: string;
    readonly gpusPerServer: number;
  };
}

/** A cluster of one source: the line of clusters.yaml, and the repository or the text in an index that measured on it. */
export function clusterOf({ cluster, source }: CollectiveMeasurement): string {
  return `${cluster} ${/index id (\d+)/.exec(source)?.[1] ?? source.split(' ')[0]!}`;
}

/** Sizes of which the source states a fault, noise or background traffic; all without bounds. */
interface Disturbance {
  readonly fromBytes?: number;
  readonly toBytes?: number;
  readonly why: string;
}

/** What is known of sizes that stand out, without a word of the source on why: they stay with all others. */
type Remark = Disturbance;

/** What every run has. */
interface Published {
  readonly id: string;
  readonly class: string;
  readonly measured: string;
  readonly setup?: string;
  readonly unknown: string;
  readonly source: string;
}

/** A run that Weft says nothing of. */
export interface UnpredictedRun extends Published {
  readonly notPredicted: string;
}

/** A run of a collective at several sizes. */
export interface CollectiveMeasurement extends Published {
  readonly notPredicted?: undefined;
  readonly cluster: string;
  readonly kind: CollectiveKind;
  readonly servers: number;
  readonly ranksPerServer: number;
  readonly sizeBytes: readonly number[];
  /** one of both at least */
  readonly timeUs?: readonly number[];
  readonly busbwGBps?: readonly number[];
  readonly nvls?: boolean;
  readonly algorithm?: AlgorithmName;
  readonly protocol?: Protocol;
  readonly disturbed?: readonly Disturbance[];
  readonly remarks?: readonly Remark[];
  /** left out: nccl-tests with a process for each GPU, or not said */
  readonly method?: MethodName;
}

export type PublishedRun = UnpredictedRun | CollectiveMeasurement;

const folder = join(repositoryFolder, 'validation/measured');

/** The clusters by name. */
export function readClusters(): ReadonlyMap<string, Cluster> {
  return new Map(Object.entries(parse(readFileSync(join(folder, 'clusters.yaml'), 'utf8')) as Record<string, Cluster>));
}

/** The profile that users of a cluster name. */
export function profileOfCluster({ profile = 'nccl' }: Cluster): NcclProfile {
  return profile;
}

/** All runs in the order of the file. @throws Error if a run is not whole */
export function readRuns(clusters: ReadonlyMap<string, Cluster>): PublishedRun[] {
  const runs = parse(readFileSync(join(folder, 'runs.yaml'), 'utf8')) as PublishedRun[];
  const ids = new Set<string>();
  for (const run of runs) {
    const problem = problemOf(run, clusters);
    if (problem !== null) throw new Error(`validation/measured/runs.yaml: ${run.id}: ${problem}`);
    if (ids.has(run.id)) throw new Error(`validation/measured/runs.yaml: ${run.id} stands twice`);
    ids.add(run.id);
  }
  return runs;
}

function problemOf(run: PublishedRun, clusters: ReadonlyMap<string, Cluster>): string | null {
  if (!/^[A-FMST]$/.test(run.class)) return 'its class is none of A to F, M, S, T';
  if (!run.source || !run.unknown || !run.measured) return 'it has no source, or does not say what is unknown';
  if (run.notPredicted !== undefined) return null;
  const cluster = clusters.get(run.cluster);
  if (cluster === undefined) return `there is no cluster ${run.cluster}`;
  if (cluster.profile !== undefined && !ncclProfiles.includes(cluster.profile))
    return `there is no profile ${cluster.profile as string}`;
  if (run.ranksPerServer > cluster.fabric.gpusPerServer) return 'a server has not so many GPUs';
  if (run.method !== undefined && !Object.hasOwn(methods, run.method)) return `there is no method ${run.method}`;
  const columns = [run.timeUs, run.busbwGBps].filter((column) => column !== undefined);
  if (columns.length === 0) return 'it has neither times nor bandwidths';
  if (columns.some(({ length }) => length !== run.sizeBytes.length)) return 'its columns differ in length';
  return null;
}

/** The measured time of a size in microseconds: as printed, else from the bus bandwidth. */
export function measuredUs(run: CollectiveMeasurement, i: number): number {
  const time = run.timeUs?.[i];
  if (time !== undefined) return time;
  return (run.sizeBytes[i]! * busFactor(run.kind, run.servers * run.ranksPerServer)) / run.busbwGBps![i]! / 1e3;
}

/** How a run was measured. */
export function methodOf({ method = 'nccl-tests' }: CollectiveMeasurement): Method {
  return methods[method];
}

/** Why a size is of the class of its own; null if it is not. */
export function disturbanceOf({ disturbed = [] }: CollectiveMeasurement, sizeBytes: number): string | null {
  return whyOf(disturbed, sizeBytes);
}

/** What is known of a size that stands out; null if it does not. */
export function remarkOn({ remarks = [] }: CollectiveMeasurement, sizeBytes: number): string | null {
  return whyOf(remarks, sizeBytes);
}

function whyOf(ranges: readonly Disturbance[], sizeBytes: number): string | null {
  return (
    ranges.find(({ fromBytes = 0, toBytes = Infinity }) => sizeBytes >= fromBytes && sizeBytes <= toBytes)?.why ?? null
  );
}

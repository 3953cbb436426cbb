// Whether a job can communicate at all: on a fabric where not every host reaches every other (GPUs without a NIC,
// islands), each of its collectives and pipeline messages is looked at before the run.
// Invariant: a job without a problem never sends between hosts that no path of the intact fabric joins.

import { unconnectedMove } from '../../collectives/unconnected.js';
import { unlinkedHosts, unreachablePair } from '../../fabric/connectivity.js';
import type { Fabric } from '../../fabric/fabric.js';
import { hostPairs } from '../../fabric/host-pairs.js';
import { JobGroups } from '../../jobs/job-groups.js';
import type { CollectiveSettings, Job } from '../../jobs/job.js';
import { passNames } from '../../workload/policies.js';
import { kindsOfCollective, passAt } from '../../workload/workload.js';

/** What a job cannot do. */
export interface JobPathProblem {
  readonly message: string;
  readonly wanted: string;
  readonly hint?: string;
}

/** The first thing that a job cannot send; null if it can send everything. */
export function jobPathProblem(job: Job, fabric: Fabric, settings: CollectiveSettings): JobPathProblem | null {
  if (unlinkedHosts(fabric).length === 0 && unreachablePair(fabric) === null) return null;
  const connected = hostPairs(fabric);
  const groups = new JobGroups({ job, fabric, settings, streams: null });
  const node = (rank: number): number => fabric.hosts[job.ranks[rank]!]!;
  return collectiveProblem(job, groups, settings, connected, node) ?? messageProblem(job, groups, connected, node);
}

function collectiveProblem(
  { workload, ranks }: Job,
  groups: JobGroups,
  settings: CollectiveSettings,
  connected: (a: number, b: number) => boolean,
  node: (rank: number) => number,
): JobPathProblem | null {
  const {
    layers,
    groups: { pipeline },
  } = workload;
  const seen = new Set<string>();
  for (let layer = 0; layer < layers.count; layer++) {
    const stage = pipeline === 1 || layers.modelChunk[layer]! < 0 ? -1 : layers.modelChunk[layer]! % pipeline;
    for (const pass of passNames) {
      const { collective, group: name, sizeBytes } = passAt(layers[pass], layer);
      if (collective === 'none' || sizeBytes === 0) continue;
      const kinds = kindsOfCollective(collective);
      const key = `${collective} ${name} ${sizeBytes} ${stage}`;
      if (seen.has(key)) continue;
      seen.add(key);
      const looked = new Set<number>();
      for (let rank = 0; rank < ranks.length; rank++) {
        if (stage >= 0 && groups.stageOf[rank] !== stage) continue;
        const group = groups.group(name, rank);
        if (group.ranks.length === 1 || looked.has(group.id)) continue;
        looked.add(group.id);
        for (const kind of kinds) {
          const plan = group.planOf(kind, sizeBytes);
          const move = unconnectedMove(plan.schedule, group.communicator, connected);
          if (move === null) continue;
          const [from, to] = [group.ranks[move.source]!, group.ranks[move.destination]!];
          const hint = settings.pxn
            ? 'another algorithm (collectives.algorithm, collectives.profile) may do with fewer NICs'
            : 'collectives.pxn sends over the NICs of other GPUs of the server (rings, all-to-all)';
          return {
            message: `no path leads from host ${node(from)} to host ${node(to)}, for the ${kind} of layer ${layers.name[layer]!} (${plan.choice.algorithm})`,
            wanted: 'ranks that reach each other through switches',
            hint,
          };
        }
      }
    }
  }
  return null;
}

/**
 * A rank sends to its partners in the neighbouring stages, those of the last and the first among them if they are
 * interleaved.
 */
function messageProblem(
  { workload, ranks }: Job,
  groups: JobGroups,
  connected: (a: number, b: number) => boolean,
  node: (rank: number) => number,
): JobPathProblem | null {
  const {
    groups: { pipeline },
    stageTransferBytes,
    chunksPerStage,
  } = workload;
  if (pipeline === 1 || stageTransferBytes === 0) return null;
  for (let rank = 0; rank < ranks.length; rank++) {
    const stage = groups.stageOf[rank]!;
    if (stage === pipeline - 1 && chunksPerStage === 1) continue;
    const partner = groups.partner(rank, (stage + 1) % pipeline);
    if (!connected(node(rank), node(partner)))
      return {
        message: `no path leads from host ${node(rank)} to host ${node(partner)}, from stage ${stage} of the pipeline to the next`,
        wanted: 'ranks that reach each other through switches',
      };
  }
  return null;
}

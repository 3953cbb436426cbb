// What a job came to, out of its ledger.

import { passNames, type PassName } from '../workload/policies.js';
import { kindsOfCollective, passAt, type Workload } from '../workload/workload.js';
import { bandwidths } from '../collectives/bus-bandwidth.js';
import type { CollectiveKind } from '../collectives/schedule.js';
import { communicationKindOf } from './job-groups.js';
import type { LayerFigures, JobReport, PassFigures, RankFigures } from './job-report.js';
import type { JobRun } from './job-run.js';

/** The report of a job. @param nowPs time reached, for a job that has not finished */
export function jobReport(run: JobRun, nowPs: number): JobReport {
  const { job, actors, isFinished } = run;
  const totals = Float64Array.from(actors.ranks, (_, actor) => {
    const endPs = actors.endPs(actor);
    return Math.max(0, (endPs < 0 ? nowPs : endPs) - job.startPs);
  });
  let [minimum, maximum, slowest] = [Infinity, 0, 0];
  totals.forEach((total, actor) => {
    minimum = Math.min(minimum, total);
    if (total <= maximum) return;
    maximum = total;
    slowest = actor;
  });
  return {
    name: job.name,
    ranks: job.ranks.length,
    iterations: job.iterations,
    startPs: job.startPs,
    isFinished,
    totalPs: { minimum, maximum, slowestRank: actors.ranks[slowest]! },
    stages: Array.from(actors.firstOfStage, (actor, stage) => rankFigures(run, actor, stage, totals[actor]!)),
    memory: job.memory ?? null,
    layers: Array.from({ length: job.workload.layers.count }, (_, layer) => layerFigures(run, layer)),
  };
}

function rankFigures(run: JobRun, actor: number, stage: number, totalPs: number): RankFigures {
  const { accounts } = run.ledger;
  return {
    rank: run.actors.ranks[actor]!,
    stage,
    totalPs,
    computePs: accounts.computePs[actor]!,
    communicationPs: accounts.communicationPs(actor),
    exposedPs: accounts.exposedPs(actor),
    skewPs: accounts.skewPs[actor]!,
    bubblePs: accounts.bubblePs[actor]!,
  };
}

function layerFigures(run: JobRun, layer: number): LayerFigures {
  const { workload } = run.job;
  const stage = stageOfLayer(workload, layer);
  const sums = run.ledger.sums[stage]!;
  return {
    name: workload.layers.name[layer]!,
    stage,
    finishedPs: sums.finishedPs[layer]!,
    ...(Object.fromEntries(
      passNames.map((pass, index) => [pass, passFigures(run, stage, layer, pass, index)]),
    ) as Record<PassName, PassFigures>),
  };
}

function stageOfLayer({ layers, groups }: Workload, layer: number): number {
  return layers.modelChunk[layer]! < 0 ? 0 : layers.modelChunk[layer]! % groups.pipeline;
}

function passFigures(run: JobRun, stage: number, layer: number, pass: PassName, index: number): PassFigures {
  const { job, actors, groups } = run;
  const at = 3 * layer + index;
  const { computePs, exposedPs, communicationPs, times } = run.ledger.sums[stage]!;
  const figures = {
    computePs: computePs[at]!,
    exposedPs: exposedPs[at]!,
    communicationPs: communicationPs[at]!,
    times: times[at]!,
  };
  const { collective, group: name, sizeBytes } = passAt(job.workload.layers[pass], layer);
  const group = collective === 'none' ? null : groups.group(name, actors.ranks[actors.firstOfStage[stage]!]!);
  if (collective === 'none' || group === null || group.ranks.length === 1) return { ...figures, collective: null };
  const [kind] = kindsOfCollective(collective) as [CollectiveKind];
  const meanPs = times[at] === 0 ? 0 : communicationPs[at]! / times[at]!;
  const plan = group.planOf(kind, sizeBytes);
  return {
    ...figures,
    collective: {
      kind: collective,
      group: communicationKindOf[name],
      ranks: group.ranks.length,
      sizeBytes,
      algorithm: plan.choice.algorithm,
      ...(plan.isStreamed ? { asStreams: true } : {}),
      ...bandwidths(kind, group.ranks.length, sizeBytes, meanPs),
    },
  };
}

// The `workload` of a scenario, or its `jobs` -> the jobs that run, on which ranks, in which groups, at which speed.
// Invariant: no rank has two jobs; what is returned can be carried out: groups fit the fabric, and no transfer is
// larger than a transfer may be.

import { Section } from '../form/section.js';
import type { Diagnostics } from '../../base/diagnostics.js';
import { longestJobPs } from '../../base/units.js';
import type { Fabric } from '../../fabric/fabric.js';
import { parseHostList } from '../../fabric/rank-list.js';
import { chunksOf } from '../../jobs/build-program.js';
import type { Job } from '../../jobs/job.js';
import { jobMemory } from '../../jobs/job-memory.js';
import { oversizedSends } from '../../jobs/oversized-sends.js';
import { overlapSlowdownOf } from '../../workload/compute-times.js';
import { parallelSizes } from '../../workload/group-sizes.js';
import { passNames, policyNames } from '../../workload/policies.js';
import type { Workload } from '../../workload/workload.js';
import { groupsAt, layoutAt } from './job-groups-setting.js';
import { errorAt, nodeAt, plainOf, type Place } from '../form/located.js';
import type { JobSite } from './job-site.js';
import type { PlacedProgram } from '../../programs/placed-program.js';
import { planProgram, type PlannedProgram } from './plan-program.js';
import { fitsMemory } from './plan-memory.js';
import { jobPathProblem } from './plan-job-paths.js';
import { firstPinAt, pinsAt, type PinTable } from '../network/plan-pins.js';
import { warnOfIdleStragglers } from './plan-stragglers.js';
import { planWorkload } from './plan-workload.js';
import { groupText, sizeText } from '../../base/quantity-text.js';
import type { Scenario } from '../form/read-scenario.js';
import { collectiveSettingsAt } from './nccl-variables.js';
import { jobSettings, type WorkloadForm } from '../form/workload-schema.js';

export interface PlannedJobs {
  readonly value: { readonly jobs: readonly Job[]; readonly programs: readonly PlacedProgram[] };
  /** `workload` or `jobs` as a scenario would write it; empty: there is none */
  readonly resolved: Readonly<Record<string, unknown>>;
}

/** A job, and as a scenario would write it. */
interface PlannedJob {
  readonly job: Job;
  readonly resolved: Readonly<Record<string, unknown>>;
}

type PlannedWork = PlannedJob | PlannedProgram;

function together(planned: readonly PlannedWork[]): PlannedJobs['value'] {
  return {
    jobs: planned.flatMap((each) => ('job' in each ? [each.job] : [])),
    programs: planned.flatMap((each) => ('program' in each ? [each.program] : [])),
  };
}

/** The jobs of a scenario: its workload, its jobs, or none. @returns null after at least one error */
export async function planJobs(
  scenario: Scenario,
  parts: JobSite,
  diagnostics: Diagnostics,
): Promise<PlannedJobs | null> {
  const { root, workload: form, jobs: forms } = scenario;
  const isBusy = new Uint8Array(parts.fabric.hosts.length);
  const top = new Section(root, [], diagnostics);
  if (nodeAt(root, ['jobs']) !== undefined) {
    if (forms === null) return null;
    const planned: PlannedWork[] = [];
    for (const [i, each] of forms.entries()) {
      const job = await planJob(top.at('jobs', i), each, `job ${i}`, isBusy, parts);
      if (job !== null) planned.push(job);
      if (diagnostics.full) break;
    }
    warnOfIdleStragglers(scenario, isBusy, diagnostics);
    return planned.length < forms.length
      ? null
      : { value: together(planned), resolved: { jobs: planned.map(({ resolved }) => resolved) } };
  }
  if (nodeAt(root, ['workload']) === undefined) {
    warnOfIdleStragglers(scenario, isBusy, diagnostics);
    return { value: together([]), resolved: {} };
  }
  if (form === null) return null;
  const planned = await planJob(top.at('workload'), form, 'workload', isBusy, parts);
  warnOfIdleStragglers(scenario, isBusy, diagnostics);
  return planned === null ? null : { value: together([planned]), resolved: { workload: planned.resolved } };
}

/** @param isBusy by rank of the fabric: another job has it; those of this one are added */
async function planJob(
  block: Section,
  form: WorkloadForm,
  defaultName: string,
  isBusy: Uint8Array,
  site: JobSite,
): Promise<PlannedWork | null> {
  if (form === 'program') return planProgram(block, defaultName, isBusy, site);
  const { fabric, pins, computeSpeed, files } = site;
  const { diagnostics } = block;
  const chosen = ranksAt(block, fabric, isBusy);
  if (block.failed) return null;
  const planned = await planWorkload(
    { block, form, gpus: chosen?.length ?? fabric.hosts.length, gpuType: fabric.gpuType },
    files,
  );
  if (planned === null) return null;
  const workload = planned.value;
  if (!isRunnable(workload, block.place(form), diagnostics)) return null;
  const ranks = chosen ?? Int32Array.from({ length: workload.groups.gpus }, (_, rank) => rank);
  for (const rank of ranks) isBusy[rank] = 1;
  const layout = layoutAt(block);
  const groups = groupsAt(block, parallelSizes(workload.groups), layout);
  const trafficClass = pins.classAt(block);
  if (trafficClass > 0 && pins.isTied(trafficClass)) checkPin(block, trafficClass, ranks, fabric, pins);
  if (groups === null || block.failed) return null;
  const values = block.group(jobSettings);
  const memory = planned.training === undefined ? null : jobMemory(planned.training, values.pipelineSchedule);
  if (memory !== null && !fitsMemory(block, memory, planned.training!.values)) return null;
  const { start, ...how } = values;
  const name = block.word('name');
  const written = (key: string): Record<string, unknown> => {
    const node = block.node(key);
    return node === undefined ? {} : { [key]: plainOf(node) };
  };
  const job: Job = {
    name: name ?? defaultName,
    workload,
    ranks,
    startPs: start,
    ...how,
    computeSpeed: computeSpeed === null ? null : Float64Array.from(ranks, (rank) => computeSpeed[rank]!),
    ...(layout === undefined ? {} : { layout }),
    ...(groups === undefined ? {} : { groups }),
    ...(memory === null ? {} : { memory }),
    ...(planned.training === undefined ? {} : { overlapSlowdown: overlapSlowdownOf(planned.training.values) }),
    trafficClass,
  };
  if (!canEnd(block, job) || !hasPaths(block, job, site)) return null;
  return {
    job,
    resolved: {
      ...written('name'),
      ...written('ranks'),
      ...planned.resolved,
      ...groupText(jobSettings, values),
      ...written('layout'),
      ...written('groups'),
      ...pinsAt(block),
    },
  };
}

/** Whether the computation of a job alone fits into the time that a simulation has; if not, it is told. */
function canEnd(block: Section, job: Job): boolean {
  const leastPs = leastJobPs(job);
  if (leastPs <= longestJobPs) return true;
  block.keyError([], 'job-too-long', `${block.text()} takes longer than a simulation can last`, {
    got: `${Math.round(leastPs / 1e12)} s of computation`,
    wanted: 'at most 4500 s',
    hint: 'fewer iterations or micro-batches',
  });
  return false;
}

/** Whether all ranks of a job that talk to each other have a path; if not, it is told. */
function hasPaths(block: Section, job: Job, { fabric, profile }: JobSite): boolean {
  const problem = profile === null ? null : jobPathProblem(job, fabric, collectiveSettingsAt(block.root, profile));
  if (problem === null) return true;
  const { message, wanted, hint } = problem;
  block.keyError([], 'job-path', message, { wanted, ...(hint === undefined ? {} : { hint }) });
  return false;
}

/** The ranks that a job names; null if it names none. */
function ranksAt(block: Section, fabric: Fabric, isBusy: Uint8Array): Int32Array | null {
  const text = block.word('ranks');
  if (text === undefined) return null;
  const { place } = block.node('ranks')!;
  const ranks = parseHostList(text, fabric);
  if (!(ranks instanceof Int32Array)) {
    errorAt(
      block.diagnostics,
      'job-ranks',
      place,
      `${block.text('ranks')} is not a list of ranks of the fabric`,
      ranks,
    );
    return null;
  }
  const taken = ranks.find((rank) => isBusy[rank] === 1);
  if (taken !== undefined)
    errorAt(block.diagnostics, 'job-ranks', place, `rank ${taken} has another job already`, {
      got: text,
      wanted: 'a rank in one job',
    });
  return ranks;
}

/** Asks for neighbours, and for ranks a server apart: what rings and exchanges along rails send between. */
function checkPin(block: Section, trafficClass: number, ranks: Int32Array, fabric: Fabric, pins: PinTable): void {
  for (const distance of [1, fabric.gpusPerServer]) {
    for (let rank = 0; rank < ranks.length; rank++) {
      const source = fabric.hosts[ranks[rank]!]!;
      const destination = fabric.hosts[ranks[(rank + distance) % ranks.length]!]!;
      if (source === destination || pins.staysInServer(trafficClass, source, destination)) continue;
      const problem = pins.problem(trafficClass, source, destination);
      if (problem !== null)
        return block.keyError(firstPinAt(block), 'job-pin', problem.message, { wanted: problem.wanted });
    }
  }
}

/**
 * From the start of the run to the end of the last rank at least, in picoseconds: what a rank of each stage computes,
 * without recomputation.
 */
function leastJobPs({ workload: { layers, groups, microBatches }, startPs, iterations, computeSpeed }: Job): number {
  const byStage = new Float64Array(groups.pipeline);
  for (let layer = 0; layer < layers.count; layer++) {
    const passes = policyNames[layers.policy[layer]!] === 'DISTRIBUTED_INFERENCE' ? (['forward'] as const) : passNames;
    const timePs =
      passes.reduce((sum, pass) => sum + layers[pass].computePs[layer]!, 0) *
      (layers.isOnce[layer] === 1 ? 1 : microBatches);
    const chunk = layers.modelChunk[layer]!;
    if (chunk >= 0) byStage[chunk % groups.pipeline]! += timePs;
    else byStage.forEach((_, stage) => (byStage[stage]! += timePs));
  }
  // of several stages it is left open here which one a straggler is in
  const slowest =
    computeSpeed === null || groups.pipeline > 1 ? 1 : computeSpeed.reduce((least, speed) => Math.min(least, speed));
  return startPs + (Math.max(...byStage) / slowest) * iterations;
}

/** What a workload may be by itself, and cannot be run as. */
function isRunnable(workload: Workload, place: Place, diagnostics: Diagnostics): boolean {
  const { groups, microBatches } = workload;
  const errorsBefore = diagnostics.errorCount;
  for (const { message, sizeBytes, mostBytes } of oversizedSends(workload))
    errorAt(diagnostics, 'workload-too-large', place, message, {
      got: sizeText(sizeBytes),
      wanted: `at most ${sizeText(mostBytes)}`,
    });
  if (chunksOf(workload) > 1 && microBatches % groups.pipeline !== 0) {
    errorAt(
      diagnostics,
      'workload-micro-batches',
      place,
      `an interleaved pipeline needs micro-batches in multiples of its ${groups.pipeline} stages`,
      { got: `${microBatches} micro-batches`, wanted: `a multiple of ${groups.pipeline}` },
    );
  }
  return diagnostics.errorCount === errorsBefore;
}

// Traffic by name: one pattern over all hosts, or jobs of patterns on their allocations.
//   stencil over all hosts lulesh as many jobs as fit lulesh-star the same, all jobs coupled
//   100xstencil:116         a hundred jobs of 116 ranks        2xlulesh+6xpartisn     jobs of several kinds
// On an allocation that is given every job runs the pattern, or each its own in their order.
// Invariant: the same name, hosts and seed give the same traffic. Source of trace and trace*: Taffet's dissertation
// (docs/SOURCES.md), section 3.5.1.

import { allocateHosts, type AllocatedJob, type AllocationKind } from './allocation.js';
import type { PairVisitor } from './lattice.js';
import { TrafficBuilder, UniformTraffic, type Traffic, type TrafficPhase } from './matrix.js';
import { miniAppPatterns } from './mini-app-patterns.js';
import { syntheticPatterns, type TrafficPattern } from './synthetic-patterns.js';

export type { PairVisitor } from './lattice.js';
export type { TrafficPattern } from './synthetic-patterns.js';

/** All patterns, in the order in which they are listed. */
export const trafficPatterns: readonly TrafficPattern[] = [...syntheticPatterns, ...miniAppPatterns];

/** Jobs that are alike. */
export interface PatternJobs {
  readonly pattern: TrafficPattern;
  /** every instance's rank i sends rank i's bytes to rank j of every instance */
  readonly coupled: boolean;
  /** null = as many as fit */
  readonly instances: number | null;
  /** ranks per job; null = the pattern's own, or all hosts */
  readonly ranks: number | null;
}

/** What a name means, or what is wrong with it. */
export type NamedTraffic =
  | { readonly groups: readonly PatternJobs[] }
  | { readonly message: string; readonly got: string; readonly wanted: string };

const sizesForm = 'such as training-tp8-pp4-dp16-ep8, whose EP divides DP';

/** True if a text is meant as the name of traffic and not as a file. */
export function namesTraffic(text: string): boolean {
  return /^[a-z0-9+:-]+$/.test(text);
}

/**
 * Reads a name such as `stencil`, `lulesh-star`, `100xstencil:116` or `2xlulesh+6xpartisn`.
 * @param further patterns beside {@link trafficPatterns}, by name: what is wrong with it in words, or null for none
 */
export function parseTrafficName(
  text: string,
  further: (name: string) => TrafficPattern | string | null = () => null,
): NamedTraffic {
  const groups: PatternJobs[] = [];
  for (const part of text.split('+')) {
    const match = /^(?:(\d{1,6})x)?([a-z][a-z0-9-]*?)(-star)?(?::(\d{1,7}))?$/.exec(part);
    const pattern =
      match === null ? null : (trafficPatterns.find(({ name }) => name === match[2]) ?? further(match[2]!));
    if (typeof pattern === 'string')
      return { message: `the sizes cannot be: ${pattern}`, got: part, wanted: sizesForm };
    if (match === null || pattern === null)
      return {
        message: 'there is no such traffic pattern',
        got: part,
        wanted:
          `one of ${trafficPatterns.map(({ name }) => name).join(', ')}, ring-allreduce, tree-allreduce, ` +
          'training-tp8-pp4-dp16-ep8; jobs as 100xstencil:116, coupled jobs as lulesh-star, or a file (.csv, ' +
          '.mtx) or folder of a run',
      };
    const instances = match[1] === undefined ? null : Number(match[1]);
    const ranks = match[4] === undefined ? null : Number(match[4]);
    if (instances === 0 || ranks === 0)
      return { message: 'a job needs instances and ranks', got: part, wanted: '1 or more' };
    if (instances !== null && ranks === null && pattern.ranks === null)
      return { message: 'how many ranks have these jobs?', got: part, wanted: `${part}:RANKS, such as ${part}:64` };
    groups.push({ pattern, coupled: match[3] !== undefined, instances, ranks });
  }
  return { groups };
}

/** Options of {@link namedTraffic}. */
export interface TrafficOptions {
  readonly seed: number;
  /** how hosts are given to jobs, or jobs that have theirs */
  readonly allocation: AllocationKind | readonly AllocatedJob[];
}

/**
 * The traffic of jobs.
 * @returns the traffic, or what does not fit, in words
 */
export function namedTraffic(
  name: string,
  groups: readonly PatternJobs[],
  hostCount: number,
  { seed, allocation }: TrafficOptions,
): Traffic | string {
  const [only] = groups;
  const given = typeof allocation === 'string' ? null : allocation;
  const notes = groups.some(({ pattern }) => pattern.synthetic)
    ? 'synthetic: structure after the dissertation, weights chosen'
    : '';
  if (
    given === null &&
    groups.length === 1 &&
    only!.instances === null &&
    only!.ranks === null &&
    only!.pattern.ranks === null &&
    !only!.coupled
  )
    return wholeMachine(name, only!.pattern, hostCount, seed, notes);
  const placed =
    given === null ? drawnJobs(groups, hostCount, allocation as AllocationKind, seed) : onJobs(groups, given);
  if (typeof placed === 'string') return placed;
  const phaseCount = Math.max(...groups.map(({ pattern }) => pattern.phases.length));
  const builders = Array.from({ length: phaseCount }, () => new TrafficBuilder(hostCount, 'relative'));
  let first = 0;
  for (const { group, ranks, hosts } of placed) {
    group.pattern.phases.forEach((_, phase) => {
      sendJobs(group, ranks, hosts, group.pattern.synthetic ? seed : seed + first, phase, builders[phase]!);
    });
    first += hosts.length;
  }
  const names =
    phaseCount === 1
      ? ['all']
      : builders.map((_, phase) => (groups.length === 1 ? only!.pattern.phases[phase]! : `phase ${phase + 1}`));
  return {
    name,
    hostCount,
    unit: 'relative',
    note: notes,
    phases: builders.map((builder, phase): TrafficPhase => ({ name: names[phase]!, matrix: builder.build() })),
  };
}

/** Jobs that are alike, each with its hosts. */
interface PlacedJobs {
  readonly group: PatternJobs;
  readonly ranks: number;
  readonly hosts: readonly Int32Array[];
}

/** Jobs get hosts by an allocation. @returns what does not fit, in words */
function drawnJobs(
  groups: readonly PatternJobs[],
  hostCount: number,
  allocation: AllocationKind,
  seed: number,
): PlacedJobs[] | string {
  let left = hostCount;
  const jobs: { group: PatternJobs; ranks: number; instances: number }[] = [];
  for (const group of groups) {
    const ranks = group.ranks ?? group.pattern.ranks ?? left;
    const problem = group.pattern.problem(ranks);
    if (problem !== null) return `${group.pattern.name} ${problem}, not ${ranks}`;
    const instances = group.instances ?? Math.floor(left / ranks);
    if (instances < 1 || instances * ranks > left)
      return `${group.pattern.name} needs ${Math.max(1, instances) * ranks} hosts, ${left} of ${hostCount} are left`;
    left -= instances * ranks;
    jobs.push({ group, ranks, instances });
  }
  const sizes = jobs.flatMap(({ ranks, instances }) => Array.from({ length: instances }, () => ranks));
  const hosts = allocateHosts(allocation, hostCount, sizes, seed);
  let first = 0;
  return jobs.map(({ group, ranks, instances }) => ({
    group,
    ranks,
    hosts: hosts.slice(first, (first += instances)),
  }));
}

/** Every given job runs the pattern, or each its own. @returns what does not fit, in words */
function onJobs(groups: readonly PatternJobs[], given: readonly AllocatedJob[]): PlacedJobs[] | string {
  if (groups.some(({ instances, ranks }) => instances !== null || ranks !== null))
    return 'numbers of jobs and ranks come from the list of jobs: leave 8x and :64 out';
  if (groups.length > 1 && groups.length !== given.length)
    return `there are ${groups.length} patterns for ${given.length} jobs: name one for all, or one for each`;
  const placed: PlacedJobs[] = [];
  for (const [index, { name, hosts }] of given.entries()) {
    const group = groups[groups.length === 1 ? 0 : index]!;
    const { pattern } = group;
    const ranks = pattern.ranks ?? hosts.length;
    const problem = pattern.problem(ranks);
    if (problem !== null) return `${pattern.name} ${problem}, job ${name} has ${hosts.length}`;
    const instances = Math.floor(hosts.length / ranks);
    if (instances < 1) return `${pattern.name} has ${ranks} ranks, job ${name} has ${hosts.length} hosts`;
    placed.push({
      group,
      ranks,
      hosts: Array.from({ length: instances }, (_, i) => hosts.subarray(i * ranks, (i + 1) * ranks)),
    });
  }
  return placed;
}

function wholeMachine(
  name: string,
  pattern: TrafficPattern,
  hostCount: number,
  seed: number,
  note: string,
): Traffic | string {
  const problem = pattern.problem(hostCount);
  if (problem !== null) return `${pattern.name} ${problem}; the fabric has ${hostCount}`;
  if (pattern.name === 'all-to-all')
    return {
      name,
      hostCount,
      unit: 'relative',
      note,
      phases: [{ name: 'all', matrix: new UniformTraffic(hostCount, 'relative') }],
    };
  const phases = pattern.phases.map((phaseName, phase): TrafficPhase => {
    const builder = new TrafficBuilder(hostCount, 'relative');
    pattern.send(hostCount, seed, phase, (source, destination, weight) => {
      builder.add(source, destination, weight);
    });
    return { name: phaseName, matrix: builder.build() };
  });
  return { name, hostCount, unit: 'relative', note, phases };
}

function sendJobs(
  group: PatternJobs,
  ranks: number,
  hosts: readonly Int32Array[],
  seed: number,
  phase: number,
  builder: TrafficBuilder,
): void {
  const sendBetween =
    (from: Int32Array, to: Int32Array): PairVisitor =>
    (source, destination, weight) => {
      builder.add(from[source]!, to[destination]!, weight);
    };
  hosts.forEach((from, instance) => {
    for (const to of group.coupled ? hosts : [from])
      group.pattern.send(
        ranks,
        group.coupled || group.pattern.synthetic ? seed : seed + instance,
        phase,
        sendBetween(from, to),
      );
  });
}

// Which ranks work together: the groups of tensor, data, pipeline and expert parallelism over the ranks 0 .. n - 1. A
// rank is a number in a mixed radix of four dimensions, TP, EP, DP_EP and PP, in any order; a group varies some of them
// and keeps the others. Data parallelism varies EP and DP_EP: experts are spread over EP of its ranks, and DP_EP ranks
// hold the same experts. Context parallelism divides a data group too: CP of its ranks, one after the other, share each
// sequence.
// Invariant: of each kind, every rank is in exactly one group; explicit lists of ranks are checked for that, uniform
// layouts have it.
// Source: Megatron-LM's orders of dimensions; SimAI's groups (docs/models/simai.md#groups) are the default order with
// PP 1.

export const groupKinds = ['tp', 'dp', 'pp', 'ep', 'dp_ep', 'cp'] as const;
export type GroupKind = (typeof groupKinds)[number];

export const dimensions = ['tp', 'ep', 'dp_ep', 'pp'] as const;
export type Dimension = (typeof dimensions)[number];

/** How many ranks each kind of parallelism has; EP divides DP. */
export interface ParallelSizes {
  readonly tensor: number;
  readonly data: number;
  readonly pipeline: number;
  readonly expert: number;
  /** ranks that share a sequence; divides DP; left out: 1 */
  readonly context?: number;
}

/** What is wrong with a layout or with lists of ranks; whoever read them knows where it stands. */
export interface RankGroupProblem {
  /** stable kebab-case name of the kind of mistake */
  readonly code: string;
  readonly message: string;
  readonly wanted?: string;
}

const varied: Readonly<Record<GroupKind, readonly Dimension[]>> = {
  tp: ['tp'],
  dp: ['ep', 'dp_ep'],
  pp: ['pp'],
  ep: ['ep'],
  dp_ep: ['dp_ep'],
  // part of a data group
  cp: ['ep', 'dp_ep'],
};

/** A kind of group as people write it: TP, DP_EP. */
function nameOf(kind: GroupKind): string {
  return kind.toUpperCase();
}

/**
 * Checks sizes against a number of GPUs.
 * @returns what is wrong; empty if `parallelGroups` may be called
 */
export function parallelProblems(
  { tensor, data, pipeline, expert, context = 1 }: ParallelSizes,
  gpuCount: number,
): RankGroupProblem[] {
  const problems: RankGroupProblem[] = [];
  for (const [name, size] of [
    ['TP', tensor],
    ['DP', data],
    ['PP', pipeline],
    ['EP', expert],
    ['CP', context],
  ] as const) {
    if (!Number.isSafeInteger(size) || size < 1)
      problems.push({
        code: 'group-size',
        message: `${name} is ${size}`,
        wanted: 'a whole number of ranks, 1 or more',
      });
  }
  if (problems.length > 0) return problems;
  if (tensor * data * pipeline !== gpuCount) {
    problems.push({
      code: 'group-product',
      message: `TP ${tensor} x DP ${data} x PP ${pipeline} makes ${tensor * data * pipeline} ranks, but there are ${gpuCount} GPUs`,
      wanted: `sizes whose product is ${gpuCount}`,
    });
  }
  if (data % context !== 0)
    problems.push({
      code: 'context-groups',
      message: `CP ${context} does not divide DP ${data}`,
      wanted: `a divisor of ${data}: context parallelism divides the ranks of data parallelism`,
    });
  if (data % expert !== 0)
    problems.push({
      code: 'expert-groups',
      message: `EP ${expert} does not divide DP ${data}`,
      wanted: `a divisor of ${data}: expert parallelism divides the ranks of data parallelism`,
    });
  return problems;
}

/**
 * The groups of one kind, each ascending, in order of their first ranks.
 * @param sizes without problems
 * @param order of the dimensions, from the one in which neighbouring ranks differ
 */
export function parallelGroups(
  kind: GroupKind,
  sizes: ParallelSizes,
  order: readonly Dimension[] = dimensions,
): Int32Array[] {
  const length: Record<Dimension, number> = {
    tp: sizes.tensor,
    ep: sizes.expert,
    dp_ep: sizes.data / sizes.expert,
    pp: sizes.pipeline,
  };
  // offsets within a group, and first ranks of the groups: both ascend, because later dimensions have longer strides
  let offsets = [0];
  let firsts = [0];
  let stride = 1;
  for (const dimension of order) {
    const along = Array.from({ length: length[dimension] }, (_, i) => i * stride);
    const extended = (list: readonly number[]): number[] => along.flatMap((step) => list.map((rank) => rank + step));
    if (varied[kind].includes(dimension)) offsets = extended(offsets);
    else firsts = extended(firsts);
    stride *= length[dimension];
  }
  const groups = firsts.map((first) => Int32Array.from(offsets, (offset) => first + offset));
  return kind === 'cp' ? groups.flatMap((ranks) => parts(ranks, sizes.context ?? 1)) : groups;
}

/** Consecutive parts of a group, each of so many ranks. */
function parts(ranks: Int32Array, size: number): Int32Array[] {
  return Array.from({ length: ranks.length / size }, (_, part) => ranks.slice(part * size, (part + 1) * size));
}

/**
 * Checks lists of ranks given by hand: groups may differ in size, but every rank has to be in exactly one of them.
 * @returns what is wrong, the first few of each sort
 */
export function explicitGroupProblems(
  kind: GroupKind,
  groups: readonly (readonly number[])[],
  gpuCount: number,
): RankGroupProblem[] {
  const problems: RankGroupProblem[] = [];
  const groupOf = new Int32Array(gpuCount).fill(-1);
  groups.forEach((ranks, group) => {
    if (ranks.length === 0)
      problems.push({
        code: 'group-empty',
        message: `${nameOf(kind)} group ${group} has no rank`,
        wanted: 'at least one rank',
      });
    for (const rank of ranks) {
      if (!Number.isInteger(rank) || rank < 0 || rank >= gpuCount)
        problems.push({
          code: 'group-rank',
          message: `${nameOf(kind)} group ${group} has rank ${rank}`,
          wanted: `a rank from 0 to ${gpuCount - 1}`,
        });
      else if (groupOf[rank]! >= 0)
        problems.push({
          code: 'group-twice',
          message: `rank ${rank} is in ${nameOf(kind)} group ${groupOf[rank]!}${groupOf[rank] === group ? ' twice' : ` and in group ${group}`}`,
          wanted: 'every rank in one group of a kind',
        });
      else groupOf[rank] = group;
    }
  });
  const missing = groupOf.indexOf(-1);
  if (missing >= 0)
    problems.push({
      code: 'group-missing',
      message: `${groupOf.filter((group) => group < 0).length} ranks are in no ${nameOf(kind)} group, the first is ${missing}`,
      wanted: 'every rank in one group of a kind',
    });
  return problems;
}

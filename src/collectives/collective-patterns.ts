// Traffic of collectives and of a training iteration as patterns: who sends how much to whom, phase by phase.
//   ring-allreduce  tree-allreduce                   over all ranks
//   training-tp8-pp4-dp16-ep8                        the groups of parallel-groups.ts, a phase for each kind
// A phase is one collective of all its groups at once, in which every rank has an amount of 1: a ring sends 2(n-1)/n of
// it to the next rank, each of the two trees half of it up and down, an all-to-all 1/n to each of the others, a
// pipeline stage 1 to the next one, and 1 back in a phase of its own.
// Invariant: what a group of n sends in a ring or tree allreduce is 2(n-1) in sum, the least that any can with its
// algorithm. Source: the amounts of docs/models/collectives.md; trees: double-binary-tree.ts.

import type { PairVisitor, TrafficPattern } from '../flows/traffic/catalogue.js';
import { binaryTreeParent } from './double-binary-tree.js';
import { parallelGroups, parallelProblems, type GroupKind, type ParallelSizes } from './parallel-groups.js';

type GroupTraffic = (group: ArrayLike<number>, send: PairVisitor) => void;

/** Reduce-scatter and allgather around one ring. */
const ring: GroupTraffic = (group, send) => {
  const n = group.length;
  for (let i = 0; i < n; i++) send(group[i]!, group[(i + 1) % n]!, (2 * (n - 1)) / n);
};

/** Half of the data goes up and down each of the two trees. */
const trees: GroupTraffic = (group, send) => {
  for (const tree of [0, 1])
    for (let i = 1; i < group.length; i++) {
      const parent = group[binaryTreeParent(i, group.length, tree)]!;
      send(group[i]!, parent, 0.5);
      send(parent, group[i]!, 0.5);
    }
};

const everyone: GroupTraffic = (group, send) => {
  for (let i = 0; i < group.length; i++)
    for (let j = 0; j < group.length; j++) if (i !== j) send(group[i]!, group[j]!, 1 / group.length);
};

const forward: GroupTraffic = (group, send) => {
  for (let i = 1; i < group.length; i++) send(group[i - 1]!, group[i]!, 1);
};

const backward: GroupTraffic = (group, send) => {
  for (let i = 1; i < group.length; i++) send(group[i]!, group[i - 1]!, 1);
};

function overAll(name: string, description: string, traffic: GroupTraffic): TrafficPattern {
  return {
    name,
    description,
    ranks: null,
    synthetic: false,
    phases: ['all'],
    problem: (ranks) => (ranks >= 2 ? null : 'needs two hosts or more'),
    send: (ranks, _, __, send) => {
      traffic(
        Int32Array.from({ length: ranks }, (___, rank) => rank),
        send,
      );
    },
  };
}

/** Patterns that have one name. */
export const collectivePatterns: readonly TrafficPattern[] = [
  overAll('ring-allreduce', 'an allreduce in one ring, ranks in their order', ring),
  overAll('tree-allreduce', 'an allreduce over double binary trees, ranks in their order', trees),
];

/** What `training-` takes, for people. */
export const trainingForm = 'training-tp8-pp4-dp16-ep8';

/**
 * A pattern by name, a collective or a training iteration.
 * @returns what is wrong with the sizes, in words; null if the name is of neither
 */
export function collectivePattern(name: string): TrafficPattern | string | null {
  const known = collectivePatterns.find((pattern) => pattern.name === name);
  if (known !== undefined) return known;
  if (!/^training(?:-|$)/.test(name)) return null;
  const sizes: Record<'tensor' | 'data' | 'pipeline' | 'expert', number> = {
    tensor: 1,
    data: 1,
    pipeline: 1,
    expert: 1,
  };
  const keys: Readonly<Record<string, keyof typeof sizes>> = {
    tp: 'tensor',
    pp: 'pipeline',
    dp: 'data',
    ep: 'expert',
  };
  const seen = new Set<string>();
  let dataBy = 'ring';
  for (const word of name.split('-').slice(1)) {
    const match = /^(tp|pp|dp|ep)([1-9]\d{0,5})$/.exec(word);
    if (word === 'ring' || word === 'tree') dataBy = word;
    else if (match === null || seen.has(match[1]!)) return `${word} is no size, or stands twice`;
    else {
      seen.add(match[1]!);
      sizes[keys[match[1]!]!] = Number(match[2]);
    }
  }
  const ranks = sizes.tensor * sizes.data * sizes.pipeline;
  if (ranks < 2) return 'a training job has two ranks or more';
  if (ranks > 1_000_000) return `${ranks} ranks are too many`;
  const [problem] = parallelProblems(sizes, ranks);
  return problem === undefined ? training(name, sizes, ranks, dataBy === 'ring' ? ring : trees) : problem.message;
}

function training(name: string, sizes: ParallelSizes, ranks: number, data: GroupTraffic): TrafficPattern {
  const phases: { readonly name: string; readonly kind: GroupKind; readonly traffic: GroupTraffic }[] = [
    ...(sizes.tensor > 1 ? [{ name: 'tp', kind: 'tp', traffic: ring } as const] : []),
    ...(sizes.expert > 1 ? [{ name: 'ep', kind: 'ep', traffic: everyone } as const] : []),
    ...(sizes.pipeline > 1
      ? ([
          { name: 'pp forward', kind: 'pp', traffic: forward },
          { name: 'pp backward', kind: 'pp', traffic: backward },
        ] as const)
      : []),
    ...(sizes.data > 1 ? [{ name: 'dp', kind: 'dp', traffic: data } as const] : []),
  ];
  return {
    name,
    description: 'a training iteration',
    ranks,
    synthetic: false,
    phases: phases.map((phase) => phase.name),
    problem: (given) => (given === ranks ? null : `has ${ranks} ranks`),
    send: (_, __, phase, send) => {
      const { kind, traffic } = phases[phase]!;
      for (const group of parallelGroups(kind, sizes)) traffic(group, send);
    },
  };
}

// The synthetic patterns of Taffet's dissertation (docs/SOURCES.md), section 3.5.1, and a few more; they span all
// ranks, every weight is 1 unless noted.
// Not modelled: collectives other than all-to-all (flows/ and collectives/ have them as work).

import { RandomStream } from '../../base/random.js';
import { cubeLikeShape, faceNeighbour, rowMajorLattice, sendToNeighbours, type PairVisitor } from './lattice.js';

/** What traffic runs over some ranks, phase by phase. */
export interface TrafficPattern {
  readonly name: string;
  /** one line for people */
  readonly description: string;
  /** the number of ranks that it always has; null = any */
  readonly ranks: number | null;
  /** true if it stands for an application whose traces are not at hand */
  readonly synthetic: boolean;
  /** one name per phase */
  readonly phases: readonly string[];
  /** What does not fit a number of ranks, in words; null if it fits. */
  readonly problem: (ranks: number) => string | null;
  /** Sends every pair of a phase. The same seed gives the same pairs. */
  readonly send: (ranks: number, seed: number, phase: number, send: PairVisitor) => void;
}

const single = ['all'] as const;

function pattern(
  name: string,
  description: string,
  send: (ranks: number, seed: number, send: PairVisitor) => void,
  problem: TrafficPattern['problem'] = atLeastTwo,
): TrafficPattern {
  return {
    name,
    description,
    ranks: null,
    synthetic: false,
    phases: single,
    problem,
    send: (ranks, seed, _, to) => {
      send(ranks, seed, to);
    },
  };
}

function atLeastTwo(ranks: number): string | null {
  return ranks >= 2 ? null : 'needs two hosts or more';
}

function even(ranks: number): string | null {
  return ranks >= 2 && ranks % 2 === 0 ? null : 'needs an even number of hosts';
}

/**
 * Seven-point stencil on the most cube-like lattice (3072 ranks: 16 x 16 x 12), x fastest, nothing across the boundary.
 */
const stencil = pattern('stencil', '7-point stencil on the most cube-like lattice, not periodic', (ranks, _, send) => {
  sendToNeighbours(rowMajorLattice(cubeLikeShape(ranks)), faceNeighbour, send);
});

const bisection = pattern(
  'bisection',
  'rank i and rank i + N/2 send to each other',
  (ranks, _, send) => {
    sendHalves(
      Int32Array.from({ length: ranks / 2 }, (__, i) => i),
      () => 1,
      send,
    );
  },
  even,
);

const bisectionShuffle = pattern(
  'bs-random-shuffle',
  'each of the first half and a random one of the second, both ways',
  (ranks, seed, send) => {
    sendHalves(shuffled(ranks / 2, seed), () => 1, send);
  },
  even,
);

const bisectionShuffleNoise = pattern(
  'bs-random-shuffle-noise',
  'the same pairs, every sender by up to 5 % more or less',
  (ranks, seed, send) => {
    const noise = new RandomStream(seed, 'traffic noise');
    sendHalves(shuffled(ranks / 2, seed), () => 0.95 + 0.1 * noise.nextFraction(), send);
  },
  even,
);

const allToAll = pattern('all-to-all', 'everyone sends the same to everyone else', (ranks, _, send) => {
  for (let destination = 0; destination < ranks; destination++) {
    for (let source = 0; source < ranks; source++) if (source !== destination) send(source, destination, 1);
  }
});

const randomPermutation = pattern(
  'random-permutation',
  'everyone sends to one other and receives from one other',
  (ranks, seed, send) => {
    const order = shuffled(ranks, seed);
    for (let i = 0; i < ranks; i++) send(order[i]!, order[(i + 1) % ranks]!, 1);
  },
);

const directions = [
  ['+x', 1, 0, 0],
  ['-x', -1, 0, 0],
  ['+y', 0, 1, 0],
  ['-y', 0, -1, 0],
  ['+z', 0, 0, 1],
  ['-z', 0, 0, -1],
] as const;

function cyclicStencil(
  name: string,
  description: string,
  rankOf: (ranks: number, seed: number) => Int32Array,
): TrafficPattern {
  return {
    name,
    description,
    ranks: null,
    synthetic: false,
    phases: directions.map(([direction]) => direction),
    problem: atLeastTwo,
    send: (ranks, seed, phase, send) => {
      const [, x, y, z] = directions[phase]!;
      const lattice = { shape: cubeLikeShape(ranks), periodic: true, rankOf: rankOf(ranks, seed) };
      sendToNeighbours(lattice, (dx, dy, dz) => (dx === x && dy === y && dz === z ? 1 : 0), send);
    },
  };
}

/** The synthetic patterns, in the order in which they are listed. */
export const syntheticPatterns: readonly TrafficPattern[] = [
  stencil,
  bisection,
  bisectionShuffle,
  bisectionShuffleNoise,
  allToAll,
  randomPermutation,
  cyclicStencil('cyclic-stencil', 'periodic 7-point stencil, one phase per direction', (ranks) =>
    Int32Array.from({ length: ranks }, (_, cell) => cell),
  ),
  cyclicStencil('cyclic-stencil-scrambled', 'the same with ranks in random order', (ranks, seed) =>
    shuffled(ranks, seed),
  ),
];

function sendHalves(partner: Int32Array, weight: () => number, send: PairVisitor): void {
  for (let i = 0; i < partner.length; i++) {
    const other = partner.length + partner[i]!;
    send(i, other, weight());
    send(other, i, weight());
  }
}

/** 0 to count - 1 in a random order, by the seed (Fisher-Yates). */
export function shuffled(count: number, seed: number): Int32Array {
  const random = new RandomStream(seed, 'traffic shuffle');
  const order = Int32Array.from({ length: count }, (_, i) => i);
  for (let i = count - 1; i > 0; i--) {
    const j = random.nextBelow(i + 1);
    const swapped = order[i]!;
    order[i] = order[j]!;
    order[j] = swapped;
  }
  return order;
}

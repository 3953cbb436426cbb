// miniGhost-like: faces of a 3D grid are exchanged, a stencil is applied to each variable, and each has a sum over all
// ranks; in three strategies. One tag for each direction: 1 +y, 2 -y, 3 +x, 4 -x, 5 -z, 6 +z, in this order.
// Source: Taffet's dissertation 2.4.2 and Fig. 2.8 (docs/SOURCES.md): 40 variables, 24 x 48 x 24 ranks of 210^3 points,
// whose faces are 210^2 x 8 bytes; its scale k = 1.75 is in that (120 points times k; messages k^2). The time of a
// stencil is not in the text: it is chosen.

import { fractionAt } from '../../base/random.js';
import { choice, fraction, time } from '../../base/settings.js';
import { exchangeOperations, readExchange } from '../exchange.js';
import { type Offset, offsetName, RankGrid } from '../grid.js';
import { type RankOperation, RankOperationKind, type RankProgram } from '../rank-program.js';
import { defineProgram, messageSize, sides, times } from './family.js';

const offsets: readonly Offset[] = [
  [0, 1, 0],
  [0, -1, 0],
  [1, 0, 0],
  [-1, 0, 0],
  [0, 0, -1],
  [0, 0, 1],
];

/** Bytes of the sum of a variable. */
const sumBytes = 8;

export const miniGhost = defineProgram({
  name: 'minighost',
  description: 'exchanges of faces, stencils and sums over all ranks, variable by variable, in three strategies',
  settings: {
    ...sides(24, 48, 24),
    strategy: choice(
      ['bspma', 'svaf', 'svafp'],
      'bspma',
      'bspma: faces of all variables together, then stencil and sum of each; svaf: face, stencil and sum of one after the other; svafp: the sums at the end',
    ),
    variables: times(40, 'grids, each with its stencil and its sum'),
    faceSize: messageSize('352800B', 'a face of one variable'),
    computeTime: time('5ms', 'the stencil of one variable'),
    computeSpread: fraction(
      0,
      'share of computeTime by which a stencil takes more or less, drawn for each rank and stencil by the seed',
    ),
    iterations: times(1, 'timesteps'),
  },
  ranks: ({ x, y, z }) => x * y * z,
  make: (values, _, seed): RankProgram => {
    const {
      x,
      y,
      z,
      strategy,
      variables,
      faceSize,
      computeTime: stencilPs,
      computeSpread: spread,
      iterations,
    } = values;
    const grid = new RankGrid(x, y, z, false, offsets);
    const isTogether = strategy === 'bspma';
    const exchange = { messages: 1, sizeBytes: isTogether ? variables * faceSize : faceSize, inTurn: true };
    const [stencilPhase, sumPhase] = [offsets.length, offsets.length + 1];
    const sum = (into: RankOperation): void => {
      into.phase = sumPhase;
      into.collective(RankOperationKind.allreduce, 0, 1, grid.ranks, sumBytes);
    };
    /** @param index of the stencil's operation, which tells it from the others of its rank */
    const apply = (into: RankOperation, rank: number, index: number): void => {
      into.phase = stencilPhase;
      const share = spread === 0 ? 1 : 1 + spread * (2 * fractionAt(seed, rank, index) - 1);
      into.compute(Math.round(stencilPs * share));
    };
    const perStep = (exchanged: number): number =>
      isTogether ? exchanged + 2 * variables : variables * (exchanged + 2);
    return {
      ranks: grid.ranks,
      grid: [x, y, z],
      phases: [...offsets.map(offsetName), 'stencil', 'sum'],
      operations: (rank) => iterations * perStep(exchangeOperations(grid, rank, 1)),
      read: (rank, index, into) => {
        const exchanged = exchangeOperations(grid, rank, 1);
        const at = index % perStep(exchanged);
        const change = (step: number): void => readExchange(grid, rank, step, exchange, (offset) => offset + 1, into);
        into.phase = 0;
        if (isTogether) {
          if (at < exchanged) change(at);
          else if ((at - exchanged) % 2 === 0) apply(into, rank, index);
          else sum(into);
          return;
        }
        const perVariable = strategy === 'svaf' ? exchanged + 2 : exchanged + 1;
        if (at >= variables * perVariable) return sum(into);
        const step = at % perVariable;
        if (step < exchanged) change(step);
        else if (step === exchanged) apply(into, rank, index);
        else sum(into);
      },
    };
  },
});

// Ranks on a grid that synchronize again and again: their row, their column, all of them.
// Source: Taffet's dissertation 5.4, Algorithm 8 (docs/SOURCES.md): 2048 ranks, 100 rounds. Its text says 32 x 32; 2048
// ranks are 32 x 64.

import { RankOperationKind, type RankProgram } from '../rank-program.js';
import { defineProgram, times, sideLength } from './family.js';

export const barriers = defineProgram({
  name: 'barriers',
  description: 'ranks on a grid that synchronize with their row, their column and all, again and again',
  settings: {
    x: sideLength(32, 'ranks in a row'),
    y: sideLength(64, 'rows'),
    rounds: times(100, 'three barriers each'),
  },
  ranks: ({ x, y }) => x * y,
  make: ({ x, y, rounds }): RankProgram => ({
    ranks: x * y,
    grid: [x, y],
    phases: ['row', 'column', 'all'],
    operations: () => 3 * rounds,
    read: (rank, index, into) => {
      into.phase = index % 3;
      const { barrier } = RankOperationKind;
      if (into.phase === 0) into.collective(barrier, rank - (rank % x), 1, x, 0);
      else if (into.phase === 1) into.collective(barrier, rank % x, x, y, 0);
      else into.collective(barrier, 0, 1, x * y, 0);
    },
  }),
});

// pF3D-like: two-dimensional Fourier transforms in the xy planes of a grid, as alltoalls among the ranks of each plane.
// Source: Taffet's dissertation 2.4.1 (docs/SOURCES.md): 18 x 8 x 13 ranks, 36 on a node, 52 nodes. Sizes and times are
// not in the text: they are chosen.

import { time } from '../../base/settings.js';
import { RankOperationKind, type RankProgram } from '../rank-program.js';
import { defineProgram, messageSize, sides, times } from './family.js';

export const pf3d = defineProgram({
  name: 'pf3d',
  description: 'Fourier transforms in the xy planes of a grid: alltoalls among the ranks of each plane',
  settings: {
    ...sides(18, 8, 13),
    messageSize: messageSize('32KiB', 'what a rank sends each other rank of its plane in an alltoall'),
    alltoalls: times(2, 'alltoalls of an iteration: there and back'),
    computeTime: time('1ms', 'computation before each alltoall'),
    iterations: times(1, 'transforms'),
  },
  ranks: ({ x, y, z }) => x * y * z,
  make: ({ x, y, z, messageSize: sizeBytes, alltoalls, computeTime: computePs, iterations }): RankProgram => {
    const plane = x * y;
    return {
      ranks: plane * z,
      grid: [x, y, z],
      phases: ['transform'],
      operations: () => 2 * alltoalls * iterations,
      read: (rank, index, into) => {
        into.phase = 0;
        if (index % 2 === 0) into.compute(computePs);
        else into.collective(RankOperationKind.alltoall, rank - (rank % plane), 1, plane, sizeBytes);
      },
    };
  },
});

// Ranks on a grid that exchange messages with their neighbours and wait once for all of them: 2D (z = 1) or 3D,
// periodic or not, faces (5 or 7 points) or all neighbours (9 or 27 points).
// Source of the defaults: the cyclic stencil of Taffet's dissertation 5.3 (docs/SOURCES.md), 1 x 2 MiB; small messages
// are 1024 x 2 KiB.

import { time, flag, choice } from '../../base/settings.js';
import { exchangeOperations, readExchange } from '../exchange.js';
import { allOffsets, faceOffsets, type Offset, offsetName, RankGrid } from '../grid.js';
import type { RankProgram } from '../rank-program.js';
import { defineProgram, messageSize, sides, times } from './family.js';

const orders = ['x-first', 'z-first'] as const;

export const stencil = defineProgram({
  name: 'stencil',
  description: 'ranks on a grid, x fastest, that exchange messages with their neighbours',
  settings: {
    ...sides(16, 16, 12),
    periodic: flag(true, 'the ends of an axis are neighbours'),
    neighbours: choice(
      ['faces', 'all'],
      'faces',
      'with whom ranks exchange: faces, 5 points in 2D and 7 in 3D; all, 9 and 27, edges and corners behind the faces',
    ),
    directions: choice(orders, 'x-first', 'order of the faces: x-first, +x -x +y -y +z -z; z-first, +z -z +y -y +x -x'),
    messageSize: messageSize('2MiB', 'size of each message'),
    messages: times(1, 'messages to each neighbour in an iteration'),
    inTurn: flag(
      true,
      'one message to each neighbour, then the next to each; false: all to one neighbour, then to the next',
    ),
    computeTime: time('0us', 'computation before each exchange'),
    iterations: times(1, 'computations and exchanges, one after the other'),
  },
  ranks: ({ x, y, z }) => x * y * z,
  make: (values): RankProgram => {
    const { x, y, z, periodic, neighbours, directions, messages, inTurn, iterations } = values;
    const given = neighbours === 'faces' ? faceOffsets : allOffsets;
    const offsets = directions === 'x-first' ? given : [...given].sort((a, b) => turned(given, a) - turned(given, b));
    const grid = new RankGrid(x, y, z, periodic, offsets);
    const exchange = { messages, sizeBytes: values.messageSize, inTurn };
    const perIteration = (rank: number): number => 1 + exchangeOperations(grid, rank, messages);
    return {
      ranks: grid.ranks,
      grid: [x, y, z],
      phases: offsets.map(offsetName),
      operations: (rank) => iterations * perIteration(rank),
      read: (rank, index, into) => {
        into.phase = 0;
        const step = index % perIteration(rank);
        if (step === 0) into.compute(values.computeTime);
        else readExchange(grid, rank, step - 1, exchange, (offset) => offset, into);
      },
    };
  },
});

/** Place of an offset when the axes of faces are turned round. */
function turned(given: readonly Offset[], offset: Offset): number {
  const at = given.indexOf(offset);
  return at < 6 ? 2 * (2 - (at >> 1)) + (at & 1) : at;
}

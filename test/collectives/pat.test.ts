// PAT's messages beside the pieces that they carry.

import { describe, expect, it } from 'vitest';
import { PatAllgather } from '../../src/collectives/pat.js';
import { emptyMove } from '../../src/collectives/schedule.js';

const shapes: readonly (readonly [ranks: number, sizeBytes: number, channels: number, mostBlocks: number])[] = [
  [16, 16 * 640, 2, 1],
  [16, 16 * 640 + 7, 3, 4],
  [13, 13 * 100, 1, 2],
  [13, 1000, 2, Infinity],
  [24, 24 * 8, 1, 8],
];

describe('PAT', () => {
  it.each(shapes)(
    'of %i ranks and %i bytes sends the pieces that it says',
    (ranks, sizeBytes, channels, mostBlocks) => {
      const pat = new PatAllgather(ranks, sizeBytes, channels, mostBlocks);
      const move = emptyMove();
      for (let number = 0; number < pat.moveCount; number++) {
        let pieces = 0;
        pat.pieces(number, (_from, _to, bytes) => (pieces += bytes));
        pat.describe(number, move);
        expect(move.sizeBytes).toBe(pieces);
      }
    },
  );
});

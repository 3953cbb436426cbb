// NVLS's chunks against NCCL's limits worked out by hand, and its rounds against what nccl-tests measured.

import { describe, expect, it } from 'vitest';
import type { GroupFacts } from '../../src/collectives/group-facts.js';
import { nvlsChunkBytes, nvswitchShare } from '../../src/collectives/nvls-chunks.js';
import { takenFigures } from '../../src/collectives/taken-figures.js';

const kib = 1024;
const mib = 2 ** 20;
const serversOf8 = (servers: number): GroupFacts => ({
  ranks: 8 * servers,
  servers,
  ranksPerServer: 8,
  nvlinkBps: 370.8 * 8e9,
  networkBps: 3.2e12,
});

const starKib = (sizeBytes: number): number => nvlsChunkBytes('nvls', sizeBytes, 16, serversOf8(1)) / kib;
const treeKib = (servers: number): number[] =>
  [4 * mib, 16 * mib, 64 * mib, 1024 * mib].map(
    (sizeBytes) => nvlsChunkBytes('nvls-tree', sizeBytes, 16, serversOf8(servers)) / kib,
  );

describe('chunks of NVLS', () => {
  it('grow with the buffer: 16 channels of 8 GPUs make rounds of 128 chunks', () => {
    // 64 rounds of 128 KiB are 1 GiB, 8 of 64 KiB 64 MiB, 2 of 32 KiB 8 MiB
    expect([mib, 8 * mib - 1, 8 * mib, 64 * mib - 1, 64 * mib, 1024 * mib - 1, 1024 * mib].map(starKib)).toEqual([
      16, 16, 32, 32, 64, 64, 128,
    ]);
  });

  it('of NVLS-tree are 128 KiB on two servers, at most 64 KiB on four', () => {
    expect(treeKib(2)).toEqual([32, 64, 128, 128]);
    expect(treeKib(4)).toEqual([32, 64, 64, 64]);
  });

  it('make rounds of 18.9, 32.6 and 61.0 us on 8 H100, as A-08 of the published tables has them', () => {
    const times = takenFigures('nccl-2.28', 'H100').nvls;
    const roundUs = (roundBytes: number): number =>
      (roundBytes * nvswitchShare('nvls', times, 370.8, roundBytes, 8)) / 370.8 / 1e3;
    // packets' headers, 2 %, are no part of it
    for (const [roundBytes, us] of [
      [4 * mib, 18.9],
      [8 * mib, 32.6],
      [16 * mib, 61],
    ] as const)
      expect(Math.abs(roundUs(roundBytes) / us - 1)).toBeLessThan(0.05);
  });
});

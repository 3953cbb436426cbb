// Closed forms where latencies and bytes hide each other: several channels over connections with slots, on two servers
// and in one, against the same moves as streams. And what is known without any other backend: overlap lies between the
// longer of its parts and their sum.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { overlappedPs } from '../../src/collectives/overlap.js';
import type { Protocol } from '../../src/collectives/protocols.js';
import type { AlgorithmName, CollectiveKind } from '../../src/collectives/schedule.js';
import type { SelectionProfile } from '../../src/collectives/selection.js';
import { generateFabric } from '../../src/library/fabrics.js';
import { timeCollective } from '../../src/library/time-collective.js';
import { rounds } from '../support/rounds.js';
import { seed } from '../support/seed.js';

const cases: readonly (readonly [
  gpus: number,
  kind: CollectiveKind,
  profile: SelectionProfile,
  algorithm: AlgorithmName,
  protocol: Protocol,
  size: string,
])[] = [
  [16, 'allreduce', 'nccl', 'ring', 'll', '4MiB'],
  [16, 'allreduce', 'nccl', 'ring', 'simple', '16MiB'],
  [16, 'allgather', 'nccl', 'ring', 'simple', '4MiB'],
  [16, 'allreduce', 'nccl', 'tree', 'll', '4MiB'],
  [16, 'allreduce', 'nccl', 'tree', 'll128', '4MiB'],
  [16, 'allreduce', 'nccl', 'collnet-direct', 'simple', '16MiB'],
  [16, 'broadcast', 'nccl', 'ring', 'll', '4MiB'],
  [16, 'alltoall', 'nccl', 'aggregated', 'simple', '16MiB'],
  [8, 'allgather', 'document', 'nvls', 'simple', '64KiB'],
];

describe('closed forms with overlap', () => {
  it.each(cases)(
    '%d GPUs, %s, %s, %s, %s, %s: within 6 percent of streams',
    async (gpus, kind, profile, algorithm, protocol, size) => {
      const fabric = generateFabric('spectrum-x', { gpus });
      const timed = async (backend: string): Promise<number> => {
        const pxn = algorithm === 'aggregated';
        const options = { kind, profile, algorithm, protocol, size, backend, pxn, collnet: true };
        return (await timeCollective(fabric, options)).timePs;
      };
      const [closedPs, streamsPs] = [await timed('analytical'), await timed('fluid')];
      expect(Math.abs(closedPs / streamsPs - 1), `${closedPs} ps, ${streamsPs} ps`).toBeLessThan(0.06);
    },
  );

  it(`lie between the longer part and the sum of both (WEFT_SEED=${seed})`, () => {
    const time = fc.integer({ min: 0, max: 1e15 });
    fc.assert(
      fc.property(time, time, (a, b) => {
        const both = overlappedPs(a, b);
        expect(both).toBeGreaterThanOrEqual(Math.max(a, b) * (1 - 1e-12));
        expect(both).toBeLessThanOrEqual((a + b) * (1 + 1e-12));
      }),
      { seed, numRuns: rounds(100) },
    );
  });
});

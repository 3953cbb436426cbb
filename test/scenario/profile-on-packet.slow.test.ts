// A profile of a file reaches the latencies and bytes of a packet run.

import { describe, expect, it } from 'vitest';
import { generateFabric } from '../../src/library/fabrics.js';
import { profileFromText } from '../../src/library/profile-from-text.js';
import { timeCollective } from '../../src/library/time-collective.js';

const fabric = generateFabric('spectrum-x', { gpus: 16, gpuType: 'H100' });
const server = [0, 1, 2, 3, 4, 5, 6, 7];

describe('a profile of a file', () => {
  it.each(['fluid', 'packet', 'analytical'])('reaches latencies and bytes on %s', async (backend) => {
    const timed = async (text: string, size: number): Promise<number> =>
      (
        await timeCollective(fabric, {
          kind: 'allreduce',
          size,
          ranks: server,
          backend,
          profile: profileFromText(text),
        })
      ).timePs / 1e6;
    // once per collective: 6.6 us of a ring with LL
    const plain = await timed('base: nccl-2.28\n', 1024);
    expect(await timed('base: nccl-2.28\nlatency: { base: { ring: { ll: 16.6us } } }\n', 1024)).toBeCloseTo(
      plain + 10,
      6,
    );
    // 14 steps over NVLink, 0.6 us each
    expect(await timed('base: nccl-2.28\nlatency: { hop: { nvlink: { ring: { ll: 1.6us } } } }\n', 1024)).toBeCloseTo(
      plain + 14,
      6,
    );
    // bytes alone count for a large message over half of the links' rate
    const pace =
      'pace: [{ kind: allreduce, servers: one, algorithm: nvls, protocol: simple, sizes: [1B], factors: [2] }]\n';
    const large = await timed('base: nccl-2.28\n', 2 ** 26);
    expect((await timed(`base: nccl-2.28\n${pace}`, 2 ** 26)) / large).toBeGreaterThan(1.97);
    expect((await timed(`base: nccl-2.28\n${pace}`, 2 ** 26)) / large).toBeLessThan(2.03);
    expect((await timed('base: nccl-2.28\nbandwidth: { nvls: 0.425 }\n', 2 ** 26)) / large).toBeGreaterThan(1.8);
  });
});

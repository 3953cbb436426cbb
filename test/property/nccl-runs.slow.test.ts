// Collectives of profile nccl, of random kinds, algorithms, protocols and sizes, on random fabrics (servers of odd numbers
// of GPUs, one or two ports, with and without NVLink), with several queue pairs, lossy links, failing links and the
// central controller: every run ends, every check of it holds, and every backend that sends has the same bytes.

import { expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import { RandomStream } from '../../src/base/random.js';
import { MemorySink } from '../../src/records/memory-sink.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { memoryHost } from '../memory-host.js';
import { flowRows } from '../support/engine-run.js';
import { rounds } from '../support/rounds.js';
import { seed } from '../support/seed.js';

const random = new RandomStream(seed, 'nccl runs');
const one = <T>(list: readonly T[]): T => list[random.nextBelow(list.length)]!;

function drawn(): { scenario: Record<string, unknown>; isDisturbed: boolean } {
  const family = one(['spectrum-x', 'alibaba-hpn', 'leaf-spine', 'leaf-spine']);
  const gpusPerServer = one([1, 2, 4, 8]);
  const servers = one([2, 3, 5, 7]);
  const hostsPerLeaf = one([1, 2, 3, 12]);
  const gpus = family === 'leaf-spine' ? 2 * hostsPerLeaf : gpusPerServer * servers;
  const fabric =
    family === 'leaf-spine'
      ? { generate: family, leaves: 2, spines: one([1, 2, 3]), hostsPerLeaf }
      : { generate: family, gpus, gpusPerServer, nicsPerAsw: one([2, 4, 8]) };
  const kind = one(['allreduce', 'allgather', 'reducescatter', 'alltoall']);
  const isLossy = random.nextBelow(3) === 0;
  const environment: Record<string, number | string> = {};
  if (random.nextBelow(3) === 0) environment['NCCL_IB_QPS_PER_CONNECTION'] = one([1, 2, 5]);
  if (random.nextBelow(3) === 0) environment['NCCL_IB_SPLIT_DATA_ON_QPS'] = one([0, 1]);
  if (random.nextBelow(3) === 0) environment['NCCL_BUFFSIZE'] = one([65_536, 1_048_576]);
  if (random.nextBelow(3) === 0) environment['NCCL_P2P_NET_CHUNKSIZE'] = one([8192, 100_000]);
  return {
    isDisturbed: isLossy,
    scenario: {
      fabric: { ...fabric, ...(isLossy ? { errorRate: 0.001 } : {}) },
      collectives: {
        profile: one(['nccl-2.21', 'nccl-2.28']),
        algorithm: one(['auto', 'ring', 'tree', 'pat', 'nvls', 'nvls-tree', 'collnet-chain', 'direct']),
        protocol: one(['auto', 'll', 'll128', 'simple']),
        pxn: one([true, false]),
        channels: one([0, 1, 3]),
        environment,
      },
      jobs: [
        {
          ranks: `0-${gpus - 1}`,
          iterations: 2,
          layers: [{ name: 'one', forward: { collective: kind, group: 'all', size: one([1, 1000, 70_001, 900_000]) } }],
        },
      ],
      queuePair: { perFlow: one(['auto', 1, 3]) },
      controller: { enabled: random.nextBelow(4) === 0 },
    },
  };
}

it(`end, with every check and the same bytes on both backends (WEFT_SEED=${seed})`, async () => {
  for (let round = 0; round < rounds(60); round++) {
    const { scenario, isDisturbed } = drawn();
    const sent: number[] = [];
    for (const backend of isDisturbed ? ['packet'] : ['packet', 'fluid']) {
      const text = JSON.stringify({ ...scenario, backend });
      const host = memoryHost({ 's.yaml': text });
      const sink = new MemorySink();
      const summary = await simulate(await makePlan('s.yaml', { host, overrides: [] }), { host, sink });
      expect(
        summary.verdicts.filter(({ ok }) => !ok),
        text,
      ).toEqual([]);
      expect(summary.outcome, text).toBe('finished');
      sent.push(flowRows(sink).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0));
      const ids = new Set(flowRows(sink).map(({ flow }) => flow));
      expect(ids.size, text).toBe(summary.flows);
    }
    expect(new Set(sent).size, JSON.stringify(scenario)).toBe(1);
  }
});

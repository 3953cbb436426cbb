// SimAI's bus bandwidths on a fabric: the groups of SimAI's analytical form, where the fabric has them, take what that
// form says of them; figures by hand; on the analytical backend a collective takes nothing else.

import { expect, it } from 'vitest';
import { groupFacts } from '../../src/collectives/build-schedule.js';
import { Communicator } from '../../src/collectives/communicator.js';
import { fabricBusbwNs, type BusbwGroup, busbwKinds, simaiBusbwCosts } from '../../src/collectives/simai-busbw.js';
import type { GroupFacts } from '../../src/collectives/group-facts.js';
import { parallelGroups } from '../../src/collectives/parallel-groups.js';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import { scenarioRun } from '../support/scenario-run.js';

const server = { gpusPerServer: 8, nicsPerServer: 8, nvlinkGBps: 18 * 20.6, nicGBps: 48.5 };
const fabric = generateFabric('spectrum-x', { gpus: 128, gpuType: 'H100', bandwidth: '400Gbps' });

function factsOf(ranks: readonly number[]): GroupFacts {
  return groupFacts(new Communicator(fabric, Int32Array.from(ranks)));
}

it("gives SimAI's groups SimAI's times", () => {
  let compared = 0;
  for (const [tensor, expert] of [
    [8, 1],
    [8, 4],
    [16, 2],
    [2, 4],
    [4, 2],
    [1, 8],
  ] as const) {
    const sizes = { tensor, expert, data: 128 / tensor, pipeline: 1 };
    const costs = simaiBusbwCosts(sizes, server);
    for (const group of ['tp', 'dp', 'ep', 'dp_ep'] satisfies BusbwGroup[]) {
      const facts = groupFacts(new Communicator(fabric, parallelGroups(group, sizes)[0]!));
      // a data group counts a server for every rank; an expert group in one server counts all that the server has
      const isSpread = (group === 'dp' || group === 'dp_ep') && facts.ranksPerServer > 1;
      if (facts.ranks < 2 || isSpread) continue;
      for (const kind of busbwKinds) {
        for (const sizeBytes of [1000, 2 ** 20, 2 ** 24, 3 * 2 ** 26, 2 ** 30]) {
          const there = costs(kind, group, sizeBytes);
          const nanoseconds = fabricBusbwNs(kind, group, sizeBytes, facts, 'H100');
          expect({ timeNs: nanoseconds }, `${group} ${kind} ${sizeBytes} TP ${tensor} EP ${expert}`).toEqual(there);
          compared++;
        }
      }
    }
  }
  expect(compared).toBeGreaterThan(150);
});

// 2^30 B count as 1 GB: 1 / (18 x 20.6) s x 2 x 7/8 in a server; 1 / 48.5 s x 2 x 15/16 over one NIC each of 16 servers
it('comes to the figures by hand', () => {
  const inServer = factsOf([0, 1, 2, 3, 4, 5, 6, 7]);
  const rail = factsOf(Array.from({ length: 16 }, (_, i) => 8 * i));
  expect(fabricBusbwNs('allreduce', 'tp', 2 ** 30, inServer, 'H100')).toBe(4_719_525);
  expect(fabricBusbwNs('allreduce', 'dp', 2 ** 30, rail, 'H100')).toBe(38_659_793);
  expect(fabricBusbwNs('allreduce', 'dp', 2 ** 19, rail, 'H100')).toBe(66_000);
  // a GPU without a figure of SimAI's: its link, 18 x 20.6 GB/s of the H100 here; a NIC of 100 Gb/s: 12.5 GB/s
  expect(fabricBusbwNs('allreduce', 'tp', 2 ** 30, inServer, 'B200')).toBe(Math.floor((1e9 / 370.8) * 1.75));
  const slow = groupFacts(
    new Communicator(generateFabric('spectrum-x', { gpus: 16, bandwidth: '100Gbps' }), Int32Array.from([0, 8])),
  );
  expect(fabricBusbwNs('allgather', 'dp', 2 ** 30, slow, 'H100')).toBe(40_000_000);
});

it('is what a collective takes on the analytical backend, and nothing more', async () => {
  const scenario = `name: s\nbackend: analytical\nfabric: { generate: spectrum-x, gpus: 8, gpuType: H100 }\nworkload: { file: w.txt, tensorParallel: 8 }\n`;
  const file = `HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 8 ep: 1 pp: 1 vpp: 1 ga: 1 all_gpus: 8 checkpoints: 0 checkpoint_initiates: 0 pp_comm: 0\n1\nlayer -1 0 ALLREDUCE ${2 ** 30} 0 NONE 0 0 NONE 0 0\n`;
  const { summary } = await scenarioRun(scenario, ['analytical.collectives=simai-busbw'], { 'w.txt': file });
  expect(summary.simulatedPs).toBe(4_719_525_000);
});

// Collectives packet by packet on a fabric without contention, against their closed forms: so many steps, each as long
// as one transfer of its size alone, alpha + beta x bytes. Where ranks send and receive at the same time, a link
// carries an acknowledgement with every packet.

import { describe, expect, it } from 'vitest';
import { ringChains } from '../../src/collectives/chain.js';
import { CollectiveWork } from '../../src/collectives/collective-work.js';
import type { Communicator } from '../../src/collectives/communicator.js';
import { doubleBinaryTrees } from '../../src/collectives/double-binary-tree.js';
import { HalvingDoubling } from '../../src/collectives/halving-doubling.js';
import { nvlsStars } from '../../src/collectives/nvls.js';
import { PatAllgather } from '../../src/collectives/pat.js';
import { ReversedAllgather } from '../../src/collectives/reversed.js';
import { Ring } from '../../src/collectives/ring.js';
import { ringOrders } from '../../src/collectives/ring-order.js';
import type { Schedule } from '../../src/collectives/schedule.js';
import { TreeReduction } from '../../src/collectives/tree-reduction.js';
import { defaultPacketSettings } from '../../src/backends/packet/settings.js';
import { transferPs } from '../../validation/alpha-beta.js';
import { broken, engineRun, settingsWith } from '../support/engine-run.js';
import { placementOf } from '../support/placements.js';

const mib = 2 ** 20;
const { payload, header, gap, acknowledgement } = defaultPacketSettings().packet;

const sizes = { payloadBytes: payload, overheadBytes: header + gap, acknowledgementBytes: acknowledgement + gap };
const overNetwork = { links: 2, rateBps: 100e9, latencyPs: 500_000 };
const overNvswitch = { links: 2, rateBps: 2.4e12, latencyPs: 25_000 };

const duplex = (sizeBytes: number): number => transferPs(sizeBytes, overNetwork, sizes, true);
const simplex = (sizeBytes: number): number => transferPs(sizeBytes, overNetwork, sizes, false);
const overNvlink = (sizeBytes: number): number => transferPs(sizeBytes, overNvswitch, sizes, false);
const toNvswitch = (sizeBytes: number, isDuplex: boolean): number =>
  transferPs(sizeBytes, { ...overNvswitch, links: 1 }, sizes, isDuplex);

function timeOf(communicator: Communicator, schedule: Schedule): number {
  const run = engineRun(communicator.fabric, new CollectiveWork([{ communicator, schedule, startPs: 0 }]), {
    settings: settingsWith({ congestion: { algorithm: 'none' }, queuePair: { window: 'unlimited' } }),
  });
  expect(broken(run)).toEqual([]);
  return Math.max(...run.flows.map(({ finishPs }) => finishPs));
}

describe('without contention a collective takes as long as its steps', () => {
  const cases: readonly (readonly [string, Communicator, (communicator: Communicator) => Schedule, number])[] = [
    [
      'ring allreduce of 16',
      placementOf(16, 1),
      (c) => new Ring({ kind: 'allreduce', rings: ringOrders('cross-rail', c, 1), sizeBytes: 16 * mib }),
      30 * duplex(mib),
    ],
    [
      'ring allgather of 7',
      placementOf(7, 1),
      (c) => new Ring({ kind: 'allgather', rings: ringOrders('cross-rail', c, 1), sizeBytes: 7 * mib }),
      6 * duplex(mib),
    ],
    [
      'halving-doubling of 16',
      placementOf(16, 1),
      () => new HalvingDoubling('allreduce', 16, 16 * mib),
      2 * [8, 4, 2, 1].reduce((sum, parts) => sum + duplex(parts * mib), 0),
    ],
    [
      'PAT of 16, far first',
      placementOf(16, 1),
      () => new PatAllgather(16, 16 * mib),
      [1, 2, 4, 8].reduce((sum, parts) => sum + duplex(parts * mib), 0),
    ],
    [
      'PAT of 16 backwards',
      placementOf(16, 1),
      () => new ReversedAllgather(new PatAllgather(16, 16 * mib)),
      [1, 2, 4, 8].reduce((sum, parts) => sum + duplex(parts * mib), 0),
    ],
    [
      'chain of 8 in 16 chunks',
      placementOf(8, 1),
      (c) =>
        new TreeReduction({
          algorithm: 'ring',
          kind: 'broadcast',
          rankCount: 8,
          forest: ringChains(ringOrders('cross-rail', c, 1), 3, 'away'),
          sizeBytes: 16 * mib,
          chunkCount: 16,
        }),
      7 * simplex(mib) + 15 * duplex(mib),
    ],
    [
      'tree over two servers of 4',
      placementOf(8, 4),
      (c) =>
        new TreeReduction({
          algorithm: 'tree',
          kind: 'allreduce',
          rankCount: 8,
          forest: doubleBinaryTrees(c, 1),
          sizeBytes: mib,
        }),
      2 * (3 * overNvlink(mib) + simplex(mib)),
    ],
    [
      'NVLS of 8 in 4 chunks',
      placementOf(8, 8),
      (c) =>
        new TreeReduction({
          algorithm: 'nvls',
          kind: 'allreduce',
          rankCount: 8,
          forest: nvlsStars(c, 1),
          sizeBytes: 16 * mib,
          chunkCount: 4,
        }),
      2 * toNvswitch(4 * mib, false) + 3 * toNvswitch(4 * mib, true),
    ],
  ];

  it.each(cases)('%s', (_, communicator, schedule, expectedPs) => {
    const ps = timeOf(communicator, schedule(communicator));
    expect(Math.abs(ps / expectedPs - 1), `${ps / 1e6} us, closed form ${expectedPs / 1e6} us`).toBeLessThan(0.01);
  });
});

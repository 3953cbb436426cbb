// The cases in which a collective's steps are compared with its streams (src/collectives/streams.ts), both on the fluid
// backend.

import { ringChains } from '#weft/collectives/chain.js';
import { CollectiveWork } from '#weft/collectives/collective-work.js';
import { Communicator } from '#weft/collectives/communicator.js';
import { EvenBlocks } from '#weft/collectives/block-matrix.js';
import { DirectAllToAll } from '#weft/collectives/direct-all-to-all.js';
import { nvlsStars } from '#weft/collectives/nvls.js';
import { networkWay } from '#weft/collectives/proxies.js';
import { Ring } from '#weft/collectives/ring.js';
import { type RingLayout, ringOrders } from '#weft/collectives/ring-order.js';
import type { Schedule } from '#weft/collectives/schedule.js';
import { streamLeadPs } from '#weft/collectives/stream-lead.js';
import { hasStreams, StreamedSchedule } from '#weft/collectives/streams.js';
import { TreeReduction } from '#weft/collectives/tree-reduction.js';
import type { FluidSettings } from '#weft/backends/fluid/fluid-network.js';
import type { Fabric } from '#weft/fabric/fabric.js';
import { generateFabric } from '#weft/fabric/generators/catalogue.js';
import { withReceiveSpeed } from '#weft/fabric/receive-speed.js';
import { EqualCostRoutes } from '#weft/routing/equal-cost.js';
import { PathTracer } from '#weft/routing/path.js';
import { dumbbell, star } from './fabrics.js';
import { soundFluidRun } from './fluid-run.js';

const mib = 2 ** 20;

/** One of the collectives of a case: ranks, what they do, when it begins. */
type Member = readonly [
  ranks: readonly number[],
  scheduleOf: (communicator: Communicator) => Schedule,
  startPs?: number,
];

export interface StreamCase {
  readonly name: string;
  readonly fabric: Fabric;
  readonly members: readonly Member[];
  /** source ports by the central controller */
  readonly controlled?: true;
}

const upTo = (count: number, rankOf: (i: number) => number = (i) => i): number[] =>
  Array.from({ length: count }, (_, i) => rankOf(i));
const ring =
  (sizeBytes: number, channels = 1, layout: RingLayout = 'rank-order') =>
  (c: Communicator): Schedule =>
    new Ring({ kind: 'allreduce', rings: ringOrders(layout, c, channels), sizeBytes, slots: 1 });

/** The cases; shares of links change during the collectives in the last ones. */
export function streamCases(): StreamCase[] {
  const one = star(16, 500_000);
  const servers = generateFabric('spectrum-x', { gpus: 128 });
  const trunk = dumbbell(8, 100e9, 100e9, 500_000);
  const slow = withReceiveSpeed(
    one,
    Float64Array.from({ length: one.nodeCount }, (_, node) => (node === 3 ? 0.5 : 1)),
  );
  const leaves = generateFabric('leaf-spine', {
    leaves: 4,
    hostsPerLeaf: 4,
    spines: 4,
    hostRate: '100Gbps',
    spineRate: '100Gbps',
  });
  const across = upTo(16, (i) => (i % 4) * 4 + (i >> 2));
  return [
    { name: 'ring, 16 hosts, 16 MiB', fabric: one, members: [[upTo(16), ring(16 * mib)]] },
    { name: 'ring, 16 hosts, 64 KiB', fabric: one, members: [[upTo(16), ring(mib / 16)]] },
    { name: 'ring over NVLink, 8 GPUs, 8 channels, 64 MiB', fabric: servers, members: [[upTo(8), ring(64 * mib, 8)]] },
    {
      name: 'NVLS, 8 GPUs, 64 MiB',
      fabric: servers,
      members: [
        [
          upTo(8),
          (c) =>
            new TreeReduction({
              algorithm: 'nvls',
              kind: 'allreduce',
              rankCount: 8,
              forest: nvlsStars(c, 1),
              sizeBytes: 64 * mib,
              chunkCount: 4,
            }),
        ],
      ],
    },
    {
      name: 'ring along rails, 128 GPUs, 8 channels, 64 MiB',
      fabric: servers,
      members: [[upTo(128), ring(64 * mib, 8, 'rail-aligned')]],
    },
    {
      name: 'ring over proxies (PXN), 32 GPUs, 8 channels, 64 MiB',
      fabric: servers,
      members: [
        [
          upTo(32),
          (c) =>
            new Ring({
              kind: 'allreduce',
              rings: ringOrders('cross-rail', c, 8),
              sizeBytes: 64 * mib,
              way: (a, b) => networkWay(c, a, b),
              slots: 1,
            }),
        ],
      ],
    },
    {
      name: 'broadcast along a chain, 16 hosts, 32 chunks, 8 MiB',
      fabric: one,
      members: [
        [
          upTo(16),
          (c) =>
            new TreeReduction({
              algorithm: 'ring',
              kind: 'broadcast',
              rankCount: 16,
              forest: ringChains(ringOrders('rank-order', c, 1), 0, 'away'),
              sizeBytes: 8 * mib,
              chunkCount: 32,
            }),
        ],
      ],
    },
    {
      name: '8 rings of 16 servers at once, one per rail, 64 MiB',
      fabric: servers,
      members: upTo(8).map((rail): Member => [upTo(16, (i) => 8 * i + rail), ring(64 * mib)]),
    },
    { name: 'ring with a slow receiver, 16 MiB', fabric: slow, members: [[upTo(16), ring(16 * mib)]] },
    {
      name: 'two rings over the same hosts, the second 2 ms later, 64 MiB',
      fabric: one,
      members: [
        [upTo(16), ring(64 * mib)],
        [upTo(16, (i) => (3 * i) % 16), ring(64 * mib), 2e9],
      ],
    },
    {
      name: 'two rings through one cable, 16 MiB',
      fabric: trunk,
      members: [
        [[0, 8, 1, 9, 2, 10, 3, 11], ring(16 * mib)],
        [[4, 12, 5, 13, 6, 14, 7, 15], ring(16 * mib)],
      ],
    },
    {
      name: 'ring of 8 hosts beside an all-to-all of 16, 64 MiB',
      fabric: one,
      members: [
        [upTo(8), ring(64 * mib)],
        [upTo(16), (c) => new DirectAllToAll(new EvenBlocks(16, 64 * mib), { channelCount: c.rankCount })],
      ],
    },
    {
      name: 'ring across leaves, 4 spines, central controller, 64 MiB',
      fabric: leaves,
      members: [[across, ring(64 * mib)]],
      controlled: true,
    },
    { name: 'ring across leaves, 4 spines, ECMP, 64 MiB', fabric: leaves, members: [[across, ring(64 * mib)]] },
  ];
}

/** When everything is over, in picoseconds, and how many transfers it took. */
export function streamCaseRun(
  { fabric, members, controlled }: StreamCase,
  settings: FluidSettings,
  isStreamed: boolean,
): { readonly lastFinishPs: number; readonly transfers: number } {
  const tracer = new PathTracer(new EqualCostRoutes(fabric, 'descending-node-id'));
  const collectives = members.map(([ranks, scheduleOf, startPs = 0]) => {
    const communicator = new Communicator(fabric, Int32Array.from(ranks));
    const steps = scheduleOf(communicator);
    if (!isStreamed || !hasStreams(steps)) return { communicator, schedule: steps, startPs };
    const schedule = new StreamedSchedule(steps);
    const leadPs = streamLeadPs(schedule, communicator, {
      tracer,
      ...settings,
      sendLatencyPs: 0,
      protocol: 'simple',
      nvswitchShare: 1,
      intraServerDelayPs: 0,
      networkDelayPs: 0,
    });
    return { communicator, schedule, startPs: startPs + leadPs };
  });
  const { executor } = soundFluidRun(fabric, new CollectiveWork(collectives), settings, {
    controlled: controlled === true,
  });
  return { lastFinishPs: executor.lastFinishPs, transfers: executor.started };
}

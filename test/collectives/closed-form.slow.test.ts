// Closed forms of collectives against the same collectives carried out, packet by packet and as streams, on fabrics
// without contention inside. Where moves of different steps meet at a host, closed forms are off: ranks that have
// nothing to fold send at once to one that is still handed something; chunks that go up a tree meet those that come
// down. Packets of 9000 B: the acknowledgements of hosts that send and receive, which the closed forms leave out, take
// 0.7 % of a link then.

import { describe, expect, it } from 'vitest';
import { defaultPacketSettings } from '../../src/backends/packet/settings.js';
import { buildSchedule, type CollectiveRequest } from '../../src/collectives/build-schedule.js';
import { ClosedFormCosts } from '../../src/collectives/closed-form.js';
import { CollectiveWork } from '../../src/collectives/collective-work.js';
import type { Communicator } from '../../src/collectives/communicator.js';
import type { Choice } from '../../src/collectives/selection.js';
import { EqualCostRoutes } from '../../src/routing/equal-cost.js';
import { PathTracer } from '../../src/routing/path.js';
import { engineRun, settingsWith } from '../support/engine-run.js';
import { soundFluidRun } from '../support/fluid-run.js';
import { placementOf } from '../support/placements.js';

const mib = 2 ** 20;
const { payload, header, gap, acknowledgement } = defaultPacketSettings('simai').packet;
const shape = { payloadBytes: payload, overheadBytes: header + gap, acknowledgementBytes: acknowledgement + gap };
const plain: Choice = {
  algorithm: 'ring',
  protocol: 'simple',
  nvswitchShare: 1,
  channels: 1,
  chunks: 1,
  ringLayout: 'rank-order',
  peerOrder: 'by-distance',
  pxn: false,
  keepsPorts: false,
  slots: 1,
  dropsRemainder: false,
  startDelayPs: 0,
  intraServerDelayPs: 0,
  networkDelayPs: 0,
  postPs: 0,
  postHidingBytes: 0,
  reason: '',
};

interface Times {
  readonly closedPs: number;
  readonly packetPs: number;
  readonly fluidPs: number;
}

function last(flows: readonly { readonly finishPs: number }[]): number {
  return Math.max(...flows.map(({ finishPs }) => finishPs));
}

function timesOf(communicator: Communicator, request: CollectiveRequest, changes: Partial<Choice>): Times {
  const choice = { ...plain, ...changes };
  const { fabric } = communicator;
  const { intraServerDelayPs, networkDelayPs, postPs, postHidingBytes, startDelayPs } = choice;
  const work = (): CollectiveWork =>
    new CollectiveWork([
      {
        communicator,
        schedule: buildSchedule(request, choice, communicator),
        startPs: startDelayPs,
        options: { wire: choice, intraServerDelayPs, networkDelayPs, postPs, postHidingBytes },
      },
    ]);
  const settings = settingsWith({
    packet: { profile: 'simai' },
    congestion: { algorithm: 'none' },
    queuePair: { window: 'unlimited' },
    ecn: { enabled: false },
  });
  const costs = new ClosedFormCosts(new PathTracer(new EqualCostRoutes(fabric, 'descending-node-id')), {
    ...shape,
    sendLatencyPs: 0,
    model: 'steps',
  });
  return {
    closedPs: costs.costPs(request, choice, communicator),
    packetPs: last(engineRun(fabric, work(), { settings }).flows),
    fluidPs: last(soundFluidRun(fabric, work(), shape).flows),
  };
}

const delays = { startDelayPs: 8_400_000, intraServerDelayPs: 3_400_000, networkDelayPs: 14_000_000 };
// more than a small move's bytes take, less than a large one's
const posted = { ...delays, slots: 8, postPs: 2_000_000, postHidingBytes: Infinity };
const cases: readonly (readonly [
  name: string,
  communicator: Communicator,
  request: CollectiveRequest,
  changes: Partial<Choice>,
  tolerance: number,
])[] = [
  ['ring allreduce of 16', placementOf(16, 1), { kind: 'allreduce', sizeBytes: 16 * mib }, {}, 0.01],
  ['ring allreduce of 16 with delays', placementOf(16, 1), { kind: 'allreduce', sizeBytes: mib }, delays, 0.01],
  [
    'ring allreduce of 16, 4 channels',
    placementOf(16, 1),
    { kind: 'allreduce', sizeBytes: 16 * mib },
    { channels: 4 },
    0.01,
  ],
  ['ring allgather of 7', placementOf(7, 1), { kind: 'allgather', sizeBytes: 7 * mib }, {}, 0.01],
  [
    'ring reduce-scatter of 8 on one server',
    placementOf(8, 8),
    { kind: 'reducescatter', sizeBytes: 64 * mib },
    { channels: 8, ringLayout: 'rail-aligned' },
    0.01,
  ],
  [
    'ring allreduce over 4 servers of 4, along rails',
    placementOf(16, 4),
    { kind: 'allreduce', sizeBytes: 64 * mib },
    { channels: 4, ringLayout: 'rail-aligned' },
    0.02,
  ],
  [
    'halving-doubling of 16',
    placementOf(16, 1),
    { kind: 'allreduce', sizeBytes: 16 * mib },
    { algorithm: 'halving-doubling' },
    0.01,
  ],
  [
    'halving-doubling of 16 with delays',
    placementOf(16, 1),
    { kind: 'allreduce', sizeBytes: 16 * mib },
    { algorithm: 'halving-doubling', ...delays },
    0.01,
  ],
  [
    'halving-doubling reduce-scatter of 8',
    placementOf(8, 1),
    { kind: 'reducescatter', sizeBytes: 16 * mib },
    { algorithm: 'halving-doubling' },
    0.01,
  ],
  [
    'halving-doubling of 12',
    placementOf(12, 1),
    { kind: 'allreduce', sizeBytes: 12 * mib },
    { algorithm: 'halving-doubling' },
    0.13,
  ],
  ['tree over two servers of 4', placementOf(8, 4), { kind: 'allreduce', sizeBytes: mib }, { algorithm: 'tree' }, 0.01],
  ['tree over 8, one chunk', placementOf(8, 1), { kind: 'allreduce', sizeBytes: 4 * mib }, { algorithm: 'tree' }, 0.01],
  [
    'tree broadcast over 8 in 16 chunks',
    placementOf(8, 1),
    { kind: 'broadcast', sizeBytes: 16 * mib },
    { algorithm: 'tree', chunks: 16 },
    0.01,
  ],
  [
    'tree over 8 in 16 chunks',
    placementOf(8, 1),
    { kind: 'allreduce', sizeBytes: 16 * mib },
    { algorithm: 'tree', chunks: 16 },
    0.17,
  ],
  [
    'double tree over 8 in 16 chunks',
    placementOf(8, 1),
    { kind: 'allreduce', sizeBytes: 16 * mib },
    { algorithm: 'tree', channels: 2, chunks: 16 },
    0.07,
  ],
  [
    'tree over 4 servers of 4 in 8 chunks',
    placementOf(16, 4),
    { kind: 'allreduce', sizeBytes: 16 * mib },
    { algorithm: 'tree', channels: 4, chunks: 8 },
    0.09,
  ],
  [
    'chain of 8 in 16 chunks',
    placementOf(8, 1),
    { kind: 'broadcast', sizeBytes: 16 * mib, root: 3 },
    { chunks: 16 },
    0.01,
  ],
  [
    'NVLS of 8 in 4 chunks',
    placementOf(8, 8),
    { kind: 'allreduce', sizeBytes: 16 * mib },
    { algorithm: 'nvls', chunks: 4 },
    0.01,
  ],
  [
    'NVLS of 8 in 4 chunks over 8 channels',
    placementOf(8, 8),
    { kind: 'allreduce', sizeBytes: 20 * mib },
    { algorithm: 'nvls', channels: 8, chunks: 4, ...delays },
    0.06,
  ],
  ['NVLS allgather of 8', placementOf(8, 8), { kind: 'allgather', sizeBytes: 64 * mib }, { algorithm: 'nvls' }, 0.01],
  [
    'NVLS reduce-scatter of 8',
    placementOf(8, 8),
    { kind: 'reducescatter', sizeBytes: 64 * mib },
    { algorithm: 'nvls' },
    0.01,
  ],
  [
    'NVLS-tree over 4 servers of 4 in 8 chunks',
    placementOf(16, 4),
    { kind: 'allreduce', sizeBytes: 32 * mib },
    { algorithm: 'nvls-tree', channels: 2, chunks: 8 },
    0.07,
  ],
  ['PAT of 16', placementOf(16, 1), { kind: 'allgather', sizeBytes: 16 * mib }, { algorithm: 'pat' }, 0.01],
  [
    'PAT reduce-scatter of 11',
    placementOf(11, 1),
    { kind: 'reducescatter', sizeBytes: 11 * mib },
    { algorithm: 'pat' },
    0.01,
  ],
  [
    'CollNet chain over 4 servers of 4',
    placementOf(16, 4),
    { kind: 'allreduce', sizeBytes: 16 * mib },
    { algorithm: 'collnet-chain', chunks: 8 },
    0.08,
  ],
  ['all-to-all of 8', placementOf(8, 1), { kind: 'alltoall', sizeBytes: 8 * mib }, { algorithm: 'direct' }, 0.01],
  [
    'all-to-all over 4 servers of 4',
    placementOf(16, 4),
    { kind: 'alltoall', sizeBytes: 16 * mib },
    { algorithm: 'direct' },
    0.05,
  ],
  [
    'all-to-all by proxies over 4 servers of 4',
    placementOf(16, 4),
    { kind: 'alltoall', sizeBytes: 16 * mib },
    { algorithm: 'aggregated' },
    0.05,
  ],
  [
    'all-to-all over 4 servers of 4, posted',
    placementOf(16, 4),
    { kind: 'alltoall', sizeBytes: 2 ** 18 },
    { algorithm: 'direct', peerOrder: 'by-server', ...posted },
    0.01,
  ],
  [
    'ring over 4 servers of 4, 4 channels through one NIC each, posted',
    placementOf(16, 4),
    { kind: 'allreduce', sizeBytes: 2 ** 18 },
    { channels: 4, ringLayout: 'rank-order', ...posted },
    0.1,
  ],
  [
    'ring of large blocks over 4 servers of 4, posted',
    placementOf(16, 4),
    { kind: 'allreduce', sizeBytes: 64 * mib },
    { channels: 4, ringLayout: 'rail-aligned', ...posted },
    0.02,
  ],
  [
    'PAT of 16, posted',
    placementOf(16, 1),
    { kind: 'allgather', sizeBytes: 2 ** 18 },
    { algorithm: 'pat', ...posted },
    0.02,
  ],
  [
    'double tree over 16 in 16 chunks over connections of 8 slots, posted',
    placementOf(16, 1),
    { kind: 'allreduce', sizeBytes: 2 ** 20 },
    { algorithm: 'tree', channels: 2, chunks: 16, ...posted },
    0.1,
  ],
  [
    'send-receive around 8',
    placementOf(8, 1),
    {
      kind: 'sendrecv',
      sizeBytes: 0,
      pairs: Array.from({ length: 8 }, (_, source) => ({ source, destination: (source + 1) % 8, sizeBytes: mib })),
    },
    { algorithm: 'direct' },
    0.01,
  ],
];

describe('a collective takes what its closed form says', () => {
  it.each(cases)('%s', (_, communicator, request, changes, tolerance) => {
    const { closedPs, packetPs, fluidPs } = timesOf(communicator, request, changes);
    const text = `closed form ${closedPs / 1e6} us, packets ${packetPs / 1e6} us, streams ${fluidPs / 1e6} us`;
    expect(Math.abs(closedPs / packetPs - 1), text).toBeLessThan(tolerance);
    expect(Math.abs(closedPs / fluidPs - 1), text).toBeLessThan(tolerance);
  });
});

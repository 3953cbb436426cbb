// Collectives as streams: the bytes of the moves, and with their lead the time of the steps, which is a closed form
// where nothing else is under way.

import { describe, expect, it } from 'vitest';
import { RandomStream } from '../../src/base/random.js';
import { ringChains } from '../../src/collectives/chain.js';
import { CollectiveRun } from '../../src/collectives/collective-run.js';
import { CollectiveWork } from '../../src/collectives/collective-work.js';
import type { Communicator } from '../../src/collectives/communicator.js';
import { nvlsStars } from '../../src/collectives/nvls.js';
import { networkWay } from '../../src/collectives/proxies.js';
import { Ring, type RingKind } from '../../src/collectives/ring.js';
import { ringOrders } from '../../src/collectives/ring-order.js';
import { emptyMove, type Schedule } from '../../src/collectives/schedule.js';
import { type MoveTiming, streamLeadPs } from '../../src/collectives/stream-lead.js';
import { hasStreams, StreamedSchedule } from '../../src/collectives/streams.js';
import { TreeReduction } from '../../src/collectives/tree-reduction.js';
import { doubleBinaryTrees } from '../../src/collectives/double-binary-tree.js';
import { EqualCostRoutes } from '../../src/routing/equal-cost.js';
import { PathTracer } from '../../src/routing/path.js';
import { soundFluidRun } from '../support/fluid-run.js';
import { placementOf } from '../support/placements.js';
import { seed } from '../support/seed.js';

const settings = { payloadBytes: 1024, overheadBytes: 82, acknowledgementBytes: 86 };
const mib = 2 ** 20;

/** Bytes by place and place, from the moves themselves. */
function bytesBetween(schedule: Schedule): Map<string, number> {
  const bytes = new Map<string, number>();
  const move = emptyMove();
  for (let number = 0; number < schedule.moveCount; number++) {
    schedule.describe(number, move);
    const key = `${move.source} to ${move.destination}`;
    if (move.sizeBytes > 0) bytes.set(key, (bytes.get(key) ?? 0) + move.sizeBytes);
  }
  return bytes;
}

const chain = (communicator: Communicator, sizeBytes: number, chunks: number): TreeReduction =>
  new TreeReduction({
    algorithm: 'ring',
    kind: 'broadcast',
    rankCount: communicator.rankCount,
    forest: ringChains(ringOrders('rank-order', communicator, 1), 0, 'away'),
    sizeBytes,
    chunkCount: chunks,
  });

describe(`streams carry what the moves carry (WEFT_SEED=${seed})`, () => {
  const random = new RandomStream(seed, 'streams test');
  const kinds: readonly RingKind[] = ['allreduce', 'allgather', 'reducescatter'];

  it('of rings of any size, division, layout and way', () => {
    for (let i = 0; i < 60; i++) {
      const ranks = 2 + random.nextBelow(15);
      const placement = placementOf(ranks, 1 + random.nextBelow(8));
      const [channels, chunks, sizeBytes] = [
        1 + random.nextBelow(4),
        1 + random.nextBelow(3),
        1 + random.nextBelow(3000),
      ];
      const ring = new Ring({
        kind: kinds[random.nextBelow(3)]!,
        rings: ringOrders('cross-rail', placement, channels),
        sizeBytes,
        chunkCount: chunks,
        way: random.nextBelow(2) === 0 ? null : (a, b) => networkWay(placement, a, b),
      });
      const streams = bytesBetween(new StreamedSchedule(ring));
      expect(
        new Map([...streams].sort()),
        `${ring.kind}, ${ranks} ranks, ${channels} channels, ${chunks} chunks, ${sizeBytes} B`,
      ).toEqual(new Map([...bytesBetween(ring)].sort()));
    }
  });

  it('of stars and chains', () => {
    for (const steps of [
      new TreeReduction({
        algorithm: 'nvls',
        kind: 'allreduce',
        rankCount: 8,
        forest: nvlsStars(placementOf(8, 8, { nvswitches: 2 }), 2),
        sizeBytes: 1001,
        chunkCount: 4,
      }),
      chain(placementOf(5, 1), 999, 7),
    ]) {
      expect(bytesBetween(new StreamedSchedule(steps))).toEqual(bytesBetween(steps));
    }
  });

  it('and are refused where they would be no fair picture', () => {
    const placement = placementOf(8, 4);
    expect(
      hasStreams(
        new TreeReduction({
          algorithm: 'tree',
          kind: 'allreduce',
          rankCount: 8,
          forest: doubleBinaryTrees(placement, 1),
          sizeBytes: 1000,
          chunkCount: 8,
        }),
      ),
    ).toBe(false);
    expect(hasStreams(chain(placement, 1000, 1))).toBe(false);
    expect(
      hasStreams(new Ring({ kind: 'allreduce', rings: ringOrders('rank-order', placement, 1), sizeBytes: 0 })),
    ).toBe(false);
  });
});

it('all ranks are done when the last stream is', () => {
  const placement = placementOf(4, 1);
  const schedule = new StreamedSchedule(
    new Ring({ kind: 'allreduce', rings: ringOrders('rank-order', placement, 1), sizeBytes: 400 }),
  );
  const done: [number, number][] = [];
  const sent: number[] = [];
  const run = new CollectiveRun(placement, schedule, {
    onPlaceFinished: (place, nowPs) => void done.push([place, nowPs]),
  });
  const sink = { transfer: (id: number) => void sent.push(id) };
  run.start(0, sink);
  expect(sent).toEqual([0, 1, 2, 3]);
  for (const [i, id] of [2, 0, 1].entries()) run.finished(id, 10 + i, sink);
  expect(done).toEqual([]);
  run.finished(3, 20, sink);
  expect(done.sort((a, b) => a[0] - b[0])).toEqual([
    [0, 20],
    [1, 20],
    [2, 20],
    [3, 20],
  ]);
  expect(run.remaining).toBe(0);
});

it('each rank sends its streams when it comes, NVSwitches theirs with the first one', () => {
  const placement = placementOf(8, 8, { nvswitches: 2 });
  const schedule = new StreamedSchedule(
    new TreeReduction({
      algorithm: 'nvls',
      kind: 'allreduce',
      rankCount: 8,
      forest: nvlsStars(placement, 2),
      sizeBytes: 8 * mib,
      chunkCount: 4,
    }),
  );
  const move = emptyMove();
  const sourceOf = (id: number): number => {
    schedule.describe(id, move);
    return move.source;
  };
  const streams = Array.from({ length: schedule.streamCount }, (_, id) => id);
  expect(streams.some((id) => sourceOf(id) >= 8)).toBe(true);
  const sent: number[] = [];
  const sink = { transfer: (id: number) => void sent.push(id) };
  const run = new CollectiveRun(placement, schedule);
  for (const [i, place] of [5, 0, 7, 1, 2, 6, 3, 4].entries()) {
    sent.length = 0;
    run.join(place, 10 * i, sink);
    expect(sent).toEqual(streams.filter((id) => sourceOf(id) === place || (i === 0 && sourceOf(id) >= 8)));
  }
});

/** A move of whole packets alone over two links of one rate. */
function movePs(sizeBytes: number, rateBps: number, latencyPs: number): number {
  const linkPs = (bytes: number): number => (bytes * 8e12) / rateBps;
  return (sizeBytes / settings.payloadBytes + 1) * linkPs(1024 + 82) + 4 * latencyPs + 2 * linkPs(86);
}

const network = (bytes: number): number => movePs(bytes, 100e9, 500_000);
// an NVSwitch is the end of a link
const nvlink = (bytes: number): number =>
  movePs(bytes, 2.4e12, 25_000) - (1106 * 8e12) / 2.4e12 - (86 * 8e12) / 2.4e12 - 2 * 25_000;

describe('with their lead they take the time of the steps', () => {
  const cases: readonly (readonly [
    string,
    Communicator,
    (communicator: Communicator) => Schedule,
    Partial<MoveTiming>,
    number,
  ])[] = [
    [
      'ring of 16',
      placementOf(16, 1),
      (c) => new Ring({ kind: 'allreduce', rings: ringOrders('rank-order', c, 1), sizeBytes: 16 * mib, slots: 1 }),
      {},
      30 * network(mib),
    ],
    [
      'ring of 16 in small blocks',
      placementOf(16, 1),
      (c) => new Ring({ kind: 'allreduce', rings: ringOrders('rank-order', c, 1), sizeBytes: 16_384, slots: 1 }),
      {},
      30 * network(1024),
    ],
    [
      'ring of 16, every move delayed',
      placementOf(16, 1),
      (c) => new Ring({ kind: 'allreduce', rings: ringOrders('rank-order', c, 1), sizeBytes: mib, slots: 1 }),
      { networkDelayPs: 3e6 },
      30 * (network(mib / 16) + 3e6),
    ],
    [
      'ring over two servers: the network is its slowest hop',
      placementOf(16, 8),
      (c) => new Ring({ kind: 'allreduce', rings: ringOrders('cross-rail', c, 1), sizeBytes: 16 * mib, slots: 1 }),
      {},
      30 * network(mib),
    ],
    [
      'allgather of 8',
      placementOf(8, 1),
      (c) => new Ring({ kind: 'allgather', rings: ringOrders('rank-order', c, 1), sizeBytes: 8 * mib, slots: 1 }),
      {},
      7 * network(mib),
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
      {},
      5 * nvlink(4 * mib),
    ],
    ['chain of 8 in 16 chunks', placementOf(8, 1), (c) => chain(c, 16 * mib, 16), {}, 22 * network(mib)],
  ];

  it.each(cases)('%s', (_, communicator, scheduleOf, changes, expectedPs) => {
    const tracer = new PathTracer(new EqualCostRoutes(communicator.fabric, 'descending-node-id'));
    const schedule = new StreamedSchedule(scheduleOf(communicator));
    const delays = { intraServerDelayPs: 0, networkDelayPs: 0, ...changes };
    const startPs = streamLeadPs(schedule, communicator, {
      ...settings,
      sendLatencyPs: 0,
      protocol: 'simple',
      nvswitchShare: 1,
      ...delays,
      tracer,
    });
    const run = soundFluidRun(
      communicator.fabric,
      new CollectiveWork([{ communicator, schedule, startPs, options: delays }]),
      settings,
    );
    // half a picosecond for each packet that steps round on their own
    expect(
      Math.abs(run.executor.lastFinishPs / expectedPs - 1),
      `${run.executor.lastFinishPs} ps, closed form ${expectedPs} ps`,
    ).toBeLessThan(1e-6);
  });
});

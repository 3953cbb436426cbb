// CollNet-direct allgather and reduce-scatter: the contents, the bytes over NICs and NVLink, the time by NCCL's tuner and on
// every backend, and when NCCL takes them.
// By hand: S bytes over m servers of L GPUs with a NIC each. A NIC receives the blocks of its rail from the m - 1 other
// servers, S (m - 1) / (m L), and sends as many; a GPU gets all blocks but its own and passes those of its rail to L - 1
// others, S (L - 1) / L. The tuner (2.28): 3.7 us twice and 31 us, 38.4.

import { describe, expect, it } from 'vitest';
import { RandomStream } from '../../src/base/random.js';
import { buildSchedule } from '../../src/collectives/build-schedule.js';
import { collnetHops } from '../../src/collectives/collnet.js';
import { Communicator } from '../../src/collectives/communicator.js';
import { canDo } from '../../src/collectives/nccl-cost.js';
import { unconnectedMove } from '../../src/collectives/unconnected.js';
import { hostPairs } from '../../src/fabric/host-pairs.js';
import { generateFabric } from '../../src/library/fabrics.js';
import { timeCollective } from '../../src/library/time-collective.js';
import { bytesReceived, bytesSent, problemsOfSchedule, readMoves } from '../support/collective-proof.js';
import { placementOf } from '../support/placements.js';
import { seed } from '../support/seed.js';

const shape = {
  algorithm: 'collnet-direct',
  channels: 4,
  chunks: 2,
  ringLayout: 'rail-aligned',
  peerOrder: 'by-distance',
  pxn: false,
  slots: 1,
  dropsRemainder: false,
} as const;
const gathers = ['allgather', 'reducescatter'] as const;

describe.each(gathers)(`CollNet direct: %s (WEFT_SEED=${seed})`, (kind) => {
  const random = new RandomStream(seed, `collnet ${kind}`);

  it('has the right contents for any servers and NICs, and only GPUs with a NIC speak to others', () => {
    for (const [ranks, gpus, nics, channels, chunks] of [
      [2, 1, undefined, 1, 1],
      [3, 1, undefined, 2, 1],
      [8, 4, undefined, 3, 2],
      [7, 3, undefined, 2, 3],
      [21, 3, [0, 2], 2, 1],
      [10, 4, [0, 1], 4, 2],
      [12, 4, undefined, 5, 1],
    ] as const) {
      const placement = placementOf(ranks, gpus, nics === undefined ? {} : { nics });
      const schedule = buildSchedule({ kind, sizeBytes: 101 }, { ...shape, channels, chunks }, placement);
      const name = `${ranks} ranks on ${gpus}`;
      expect(problemsOfSchedule(schedule, 101, random), name).toEqual([]);
      expect(unconnectedMove(schedule, placement, hostPairs(placement.fabric)), name).toBeNull();
    }
  });

  it.each([
    [4, 8, 8],
    [3, 4, 6],
    [9, 2, 18],
  ])('sends S (m - 1) / (m L) over each NIC: %i servers of %i GPUs', (servers, gpus, channels) => {
    const ranks = servers * gpus;
    const sizeBytes = 1200 * ranks * channels;
    const placement = placementOf(ranks, gpus);
    const moves = readMoves(buildSchedule({ kind, sizeBytes }, { ...shape, channels, chunks: 1 }, placement));
    const isFar = ({ source, destination }: (typeof moves)[number]): boolean =>
      placement.serverOf[source] !== placement.serverOf[destination];
    const [far, near] = [moves.filter(isFar), moves.filter((move) => !isFar(move))];
    // rails stay rails
    expect(far.every(({ source, destination }) => placement.railOf[source] === placement.railOf[destination])).toBe(
      true,
    );
    const nicBytes = (sizeBytes * (servers - 1)) / ranks;
    const [sent, received] = [bytesSent(far, ranks), bytesReceived(far, ranks)];
    // what every NIC has to carry one way; the other way the channels' trees share it out
    const [fixed, shared] = kind === 'allgather' ? [received, sent] : [sent, received];
    expect(new Set(fixed)).toEqual(new Set([nicBytes]));
    expect(Math.max(...shared)).toBeLessThanOrEqual(1.35 * nicBytes);
    expect(shared.reduce((sum, bytes) => sum + bytes, 0)).toBe(nicBytes * ranks);
    const nvlinkBytes = (sizeBytes * (gpus - 1)) / gpus;
    for (const bytes of [bytesSent(near, ranks), bytesReceived(near, ranks)])
      expect(new Set(bytes)).toEqual(new Set([nvlinkBytes]));
  });

  it('takes what NCCL reckons for small messages, on every backend, and is chosen with CollNet alone', async () => {
    const fabric = generateFabric('spectrum-x', { gpus: 32 });
    const options = { kind, size: 32_768, ranks: Int32Array.from({ length: 32 }, (_, rank) => rank) } as const;
    const timesUs: number[] = [];
    for (const backend of ['analytical', 'fluid', 'packet'] as const) {
      const { timePs, choice } = await timeCollective(fabric, {
        ...options,
        ranks: [...options.ranks],
        backend,
        collnet: true,
      });
      expect(choice).toMatchObject({ algorithm: 'collnet-direct', protocol: 'simple' });
      timesUs.push(timePs / 1e6);
    }
    for (const timeUs of timesUs) expect(Math.abs(timeUs / 38.4 - 1), timesUs.join()).toBeLessThan(0.08);
    const without = await timeCollective(fabric, { ...options, ranks: [...options.ranks], backend: 'analytical' });
    expect(without.choice.algorithm).not.toBe('collnet-direct');
  });
});

describe('CollNet direct gathers', () => {
  it('need a NIC for every GPU, and several servers', () => {
    const facts = { ranks: 32, servers: 4, ranksPerServer: 8, nvlinkBps: 3e12, networkBps: 3.2e12 };
    for (const kind of gathers) {
      expect(canDo('collnet-direct', kind, { ...facts, nicsPerServer: 8 })).toBe(true);
      expect(canDo('collnet-direct', kind, { ...facts, nicsPerServer: 4 })).toBe(false);
      expect(canDo('collnet-direct', kind, { ...facts, ranks: 8, servers: 1, nicsPerServer: 8 })).toBe(false);
      expect(canDo('collnet-chain', kind, { ...facts, nicsPerServer: 8 })).toBe(false);
    }
  });

  it('spread the network over the longest way through the tree', () => {
    // by hand: 0; 0-1; 0-2 over 1; 0 - 2 - {1, 3}; 0 - 4 - {2 - {1, 3}, 6 - {5, 7}}
    expect([2, 3, 4, 8].map((servers) => collnetHops(servers, true))).toEqual([1, 2, 2, 4]);
    for (const servers of [2, 3, 4, 8, 100]) {
      const communicator = new Communicator(
        generateFabric('spectrum-x', { gpus: servers, gpusPerServer: 1 }),
        Int32Array.from({ length: servers }, (_, rank) => rank),
      );
      const schedule = buildSchedule(
        { kind: 'allgather', sizeBytes: servers },
        { ...shape, channels: 1, chunks: 1 },
        communicator,
      );
      // the moves of a block, each behind the one that brought it
      const moves = readMoves(schedule);
      const behind = (number: number): number => {
        const [before] = moves[number]!.predecessors;
        return before === undefined ? 1 : behind(before) + 1;
      };
      expect(Math.max(...moves.map((_, number) => behind(number)))).toBe(collnetHops(servers, true));
    }
  });
});

// An algorithm or a protocol of the user's own instead of what a profile would choose; and nccl-tests' bandwidths.

import { describe, expect, it } from 'vitest';
import { RandomStream } from '../../src/base/random.js';
import { bandwidths, busFactor } from '../../src/collectives/bus-bandwidth.js';
import { algorithmsFor, buildSchedule, groupFacts, scheduleProblem } from '../../src/collectives/build-schedule.js';
import { estimatePs, protocolDelayPs, tunedGroup } from '../../src/collectives/nccl-cost.js';
import { ncclFigures, ncclLatencyUs } from '../../src/collectives/nccl-figures.js';
import { canNvls } from '../../src/collectives/nvls.js';
import { protocols } from '../../src/collectives/protocols.js';
import type { CollectiveKind } from '../../src/collectives/schedule.js';
import {
  choose,
  chooseWith,
  protocolProblem,
  selectionProfiles,
  type SelectionRequest,
} from '../../src/collectives/selection.js';
import { problemsOfSchedule } from '../support/collective-proof.js';
import { placementOf } from '../support/placements.js';

const kinds: readonly CollectiveKind[] = ['allreduce', 'allgather', 'reducescatter', 'alltoall', 'broadcast', 'reduce'];
const communicator = placementOf(8, 4);
const request: SelectionRequest = {
  kind: 'allreduce',
  groupKind: 'dp',
  sizeBytes: 2 ** 24,
  facts: groupFacts(communicator),
  gpuType: 'H100',
  hasNvswitches: canNvls(communicator),
  nvls: true,
  pxn: false,
  collnet: false,
  channels: 0,
};
const auto = { algorithm: 'auto', protocol: 'auto' } as const;

describe("an algorithm of one's own", () => {
  it('changes nothing where the profile would have chosen it', () => {
    for (const profile of selectionProfiles) {
      const own = choose(profile, request);
      expect(chooseWith(profile, request, auto)).toEqual(own);
      expect(chooseWith(profile, request, { algorithm: own.algorithm, protocol: own.protocol })).toEqual(own);
    }
  });

  it.each(selectionProfiles)('can be built and is right wherever scheduleProblem allows it: %s', (profile) => {
    for (const kind of kinds) {
      for (const algorithm of algorithmsFor(kind)) {
        if (scheduleProblem(algorithm, kind, communicator) !== null) continue;
        const choice = chooseWith(profile, { ...request, kind, sizeBytes: 512 }, { algorithm, protocol: 'auto' });
        expect(choice.algorithm).toBe(algorithm);
        expect(protocolProblem(algorithm, choice.protocol)).toBe(null);
        const schedule = buildSchedule({ kind, sizeBytes: 512 }, choice, communicator);
        if (kind !== 'alltoall')
          expect(problemsOfSchedule(schedule, 512, new RandomStream(1, 'chosen by hand'), { root: 0 })).toEqual([]);
      }
    }
  });

  it("has the fastest of its protocols by NCCL's model, and its latencies", () => {
    for (const [sizeBytes, slots] of [
      [1024, 1],
      // LL128, 8 channels, slots of 576,000 B: a part of 128 KiB is in one, a part of 32 MiB in 59
      [2 ** 20, 1],
      [2 ** 28, 59],
    ] as const) {
      const { protocol, channels, chunks, startDelayPs, networkDelayPs, postPs } = chooseWith(
        'nccl',
        { ...request, sizeBytes },
        { algorithm: 'tree', protocol: 'auto' },
      );
      const figures = ncclFigures('nccl');
      // posting a slot keeps a processor a microsecond, of which its pieces have their parts
      const group = tunedGroup(figures, request.facts, request.gpuType, 1);
      const times = protocols.map((one) => estimatePs('tree', one, 'allreduce', sizeBytes, group)!);
      expect(estimatePs('tree', protocol, 'allreduce', sizeBytes, group)).toBe(Math.min(...times));
      const { baseUs, hopUs } = ncclLatencyUs(figures, 'tree', protocol, 'network')!;
      // a hop's latency, and its part of what the protocol is slower than its links
      const slowerPs = protocolDelayPs('tree', protocol, 'allreduce', sizeBytes, group, channels);
      expect([startDelayPs, networkDelayPs, postPs]).toEqual([
        baseUs * 1e6,
        Math.round(hopUs * 1e6 + slowerPs),
        Math.round(Math.min(1, slots / chunks) * 1e6),
      ]);
    }
  });

  it('a protocol alone leaves the algorithm to the profile', () => {
    expect(chooseWith('document', request, { algorithm: 'auto', protocol: 'll128' })).toMatchObject({
      algorithm: 'ring',
      protocol: 'll128',
      startDelayPs: 14e6,
      networkDelayPs: 5.5e6,
      channels: 2,
    });
    expect(chooseWith('nccl', { ...request, sizeBytes: 2 ** 30 }, { algorithm: 'auto', protocol: 'll' }).protocol).toBe(
      'll',
    );
    expect(chooseWith('simai', request, { algorithm: 'tree', protocol: 'auto' })).toMatchObject({
      algorithm: 'tree',
      startDelayPs: 0,
      networkDelayPs: 10_000,
    });
  });

  it('names the protocols that an algorithm has', () => {
    expect(protocolProblem('nvls', 'll')).toBe('nvls has no protocol LL: it has SIMPLE');
    expect(protocolProblem('ring', 'll')).toBe(null);
    expect(protocolProblem('halving-doubling', 'll128')).toBe(null);
  });
});

describe('bus bandwidth', () => {
  it('has the factors of nccl-tests', () => {
    expect(kinds.map((kind) => busFactor(kind, 8))).toEqual([14 / 8, 7 / 8, 7 / 8, 7 / 8, 1, 1]);
    expect(busFactor('sendrecv', 8)).toBe(1);
    // 1 GB in 10 ms
    expect(bandwidths('allreduce', 4, 1e9, 1e10)).toEqual({ algorithmBandwidth: 1e11, busBandwidth: 1.5e11 });
    expect(bandwidths('allreduce', 1, 0, 0)).toEqual({ algorithmBandwidth: 0, busBandwidth: 0 });
  });
});

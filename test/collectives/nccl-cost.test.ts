// The model by which NCCL chooses, against sums worked out by hand from its tables; the channels that its search finds;
// the algorithms that its tuner has; and what it is seen to choose.

import { describe, expect, it } from 'vitest';
import type { SelectionRequest } from '../../src/collectives/choice.js';
import { generationOf } from '../../src/collectives/gpu-generation.js';
import type { GroupFacts } from '../../src/collectives/group-facts.js';
import { ringGraph, runningChannels } from '../../src/collectives/nccl-channels.js';
import { canDo, estimatePs, protocolDelayPs, tunedGroup } from '../../src/collectives/nccl-cost.js';
import { ncclFigures, treeCorrection } from '../../src/collectives/nccl-figures.js';
import { type Protocol, type TunedAlgorithm, tunedAlgorithms } from '../../src/collectives/protocols.js';
import type { CollectiveKind } from '../../src/collectives/schedule.js';
import { choose, type SelectionProfile } from '../../src/collectives/selection.js';

/** servers of 8 GPUs with NVLink of 360 GB/s and 8 NICs of 400 Gb/s */
const serversOf8 = (servers: number): GroupFacts => ({
  ranks: 8 * servers,
  servers,
  ranksPerServer: 8,
  nvlinkBps: 2.88e12,
  networkBps: 3.2e12,
  nicsPerServer: 8,
});

function us(
  algorithm: TunedAlgorithm,
  protocol: Protocol,
  sizeBytes: number,
  facts: GroupFacts,
  more: {
    readonly kind?: CollectiveKind;
    readonly profile?: 'nccl-2.21' | 'nccl-2.28';
    readonly gpuType?: string;
    readonly postOverheadUs?: number;
  } = {},
): number | null {
  const { kind = 'allreduce', profile = 'nccl-2.28', gpuType = 'H100', postOverheadUs = 0 } = more;
  const group = tunedGroup(ncclFigures(profile), facts, gpuType, postOverheadUs);
  const ps = estimatePs(algorithm, protocol, kind, sizeBytes, group);
  return ps === null ? null : ps / 1e6;
}

function assumption(gpuType: string, profile: 'nccl-2.21' | 'nccl-2.28' = 'nccl-2.28'): string | null {
  return tunedGroup(ncclFigures(profile), serversOf8(1), gpuType).assumption;
}

/** Channels that are found, GB/s of each, channels that run. */
function graph(facts: GroupFacts, gpu: 'ampere' | 'hopper' = 'hopper'): number[] {
  const { count, speed } = ringGraph(gpu, facts);
  return [count, speed, runningChannels(gpu, facts, { count, speed })];
}

function algorithms(kind: CollectiveKind, facts: GroupFacts): string[] {
  return tunedAlgorithms.filter((algorithm) => canDo(algorithm, kind, facts));
}

function request(changes: Partial<SelectionRequest>): SelectionRequest {
  return {
    kind: 'allreduce',
    groupKind: 'dp',
    sizeBytes: 2 ** 20,
    facts: serversOf8(1),
    gpuType: 'H200',
    hasNvswitches: true,
    nvls: true,
    pxn: false,
    collnet: false,
    channels: 0,
    ...changes,
  };
}

function how(changes: Partial<SelectionRequest>, profile: SelectionProfile = 'nccl'): string {
  const { algorithm, protocol } = choose(profile, request(changes));
  return `${algorithm} ${protocol}`;
}

describe("NCCL's cost model", () => {
  it('counts the latencies of a ring with LL: 28.8, 111.6 and 442.8 us over 16, 64 and 256 GPUs', () => {
    // 6.6 us, 2 (n - 1) - 2 (m - 1) steps of 0.6 us, 2 (m - 1) of 2.7 us: 1 B takes no time
    expect(us('ring', 'll', 1, serversOf8(2))).toBeCloseTo(6.6 + 28 * 0.6 + 2 * 2.7, 3);
    expect(us('ring', 'll', 1, serversOf8(2))).toBeCloseTo(28.8, 3);
    expect(us('ring', 'll', 1, serversOf8(8))).toBeCloseTo(111.6, 3);
    expect(us('ring', 'll', 1, serversOf8(32))).toBeCloseTo(442.8, 3);
    // 1 KiB: less than half a percent more
    for (const [servers, sum] of [
      [2, 28.8],
      [8, 111.6],
      [32, 442.8],
    ] as const)
      expect(us('ring', 'll', 1024, serversOf8(servers))! / sum).toBeCloseTo(1, 2);
  });

  it('counts the way within servers of NVLS and NVLS-tree once: 66.8 us over 16 GPUs', () => {
    expect(us('nvls-tree', 'simple', 1, serversOf8(2))).toBeCloseTo(25 + 2 * 20.9, 3);
    expect(us('nvls-tree', 'simple', 1024, serversOf8(2))).toBeCloseTo(66.8, 1);
    expect(us('nvls-tree', 'simple', 1, serversOf8(8))).toBeCloseTo(25 + 2 * 3 * 20.9, 3);
    expect(us('nvls-tree', 'simple', 1, serversOf8(2), { profile: 'nccl-2.21' })).toBeCloseTo(25 + 2 * 14, 3);
    expect(us('nvls', 'simple', 1, serversOf8(1))).toBeCloseTo(25, 3);
  });

  it('takes 1 GiB over the bandwidths as it corrects them', () => {
    const size = 2 ** 30;
    const time = (gbps: number, bytes = size): number => bytes / gbps / 1e3;
    // in a server 12 rings of 30 GB/s: 360; LL half of it, at most 141; LL128 0.92 of it
    const share = (2 * 7) / 8;
    expect(us('ring', 'simple', size, serversOf8(1))).toBeCloseTo(8.4 + 14 * 3.4 + time(360, share * size), 3);
    expect(us('ring', 'll', size, serversOf8(1))).toBeCloseTo(6.6 + 14 * 0.6 + time(141, share * size), 3);
    expect(us('ring', 'll128', size, serversOf8(1))).toBeCloseTo(14 + 14 * 1.9 + time(0.92 * 360, share * size), 3);
    // NVLS: 16 channels of 20 GB/s, 0.85 of it, in 2.21 5/6
    expect(us('nvls', 'simple', size, serversOf8(1))).toBeCloseTo(25 + time(320 * 0.85), 3);
    expect(us('nvls', 'simple', size, serversOf8(1), { profile: 'nccl-2.21' })).toBeCloseTo(
      25 + time(320 * (5 / 6)),
      3,
    );
    // between servers 8 rings of 45 GB/s (48 do not fit NVLink): 360; of LL128 36.7 each; trees 36 each from 3 servers
    expect(us('tree', 'simple', size, serversOf8(4))).toBeCloseTo(8.4 + 14 * 4 + 4 * 14 + time(8 * 36, 2 * size), 3);
    expect(us('tree', 'simple', size, serversOf8(2))).toBeCloseTo(
      8.4 + 14 * 4 + 2 * 14 + time(0.92 * 360, 2 * size),
      3,
    );
    expect(us('tree', 'll128', size, serversOf8(4))).toBeCloseTo(14 + 14 * 1.25 + 4 * 8.5 + time(8 * 29, 2 * size), 3);
    // between servers the processor checks LL's flags: 20.4 GB/s on three servers and more, whatever the GPU
    expect(us('tree', 'll', size, serversOf8(4))).toBeCloseTo(6.8 + 14 * 0.6 + 4 * 5 + time(20.4, 2 * size), 3);
    expect(us('ring', 'll128', size, serversOf8(4))).toBeCloseTo(
      14 + 56 * 1.9 + 6 * 4 + time(8 * 36.7, (2 * size * 31) / 32),
      3,
    );
    // NVLS-tree: two servers 0.85 of 320, more 0.85 of half of 360
    expect(us('nvls-tree', 'simple', size, serversOf8(2))).toBeCloseTo(25 + 2 * 20.9 + time(0.85 * 320), 3);
    expect(us('nvls-tree', 'simple', size, serversOf8(4))).toBeCloseTo(25 + 4 * 20.9 + time(0.85 * 180), 3);
    // Blackwell, 721.8 GB/s: its own efficiency in 2.28, Hopper's figures in 2.21
    const blackwell = { ...serversOf8(1), nvlinkBps: 7.2e12 };
    expect(us('nvls', 'simple', size, blackwell, { gpuType: 'B200' })).toBeCloseTo(25 + time(721.8 * 0.74), 3);
    expect(us('ring', 'll', size, blackwell, { gpuType: 'B200', profile: 'nccl-2.21' })).toBeCloseTo(
      6.6 + 14 * 0.6 + time(141, share * size),
      3,
    );
  });

  it('counts the posting of sends where it is longer than a hop, Simple three times', () => {
    const postOverheadUs = 2;
    expect(us('ring', 'll', 1, serversOf8(2), { postOverheadUs: 1 })).toBeCloseTo(6.6 + 28 * 1 + 2 * 2.7, 3);
    expect(us('ring', 'simple', 1, serversOf8(2), { postOverheadUs })).toBeCloseTo(8.4 + 28 * 6 + 2 * 14, 3);
    expect(us('ring', 'simple', 1, serversOf8(1), { postOverheadUs })).toBeCloseTo(8.4 + 14 * 3.4, 3);
  });

  it('corrects trees by size, and lets the processor limit LL between servers', () => {
    // 256 KiB: the 13th power of two from 64 B on, 0.4 with LL; 39 GB/s on two servers, with processors of AMD 22.5
    const [treeUs, amdUs] = [1, 2].map((postOverheadUs) =>
      us('tree', 'll', 2 ** 18, serversOf8(2), { postOverheadUs }),
    );
    const latencyUs = 6.8 + 14 * 0.6 + 2 * 5;
    expect(treeUs).toBeCloseTo(latencyUs + 2 ** 19 / (39 * 0.4) / 1e3, 3);
    expect(amdUs).toBeCloseTo(latencyUs + 2 ** 19 / (22.5 * 0.4) / 1e3, 3);
    // nccl-tests on 16 H100 (B-05): 58.6 us
    expect(treeUs! / 58.6).toBeCloseTo(1, 1);
    expect([1, 64, 2 ** 18, 2 ** 28, 2 ** 29].map((size) => treeCorrection('simple', size))).toEqual([
      1, 0.9, 0.5, 0.9, 1,
    ]);
  });

  it('makes the ring of an allreduce with Simple wait longer between servers, and PAT as long as NCCL says', () => {
    expect(us('ring', 'simple', 2 ** 16, serversOf8(2))).toBeCloseTo(
      8.4 + 1.4 * (28 * 3.4 + 2 * 14) + ((2 ** 16 * 30) / 16 / 360) * 1e-3,
      3,
    );
    const alone = { ranks: 8, servers: 8, ranksPerServer: 1, nvlinkBps: 0, networkBps: 4e11, nicsPerServer: 1 };
    expect(us('pat', 'simple', 2 ** 20, alone, { kind: 'allgather' })).toBeCloseTo(
      8 + 3 * (14 / 3.5) + 8 * 2.8 + 2 ** 20 / (48 * 0.75) / 1e3,
      3,
    );
    // alone in its server a rank hides no step: a tree's 5 us
    expect(us('ring', 'll', 1, alone, { kind: 'allgather' })).toBeCloseTo(6.6 + 7 * 5, 3);
  });

  it('spreads what protocols are slower than their links over the hops', () => {
    const group = tunedGroup(ncclFigures('nccl'), serversOf8(2), 'H100', 1);
    const size = 2 ** 20;
    // LL on two servers: 39 GB/s where the links' 360 carry 180 of lines, of which packets of 4,184 B have 4,096; 30 steps
    const linkGBps = (180 * 4096) / 4184;
    const waitUs = 2 * size * (15 / 16) * (1 / 39 - 1 / linkGBps) * 1e-3;
    expect(protocolDelayPs('ring', 'll', 'allreduce', size, group, 16) / 1e6).toBeCloseTo(waitUs / 30, 6);
    expect(protocolDelayPs('ring', 'simple', 'allreduce', size, group, 16)).toBe(0);
    // a channel by itself has a whole progress thread of a rank, of which 8 have a NIC; with LL128 it has its own part
    const slowPs = (protocol: Protocol, channels: number): number =>
      protocolDelayPs('ring', protocol, 'allreduce', size, group, channels);
    expect(slowPs('ll', 8)).toBe(slowPs('ll', 16));
    const fourUs = 2 * size * (15 / 16) * (2 / 39 - 1 / linkGBps) * 1e-3;
    expect(slowPs('ll', 4) / 1e6).toBeCloseTo(fourUs / 30, 6);
    expect(slowPs('ll128', 8)).toBeGreaterThan(1.9 * slowPs('ll128', 16));
  });

  it('has LL as slow in chains as in rings: 141 GB/s within a server of H100, the processors between servers', () => {
    const size = 2 ** 22;
    const linkGBps = (180 * 4096) / 4184;
    const chainUs = (servers: number): number => {
      const group = tunedGroup(ncclFigures('nccl'), serversOf8(servers), 'H100', 1);
      return (8 * servers - 1) * (protocolDelayPs('ring', 'll', 'broadcast', size, group, 16) / 1e6);
    };
    expect(chainUs(1)).toBeCloseTo(size * (1 / 141 - 1 / linkGBps) * 1e-3, 6);
    expect(chainUs(2)).toBeCloseTo(size * (1 / 39 - 1 / linkGBps) * 1e-3, 6);
    expect(chainUs(8)).toBeCloseTo(size * (1 / 20.4 - 1 / linkGBps) * 1e-3, 6);
  });

  it('takes the latencies of PCIe where GPUs of a server share no NVLink', () => {
    expect(us('ring', 'll', 1, { ...serversOf8(1), nvlinkBps: 0 })).toBeCloseTo(6.6 + 14 * 1, 3);
  });

  it('knows generations by name, and says what it assumes of others', () => {
    expect(['V100', 'A800', 'h100_80gb', 'H200', 'GB200', 'MI300X', ''].map(generationOf)).toEqual([
      'volta',
      'ampere',
      'hopper',
      'hopper',
      'blackwell',
      null,
      null,
    ]);
    expect(assumption('H100')).toBe(null);
    expect(assumption('')).toBe("the GPU is not named: Hopper's assumed");
    expect(assumption('MI300X')).toBe("no figures for MI300X: Hopper's assumed");
    expect(assumption('B200')).toBe(null);
    expect(assumption('B200', 'nccl-2.21')).toBe("NCCL 2.21.5 takes Hopper's figures for B200");
  });
});

describe('channels', () => {
  it('are found by NIC and NVLink, and run twice', () => {
    expect(graph(serversOf8(1))).toEqual([12, 30, 24]);
    // what NCCL assumes of 12 NVLinks of an A100: 240 GB/s, whatever the links could carry
    expect(graph(serversOf8(1), 'ampere')).toEqual([12, 20, 24]);
    expect(graph(serversOf8(2))).toEqual([8, 45, 16]);
    expect(graph({ ...serversOf8(2), networkBps: 1.6e12 })).toEqual([8, 24, 16]);
    // one GPU and one NIC of 400 Gb/s per server: a fast ring, four times on Hopper
    const alone = { ranks: 4, servers: 4, ranksPerServer: 1, nvlinkBps: 0, networkBps: 4e11, nicsPerServer: 1 };
    expect(graph(alone)).toEqual([1, 48, 4]);
    expect(graph(alone, 'ampere')).toEqual([1, 50, 2]);
    // 800 Gb/s: two channels on the NIC
    expect(graph({ ...alone, networkBps: 8e11 })).toEqual([2, 48, 8]);
  });
});

describe('what the tuner has', () => {
  it('is by kind and servers', () => {
    const alone = { ranks: 4, servers: 4, ranksPerServer: 1, nvlinkBps: 0, networkBps: 4e11 };
    for (const facts of [serversOf8(1), serversOf8(4), alone]) {
      expect(algorithms('broadcast', facts)).toEqual(['ring']);
      expect(algorithms('reduce', facts)).toEqual(['ring']);
    }
    expect(algorithms('allgather', serversOf8(1))).toEqual(['ring', 'nvls']);
    expect(algorithms('allgather', serversOf8(4))).toEqual(['ring', 'collnet-direct']);
    expect(algorithms('reducescatter', alone)).toEqual(['ring', 'collnet-direct', 'pat']);
    expect(algorithms('allreduce', serversOf8(1))).toEqual(['tree', 'ring', 'nvls']);
    expect(algorithms('allreduce', serversOf8(4))).toEqual([
      'tree',
      'ring',
      'collnet-direct',
      'collnet-chain',
      'nvls-tree',
    ]);
    expect(algorithms('allreduce', alone)).toEqual(['tree', 'ring', 'collnet-direct', 'collnet-chain']);
  });
});

describe('what is chosen', () => {
  it('is what NCCL 2.27 was seen to choose on 8 H200: a ring with LL to 1 MiB, NVLS from 2 MiB; rings to gather', () => {
    for (const sizeBytes of [2 ** 15, 2 ** 18, 2 ** 20]) expect(how({ sizeBytes })).toBe('ring ll');
    for (const sizeBytes of [2 ** 21, 2 ** 24, 2 ** 33]) expect(how({ sizeBytes })).toBe('nvls simple');
    expect(how({ kind: 'allgather', sizeBytes: 2 ** 34 })).toBe('ring simple');
    expect(how({ kind: 'reducescatter', sizeBytes: 2 ** 34 })).toBe('ring simple');
    // 4 servers of p5en, 4 GiB: a ring by default, NVLS-tree slower
    expect(how({ sizeBytes: 2 ** 32, facts: serversOf8(4) })).toBe('ring simple');
  });

  it('never is NVLS before Hopper', () => {
    expect(how({ sizeBytes: 2 ** 30, gpuType: 'A100' })).toBe('ring simple');
  });

  it('counts the latency of NVLS before the start, once, and spreads that of CollNet over its hops', () => {
    expect(choose('nccl', request({ sizeBytes: 2 ** 24 }))).toMatchObject({
      startDelayPs: 25e6,
      intraServerDelayPs: 0,
    });
    expect(choose('nccl', request({ sizeBytes: 2 ** 26, facts: serversOf8(2) }))).toMatchObject({
      algorithm: 'nvls-tree',
      // 8.5 us of the first round, up and down, are among the 25 us
      startDelayPs: 8e6,
      intraServerDelayPs: 0,
      networkDelayPs: 20.9e6,
      postPs: 1e6,
    });
  });

  it('says the version, and what it assumed', () => {
    expect(choose('nccl', request({ gpuType: '' })).reason).toMatch(
      /^NCCL 2\.28\.9: ring with LL .*; the GPU is not named: Hopper's assumed$/,
    );
    expect(choose('nccl-2.21', request({})).reason).toMatch(/^NCCL 2\.21\.5: /);
    expect(choose('nccl', request({}))).toEqual(choose('nccl-2.28', request({})));
  });
});

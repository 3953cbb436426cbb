// The channels that NCCL finds for a group, and how fast it takes each to be: rings over NVLink within a server, one
// per NIC where there are several servers, and NVLS's own.
// Invariant: the channels of a graph together never exceed what the fabric has.
// Sources: facts of NCCL 2.21.5 and 2.28.9 (nccl-figures.ts); 12 rings of a server, each run twice: graphs that NCCL
// printed of H100 (30 GB/s each, NVIDIA/nccl issue 1197) and of A100 (20 GB/s each). Over a mesh of GPUs as many rings
// as share no link, each as fast as a link. Not modelled: the search over PCIe topologies.

import type { GpuGeneration } from './gpu-generation.js';
import { effectiveLinkRateBps, gpuTypeOf } from '../fabric/gpu-types.js';
import type { GroupFacts } from './group-facts.js';

/** Channels that a search finds. */
export interface ChannelGraph {
  readonly count: number;
  /** of one channel, GB/s */
  readonly speed: number;
}

/** GB/s of all NVLinks of a GPU, as NCCL counts them: links by data sheet, times what it assumes of one. */
const nvlinkOf: Readonly<Record<GpuGeneration, number>> = {
  volta: Infinity,
  ampere: effectiveLinkRateBps(gpuTypeOf('A100')!) / 8e9,
  hopper: effectiveLinkRateBps(gpuTypeOf('H100')!) / 8e9,
  blackwell: effectiveLinkRateBps(gpuTypeOf('B200')!) / 8e9,
};
/** speeds that the search tries, within a server and between servers; of other generations any speed counts */
const hopperIntraSpeeds = [60, 50, 40, 30, 24, 20, 15, 12, 11, 6, 3];
const hopperInterSpeeds = [48, 45, 42, 40, 30, 24, 22, 20, 17.5];
/** rings of a server whose GPUs share NVSwitches */
const ringsInServer = 12;
/** Hopper's rings between servers: fewer channels than this are doubled if each is faster than that */
const hopperFewChannels = 16;
const hopperFastRing = 45;

/** The rings of a group; trees use the same channels. */
export function ringGraph(generation: GpuGeneration, facts: GroupFacts): ChannelGraph {
  const { servers } = facts;
  const nvlink = nvlinkGBps(generation, facts);
  if (servers === 1) {
    if (facts.nvlinkBps === 0)
      return { count: 1, speed: facts.pcieBps === undefined ? perGpuNetworkGBps(facts) : facts.pcieBps / 8e9 };
    if (facts.meshRings !== undefined && facts.meshRings > 0)
      return { count: facts.meshRings, speed: facts.nvlinkBps / 8e9 / (facts.ranks - 1) };
    return { count: ringsInServer, speed: speedBelow(nvlink / ringsInServer, generation, 'intra') };
  }
  const nics = nicsOf(facts);
  const nicGBps = facts.networkBps / 8e9 / nics;
  // a NIC that is faster than any speed of a channel gets several
  const count = nics * Math.max(1, Math.floor(nicGBps / hopperInterSpeeds[0]!));
  return {
    count,
    speed: speedBelow(Math.min((nicGBps * nics) / count, nvlink / count), generation, 'inter'),
  };
}

/** The channels of NVLS. @param count by generation and servers (nccl-figures.ts) */
export function nvlsGraph(generation: GpuGeneration, facts: GroupFacts, count: number): ChannelGraph {
  const nvlink = nvlinkGBps(generation, facts);
  return { count, speed: speedBelow(nvlink / count, generation, 'intra') };
}

/** How many channels run: every ring and tree twice, Hopper's few fast ones four times. */
export function runningChannels(generation: GpuGeneration, { servers }: GroupFacts, graph: ChannelGraph): number {
  const twice = 2 * graph.count;
  return generation === 'hopper' && servers > 1 && graph.speed > hopperFastRing && twice < hopperFewChannels
    ? 2 * twice
    : twice;
}

/** NICs of a server that its ranks of the group have. */
export function nicsOf({ nicsPerServer, ranksPerServer }: GroupFacts): number {
  return Math.max(1, nicsPerServer ?? ranksPerServer);
}

/**
 * What NCCL takes the NVLinks of a GPU to carry together, GB/s; of a GPU without them PCIe; infinite if no rank needs
 * them, or if there is neither and NICs are counted apart.
 */
export function nvlinkGBps(generation: GpuGeneration, { nvlinkBps, pcieBps, ranks, servers }: GroupFacts): number {
  if (ranks === servers) return Infinity;
  if (nvlinkBps === 0) return pcieBps === undefined ? Infinity : pcieBps / 8e9;
  return Math.min(nvlinkBps / 8e9, nvlinkOf[generation]);
}

/** Without NVLink the ranks of a server speak by their own links. */
function perGpuNetworkGBps(facts: GroupFacts): number {
  return Number.isFinite(facts.networkBps) && facts.networkBps > 0 ? facts.networkBps / 8e9 / nicsOf(facts) : Infinity;
}

/** The fastest that the search tries and that fits; without such a list, what fits. */
export function speedBelow(gbps: number, generation: GpuGeneration, within: 'intra' | 'inter'): number {
  if (generation !== 'hopper' || gbps === Infinity) return gbps;
  const speeds = within === 'intra' ? hopperIntraSpeeds : hopperInterSpeeds;
  return speeds.find((speed) => speed <= gbps * (1 + 1e-9)) ?? gbps;
}

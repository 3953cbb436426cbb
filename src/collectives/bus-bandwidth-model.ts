// The bus-bandwidth model of a collective: a group has one bandwidth, that of the narrowest kind of link which its
// ranks share, and a collective takes what nccl-tests' factor says that it has to move at it: time = factor x bytes /
// bandwidth. The base latency is the choice's (selection.ts).
// - within a server: NVLink of a GPU, or PCIe (its NICs, if it has neither);
//   across servers: the lesser of NVLink of a GPU and all NICs of a server, because rings enter and leave a server by
//   all of them;
// - all-to-all across servers: a GPU's share of the NICs, of which (n - L) / (n - 1) of its traffic makes use.
// Sources: communication-stack document (docs/SOURCES.md), 5.1 (size over bus bandwidth plus base latency); SimAI's
// analytical backend (docs/models/simai.md#analytical-backend).
// Not modelled: algorithms, steps, NVSwitches that add, SimAI's tables of measured ratios and constants for small
// sizes.

import { busFactor } from './bus-bandwidth.js';
import type { GroupFacts } from './group-facts.js';
import type { CollectiveKind } from './schedule.js';

/** Bandwidth that the model gives a group, in bit/s. */
export function busBandwidthBps(
  kind: CollectiveKind,
  { ranks, servers, ranksPerServer, nvlinkBps: ofNvlinkBps, pcieBps = 0, networkBps }: GroupFacts,
): number {
  const nvlinkBps = ofNvlinkBps > 0 ? ofNvlinkBps : pcieBps;
  const ownNicsBps = networkBps / ranksPerServer;
  if (servers === 1) return nvlinkBps > 0 ? nvlinkBps : ownNicsBps;
  if (kind === 'alltoall') return (ownNicsBps * (ranks - 1)) / (ranks - ranksPerServer);
  return ranks > servers && nvlinkBps > 0 ? Math.min(nvlinkBps, networkBps) : networkBps;
}

/** Time of a collective by the model, without base latency, in picoseconds. */
export function busBandwidthPs(kind: CollectiveKind, sizeBytes: number, facts: GroupFacts): number {
  return facts.ranks < 2 ? 0 : (busFactor(kind, facts.ranks) * sizeBytes * 8e12) / busBandwidthBps(kind, facts);
}

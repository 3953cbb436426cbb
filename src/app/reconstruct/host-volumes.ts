// What counters of hosts say alone: which hosts took part, and which are likely of one job. Jobs that send far more than
// others do, and take in together what they send, are groups of their own.
// Invariant: groups say in which order a dictionary tells pairs; pairs between groups stay open (pair-layout.ts).
// Not told apart: jobs whose hosts send about as much as those of others.

import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import type { Counted } from './made-counters.js';

/** Volumes of two groups are at least this many times apart. */
const farApart = 64;
/** What a group sends and what it takes in differ by this share at most, where counters are exact. */
const closedShare = 0.001;
/** Hosts of a group. */
const fewestHosts = 4;

/** What a host sent and took in; NaN where neither end of its link was read. */
interface HostVolumes {
  readonly sent: number;
  readonly taken: number;
}

/** Ranks of the hosts that sent or received, or of which that is not known, ascending. */
export function activeHosts(source: RoutedFabric, counted: Counted): Int32Array {
  return Int32Array.from(source.fabric.hosts.keys()).filter((rank) => {
    const { sent, taken } = volumesOf(rank, source, counted);
    return sent !== 0 || taken !== 0;
  });
}

/**
 * Groups of hosts, from those that send little to those that send much, each ascending; one if counters tell no more.
 * @param ranks hosts that took part @param inexact how far each counter is expected to be from exact, as a share
 */
export function volumeGroups(
  ranks: Int32Array,
  source: RoutedFabric,
  counted: Counted,
  inexact: number,
): readonly Int32Array[] {
  const hosts = Array.from(ranks, (rank) => ({ rank, ...volumesOf(rank, source, counted) }));
  if (hosts.some(({ sent, taken }) => Number.isNaN(sent + taken))) return [ranks];
  hosts.sort((a, b) => most(a) - most(b));
  const groups: Int32Array[] = [];
  let [begin, sent, taken] = [0, 0, 0];
  const close = (end: number): void => {
    groups.push(Int32Array.from(hosts.slice(begin, end), ({ rank }) => rank).sort());
    [begin, sent, taken] = [end, 0, 0];
  };
  hosts.forEach((own, i) => {
    const isFar = i > 0 && most(own) >= farApart * most(hosts[i - 1]!);
    const isClosed = Math.abs(sent - taken) <= (closedShare + 2 * inexact) * Math.max(sent, taken);
    if (isFar && isClosed && Math.min(i - begin, hosts.length - i) >= fewestHosts) close(i);
    sent += own.sent;
    taken += own.taken;
  });
  close(hosts.length);
  return groups;
}

function most({ sent, taken }: HostVolumes): number {
  return Math.max(sent, taken);
}

function volumesOf(rank: number, { fabric }: RoutedFabric, { counters, received }: Counted): HostVolumes {
  const port = fabric.portOffset[fabric.hosts[rank]!]!;
  const lanes = counters.length / fabric.portCount;
  const through = (own: number): number => {
    const sum = counters.subarray(own * lanes, (own + 1) * lanes).reduce((all, lane) => all + lane, 0);
    return Number.isNaN(sum) ? received[own]! : sum;
  };
  return { sent: through(port), taken: through(fabric.portPeer[port]!) };
}

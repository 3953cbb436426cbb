// The counters of a run of the packet backend, all of which are there.

import type { PacketCounters } from '../../src/backends/packet/packet-counters.js';
import type { NetworkCounters } from '../../src/execution/network.js';

/** @throws Error if they are another backend's */
export function packetCounters({ counters }: { readonly counters: NetworkCounters }): PacketCounters {
  if (counters['packetHops'] === undefined) throw new Error('a run without packets has no counters of packets');
  return counters as PacketCounters;
}

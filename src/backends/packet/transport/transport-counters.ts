// What every transport counts, at the start of a run.

import type { TransportCounters } from '../plug-ins.js';

/**
 * Counters at 0. Those of bytes begin as -0: an integer 0 would make V8 lay the field out for small integers and
 * compile every reader again once it outgrows them.
 */
export function newTransportCounters(): TransportCounters {
  return {
    payloadBytesDelivered: -0,
    retransmittedBytes: -0,
    retransmittedPackets: 0,
    timeouts: 0,
    timeoutWaitPs: 0,
    longestTimeoutWaitPs: 0,
    duplicatePackets: 0,
    dataPacketsSent: 0,
    dataPacketsDelivered: 0,
    acknowledgementsSent: 0,
    acknowledgementsDelivered: 0,
    notifications: 0,
  };
}

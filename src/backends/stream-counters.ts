// What a network without packets counts: its events and the payload that arrived. Everything else is 0: it does not
// happen there.

import type { NetworkCounters } from '../execution/network.js';

/** Counters of a network that has no packets. */
export function streamCounters(events: number, payloadBytesDelivered: number): NetworkCounters {
  return {
    events,
    payloadBytesDelivered,
    packetHops: 0,
    dataPacketsSent: 0,
    dataPacketsDelivered: 0,
    acknowledgementsSent: 0,
    acknowledgementsDelivered: 0,
    notifications: 0,
    packetsDropped: 0,
    packetsLost: 0,
    ecnMarks: 0,
    pauseFrames: 0,
    resumeFrames: 0,
    pauseRefreshes: 0,
    pausesExpired: 0,
    pauseFramesLost: 0,
    retransmittedBytes: 0,
    timeouts: 0,
    peakPacketsInFlight: 0,
  };
}

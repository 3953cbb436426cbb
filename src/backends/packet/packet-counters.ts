// What the packet backend counts: totals of a run, whole numbers in float64. What each means: report/figures/counters.ts.
// Invariant: the names are those that a network has; a test sees to it.

import type { NetworkCounters } from '../../execution/network.js';

/** The names of all of them. */
export const packetCounterNames = [
  'events',
  'payloadBytesDelivered',
  // link traversals by data and acknowledgement packets
  'packetHops',
  'dataPacketsSent',
  'dataPacketsDelivered',
  // all that receivers send: ACKs, NACKs and CNPs; notifications: those that tell their sender of a mark
  'acknowledgementsSent',
  'acknowledgementsDelivered',
  'notifications',
  // no room in the buffer of a switch; the payload alone gone there; by loss model, error rate, failed link, no route
  'packetsDropped',
  'packetsTrimmed',
  'packetsLost',
  'ecnMarks',
  'pauseFrames',
  'resumeFrames',
  // pauses sent again because they would have run out; that ran out at the paused port; lost to error rates
  'pauseRefreshes',
  'pausesExpired',
  'pauseFramesLost',
  'retransmittedBytes',
  'retransmittedPackets',
  // senders that went back because nothing was acknowledged in time
  'timeouts',
  'peakPacketsInFlight',
  'duplicatePackets',
  'timeoutWaitPs',
  'longestTimeoutWaitPs',
] as const;

export type PacketCounters = NetworkCounters & Readonly<Record<(typeof packetCounterNames)[number], number>>;

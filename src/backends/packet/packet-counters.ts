// What the packet backend counts. Invariant: the names are those that a network has; a test sees to it.

import type { NetworkCounters } from '../../execution/network.js';

/** Totals of a run; all whole numbers in float64. */
export interface PacketCounters extends NetworkCounters {
  /** link traversals by data and acknowledgement packets */
  readonly packetHops: number;
  readonly dataPacketsSent: number;
  readonly dataPacketsDelivered: number;
  /** all that receivers send: ACKs, NACKs and CNPs */
  readonly acknowledgementsSent: number;
  readonly acknowledgementsDelivered: number;
  /** those of them that tell their sender of an ECN mark */
  readonly notifications: number;
  /** packets that found no room in the buffer of a switch */
  readonly packetsDropped: number;
  /** data packets that lost their payload in a switch, where they would have been dropped */
  readonly packetsTrimmed: number;
  /** packets lost to a loss model or the error rate of a link, to a failed link, or for want of a route */
  readonly packetsLost: number;
  readonly ecnMarks: number;
  readonly pauseFrames: number;
  readonly resumeFrames: number;
  /** pauses that were sent again because they would have run out */
  readonly pauseRefreshes: number;
  /** pauses that ran out at the paused port */
  readonly pausesExpired: number;
  /** flow-control frames lost to the error rate of a link */
  readonly pauseFramesLost: number;
  readonly retransmittedBytes: number;
  /** data packets that were sent again */
  readonly retransmittedPackets: number;
  /** senders that went back because nothing was acknowledged in time */
  readonly timeouts: number;
  readonly peakPacketsInFlight: number;
}

/** The names of all of them. */
export const packetCounterNames: readonly string[] = [
  'events',
  'payloadBytesDelivered',
  'packetHops',
  'dataPacketsSent',
  'dataPacketsDelivered',
  'acknowledgementsSent',
  'acknowledgementsDelivered',
  'notifications',
  'packetsDropped',
  'packetsTrimmed',
  'packetsLost',
  'ecnMarks',
  'pauseFrames',
  'resumeFrames',
  'pauseRefreshes',
  'pausesExpired',
  'pauseFramesLost',
  'retransmittedBytes',
  'retransmittedPackets',
  'timeouts',
  'peakPacketsInFlight',
  'duplicatePackets',
  'timeoutWaitPs',
  'longestTimeoutWaitPs',
];

// The contract between the executor and any network that carries flows: who calls whom, and when.
// Invariant: a network calls its driver only from inside advance(); equal times run in scheduling order.

import type { Frontier } from './frontier.js';

/**
 * running: more events wait · starved: work is needed from the source before time may go on · blocked: unfinished flows
 * but no event left · finished: nothing left · stopped: the user asked
 */
export type RunState = 'running' | 'starved' | 'blocked' | 'finished' | 'stopped';

/** What a network calls back. */
export interface Driver {
  /** All bytes of the flow in this slot are acknowledged. The slot is the executor's again when this returns. */
  finished(slot: number, nowPs: number): void;
  /** The time asked for with wakeAt has come. @returns true to make advance() return at once */
  wake(token: number, nowPs: number): boolean;
}

/** Totals that every network reports; all whole numbers in float64. */
export interface NetworkCounters {
  events: number;
  /** link traversals by data and acknowledgement packets */
  packetHops: number;
  dataPacketsSent: number;
  dataPacketsDelivered: number;
  /** all that receivers send: ACKs, NACKs and CNPs */
  acknowledgementsSent: number;
  acknowledgementsDelivered: number;
  /** those of them that tell their sender of an ECN mark */
  notifications: number;
  packetsDropped: number;
  /** packets lost to the error rate of a link, to a failed link, or for want of a route */
  packetsLost: number;
  ecnMarks: number;
  pauseFrames: number;
  resumeFrames: number;
  /** pauses that were sent again because they would have run out */
  pauseRefreshes: number;
  /** pauses that ran out at the paused port */
  pausesExpired: number;
  /** flow-control frames lost to the error rate of a link */
  pauseFramesLost: number;
  retransmittedBytes: number;
  /** senders that went back because nothing was acknowledged in time */
  timeouts: number;
  payloadBytesDelivered: number;
  peakPacketsInFlight: number;
}

/** One self-check of a run. */
export interface Verdict {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

export interface Network {
  readonly nowPs: number;
  readonly counters: NetworkCounters;
  attach(driver: Driver, frontier: Frontier): void;
  /** Starts the flow in a frontier slot; its columns are complete. */
  start(slot: number, nowPs: number): void;
  /** Calls the driver's wake(token) at a time not before now. */
  wakeAt(timePs: number, token: number): void;
  /** The state of a link (LinkStates) has just changed. */
  linkChanged(link: number): void;
  /** Routes have just changed: everything under way takes the new ones. */
  routesChanged(): void;
  /** No flow will start any more: advance ends once nothing is in flight, without waiting for idle timers. */
  drain(): void;
  /** Runs up to maxEvents events. @returns false when no event is left */
  advance(maxEvents: number): boolean;
  /** Of a blocked run: why, in words; empty if that is not known. */
  blockedReason(): string;
  /** The run has ended: its last records go out. */
  close(): void;
  /**
   * Checks of its own state: of a finished run nothing may be left anywhere, of a blocked one the cause is looked for.
   */
  verdicts(state: RunState): Verdict[];
}

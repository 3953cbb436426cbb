// The contract between the executor and any network that carries flows: who calls whom, and when.
// Invariant: a network calls its driver only from inside advance(); equal times run in scheduling order.

import type { Frontier } from './frontier.js';

/**
 * running: more events wait · starved: work is needed from the source before time may go on · blocked: unfinished flows
 * but no event left · finished: nothing left · ended: the run was to end at this time, whatever is unfinished ·
 * stopped: the user asked
 */
export type RunState = 'running' | 'starved' | 'blocked' | 'finished' | 'ended' | 'stopped';

/** True of a run that was cut off: nobody expects that all of its work is done. */
export function wasCut(state: RunState): boolean {
  return state === 'ended' || state === 'stopped';
}

/** What a network calls back. */
export interface Driver {
  /** All bytes of the flow in this slot are acknowledged. The slot is the executor's again when this returns. */
  finished(slot: number, nowPs: number): void;
  /**
   * All bytes of the queue pair in this slot have left its sender; again, if they leave again. Left out: nobody asks. A
   * network that does not tell: they count as having left when the flow has finished.
   */
  sent?: ((slot: number, nowPs: number) => void) | undefined;
  /** The time asked for with wakeAt has come. @returns true to make advance() return at once */
  wake(token: number, nowPs: number): boolean;
  /**
   * Of a network whose paths are `per-packet`: data of the queue pair in this slot takes an output port, the sender's
   * or a switch's, for the first time. A port is told after the one that leads to it.
   */
  took(slot: number, port: number): void;
}

/**
 * Totals of a network by name; all whole numbers in float64. A name is there exactly if the network counts it: what
 * does not happen in a network is absent, not 0. `dataPacketsSent`, where there is one, tells a run that goes in
 * circles.
 */
export interface NetworkCounters {
  readonly events: number;
  readonly payloadBytesDelivered: number;
  readonly [name: string]: number;
}

/** One self-check of a run. */
export interface Verdict {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
  /** what has to be known first, where it is known: why a run is blocked */
  readonly cause?: string;
}

/** What a backend is to the executor: the one interface of all, large because backends differ in what they tell. */
export interface Network {
  readonly nowPs: number;
  /**
   * fixed: a queue pair takes the one path that its ports and the routes in force give it (PathTracer), until routes
   * change or it is rerouted · per-packet: any path, and the driver is told with `took` which
   */
  readonly paths: 'fixed' | 'per-packet';
  readonly counters: NetworkCounters;
  attach(driver: Driver, frontier: Frontier): void;
  /** Starts the flow in a frontier slot; its columns are complete. */
  start(slot: number, nowPs: number): void;
  /** Calls the driver's wake(token) at a time not before now. @param token a whole number from 0 to 2^26 */
  wakeAt(timePs: number, token: number): void;
  /** The state of a link (LinkStates) has just changed. */
  linkChanged(link: number): void;
  /** Routes have just changed: everything under way takes the new ones. */
  routesChanged(): void;
  /**
   * The source port of the queue pair in this slot, which is under way, has just changed: what it sends from now on
   * takes the path of the new one. Only if the network was told when it was made that paths may change.
   */
  reroute(slot: number): void;
  /**
   * What output ports send, in bit/s. Left out: it has no ports that send. Only if the network was told when it was
   * made that ports are counted.
   * @param into by output port
   * @returns over how long that is the average, the time since it was asked last, in picoseconds; 0: these are the
   * rates of now, of a network without packets
   */
  portRates?(into: Float64Array): number;
  /** No flow will start any more: advance ends once nothing is in flight, without waiting for idle timers. */
  drain(): void;
  /** Runs up to maxEvents events. @returns false when no event is left */
  advance(maxEvents: number): boolean;
  /** Nothing is left to happen. Left out: that is not known. */
  readonly isIdle?: boolean;
  /**
   * Payload of the queue pair in this slot, which is under way, that has reached its receiver, in order where there are
   * packets: whole bytes. Left out: it is known of finished flows alone.
   */
  deliveredBytes?(slot: number): number;
  /** Of a blocked run: why, in words; empty if that is not known. */
  blockedReason(): string;
  /** The run has ended: its last records go out. */
  close(): void;
  /**
   * Checks of its own state: of a finished run nothing may be left anywhere, of a blocked one the cause is looked for.
   */
  verdicts(state: RunState): Verdict[];
}

// How long a sender without progress waits before it sends again, and how often: the retransmission timeouts of a run.
// A time that is given holds for every wait. Derived (`auto`) where packets may be lost, the first wait is what a
// packet and its acknowledgement take past one congested link: the largest base round trip of the fabric, and a switch
// buffer that is full of packets for one port, the slowest. Every further wait without progress is twice as long, up to
// the longest, which is 16 ms, or two round trips where these are longer; the sender gives up when it has waited as
// long in all as it would with the longest alone. Where nothing can be lost, waits are the longest: a timeout could
// only be needless.
// Invariant: there is at least one wait; derived ones are longer than the largest round trip, never become shorter, and
// together are at least (retries + 1) x the longest, so that no sender gives up earlier because its first wait is
// short.
// Source: Mittal et al., "Revisiting Network Support for RDMA", SIGCOMM 2018, 4.1 (RTO_low, RTO_high); RFC 6298, 5.5
// (doubling); docs/decisions/0010-timeouts-by-round-trip-by-default.md.
// Not modelled: timeouts by round trips measured (RFC 6298, 2), or for each pair of hosts; packets that PFC holds in
// several full buffers for longer than the first wait: what they see is a needless timeout, which the report says.

import { type Fabric, NodeKind } from '../../../fabric/fabric.js';
import type { PacketSettings } from '../settings.js';

/** the longest wait that is derived where round trips are shorter, and the time of the profile simai */
const usualLongestPs = 16e9;
/** the shortest: the interval in which a receiver repeats a NACK by default */
const leastWaitPs = 500e6;
/** the shortest RTO_low that is derived: the paper's, at its round trip of 24 us */
const leastLowWaitPs = 100e6;

/** looks at all senders in the first wait */
const looksOfFirst = 4;

/** The waits of a run, counted in looks at all senders. */
export interface RetransmissionWaits {
  /** time between two looks; 0: senders wait for ever */
  readonly lookIntervalPs: number;
  /** looks without progress that make each timeout in a row; after the last the sender gives up */
  readonly looks: Uint32Array;
}

/** What the waits are derived from. */
export interface WaitParts {
  readonly fabric: Fabric;
  readonly settings: Pick<PacketSettings, 'queuePair' | 'switch'>;
  /** links fail or lose packets, or switches drop */
  readonly mayLosePackets: boolean;
  /** the largest base round trip, asked for only if it is needed */
  readonly largestRttPs: () => number;
}

/** The waits of a run: as given, or derived. */
export function retransmissionWaits(parts: WaitParts): RetransmissionWaits {
  const { retransmissionTimeout, retries } = parts.settings.queuePair;
  const isDerived = retransmissionTimeout === 'auto' && parts.mayLosePackets;
  if (!isDerived) {
    const timeoutPs = retransmissionTimeout === 'auto' ? longestWaitPs(parts) : retransmissionTimeout;
    return {
      lookIntervalPs: Math.ceil(timeoutPs / looksOfFirst),
      looks: new Uint32Array(retries + 1).fill(looksOfFirst),
    };
  }
  const lookIntervalPs = Math.ceil(firstWaitPs(parts) / looksOfFirst);
  const longestPs = longestWaitPs(parts);
  const most = Math.ceil(longestPs / lookIntervalPs);
  const patience = Math.ceil(((retries + 1) * longestPs) / lookIntervalPs);
  const looks: number[] = [];
  for (let wait = looksOfFirst, waited = 0; waited < patience; wait = Math.min(2 * wait, most)) {
    looks.push(wait);
    waited += wait;
  }
  return { lookIntervalPs, looks: Uint32Array.from(looks) };
}

/** The waits of senders that have a timer each (sender-timers.ts), in picoseconds; Infinity: they wait for ever. */
export interface SenderWaits {
  /** with few packets in flight, and with more */
  readonly lowPs: number;
  readonly highPs: number;
  /** each wait without progress is twice as long as the one before, up to the longest */
  readonly isDoubled: boolean;
  readonly longestPs: number;
  /** the sender gives up with the timeout after so many in a row, or once it has waited so long in all */
  readonly mostTimeouts: number;
  readonly patiencePs: number;
}

/**
 * The waits of a run whose senders have a timer each: the high one is the first wait of the others, the low one, if it
 * is not given, four round trips (the paper: 100 us at 24 us), at least 100 us, and not above the high one.
 */
export function senderWaits(parts: WaitParts, lowTimeout: number | 'auto'): SenderWaits {
  const { retransmissionTimeout, retries } = parts.settings.queuePair;
  if (retransmissionTimeout === 0)
    return {
      lowPs: Infinity,
      highPs: Infinity,
      isDoubled: false,
      longestPs: Infinity,
      mostTimeouts: 0,
      patiencePs: Infinity,
    };
  const isAuto = retransmissionTimeout === 'auto';
  const longestPs = isAuto ? longestWaitPs(parts) : retransmissionTimeout;
  const highPs = !isAuto ? retransmissionTimeout : parts.mayLosePackets ? firstWaitPs(parts) : longestPs;
  const derivedLowPs = isAuto && !parts.mayLosePackets ? highPs : Math.max(leastLowWaitPs, 4 * parts.largestRttPs());
  return {
    lowPs: lowTimeout === 'auto' ? Math.min(highPs, derivedLowPs) : lowTimeout,
    highPs,
    isDoubled: isAuto,
    longestPs,
    mostTimeouts: isAuto ? Infinity : retries,
    patiencePs: isAuto ? (retries + 1) * longestPs : Infinity,
  };
}

/** The longest wait of a run whose waits are derived: 16 ms, or two round trips where these are longer. */
export function longestWaitPs({ largestRttPs }: Pick<WaitParts, 'largestRttPs'>): number {
  return Math.max(usualLongestPs, 2 * largestRttPs());
}

/** The first wait of a run whose waits are derived, in picoseconds. */
export function firstWaitPs(parts: WaitParts): number {
  const { largestRttPs, settings, fabric } = parts;
  const waitPs = derivedWaitPs(largestRttPs(), settings.switch.buffer, slowestSwitchBps(fabric));
  return Math.min(waitPs, longestWaitPs(parts));
}

/**
 * The first wait, in picoseconds, as long as it may be: the round trip and what queues, which is at least an eighth of
 * it for what a base round trip leaves out (headers, gaps, the transmission of acknowledgements).
 * @param portBps rate of the port for which a full buffer waits; Infinity if nothing queues
 */
export function derivedWaitPs(roundTripPs: number, bufferBytes: number, portBps: number): number {
  const queuedPs = Math.max((bufferBytes * 8e12) / portBps, roundTripPs / 8);
  return Math.max(leastWaitPs, Math.ceil(roundTripPs + queuedPs));
}

/** The rate of the slowest port of switches and NVSwitches; Infinity without any. */
function slowestSwitchBps(fabric: Fabric): number {
  let slowest = Infinity;
  for (let port = 0; port < fabric.portCount; port++) {
    if (fabric.nodeKind[fabric.portNode[port]!] !== NodeKind.host)
      slowest = Math.min(slowest, fabric.linkRateBps[fabric.portLink[port]!]!);
  }
  return slowest;
}

// How long a sender without progress waits before it sends again, and how often: the retransmission timeouts of a run.
// A time that is given holds for every wait. Derived (`auto`) where packets may be lost, the first wait is what a packet
// and its acknowledgement take past one congested link: the largest base round trip of the fabric, and a switch buffer
// that is full of packets for one port, the slowest. Every further wait without progress is twice as long, up to the
// longest; the sender gives up when it has waited as long in all as it would with the longest alone. Where nothing can
// be lost, waits are the longest: a timeout could only be needless.
// Invariant: there is at least one wait; derived ones never become shorter, and together are at least (retries + 1) x
// the longest, so that no sender gives up earlier because its first wait is short.
// Source: Mittal et al., "Revisiting Network Support for RDMA", SIGCOMM 2018, 4.1 (RTO_high); RFC 6298, 5.5 (doubling);
// docs/decisions/0010-timeouts-by-round-trip-by-default.md.
// Not modelled: timeouts by round trips measured (RFC 6298, 2), or for each pair of hosts; packets that PFC holds in
// several full buffers for longer than the first wait: what they see is a needless timeout, which the report says.

import { type Fabric, NodeKind } from '../../../fabric/fabric.js';
import type { PacketSettings } from '../settings.js';

/** the longest wait that is derived, and the time of the profile simai */
export const longestWaitPs = 16e9;
/** the shortest: the interval in which a receiver repeats a NACK by default */
const leastWaitPs = 500e6;

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
    const timeoutPs = retransmissionTimeout === 'auto' ? longestWaitPs : retransmissionTimeout;
    return {
      lookIntervalPs: Math.ceil(timeoutPs / looksOfFirst),
      looks: new Uint32Array(retries + 1).fill(looksOfFirst),
    };
  }
  const firstPs = derivedWaitPs(parts.largestRttPs(), parts.settings.switch.buffer, slowestSwitchBps(parts.fabric));
  const lookIntervalPs = Math.ceil(firstPs / looksOfFirst);
  const most = Math.ceil(longestWaitPs / lookIntervalPs);
  const patience = Math.ceil(((retries + 1) * longestWaitPs) / lookIntervalPs);
  const looks: number[] = [];
  for (let wait = looksOfFirst, waited = 0; waited < patience; wait = Math.min(2 * wait, most)) {
    looks.push(wait);
    waited += wait;
  }
  return { lookIntervalPs, looks: Uint32Array.from(looks) };
}

/**
 * The first wait, in picoseconds.
 * @param portBps rate of the port for which a full buffer waits; Infinity if nothing queues
 */
export function derivedWaitPs(roundTripPs: number, bufferBytes: number, portBps: number): number {
  const waitPs = Math.ceil(roundTripPs + (bufferBytes * 8e12) / portBps);
  return Math.min(Math.max(waitPs, leastWaitPs), longestWaitPs);
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

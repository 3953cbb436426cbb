// What the buffers of lanes must hold for links to be busy: a credit comes back a round trip after its packet was
// begun, and what a link sends in that time needs room. `credit.buffer: auto` is derived from it, link by link.
// Equations: docs/models/credit.md, "How much a buffer must hold"; InfiniBand Architecture Specification vol. 1, 7.9.
// Invariant: a lone lane whose buffer is `neededBytes` or more is never held back by the credits of its own link.

import { type Fabric, NodeKind } from '../../fabric/fabric.js';
import { portLatencyPs } from '../../fabric/forwarding-latency.js';
import { portRateBps } from '../../fabric/receive-speed.js';

/** The least that `auto` gives a lane: what a switch has where cables are short. */
const leastDerivedBytes = 64 * 1024;

/** What the round trip of credits depends on beside the link. */
export interface CreditRound {
  /** of a full packet on the link, headers and gap included */
  readonly fullBytes: number;
  readonly headerBytes: number;
  readonly cutsThrough: boolean;
  readonly acceptsAtOutput: boolean;
  /** beside the latency of the cable */
  readonly returnLatencyPs: number;
}

/** What the ports go by. */
export interface PortRules extends CreditRound {
  /** what an output accepts and what it has sent and no credit is back for share its buffer */
  readonly sharesBuffer: boolean;
  readonly lanes: number;
  /** by port: of each lane, at the far end of its link */
  readonly bufferBytes: Float64Array;
}

/**
 * From the beginning of a full packet's transmission at a port until its credits are back, if nothing is in its way.
 */
function creditRoundPs(fabric: Fabric, port: number, round: CreditRound): number {
  const rateBps = portRateBps(fabric, port);
  const fullPs = (round.fullBytes * 8e12) / rateBps;
  const endsThere = fabric.nodeKind[fabric.portNode[fabric.portPeer[port]!]!] === NodeKind.host;
  const inPs = round.cutsThrough && !endsThere ? Math.min(fullPs, (round.headerBytes * 8e12) / rateBps) : fullPs;
  const outPs = endsThere || round.acceptsAtOutput ? 0 : fullPs;
  const backPs = fabric.linkLatencyPs[fabric.portLink[port]!]! + round.returnLatencyPs;
  return inPs + portLatencyPs(fabric, port) + outPs + backPs;
}

/** The smallest buffer with which a lane of a port has all of its link, in bytes: whole packets. */
export function neededBytes(fabric: Fabric, port: number, round: CreditRound): number {
  const packets = (creditRoundPs(fabric, port, round) * portRateBps(fabric, port)) / (round.fullBytes * 8e12);
  // a round trip of exactly so many packets needs no other one
  return Math.max(1, Math.ceil(packets - 1e-9)) * round.fullBytes;
}

/** The most that a lane of a port sends with a buffer, in bit/s on the link: whole packets in each round trip. */
export function reachedRateBps(fabric: Fabric, port: number, round: CreditRound, bufferBytes: number): number {
  const packets = Math.floor(bufferBytes / round.fullBytes);
  const creditBps = (packets * round.fullBytes * 8e12) / creditRoundPs(fabric, port, round);
  return Math.min(portRateBps(fabric, port), creditBps);
}

/**
 * The buffer of a lane at the far end of each port.
 * @param buffer in bytes; auto: what the link needs and a packet more, at least {@link leastDerivedBytes}
 */
export function laneBufferBytes(fabric: Fabric, round: CreditRound, buffer: number | 'auto'): Float64Array {
  return Float64Array.from(fabric.portLink, (_, port) =>
    buffer === 'auto' ? Math.max(leastDerivedBytes, neededBytes(fabric, port, round) + round.fullBytes) : buffer,
  );
}

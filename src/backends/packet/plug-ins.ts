// The kinds of mechanism that can be exchanged, one interface each. Implementations live in the folder of their kind,
// stand in the catalogue (mechanisms.ts), are chosen by words in the scenario, and never import each other's kind. What
// they are made from: parts.ts. Timers: each registers its own (engine/alarms.ts, pair-alarms.ts). State by queue pair
// or by packet: side-columns.ts.

import type { Verdict } from '../../execution/network.js';

/** How data gets there reliably: what a queue pair sends next, and what sender and receiver do with what arrives. */
export interface Transport {
  readonly counters: TransportCounters;
  /** senders that stopped trying after too many timeouts in a row */
  readonly gaveUp: number;
  /** True if the queue pair has a byte that it may send now, as far as window and data go. */
  canSend(pair: number): boolean;
  /**
   * Writes the next data packet of a queue pair that canSend into an allocated packet record (kind, bytes, sequence).
   */
  fill(pair: number, packet: number): void;
  /** A data packet has reached its host. The packet is the transport's: it answers with it or releases it. */
  receiveData(packet: number, pair: number): void;
  /** An ACK, NACK or CNP has reached its host. The packet is the transport's: it releases it. */
  receiveAcknowledgement(packet: number, pair: number): void;
  /**
   * True if its receivers understand data packets without their payload (switch/trimming.ts); left out: they do not.
   */
  readonly readsTrimmed?: boolean;
  /** What it says of packets besides, for records of lost ones; left out: nothing. */
  readonly labels?: PacketLabels;
}

/** What a transport that repeats by maps says of its packets. */
export interface PacketLabels {
  /** how often the packet was asked for before: 0 for new data and acknowledgements */
  tierOf(packet: number): number;
  /** number of the OmniNACK that it answers, or is; 0: none */
  nackOf(packet: number): number;
  /** where the receiver keeps the map that it answers or tells; -1: nowhere */
  placeOf(packet: number): number;
}

/** Totals of a run. */
export interface TransportCounters {
  payloadBytesDelivered: number;
  retransmittedBytes: number;
  /** data packets that were sent before, or are about to be sent again by a sender that went back */
  retransmittedPackets: number;
  timeouts: number;
  /** picoseconds that queue pairs stood still before these timeouts: all of them, and the most of one */
  timeoutWaitPs: number;
  longestTimeoutWaitPs: number;
  /** data packets that their receiver had already */
  duplicatePackets: number;
  dataPacketsSent: number;
  dataPacketsDelivered: number;
  /** all that receivers send: ACKs, NACKs and CNPs */
  acknowledgementsSent: number;
  acknowledgementsDelivered: number;
  /** those of them that tell their sender of a mark */
  notifications: number;
}

/** What data packets collect on their way for the congestion control of their sender. */
export interface PacketTelemetry {
  /** A data packet leaves its host. */
  departed(packet: number): void;
  /**
   * A switch port starts to send a data packet.
   * @param linkBytes what it takes of the link, gap included; queueBytes: what stays behind it
   */
  stamp(packet: number, port: number, linkBytes: number, queueBytes: number): void;
  /** A port starts to send what carries no stamp but takes link time: an acknowledgement, or data that begin there. */
  passed(port: number, linkBytes: number): void;
}

/** Sees data packets at both ends of their way, for probes. */
export interface PacketWatcher {
  /** A data packet leaves its host by a port. */
  departed(packet: number, port: number): void;
  /** A data packet has reached its destination. */
  arrived(packet: number, pair: number): void;
}

/** How fast a queue pair may send, or how much at once: it sets one of the two through SendControl. */
export interface CongestionControl {
  /** A queue pair starts: at line rate, with the whole window. */
  start(pair: number): void;
  /**
   * An acknowledgement has arrived that does not end the flow.
   * @param marked not 0 if its data packet was marked by a switch
   * @param packet the acknowledgement's record, with what telemetry it brought
   */
  acknowledged(pair: number, marked: number, packet: number): void;
  /** A mark has been told by a packet of its own. */
  notified(pair: number): void;
}

/** What a congestion control asks of the network. */
export interface SendControl {
  /** Sets the rate in bit/s; pacing and the variable window follow from the next packet on. */
  setRate(pair: number, rateBps: number): void;
  /**
   * Sets how many bytes of payload may be in flight, within the window of the settings. From a packet on, packets leave
   * at line rate; below one, they are paced to so many bytes per round trip.
   */
  setWindow(pair: number, windowBytes: number, roundTripPs: number): void;
}

/**
 * A congestion control of windows for a transport that tells it more than marks: round trips, trimmed and lost packets.
 * Bytes are with headers.
 */
export interface WindowControl {
  /** A sender begins, with its largest window. @param baseRttPs of the pair without queues */
  start(pair: number, baseRttPs: number, lineRateBps: number, largestWindowBytes: number): void;
  /** What may be in flight, in bytes. */
  windowOf(pair: number): number;
  largestWindowOf(pair: number): number;
  /**
   * Packets have been acknowledged.
   * @param bytes of what is newly acknowledged
   * @param rttPs of the packet that the acknowledgement answers
   * @param inFlightBytes after it
   */
  acknowledged(
    pair: number,
    bytes: number,
    rttPs: number,
    isMarked: boolean,
    inFlightBytes: number,
    nowPs: number,
  ): void;
  /** A packet has come to its receiver without its payload. @param bytes it had @param inFlightBytes without it */
  trimmed(pair: number, bytes: number, inFlightBytes: number, nowPs: number): void;
  /** A packet is taken for lost. @param bytes it had */
  lost(pair: number, bytes: number): void;
}

/** What flow controls count, by name (execution/network.ts). */
export type FlowControlCounters = Readonly<Record<string, number>>;

/**
 * How congestion in a switch holds back those who send into it. Several may be at work at once. A frame (Kind.pause,
 * Kind.resume: over one link) or a control packet (Kind.control: routed) carries the signature of the flow control that
 * sent it, and comes back to it.
 */
export interface FlowControl extends ControlOwner {
  /** what it adds to the counters of the run */
  readonly counters: FlowControlCounters;
  /** True if it promises that no packet is dropped. */
  readonly isLossless: boolean;
  /** Why a packet may be dropped all the same in this run, in words; null: a drop breaks the promise. */
  excuse(): string | null;
  /** Checks of a finished run: nobody may be held any more. */
  verdicts(): Verdict[];
  /**
   * A packet that came in by `ingress` was put into the buffer for `egress`.
   * @param isCrowded its ingress queue is at its threshold or beyond
   */
  admitted(packet: number, node: number, ingress: number, egress: number, queue: number, isCrowded: boolean): void;
  /** A packet that had come in by `ingress` has left the buffer, and is on the wire of `egress`. */
  vacated(packet: number, node: number, ingress: number, egress: number, queue: number): void;
  /**
   * The link of a port went down: this end forgets that it paused the other end or was paused by it. Called for both
   * ends.
   */
  linkWentDown(port: number): void;
  /** what it holds back in switches where it comes from its host; null or left out: nothing */
  readonly stops?: PacketStops | null;
}

/** Holds data packets back at the switch that they come to from their host. */
export interface PacketStops {
  /** Whether a data packet that has come in by a port is to wait. */
  stops(packet: number, ingress: number): boolean;
  /** That packet stands in the switch's buffer: it is kept until it is released. */
  keep(packet: number, ingress: number, egress: number): void;
  use(receiver: HeldReceiver): void;
}

/** Serves ports on behalf of whoever owns them. */
export interface PortOwner {
  /** A queue of a port may send again. */
  resume(port: number): void;
}

/** Hears of pauses by priority flow control before they take effect. */
export interface PauseListener {
  /** A queue of a port is paused, or goes on. @returns true if the port is to ignore it */
  paused(port: number, queue: number, isPaused: boolean): boolean;
}

/** Sees pauses begin and end, for probes. An index is a port x 8 + queue. */
export interface PauseWatcher {
  /** A port pauses its upstream because of a packet for an output port. */
  began(nowPs: number, port: number, egress: number, queue: number): void;
  /** A port resumes its upstream. */
  ended(nowPs: number, index: number): void;
  /** The number that a port's pause has here, for its frame to carry; -1 if there is none. */
  decidedAt(index: number): number;
  /** The pause of this number holds a port from now on. */
  held(index: number, pause: number): void;
  /** A port goes on. */
  released(index: number): void;
  /**
   * A host is paused from elsewhere: as if the port of its switch had done it because of an output port of any switch.
   * @returns the number of the pause for endedElsewhere; -1 if none is kept
   */
  beganElsewhere(nowPs: number, port: number, egress: number, queue: number): number;
  /** Such a pause is over. */
  endedElsewhere(nowPs: number, pause: number): void;
}

/** What Balancing.next says of a packet that cannot go on: it is lost. */
export const noRoute = -1;
/** What Balancing.next says of a packet whose way ends at this very switch, an NVSwitch. */
export const arrivedHere = -2;

/** What Balancing.next says of a packet that has to wait at this switch: Balancing.holding takes it. */
export const held = -3;

/** Takes packets that have waited: at the end of an output port's queue. Their buffer is theirs since they came. */
export interface HeldReceiver {
  release(packet: number, port: number): void;
}

/** Holds packets back at a switch. */
export interface PacketHolding {
  /** the output port of the packet of which next has just said held */
  readonly port: number;
  /**
   * That packet stands in the switch's buffer: it is kept until it is released. A packet that finds no room is dropped.
   */
  keep(packet: number, ingress?: number, egress?: number): void;
  use(receiver: HeldReceiver): void;
}

/** Gets back the frames and control packets that it sent, to release them. */
export interface ControlOwner {
  /** A frame has arrived at a port, or a control packet at its destination by a port, or where it was intercepted. */
  received(packet: number, port: number): void;
  /** Whether a control packet that has come in by a port of a switch, on its way, is taken there; left out: none is. */
  intercepts?(packet: number, port: number): boolean;
  /** A frame or control packet is lost on its way. */
  lost(packet: number): void;
}

/** What a balancing is told that learns from what becomes of packets. */
export interface PathFeedback {
  /** A data packet has reached its receiver, which answers it, or does not, before `answered` is called. */
  arriving(packet: number, isTrimmed: boolean): void;
  answered(): void;
  /** An acknowledgement, or whatever else a receiver sends, has come back to the sender. */
  returned(packet: number, pair: number): void;
  /** A sender takes packets for lost because nothing has been heard of them for too long. */
  timedOut(pair: number): void;
}

/** What switches hold back so that packets arrive in order, by node; for probes. */
export interface ReorderState {
  readonly queuesOfSwitch: Int32Array;
  readonly packetsOfSwitch: Int32Array;
  readonly bytesOfSwitch: Float64Array;
}

/** Which of the equal-cost ports a packet takes. */
export interface Balancing {
  /**
   * fixed: all packets of a connection take the path that the tracer tells, until connect is called again. per-packet:
   * they may take several; the network then records which.
   */
  readonly paths: 'fixed' | 'per-packet';
  /**
   * Fixes what is fixed per connection; called again when routes have changed.
   * @returns the port by which data of the queue pair leaves its sender, or -1 if there is no route: the network then
   * takes any link of the sender, until connect is called again
   */
  connect(pair: number): number;
  /**
   * Puts a packet at the start of its way. Data leaves by the port that connect named.
   * @returns the port by which a reply leaves its sender; -1 if there is no route
   */
  depart(packet: number, pair: number, isReply: boolean): number;
  /** The output port of a packet at a switch, or noRoute, arrivedHere or held. */
  next(packet: number): number;
  /** what it holds back at switches; left out: nothing */
  readonly holding?: PacketHolding | undefined;
  /** who gets its control packets back; left out: it sends none */
  readonly owner?: ControlOwner | undefined;
  /** what it adds to the counters of the run; left out: nothing */
  readonly counters?: Readonly<Record<string, number>>;
  /** Checks of a finished run. */
  verdicts?(): Verdict[];
  /** the queues in which it puts packets in order at switches; left out: it has none */
  readonly reorder?: ReorderState | undefined;
  /** who is told what becomes of packets; null or left out: nobody */
  readonly feedback?: PathFeedback | null;
}

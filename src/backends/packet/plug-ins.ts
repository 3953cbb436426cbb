// The kinds of mechanism that can be exchanged, one interface each. Implementations live in the folder of their kind,
// are chosen in registry.ts and never import each other's kind.

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
  /** A look for senders without progress that was asked for with `lookAt` is due. */
  lookDue(): void;
  /** A time that was asked for with `acknowledgeAt` has come. */
  acknowledgementDue(pair: number): void;
  /** A time that was asked for with `notifyAt` has come. */
  notificationDue(pair: number): void;
  /** Gives room for queue pair numbers below `capacity`. */
  reserve(capacity: number): void;
}

/** Totals of a run. */
export interface TransportCounters {
  payloadBytesDelivered: number;
  retransmittedBytes: number;
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

/** What a transport asks of the host that it runs on. */
export interface TransportHost {
  /** Sends a packet, already filled in, from the receiving host back to the sender. */
  reply(packet: number, pair: number): void;
  /** The queue pair may have become able to send. */
  canSendAgain(pair: number): void;
  /** All bytes are acknowledged. */
  finished(pair: number): void;
  /** Asks for lookDue at a time, in picoseconds. */
  lookAt(timePs: number): void;
  /** Asks for acknowledgementDue of a queue pair at a time. */
  acknowledgeAt(pair: number, timePs: number): void;
  /** Asks for notificationDue of a queue pair at a time. */
  notifyAt(pair: number, timePs: number): void;
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
  /** A data packet leaves its host. */
  departed(packet: number): void;
  /** A data packet has reached its destination. */
  arrived(packet: number, pair: number): void;
}

/** How fast a queue pair may send. Sets QueuePairs.rateBps through RateControl. */
export interface CongestionControl {
  /** A queue pair starts at line rate. */
  start(pair: number): void;
  /**
   * An acknowledgement has arrived that does not end the flow.
   * @param marked not 0 if its data packet was marked by a switch
   * @param packet the acknowledgement's record, with what telemetry it brought
   */
  acknowledged(pair: number, marked: number, packet: number): void;
  /** A mark has been told by a packet of its own. */
  notified(pair: number): void;
  /** A decrease event that was asked for is due. */
  decreaseDue(pair: number): void;
  /** An increase event that was asked for is due. */
  increaseDue(pair: number): void;
  /** Gives room for queue pair numbers below `capacity`. */
  reserve(capacity: number): void;
}

/** What a congestion control asks of the network. */
export interface RateControl {
  /** Sets the rate in bit/s; pacing and the variable window follow from the next packet on. */
  setRate(pair: number, rateBps: number): void;
  /** Asks for decreaseDue at a time; not called back once the flow has finished. */
  scheduleDecrease(pair: number, timePs: number): void;
  /** Asks for increaseDue at a time; not called back once the flow has finished. */
  scheduleIncrease(pair: number, timePs: number): void;
}

/** How a switch keeps its buffer from overflowing. */
export interface FlowControl {
  /** pauses and resumes asked of upstream ports so far */
  readonly pauses: number;
  readonly resumes: number;
  /** pauses that were sent again, pauses that ran out, and frames that were lost on their link */
  readonly refreshes: number;
  readonly expiries: number;
  readonly framesLost: number;
  /** Ports whose upstream is paused right now. */
  pausingPorts(): number;
  /** Ports that are paused and will stay so until somebody resumes them. */
  heldPorts(): number;
  /**
   * A packet that came in by `ingress` was put into the buffer for `egress`.
   * @param isCrowded its ingress queue is at its threshold or beyond
   */
  admitted(node: number, ingress: number, egress: number, queue: number, isCrowded: boolean): void;
  /** A packet that had come in by `ingress` has left the buffer. */
  vacated(node: number, ingress: number, queue: number): void;
  /** A control frame has arrived at a port; it is the flow control's to release. */
  received(frame: number, port: number): void;
  /** A control frame is lost on its link; it is the flow control's to release. */
  lost(frame: number): void;
  /**
   * It is time to repeat a pause (port x 8 + queue).
   * @returns false if nothing but repeated pauses goes on: the network stands still
   */
  refreshDue(index: number): boolean;
  /** A pause (port x 8 + queue) may have run out. */
  expiryDue(index: number): void;
  /**
   * The link of a port went down: this end forgets that it paused the other end or was paused by it. Called for both
   * ends.
   */
  linkWentDown(port: number): void;
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
}

/** What Balancing.next says of a packet that cannot go on: it is lost. */
export const noRoute = -1;
/** What Balancing.next says of a packet whose way ends at this very switch, an NVSwitch. */
export const arrivedHere = -2;

/** Which of the equal-cost ports a packet takes. */
export interface Balancing {
  /**
   * Fixes what is fixed per connection; called again when routes have changed.
   * @returns the port of the sender, or -1 if there is no route
   */
  connect(pair: number): number;
  /** Puts a packet at the start of its way. @returns the port by which it leaves its sender */
  depart(packet: number, pair: number, isReply: boolean): number;
  /** The output port of a packet at a switch, or noRoute or arrivedHere. */
  next(packet: number): number;
  /** Gives room for queue pair numbers below `capacity`. */
  reserve(capacity: number): void;
}

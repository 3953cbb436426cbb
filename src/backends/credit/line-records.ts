// What the credit backend knows of every output port and of every queue (a lane of a port), in records of 64 bytes: a
// packet-hop asks for some twenty values of one port, which are one or two cache lines so, and twenty as columns.
// Invariant: a record's reals are its first words, so the two indices of one record never overlap.

import type { Fabric } from '../../fabric/fabric.js';
import { portLatencyPs } from '../../fabric/forwarding-latency.js';
import type { PortRules } from './link-buffers.js';

/** Reals of a port's record: index `port << 3 | real` of `reals`. */
export const PortReal = {
  /** end of the transmission that is on, or was last */
  busyUntilPs: 0,
  /** bytes that it has begun to send */
  sentBytes: 1,
  /** time of a full packet */
  fullPs: 2,
  /** from the port to the next node */
  latencyPs: 3,
} as const;

/** Words of a port's record: index `port << 4 | word` of `words`. */
export const PortWord = {
  /** a bit for each lane that has something to send */
  waiting: 10,
  /** the lane whose turn is next */
  turn: 11,
  /** 1 while its link is down */
  isDown: 12,
  /** 1 while the end of its transmission has an event */
  hasEnd: 13,
  /** the node at the other end */
  nodeBehind: 14,
} as const;

/** Reals of a queue's record: index `queue << 3 | real` of `reals`. */
export const QueueReal = {
  /** bytes that wait */
  bytes: 0,
  /** credits at hand */
  atHandBytes: 1,
  /** how long credits take back to it */
  returnPs: 2,
  /** of the bytes that wait, those that are accepted; only where outputs accept */
  acceptedBytes: 3,
  /** when it looks for credits next */
  looksPs: 4,
} as const;

/** Words of a queue's record: index `queue << 4 | word` of `words`. */
export const QueueWord = {
  /** first and last packet; -1: none */
  head: 10,
  tail: 11,
  /** first packet that has not been accepted; -1: none */
  unaccepted: 12,
  /** first and last of the credits under way; -1: none */
  firstCredit: 13,
  lastCredit: 14,
  /** 1 while it waits for credits */
  isStarved: 15,
} as const;

/** Records of 64 bytes, all 0 at first. */
export class LineRecords {
  readonly words: Int32Array;
  readonly reals: Float64Array;

  constructor(readonly count: number) {
    const buffer = new ArrayBuffer(count * 64);
    this.words = new Int32Array(buffer);
    this.reals = new Float64Array(buffer);
  }
}

/** The records of all ports of a fabric, without their rates. */
export function portRecords(fabric: Fabric): LineRecords {
  const ports = new LineRecords(fabric.portCount);
  for (let port = 0; port < fabric.portCount; port++) {
    ports.reals[(port << 3) + PortReal.latencyPs] = portLatencyPs(fabric, port);
    ports.words[(port << 4) + PortWord.nodeBehind] = fabric.portNeighbour[port]!;
  }
  return ports;
}

/** The records of all queues: port x lanes + lane. */
export function queueRecords({ portCount, portLink, linkLatencyPs }: Fabric, rules: PortRules): LineRecords {
  const { lanes, returnLatencyPs } = rules;
  const queues = new LineRecords(portCount * lanes);
  const { words, reals } = queues;
  for (let queue = 0; queue < portCount * lanes; queue++) {
    reals[(queue << 3) + QueueReal.returnPs] = linkLatencyPs[portLink[Math.floor(queue / lanes)]!]! + returnLatencyPs;
    reals[(queue << 3) + QueueReal.looksPs] = Infinity;
    words[(queue << 4) + QueueWord.unaccepted] = -1;
  }
  return queues;
}

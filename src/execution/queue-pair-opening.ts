// A transfer becomes slots of the frontier, one for each queue pair that carries a part of it.
// Invariant: the parts are the transfer, in whole packets; the slot of the first one stands for the flow.

import type { OpenConnections } from './open-connections.js';
import { destinationPort } from './admission.js';
import { isTied, type Pin } from '../routing/pinned-paths.js';
import type { Frontier } from './frontier.js';
import { type QueuePairNumbers, queuePairShare } from './queue-pair-shares.js';

/** How transfers become queue pairs. */
export interface QueuePairOpeningParts {
  readonly frontier: Frontier;
  readonly connections: OpenConnections;
  readonly numbers: QueuePairNumbers;
  /** by traffic class - 1 */
  readonly pins: readonly Pin[];
  readonly payloadBytes: number;
  /** software time between a transfer's start and its queue pair, in picoseconds */
  readonly sendLatencyPs: number;
}

export class QueuePairOpening {
  /** slots of the transfer that was opened last */
  readonly slots = new Int32Array(256);

  constructor(private readonly parts: QueuePairOpeningParts) {}

  /** Opens a transfer; parameters as TransferSink says. @returns how many of `slots` it has */
  open(
    id: number,
    source: number,
    destination: number,
    sizeBytes: number,
    startPs: number,
    trafficClass: number,
    name: number,
  ): number {
    const { slots } = this;
    const { frontier, connections, numbers, payloadBytes, sendLatencyPs } = this.parts;
    const isPinned = trafficClass !== 0 && isTied(this.parts.pins[trafficClass - 1]!);
    const isOwn = name < 0;
    const most = isOwn
      ? numbers.ofFlow(source, destination, isPinned)
      : numbers.ofConnection(source, destination, isPinned);
    const count = numbers.taken(sizeBytes, most, !isOwn);
    const connection = isOwn ? -1 : connections.between(name, source, destination);
    for (let part = 0; part < count; part++) {
      const slot = frontier.allocate();
      slots[part] = slot;
      frontier.first[slot] = slots[0]!;
      frontier.id[slot] = id;
      frontier.source[slot] = source;
      frontier.destination[slot] = destination;
      frontier.sizeBytes[slot] = queuePairShare(sizeBytes, payloadBytes, count, part);
      frontier.destinationPort[slot] = destinationPort;
      frontier.connection[slot] = connection;
      frontier.queuePair[slot] = isOwn ? -1 : connections.queuePair(connection, part, most);
      frontier.trafficClass[slot] = trafficClass;
      frontier.startPs[slot] = startPs + sendLatencyPs;
    }
    if (!isOwn) connections.took(connection, count, most);
    const first = slots[0]!;
    frontier.flowBytes[first] = sizeBytes;
    frontier.unfinished[first] = frontier.unsent[first] = count;
    return count;
  }
}

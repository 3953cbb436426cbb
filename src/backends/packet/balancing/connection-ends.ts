// The ports by which a connection leaves its two hosts where switches choose anew for every packet: those that its own
// source port hashes to, at the sender and, for what the receiver sends back, at the receiver.
// Invariant: the choice at a host is that of routing/path.ts when the connection begins, or is moved.

import { grown } from '../../../base/columns.js';
import type { PathTracer } from '../../../routing/path.js';
import type { QueuePairs } from '../queue-pairs.js';

export class ConnectionEnds {
  /** per pair: the port by which the receiver's own packets leave */
  replyPort = new Int32Array(0);

  constructor(
    private readonly tracer: PathTracer,
    private readonly pairs: QueuePairs,
  ) {
    this.reserve(pairs.capacity);
    pairs.onGrow((capacity) => {
      this.reserve(capacity);
    });
  }

  /** Chooses both ports. @returns the port by which the sender's packets leave */
  connect(pair: number): number {
    const { source, destination, sourcePort, destinationPort } = this.pairs;
    const from = source[pair]!;
    const to = destination[pair]!;
    this.replyPort[pair] = this.tracer.firstPort(to, from, destinationPort[pair]!, sourcePort[pair]!);
    return this.tracer.firstPort(from, to, sourcePort[pair]!, destinationPort[pair]!);
  }

  private reserve(capacity: number): void {
    this.replyPort = grown(this.replyPort, capacity);
  }
}

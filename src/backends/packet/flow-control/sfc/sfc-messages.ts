// What is known of each message of source flow control from the decision to send it until it has been obeyed: it is
// being built, travels as a control packet (its number in PacketWord.sequence), or waits for its effect.
// Invariant: a number is given back exactly once: after the effect, or when the message is lost.

import { grown } from '../../../../base/columns.js';

export class SfcMessages {
  /** numbers in use */
  live = 0;
  /** the flow: its queue pair, and its transfer, by which a recycled queue pair is known */
  pair = new Int32Array(16);
  flow = new Float64Array(16);
  /** the port by which the flow leaves its host, and its priority there */
  hostPort = new Int32Array(16);
  queue = new Uint8Array(16);
  /** the congested queue, port x 8 + priority, and the output port behind it */
  point = new Int32Array(16);
  egress = new Int32Array(16);
  /** how long to pause; 0: go on */
  pausePs = new Float64Array(16);
  /** it says that the flow may go on: a resume */
  isResume = new Uint8Array(16);

  private readonly free: number[] = [];
  private top = 0;

  /** A number for a message, whose values are its maker's to write. */
  take(): number {
    this.live++;
    const message = this.free.pop() ?? this.top++;
    if (message === this.pair.length) this.grow(2 * message);
    return message;
  }

  release(message: number): void {
    this.live--;
    this.free.push(message);
  }

  private grow(capacity: number): void {
    this.pair = grown(this.pair, capacity);
    this.flow = grown(this.flow, capacity);
    this.hostPort = grown(this.hostPort, capacity);
    this.queue = grown(this.queue, capacity);
    this.point = grown(this.point, capacity);
    this.egress = grown(this.egress, capacity);
    this.pausePs = grown(this.pausePs, capacity);
    this.isResume = grown(this.isResume, capacity);
  }
}

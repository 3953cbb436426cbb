// What pipeline stages send each other: messages by receiver and tag, from the send until the receiver has taken them,
// and the numbers of the transfers that carry them.
// Invariants: messages of one receiver and tag are taken in the order in which they were sent; a message's number is
// given back when it arrives.

import { addTo } from '../base/lists-by-key.js';
import type { TransferSink } from '../flows/work-source.js';
import type { TransferOwner } from './job-parts.js';
import { kindIndex } from './rank-accounts.js';
import type { TransferOwners } from './transfer-owners.js';

/** group of a message in records */
const pipelineGroup = kindIndex('PP');

export class Message {
  private isThere = false;

  constructor(
    /** actors */
    readonly sender: number,
    readonly receiver: number,
    readonly tag: number,
    readonly sentPs: number,
  ) {}

  /** false: still under way */
  get hasArrived(): boolean {
    return this.isThere;
  }

  arrive(): void {
    this.isThere = true;
  }
}

export class Messages {
  private readonly waiting = new Map<number, Message[]>();

  /**
   * @param job its number @param tagCount tags are below it @param transferred the transfer of a message has arrived
   */
  constructor(
    private readonly job: number,
    private readonly tagCount: number,
    private readonly owners: TransferOwners<TransferOwner>,
    private readonly transferred: (message: Message, nowPs: number, sink: TransferSink) => void,
  ) {}

  /** Messages that nobody has taken yet. */
  get count(): number {
    let count = 0;
    for (const queue of this.waiting.values()) count += queue.length;
    return count;
  }

  add(message: Message): void {
    const key = this.keyOf(message.receiver, message.tag);
    addTo(this.waiting, key, message);
  }

  /** A message has come to its receiver, who may take it. */
  arrived(message: Message): void {
    message.arrive();
  }

  /**
   * Gives a message that goes over the network the number of its transfer, until that has arrived.
   * @param pass that it is for
   */
  transferOf(message: Message, pass: number): number {
    const finished = (id: number, nowPs: number, sink: TransferSink): void => {
      this.owners.remove(id);
      this.transferred(message, nowPs, sink);
    };
    return this.owners.add({ job: this.job, pass, collective: 0, group: pipelineGroup, finished }, 1);
  }

  /** The first message for a receiver, taken out if it has arrived; null if it has not. */
  take(receiver: number, tag: number): Message | null {
    const key = this.keyOf(receiver, tag);
    const queue = this.waiting.get(key);
    const message = queue?.[0];
    if (message === undefined || !message.hasArrived) return null;
    if (queue!.length === 1) this.waiting.delete(key);
    else queue!.shift();
    return message;
  }

  /** The message that a receiver takes next, sent and perhaps still under way; null if it has not been sent. */
  first(receiver: number, tag: number): Message | null {
    return this.waiting.get(this.keyOf(receiver, tag))?.[0] ?? null;
  }

  private keyOf(receiver: number, tag: number): number {
    return receiver * this.tagCount + tag;
  }
}

// What pipeline stages send each other: messages by receiver and tag, from the send until the receiver has taken them.
// Invariant: messages of one receiver and tag are taken in the order in which they were sent.

export class Message {
  /** -1: still under way */
  arrivedPs = -1;

  constructor(
    /** actors */
    readonly sender: number,
    readonly receiver: number,
    readonly tag: number,
    readonly sentPs: number,
  ) {}
}

export class Messages {
  private readonly waiting = new Map<number, Message[]>();

  /** @param tagCount tags are below it */
  constructor(private readonly tagCount: number) {}

  /** Messages that nobody has taken yet. */
  get count(): number {
    let count = 0;
    for (const queue of this.waiting.values()) count += queue.length;
    return count;
  }

  add(message: Message): void {
    const key = this.keyOf(message.receiver, message.tag);
    const queue = this.waiting.get(key);
    if (queue === undefined) this.waiting.set(key, [message]);
    else queue.push(message);
  }

  /** The first message for a receiver, taken out if it has arrived; null if it has not. */
  take(receiver: number, tag: number): Message | null {
    const key = this.keyOf(receiver, tag);
    const queue = this.waiting.get(key);
    const message = queue?.[0];
    if (message === undefined || message.arrivedPs < 0) return null;
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

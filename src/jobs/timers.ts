// What is due at a time of its own beside the actors of a job: a rank's entry into a collective, the end of one by its
// closed form, a message. Slots are recycled; the heap of times is the job's, in which slots stand behind the actors.

import { Int32List } from '../base/columns.js';
import type { TimeHeap } from '../base/time-heap.js';

export const Timer = { join: 0, done: 1, message: 2, goOn: 3 } as const;

export class Timers<T extends object> {
  private readonly kinds = new Int32List();
  private readonly places = new Int32List();
  private readonly subjects: (T | null)[] = [];
  private readonly free: number[] = [];

  /** @param firstKey key of slot 0 in the heap */
  constructor(
    private readonly heap: TimeHeap,
    private readonly firstKey: number,
  ) {}

  add(kind: number, subject: T, place: number, timePs: number): void {
    let slot = this.free.pop();
    if (slot === undefined) {
      slot = this.subjects.length;
      this.kinds.push(kind);
      this.places.push(place);
      this.subjects.push(subject);
    } else {
      this.kinds.values[slot] = kind;
      this.places.values[slot] = place;
      this.subjects[slot] = subject;
    }
    this.heap.set(this.firstKey + slot, timePs);
  }

  /** A timer of the heap is due: calls back with what it was set for, and forgets it. */
  take(key: number, visit: (kind: number, subject: T, place: number) => void): void {
    const slot = key - this.firstKey;
    const subject = this.subjects[slot]!;
    this.subjects[slot] = null;
    this.free.push(slot);
    visit(this.kinds.values[slot]!, subject, this.places.values[slot]!);
  }
}

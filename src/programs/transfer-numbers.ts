// Numbers of the transfers that programs send, and which message of which program each of them carries.
// Invariant: numbers ascend by one and are never given twice; a ring holds those from the oldest transfer under way to
// the newest one.

import { fail } from '../base/fail.js';

const over = -1;

export class TransferNumbers {
  private programs = new Int32Array(1024);
  private slots = new Int32Array(1024);
  private oldest: number;
  private next: number;

  /** @param firstId number of the first transfer */
  constructor(private readonly firstId: number) {
    this.oldest = this.next = firstId;
  }

  /** How many were given out. */
  get count(): number {
    return this.next - this.firstId;
  }

  /** The number of a transfer that carries a message. */
  give(program: number, slot: number): number {
    if (this.next - this.oldest === this.slots.length) this.grow();
    const at = this.next % this.slots.length;
    this.programs[at] = program;
    this.slots[at] = slot;
    return this.next++;
  }

  /** The program of a transfer under way. */
  programOf(id: number): number {
    return this.programs[id % this.slots.length]!;
  }

  /** The program of a number whose transfer is under way; -1: it is not. */
  find(id: number): number {
    return id < this.oldest || id >= this.next || this.slotOf(id) === over ? -1 : this.programOf(id);
  }

  /** The message of a transfer under way. */
  slotOf(id: number): number {
    return this.slots[id % this.slots.length]!;
  }

  /** The message of a transfer, which has arrived: it is forgotten. */
  take(id: number): number {
    const at = id % this.slots.length;
    const slot = this.slots[at]!;
    if (id < this.oldest || id >= this.next || slot === over) fail(`transfer ${id} of a program is not under way`);
    this.slots[at] = over;
    while (this.oldest < this.next && this.slots[this.oldest % this.slots.length] === over) this.oldest++;
    return slot;
  }

  private grow(): void {
    const { programs, slots } = this;
    this.programs = new Int32Array(2 * slots.length);
    this.slots = new Int32Array(2 * slots.length);
    for (let id = this.oldest; id < this.next; id++) {
      this.programs[id % this.slots.length] = programs[id % slots.length]!;
      this.slots[id % this.slots.length] = slots[id % slots.length]!;
    }
  }
}

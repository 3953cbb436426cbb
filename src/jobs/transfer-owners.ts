// Which collective or message a transfer belongs to, by its number. Each gets a range of numbers when it begins; ranges
// are never used again.
// Invariant: ranges stand in ascending order; those that ended are taken out when they are half of all.

import { Float64List } from '../base/columns.js';
import { fail } from '../base/fail.js';

export class TransferOwners<T extends object> {
  private first = new Float64List();
  private owners: (T | null)[] = [];
  private ended = 0;

  /** @param nextId number of the first transfer */
  constructor(private nextId = 0) {}

  /** Gives an owner the next `count` numbers. @returns the first of them */
  add(owner: T, count: number): number {
    const first = this.nextId;
    this.nextId += count;
    if (!Number.isSafeInteger(this.nextId)) fail('more transfers than can be numbered');
    this.first.push(first);
    this.owners.push(owner);
    return first;
  }

  /** The owner of a transfer. */
  of(id: number): T {
    return this.owners[this.placeOf(id)] ?? fail(`transfer ${id} belongs to nothing that is under way`);
  }

  /** The owner of a number; null: it was never given to one, or that one has ended. */
  find(id: number): T | null {
    return id < (this.first.values[0] ?? Infinity) || id >= this.nextId
      ? null
      : (this.owners[this.placeOf(id)] ?? null);
  }

  /** The owner that has this number has ended. @param id any number of its range */
  remove(id: number): void {
    const place = this.placeOf(id);
    if ((this.owners[place] ?? null) === null) fail(`transfer ${id} ended twice`);
    this.owners[place] = null;
    if (++this.ended > 32 && 2 * this.ended > this.owners.length) this.compact();
  }

  private placeOf(id: number): number {
    const { values, length } = this.first;
    let low = 0;
    for (let high = length - 1; low < high;) {
      const middle = (low + high + 1) >> 1;
      if (values[middle]! <= id) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  private compact(): void {
    const kept = new Float64List();
    const owners: (T | null)[] = [];
    this.owners.forEach((owner, i) => {
      if (owner === null) return;
      kept.push(this.first.values[i]!);
      owners.push(owner);
    });
    this.first = kept;
    this.owners = owners;
    this.ended = 0;
  }
}

// Event records by time, equal times in the order in which they went in: for the few events that the calendar of the
// event wheel has no bucket for.
// Invariant: what comes out is never later than what stays.

/** A binary heap by (time, order of insertion). */
export class EventHeap {
  size = 0;
  private times = new Float64Array(1024);
  private orders = new Float64Array(1024);
  private records = new Int32Array(1024);
  private count = 0;

  /** Picoseconds; infinite if it is empty. */
  earliestPs(): number {
    return this.size === 0 ? Infinity : this.times[0]!;
  }

  /** A time is never before those that were taken. */
  push(timePs: number, record: number): void {
    if (this.size === this.records.length) this.grow();
    const { times, orders, records } = this;
    let i = this.size++;
    while (i > 0) {
      const parent = (i - 1) >> 1;
      // a later insertion never passes an equal time
      if (times[parent]! <= timePs) break;
      times[i] = times[parent]!;
      orders[i] = orders[parent]!;
      records[i] = records[parent]!;
      i = parent;
    }
    times[i] = timePs;
    orders[i] = this.count++;
    records[i] = record;
  }

  /** Removes the earliest. @returns its record */
  pop(): number {
    const { times, orders, records } = this;
    const result = records[0]!;
    const last = --this.size;
    const timePs = times[last]!;
    const order = orders[last]!;
    let i = 0;
    for (let child = 1; child < last; child = 2 * i + 1) {
      const right = child + 1;
      if (
        right < last &&
        (times[right]! < times[child]! || (times[right] === times[child] && orders[right]! < orders[child]!))
      )
        child = right;
      if (timePs < times[child]! || (timePs === times[child] && order < orders[child]!)) break;
      times[i] = times[child]!;
      orders[i] = orders[child]!;
      records[i] = records[child]!;
      i = child;
    }
    times[i] = timePs;
    orders[i] = order;
    records[i] = records[last]!;
    return result;
  }

  private grow(): void {
    const capacity = this.records.length * 2;
    const times = new Float64Array(capacity);
    const orders = new Float64Array(capacity);
    const records = new Int32Array(capacity);
    times.set(this.times);
    orders.set(this.orders);
    records.set(this.records);
    this.times = times;
    this.orders = orders;
    this.records = records;
  }
}

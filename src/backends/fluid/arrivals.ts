// When the last acknowledgements of flows that have drained are there. What comes after a flow's last bit is a constant
// of its path and its last packet, and there are few such constants; of flows with the same one, who drained first
// arrives first. So each constant has a queue, and only the first of each queue stands in a list of times.
// Invariant: flows arrive in order of time, at equal times in order of their places, as if all stood in one list.

import { grown } from '../../base/columns.js';
import { TimeHeap } from '../../base/time-heap.js';

/** One constant: a ring of flows, a power of two. */
interface Queue {
  slots: Int32Array;
  timesPs: Float64Array;
  places: Float64Array;
  first: number;
  count: number;
}

/** constants that have a queue; flows with yet another one stand in the list one by one */
const mostQueues = 256;
/** twice as many places to find them in, and more */
const tableSize = 1024;

export class Arrivals {
  /** by queue: its first flow; by mostQueues + slot: a flow without a queue */
  private readonly firsts = new TimeHeap();
  private readonly queues: Queue[] = [];
  /** a hash table with open addresses, by tail: its queue */
  private readonly tails = new Float64Array(tableSize).fill(NaN);
  private readonly queueOf = new Int32Array(tableSize);

  /** Time of the first arrival; Infinity: there is none. */
  get firstPs(): number {
    return this.firsts.firstPs;
  }

  /** Its place among events of that time. */
  get firstPlace(): number {
    return this.firsts.firstOrder;
  }

  /**
   * A flow has drained. @param nowPs never less than at the call before @param tailPs what comes after its last bit
   * @param place among events of the time of its arrival, never less than at the call before
   */
  add(slot: number, nowPs: number, tailPs: number, place: number): void {
    const number = this.queueFor(tailPs);
    if (number < 0) {
      this.firsts.set(mostQueues + slot, nowPs + tailPs, place);
      return;
    }
    const queue = this.queues[number]!;
    if (queue.count === queue.slots.length) widen(queue);
    const at = (queue.first + queue.count) & (queue.slots.length - 1);
    queue.slots[at] = slot;
    queue.timesPs[at] = nowPs + tailPs;
    queue.places[at] = place;
    if (queue.count++ === 0) this.firsts.set(number, nowPs + tailPs, place);
  }

  /** Takes the first arrival out; there must be one. @returns its slot */
  take(): number {
    const number = this.firsts.firstKey;
    if (number >= mostQueues) return this.firsts.pop() - mostQueues;
    const queue = this.queues[number]!;
    const slot = queue.slots[queue.first]!;
    const next = (queue.first = (queue.first + 1) & (queue.slots.length - 1));
    if (--queue.count > 0) this.firsts.set(number, queue.timesPs[next]!, queue.places[next]!);
    else this.firsts.remove(number);
    return slot;
  }

  /** The queue of a constant, made if it is new and there is room; else -1. */
  private queueFor(tailPs: number): number {
    let at = Math.imul(tailPs, 0x9e3779b1) >>> 22;
    for (; !Number.isNaN(this.tails[at]!); at = (at + 1) & (tableSize - 1))
      if (this.tails[at] === tailPs) return this.queueOf[at]!;
    const number = this.queues.length;
    if (number === mostQueues) return -1;
    this.tails[at] = tailPs;
    this.queueOf[at] = number;
    this.queues.push({
      slots: new Int32Array(16),
      timesPs: new Float64Array(16),
      places: new Float64Array(16),
      first: 0,
      count: 0,
    });
    return number;
  }
}

function widen(queue: Queue): void {
  const { length } = queue.slots;
  queue.slots = grown(queue.slots, 2 * length);
  queue.timesPs = grown(queue.timesPs, 2 * length);
  queue.places = grown(queue.places, 2 * length);
  // what stood before the first one comes after the last
  for (let i = 0; i < queue.first; i++) {
    queue.slots[length + i] = queue.slots[i]!;
    queue.timesPs[length + i] = queue.timesPs[i]!;
    queue.places[length + i] = queue.places[i]!;
  }
}

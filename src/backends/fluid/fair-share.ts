// Max-min fair rates of flows on links, kept up to date as flows come and go.
// A change touches the flows on the changed links first; their rates are filled anew with everybody else's held fixed,
// and whoever then lacks a bottleneck, or has more than others at one, joins them, until nobody does. The result is the
// max-min fair allocation, whatever the way there. That can be much work for one change, so it is cut into pieces: a
// caller says how much it wants to be done at most, and goes on later. Invariants, once settled: no link carries more
// than its capacity; every flow has a bottleneck: a full link on which nobody is faster. Pieces never affect rates.
// Source: progressive filling, Bertsekas and Gallager, Data Networks, 6.5.2. Not modelled: weights, priorities, rate
// limits of flows.

import { grown, Int32List } from '../../base/columns.js';

/** relative differences of rates below this are rounding */
const tolerance = 1e-9;
const none = -1;

/** What is done next: nothing waits, what each link has left, the rates, who else is concerned, who is told. */
const enum Stage {
  settled,
  remainders,
  filling,
  unfair,
  telling,
}

export class FairShare {
  /** bit/s of each flow, by its number */
  rateBps = new Float64Array(0);
  /** flows whose rates were computed so far, counted at every filling */
  filled = 0;

  /** links (output ports) of each flow's path */
  private path = new Int32Array(0);
  private length = new Uint8Array(0);
  /** flows on each link: a doubly linked list of (flow, hop) entries */
  private readonly head: Int32Array;
  private next = new Int32Array(0);
  private previous = new Int32Array(0);
  private capacity = 0;

  /** the flows whose rates are being computed, and the links that they cross */
  private readonly members = new Int32List();
  private isMember = new Uint8Array(0);
  private isFilled = new Uint8Array(0);
  private before = new Float64Array(0);
  private readonly links = new Int32List();
  private readonly isTouched: Uint8Array;
  /** by link: flows on it, and how many of them are members */
  private readonly crossing: Int32Array;
  private readonly joined: Int32Array;
  /** by touched link: bit/s that are left, flows that share them, rate of the flows that it holds back */
  private readonly leftBps: Float64Array;
  private readonly sharers: Int32Array;
  private readonly levelBps: Float64Array;
  /** by link: the round of filling for which its load and its fastest flow are known */
  private readonly knownIn: Float64Array;
  private readonly isFull: Uint8Array;
  private readonly fastestBps: Float64Array;
  private rounds = 0;
  private readonly changed = new Int32List();
  private readonly isChanged: Uint8Array;
  private readonly heap = new Int32List();
  /** where settling stands: the next link or member of the stage, links and members when the stage or round began */
  private stage = Stage.settled;
  private cursor = 0;
  private known = 0;
  private filledMembers = 0;
  /** entries looked at, one flow on one link each, since settling went on */
  private looked = 0;

  /** entries of a flow begin at flow << shift */
  private readonly shift: number;
  /** share of each link in the heap when it was pushed */
  private readonly keyBps: Float64Array;

  /**
   * @param capacityBps of each link @param longestPath most links on a path
   */
  constructor(
    readonly capacityBps: Float64Array,
    longestPath: number,
  ) {
    const n = capacityBps.length;
    this.shift = longestPath <= 1 ? 0 : 32 - Math.clz32(longestPath - 1);
    this.keyBps = new Float64Array(n);
    this.head = new Int32Array(n).fill(none);
    this.isTouched = new Uint8Array(n);
    this.crossing = new Int32Array(n);
    this.joined = new Int32Array(n);
    this.isChanged = new Uint8Array(n);
    this.leftBps = new Float64Array(n);
    this.sharers = new Int32Array(n);
    this.levelBps = new Float64Array(n);
    this.knownIn = new Float64Array(n);
    this.isFull = new Uint8Array(n);
    this.fastestBps = new Float64Array(n);
  }

  /** True if `settle` has something to do, or to end. */
  get isDirty(): boolean {
    return this.changed.length > 0 || this.stage !== Stage.settled;
  }

  /** A flow enters; its rate is 0 until the next settle. */
  add(flow: number, path: Int32Array, length: number): void {
    if (flow >= this.capacity) this.grow(flow + 1);
    this.rateBps[flow] = 0;
    this.length[flow] = length;
    for (let hop = 0; hop < length; hop++) {
      const link = path[hop]!;
      const entry = (flow << this.shift) + hop;
      const first = this.head[link]!;
      this.path[entry] = link;
      this.next[entry] = first;
      this.previous[entry] = none;
      if (first >= 0) this.previous[first] = entry;
      this.head[link] = entry;
      this.crossing[link]!++;
      this.touch(link);
    }
  }

  /** A flow leaves. */
  remove(flow: number): void {
    const end = (flow << this.shift) + this.length[flow]!;
    for (let entry = flow << this.shift; entry < end; entry++) {
      const link = this.path[entry]!;
      const before = this.previous[entry]!;
      const after = this.next[entry]!;
      if (before >= 0) this.next[before] = after;
      else this.head[link] = after;
      if (after >= 0) this.previous[after] = before;
      this.crossing[link]!--;
      this.touch(link);
    }
    this.length[flow] = 0;
    this.rateBps[flow] = 0;
  }

  /** Changes what a link carries. */
  setCapacity(link: number, capacityBps: number): void {
    this.capacityBps[link] = capacityBps;
    this.touch(link);
  }

  /** What each link carries, in bit/s: for checks. */
  loads(): Float64Array {
    const loads = new Float64Array(this.capacityBps.length);
    loads.forEach((_, link) => {
      for (let entry = this.head[link]!; entry >= 0; entry = this.next[entry]!)
        loads[link]! += this.rateBps[entry >> this.shift]!;
    });
    return loads;
  }

  /**
   * Makes all rates max-min fair again, or goes on doing so. Nothing may change until it is done.
   * @param moved told of every flow whose rate is now another one, with the rate before
   * @param mostLooks entries (a flow on a link) to look at, more or less; at least one link is dealt with
   * @returns the entries looked at; `isDirty` says whether it is done
   */
  settle(moved: (flow: number, beforeBps: number) => void, mostLooks = Infinity): number {
    this.looked = 0;
    if (this.stage === Stage.settled) this.joinChanged();
    do {
      if (this.stage === Stage.remainders) this.findRemainders(mostLooks);
      if (this.stage === Stage.filling) this.fill(mostLooks);
      if (this.stage === Stage.unfair) this.joinUnfair(mostLooks);
      if (this.stage === Stage.telling) this.tell(moved, mostLooks);
    } while (this.isDirty && this.looked < mostLooks);
    return this.looked;
  }

  /** The flows on the changed links are the first members. */
  private joinChanged(): void {
    const { changed } = this;
    for (let i = 0; i < changed.length; i++) {
      const link = changed.values[i]!;
      this.isChanged[link] = 0;
      for (let entry = this.head[link]!; entry >= 0; entry = this.next[entry]!) this.join(entry >> this.shift);
      this.looked += this.crossing[link]! + 1;
    }
    changed.length = 0;
    this.beginRound();
  }

  private beginRound(): void {
    const { members, isFilled } = this;
    this.filled += members.length;
    this.filledMembers = members.length;
    for (let i = 0; i < members.length; i++) isFilled[members.values[i]!] = 0;
    this.heap.length = 0;
    this.cursor = 0;
    this.stage = Stage.remainders;
  }

  /** Tells of the flows whose rates are other ones now, and forgets members and links. */
  private tell(moved: (flow: number, beforeBps: number) => void, mostLooks: number): void {
    const { members, links } = this;
    while (this.cursor < members.length) {
      if (this.looked >= mostLooks) return;
      const flow = members.values[this.cursor++]!;
      this.looked++;
      this.isMember[flow] = 0;
      const beforeBps = this.before[flow]!;
      if (Math.abs(this.rateBps[flow]! - beforeBps) > tolerance * beforeBps) moved(flow, beforeBps);
      else this.rateBps[flow] = beforeBps;
    }
    for (let i = 0; i < links.length; i++) {
      this.isTouched[links.values[i]!] = 0;
      this.joined[links.values[i]!] = 0;
    }
    members.length = 0;
    links.length = 0;
    this.stage = Stage.settled;
  }

  private touch(link: number): void {
    if (this.isChanged[link] === 1) return;
    this.isChanged[link] = 1;
    this.changed.push(link);
  }

  private join(flow: number): void {
    if (this.isMember[flow] === 1) return;
    this.isMember[flow] = 1;
    this.before[flow] = this.rateBps[flow]!;
    this.members.push(flow);
    const end = (flow << this.shift) + this.length[flow]!;
    for (let entry = flow << this.shift; entry < end; entry++) {
      const link = this.path[entry]!;
      this.joined[link]!++;
      if (this.isTouched[link] === 1) continue;
      this.isTouched[link] = 1;
      this.links.push(link);
    }
  }

  /** What the flows beside the members leave of each link; every link with members goes into the heap. */
  private findRemainders(mostLooks: number): void {
    const { links, leftBps, sharers, levelBps, rateBps, joined, crossing } = this;
    while (this.cursor < links.length) {
      if (this.looked >= mostLooks) return;
      const link = links.values[this.cursor++]!;
      this.looked++;
      let left = this.capacityBps[link]!;
      if (joined[link] !== crossing[link]) {
        this.looked += crossing[link]!;
        for (let entry = this.head[link]!; entry >= 0; entry = this.next[entry]!) {
          const flow = entry >> this.shift;
          if (this.isMember[flow] === 0) left -= rateBps[flow]!;
        }
      }
      leftBps[link] = left > 0 ? left : 0;
      sharers[link] = joined[link]!;
      levelBps[link] = Infinity;
      if (joined[link]! > 0) this.push(link);
    }
    this.stage = Stage.filling;
  }

  /** Progressive filling of the members on what the others leave. */
  private fill(mostLooks: number): void {
    const { leftBps, sharers, levelBps, heap, isFilled, rateBps } = this;
    while (heap.length > 0) {
      if (this.looked >= mostLooks) return;
      const link = this.pop();
      this.looked++;
      if (sharers[link] === 0) continue;
      const share = leftBps[link]! / sharers[link]!;
      // shares only grow while others are filled: whoever is no longer the least waits for its turn
      if (heap.length > 0 && share > this.keyBps[heap.values[0]!]!) {
        this.push(link);
        continue;
      }
      levelBps[link] = share;
      this.looked += this.crossing[link]!;
      for (let entry = this.head[link]!; entry >= 0; entry = this.next[entry]!) {
        const flow = entry >> this.shift;
        if (this.isMember[flow] === 0 || isFilled[flow] === 1) continue;
        isFilled[flow] = 1;
        rateBps[flow] = share;
        const end = (flow << this.shift) + this.length[flow]!;
        this.looked += this.length[flow]!;
        for (let hop = flow << this.shift; hop < end; hop++) {
          const other = this.path[hop]!;
          const rest = leftBps[other]! - share;
          leftBps[other] = rest > 0 ? rest : 0;
          sharers[other]!--;
        }
      }
    }
    this.rounds++;
    this.known = this.links.length;
    this.cursor = 0;
    this.stage = Stage.unfair;
  }

  /**
   * Lets in the flows beside the members that are too fast at a member's bottleneck, or have no bottleneck any more.
   */
  private joinUnfair(mostLooks: number): void {
    const { links, head, next, shift, isMember, rateBps, levelBps, joined, crossing } = this;
    while (this.cursor < this.known) {
      if (this.looked >= mostLooks) return;
      const link = links.values[this.cursor++]!;
      this.looked++;
      if (joined[link] === crossing[link]) continue;
      this.looked += crossing[link]!;
      const mostBps = levelBps[link]! * (1 + tolerance);
      for (let entry = head[link]!; entry >= 0; entry = next[entry]!) {
        const flow = entry >> shift;
        if (isMember[flow] === 1) continue;
        if (rateBps[flow]! > mostBps || !this.hasBottleneck(flow)) this.join(flow);
      }
    }
    if (this.members.length !== this.filledMembers) this.beginRound();
    else {
      this.cursor = 0;
      this.stage = Stage.telling;
    }
  }

  private hasBottleneck(flow: number): boolean {
    const { path, knownIn, rounds, isFull, fastestBps, shift } = this;
    const rate = this.rateBps[flow]!;
    const end = (flow << shift) + this.length[flow]!;
    for (let hop = flow << shift; hop < end; hop++) {
      const link = path[hop]!;
      if (knownIn[link] !== rounds) this.look(link);
      if (isFull[link] === 1 && rate >= fastestBps[link]! * (1 - tolerance)) return true;
    }
    return false;
  }

  /** Sums up a link: once per round of filling, as no rate changes between two. */
  private look(link: number): void {
    const { next, rateBps, shift } = this;
    let load = 0;
    let fastest = 0;
    this.looked += this.crossing[link]!;
    for (let entry = this.head[link]!; entry >= 0; entry = next[entry]!) {
      const rate = rateBps[entry >> shift]!;
      load += rate;
      if (rate > fastest) fastest = rate;
    }
    this.knownIn[link] = this.rounds;
    this.isFull[link] = load >= this.capacityBps[link]! * (1 - tolerance) ? 1 : 0;
    this.fastestBps[link] = fastest;
  }

  /** Puts a link into the heap, which orders links by their shares at this moment. */
  private push(link: number): void {
    const { heap, keyBps } = this;
    const key = this.leftBps[link]! / this.sharers[link]!;
    keyBps[link] = key;
    heap.push(link);
    const { values } = heap;
    let at = heap.length - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (keyBps[values[parent]!]! <= key) break;
      values[at] = values[parent]!;
      at = parent;
    }
    values[at] = link;
  }

  private pop(): number {
    const { heap, keyBps } = this;
    const { values } = heap;
    const top = values[0]!;
    const n = --heap.length;
    if (n === 0) return top;
    const last = values[n]!;
    const key = keyBps[last]!;
    let at = 0;
    for (let child = 1; child < n; child = 2 * at + 1) {
      if (child + 1 < n && keyBps[values[child + 1]!]! < keyBps[values[child]!]!) child++;
      if (keyBps[values[child]!]! >= key) break;
      values[at] = values[child]!;
      at = child;
    }
    values[at] = last;
    return top;
  }

  private grow(flows: number): void {
    const capacity = Math.max(64, flows, 2 * this.capacity);
    this.rateBps = grown(this.rateBps, capacity);
    this.before = grown(this.before, capacity);
    this.length = grown(this.length, capacity);
    this.isMember = grown(this.isMember, capacity);
    this.isFilled = grown(this.isFilled, capacity);
    this.path = grown(this.path, capacity << this.shift);
    this.next = grown(this.next, capacity << this.shift);
    this.previous = grown(this.previous, capacity << this.shift);
    this.capacity = capacity;
  }
}

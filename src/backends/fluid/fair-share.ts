// Long because the stages of settling are one machine over one set of columns.
// Max-min fair rates of flows on links, kept up to date as flows come and go.
// Flows over the same links have the same rate, and are one bundle (path-bundles.ts): rates are computed by bundle. A
// change touches the bundles on the changed links first; their rates are filled anew with everybody else's held fixed,
// and whoever then lacks a bottleneck, or has more than others at one, joins them, until nobody does. The result is the
// max-min fair allocation, whatever the way there. When that has taken more than looking at everybody would, all join
// and are filled once; as long as changes move many, so it is from the beginning. When many changes in a row have been
// more work than a look at everybody's bottleneck, flows are a crowd, whose rates are computed by links
// (crowd-rates.ts), until they are few or that is more work. What is much work for one change is cut into pieces: a
// caller says how much it wants to be done at most, and goes on later. Invariants, once settled: no link carries more
// than its capacity; every flow has a bottleneck: a full link on which nobody is faster. Pieces never affect rates.
// Source: progressive filling, Bertsekas and Gallager, Data Networks, 6.5.2. Not modelled: weights, priorities, rate
// limits of flows.

import { grown, Int32List } from '../../base/columns.js';
import { type CrowdListener, CrowdRates } from './crowd-rates.js';
import { PathBundles } from './path-bundles.js';

/** relative differences of rates below this are rounding */
const tolerance = 1e-9;
const none = -1;
/** fewer bundles than that are no crowd; of a crowd a change moves at least one in so many */
const leastCrowd = 256;
const crowdShare = 4;
/** links on a path, roughly: all join when that many entries of every bundle, and all links, have been looked at */
const linksOfBundle = 8;

/** What is done next: nothing waits, what each link has left, the rates, who else is concerned, who is told. */
const enum Stage {
  settled,
  remainders,
  filling,
  unfair,
  telling,
  crowd,
}

/** Told of rates: of bundles that are looked at one by one, or of a crowd's. */
export interface ShareListener extends CrowdListener {
  /** A bundle's rate is now another one, or it has new flows. @param beforeBps rate of each of its flows before */
  moved(bundle: number, beforeBps: number): void;
}

/** When flows become a crowd, and when they are none any more. */
export interface CrowdLimits {
  /** fewer bundles are none */
  readonly leastBundles: number;
  /** looks that looking at each change by itself may have taken more than it would have taken by links */
  readonly looksTooMany: number;
}

const usualLimits: CrowdLimits = { leastBundles: 256, looksTooMany: 2e6 };

export class FairShare {
  /** bit/s of each flow of a bundle, by bundle */
  rateBps = new Float64Array(0);
  /**
   * by bundle: its place among all that were told, in the order in which changes concerned them; those that the same
   * link concerned have the same place
   */
  place = new Float64Array(0);
  /** bundles whose rates were computed so far, counted at every filling */
  filled = 0;

  readonly bundles: PathBundles;
  /** flows in bundles that have links */
  flowsWithLinks = 0;
  /** bundles on each link: a doubly linked list of (bundle, hop) entries */
  private readonly head: Int32Array;
  private next = new Int32Array(0);
  private previous = new Int32Array(0);
  private places = 0;

  /** the bundles whose rates are being computed, and the links that they cross */
  private readonly members = new Int32List();
  private isMember = new Uint8Array(0);
  /** 1 while a member has no rate of this round */
  private isOpen = new Uint8Array(0);
  /** by bundle: 1 if flows have entered since it was told last */
  private hasEntered = new Uint8Array(0);
  private before = new Float64Array(0);
  private readonly links = new Int32List();
  private readonly isTouched: Uint8Array;
  /** by link: bundles on it and their flows, how many of them are members, and flows of these */
  private readonly crossing: Int32Array;
  readonly flowsOn: Int32Array;
  private readonly joined: Int32Array;
  private readonly joinedFlows: Int32Array;
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
  /** entries looked at, one bundle on one link each, since settling went on */
  private looked = 0;
  private lookedBefore = 0;
  /** whether the last change moved so many that the next one begins with all; whether all have joined; who was told */
  private isCrowd = false;
  private haveAllJoined = false;
  private told = 0;
  /** looks until settling began */
  private looksAtStart = 0;
  /** rates by links, while flows are a crowd */
  private readonly crowd: CrowdRates;
  private isByLinks = false;
  private hasChanged = false;
  /** looks of the dearer way beyond those of the other, as far as they are known; settles and looks since that began */
  private looksInVain = 0;
  private settlesInVain = 0;
  private looksOfThese = 0;
  private looksTooMany: number;
  /** looks of a settle change by change, when flows became a crowd */
  private looksByChanges = 0;

  /** entries of a bundle begin at bundle << shift */
  private readonly shift: number;
  /** share of each link in the heap when it was pushed */
  private readonly keyBps: Float64Array;

  /**
   * @param capacityBps of each link @param longestPath most links on a path @param limits left out: the usual ones
   */
  constructor(
    readonly capacityBps: Float64Array,
    longestPath: number,
    private readonly limits = usualLimits,
  ) {
    this.looksTooMany = limits.looksTooMany;
    const n = capacityBps.length;
    this.bundles = new PathBundles(longestPath);
    this.shift = this.bundles.shift;
    this.keyBps = new Float64Array(n);
    this.head = new Int32Array(n).fill(none);
    this.isTouched = new Uint8Array(n);
    this.crossing = new Int32Array(n);
    this.flowsOn = new Int32Array(n);
    this.joined = new Int32Array(n);
    this.joinedFlows = new Int32Array(n);
    this.isChanged = new Uint8Array(n);
    this.leftBps = new Float64Array(n);
    this.sharers = new Int32Array(n);
    this.levelBps = new Float64Array(n);
    this.knownIn = new Float64Array(n);
    this.isFull = new Uint8Array(n);
    this.fastestBps = new Float64Array(n);
    this.crowd = new CrowdRates(this);
  }

  /** True if `settle` has something to do, or to end. */
  get isDirty(): boolean {
    return this.hasChanged || this.stage !== Stage.settled;
  }

  /** Entries looked at since this began: what its work came to. */
  get looks(): number {
    return this.lookedBefore + this.looked;
  }

  /** The next place among all that are told of. */
  nextPlace(): number {
    return ++this.places;
  }

  /** Rate of each flow of a bundle, in bit/s. */
  rateOf(bundle: number): number {
    return this.isByLinks ? this.crowd.rateBps(bundle) : this.rateBps[bundle]!;
  }

  /** Flows in a bundle. */
  flowsOf(bundle: number): number {
    return this.bundles.flows[bundle]!;
  }

  /** A flow enters. @returns the bundle of its path, the rate of which is 0 until the next settle if it is new */
  enter(path: Int32Array, length: number): number {
    const { bundles } = this;
    let bundle = bundles.find(path, length);
    if (bundle < 0) {
      bundle = this.make(path, length);
      if (this.isByLinks) this.crowd.add(bundle);
    }
    bundles.flows[bundle]!++;
    if (length > 0) this.flowsWithLinks++;
    if (this.isByLinks) this.crowd.change(bundle, 1);
    else this.hasEntered[bundle] = 1;
    for (let hop = 0; hop < length; hop++) {
      this.flowsOn[path[hop]!]!++;
      this.touch(path[hop]!);
    }
    return bundle;
  }

  /** A flow leaves its bundle. @returns flows that are left in it; without any it is forgotten */
  leave(bundle: number): number {
    const { bundles } = this;
    if (this.isByLinks) this.crowd.change(bundle, -1);
    if (bundles.length[bundle]! > 0) this.flowsWithLinks--;
    const isLast = --bundles.flows[bundle]! === 0;
    const end = (bundle << this.shift) + bundles.length[bundle]!;
    for (let entry = bundle << this.shift; entry < end; entry++) {
      const link = bundles.links[entry]!;
      this.touch(link);
      this.flowsOn[link]!--;
      if (!isLast) continue;
      const before = this.previous[entry]!;
      const after = this.next[entry]!;
      if (before >= 0) this.next[before] = after;
      else this.head[link] = after;
      if (after >= 0) this.previous[after] = before;
      this.crossing[link]!--;
    }
    if (!isLast) return bundles.flows[bundle]!;
    this.rateBps[bundle] = 0;
    this.hasEntered[bundle] = 0;
    if (this.isByLinks) this.crowd.forget(bundle);
    bundles.drop(bundle);
    return 0;
  }

  private make(path: Int32Array, length: number): number {
    const bundle = this.bundles.make(path, length);
    if (this.bundles.capacity > this.rateBps.length) this.grow(this.bundles.capacity);
    this.rateBps[bundle] = 0;
    for (let hop = 0; hop < length; hop++) {
      const link = path[hop]!;
      const entry = (bundle << this.shift) + hop;
      const first = this.head[link]!;
      this.next[entry] = first;
      this.previous[entry] = none;
      if (first >= 0) this.previous[first] = entry;
      this.head[link] = entry;
      this.crossing[link]!++;
    }
    return bundle;
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
        loads[link]! += this.rateOf(entry >> this.shift) * this.bundles.flows[entry >> this.shift]!;
    });
    return loads;
  }

  /**
   * Makes all rates max-min fair again, or goes on doing so. Nothing may change until it is done.
   * @param listener told of every bundle whose rate is now another one or that has new flows, and of a crowd's rates
   * @param mostLooks entries (a bundle on a link) to look at, more or less; at least one link is dealt with
   * @returns the entries looked at; `isDirty` says whether it is done
   */
  settle(listener: ShareListener, mostLooks = Infinity): number {
    this.lookedBefore += this.looked;
    this.looked = 0;
    if (this.stage === Stage.settled) this.begin();
    do {
      if (this.stage === Stage.crowd) this.settleCrowd(listener, mostLooks);
      if (this.stage === Stage.remainders) this.findRemainders(mostLooks);
      if (this.stage === Stage.filling) this.fill(mostLooks);
      if (this.stage === Stage.unfair) this.joinUnfair(mostLooks);
      if (this.stage === Stage.telling) this.tell(listener, mostLooks);
    } while (this.isDirty && this.looked < mostLooks);
    return this.looked;
  }

  private begin(): void {
    this.looksAtStart = this.looks;
    this.hasChanged = false;
    const { limits } = this;
    if (!this.isByLinks && this.looksInVain > this.looksTooMany && this.bundles.count >= limits.leastBundles) {
      this.isByLinks = true;
      this.crowd.gather();
      this.isCrowd = false;
      this.hasEntered.fill(0);
      this.looksByChanges = this.looksOfThese / this.settlesInVain;
      this.forgetVain();
    }
    if (this.isByLinks) {
      for (let i = 0; i < this.changed.length; i++) this.isChanged[this.changed.values[i]!] = 0;
      this.changed.length = 0;
      this.looked += this.crowd.begin();
      this.stage = Stage.crowd;
    } else this.joinChanged();
  }

  private settleCrowd(listener: ShareListener, mostLooks: number): void {
    const { crowd, limits } = this;
    this.looked += crowd.fill(mostLooks - this.looked);
    if (!crowd.isFilled) return;
    this.looked += crowd.tell(listener);
    this.stage = Stage.settled;
    this.weigh(this.looks - this.looksAtStart - this.looksByChanges);
    const isDear = this.looksInVain > this.looksTooMany;
    if (!isDear && 2 * this.bundles.count >= limits.leastBundles) return;
    // so dear that it is tried again after more
    if (isDear) this.looksTooMany *= 2;
    this.looked += this.bundles.end;
    this.isByLinks = false;
    this.forgetVain();
    crowd.dissolve(listener, (bundle, rateBps) => {
      this.rateBps[bundle] = rateBps;
    });
  }

  /** A settle took so many looks more than it would have in the other way, or fewer. */
  private weigh(looks: number): void {
    this.looksInVain += looks;
    this.settlesInVain++;
    this.looksOfThese += this.looks - this.looksAtStart;
    if (this.looksInVain <= 0) this.forgetVain();
  }

  private forgetVain(): void {
    this.looksInVain = 0;
    this.settlesInVain = 0;
    this.looksOfThese = 0;
  }

  /** The bundles on the changed links are the first members. */
  private joinChanged(): void {
    const { changed } = this;
    this.told = 0;
    this.haveAllJoined = false;
    if (this.isCrowd) this.joinAll();
    for (let i = 0; i < changed.length; i++) {
      const link = changed.values[i]!;
      this.isChanged[link] = 0;
      if (this.haveAllJoined) continue;
      this.places++;
      for (let entry = this.head[link]!; entry >= 0; entry = this.next[entry]!) this.join(entry >> this.shift);
      this.looked += this.crossing[link]! + 1;
    }
    changed.length = 0;
    this.beginRound();
  }

  /** Everybody is a member, if that is a crowd. */
  private joinAll(): void {
    const { isMember, before, rateBps, place, members, links, isTouched, joined, joinedFlows, crossing } = this;
    const { flows, length, count, end } = this.bundles;
    if (count < leastCrowd) return;
    this.haveAllJoined = true;
    const at = ++this.places;
    for (let bundle = 0; bundle < end; bundle++) {
      if (flows[bundle] === 0 || length[bundle] === 0 || isMember[bundle] === 1) continue;
      isMember[bundle] = 1;
      before[bundle] = rateBps[bundle]!;
      place[bundle] = at;
      members.push(bundle);
    }
    for (let link = 0; link < crossing.length; link++) {
      if (crossing[link] === 0) continue;
      joined[link] = crossing[link]!;
      joinedFlows[link] = this.flowsOn[link]!;
      if (isTouched[link] === 1) continue;
      isTouched[link] = 1;
      links.push(link);
    }
    this.looked += end + crossing.length;
  }

  private beginRound(): void {
    const { members, isOpen } = this;
    this.filled += members.length;
    this.filledMembers = members.length;
    for (let i = 0; i < members.length; i++) isOpen[members.values[i]!] = 1;
    this.heap.length = 0;
    this.cursor = 0;
    this.stage = Stage.remainders;
  }

  /** Tells of the bundles whose rates are other ones now, and forgets members and links. */
  private tell(listener: ShareListener, mostLooks: number): void {
    const { members, links } = this;
    while (this.cursor < members.length) {
      if (this.looked >= mostLooks) return;
      const bundle = members.values[this.cursor++]!;
      this.looked++;
      this.isMember[bundle] = 0;
      const beforeBps = this.before[bundle]!;
      const isMoved = Math.abs(this.rateBps[bundle]! - beforeBps) > tolerance * beforeBps;
      if (!isMoved) this.rateBps[bundle] = beforeBps;
      if (!isMoved && this.hasEntered[bundle] === 0) continue;
      this.hasEntered[bundle] = 0;
      this.told++;
      listener.moved(bundle, beforeBps);
    }
    for (let i = 0; i < links.length; i++) {
      this.isTouched[links.values[i]!] = 0;
      this.joined[links.values[i]!] = 0;
      this.joinedFlows[links.values[i]!] = 0;
    }
    members.length = 0;
    links.length = 0;
    this.isCrowd = this.haveAllJoined && crowdShare * this.told > this.bundles.count;
    this.stage = Stage.settled;
    this.weigh(this.looks - this.looksAtStart - this.capacityBps.length - 2 * this.bundles.count);
  }

  private touch(link: number): void {
    this.hasChanged = true;
    if (this.isChanged[link] === 1) return;
    this.isChanged[link] = 1;
    this.changed.push(link);
  }

  private join(bundle: number): void {
    if (this.isMember[bundle] === 1) return;
    this.isMember[bundle] = 1;
    this.before[bundle] = this.rateBps[bundle]!;
    this.place[bundle] = this.places;
    this.members.push(bundle);
    const { links, length, flows } = this.bundles;
    const count = flows[bundle]!;
    const end = (bundle << this.shift) + length[bundle]!;
    for (let entry = bundle << this.shift; entry < end; entry++) {
      const link = links[entry]!;
      this.joinedFlows[link]! += count;
      this.joined[link]!++;
      if (this.isTouched[link] === 1) continue;
      this.isTouched[link] = 1;
      this.links.push(link);
    }
  }

  /** What the bundles beside the members leave of each link; every link with members goes into the heap. */
  private findRemainders(mostLooks: number): void {
    const { links, leftBps, sharers, levelBps, rateBps, joined, joinedFlows, crossing } = this;
    const { flows } = this.bundles;
    while (this.cursor < links.length) {
      if (this.looked >= mostLooks) return;
      const link = links.values[this.cursor++]!;
      this.looked++;
      let left = this.capacityBps[link]!;
      if (joined[link] !== crossing[link]) {
        this.looked += crossing[link]!;
        for (let entry = this.head[link]!; entry >= 0; entry = this.next[entry]!) {
          const bundle = entry >> this.shift;
          if (this.isMember[bundle] === 0) left -= rateBps[bundle]! * flows[bundle]!;
        }
      }
      leftBps[link] = left > 0 ? left : 0;
      sharers[link] = joinedFlows[link]!;
      levelBps[link] = Infinity;
      if (joined[link]! > 0) this.push(link);
    }
    this.stage = Stage.filling;
  }

  /** Progressive filling of the members on what the others leave. */
  private fill(mostLooks: number): void {
    const { leftBps, sharers, levelBps, heap, head, next, shift, isOpen, rateBps } = this;
    const { links, length, flows } = this.bundles;
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
      for (let entry = head[link]!; entry >= 0; entry = next[entry]!) {
        const bundle = entry >> shift;
        if (isOpen[bundle] === 0) continue;
        isOpen[bundle] = 0;
        rateBps[bundle] = share;
        const count = flows[bundle]!;
        const end = (bundle << shift) + length[bundle]!;
        this.looked += length[bundle]!;
        for (let hop = bundle << shift; hop < end; hop++) {
          const other = links[hop]!;
          const rest = leftBps[other]! - share * count;
          leftBps[other] = rest > 0 ? rest : 0;
          sharers[other]! -= count;
        }
      }
    }
    this.rounds++;
    this.known = this.links.length;
    this.cursor = 0;
    this.stage = Stage.unfair;
  }

  /**
   * Lets in the bundles beside the members that are too fast at a member's bottleneck, or have no bottleneck any more.
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
      this.places++;
      for (let entry = head[link]!; entry >= 0; entry = next[entry]!) {
        const bundle = entry >> shift;
        if (isMember[bundle] === 1) continue;
        if (rateBps[bundle]! > mostBps || !this.hasBottleneck(bundle)) this.join(bundle);
      }
    }
    if (this.members.length !== this.filledMembers) {
      const ofAll = this.crossing.length + linksOfBundle * this.bundles.count;
      if (!this.haveAllJoined && this.looks - this.looksAtStart > ofAll) this.joinAll();
      this.beginRound();
    } else {
      this.cursor = 0;
      this.stage = Stage.telling;
    }
  }

  private hasBottleneck(bundle: number): boolean {
    const { knownIn, rounds, isFull, fastestBps, shift } = this;
    const { links, length } = this.bundles;
    const rate = this.rateBps[bundle]!;
    const end = (bundle << shift) + length[bundle]!;
    for (let hop = bundle << shift; hop < end; hop++) {
      const link = links[hop]!;
      if (knownIn[link] !== rounds) this.look(link);
      if (isFull[link] === 1 && rate >= fastestBps[link]! * (1 - tolerance)) return true;
    }
    return false;
  }

  /** Sums up a link: once per round of filling, as no rate changes between two. */
  private look(link: number): void {
    const { next, rateBps, shift } = this;
    const { flows } = this.bundles;
    let load = 0;
    let fastest = 0;
    this.looked += this.crossing[link]!;
    for (let entry = this.head[link]!; entry >= 0; entry = next[entry]!) {
      const rate = rateBps[entry >> shift]!;
      load += rate * flows[entry >> shift]!;
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

  private grow(capacity: number): void {
    this.rateBps = grown(this.rateBps, capacity);
    this.place = grown(this.place, capacity);
    this.before = grown(this.before, capacity);
    this.isMember = grown(this.isMember, capacity);
    this.isOpen = grown(this.isOpen, capacity);
    this.hasEntered = grown(this.hasEntered, capacity);
    this.next = grown(this.next, capacity << this.shift);
    this.previous = grown(this.previous, capacity << this.shift);
  }
}

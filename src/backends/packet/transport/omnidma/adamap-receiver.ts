// The receiver's adamaps: what is missing of each queue pair, where that is noted, and when its sender is told.
//   current map   the stretch behind the last packet in order, up to B packets; closed by a packet beyond it, by the
//                 last packet, by a probe, or by time
//   list          closed maps in order, whose holes are sent for the first time
//   lookup table  parts of them of at most B packets whose holes were lost again, each with a number of its own
// Every closed map and every entry is told of by an OmniNACK; these are numbered in order, and every data packet says
// up to which number all answers were sent before it. A hole whose answer has passed so was lost again: it goes to the
// table, or is reported once more.
// Invariants: a packet below the frontier that has not come is a hole of exactly one map; OmniNACKs of a queue pair
// leave in the order of their numbers; nothing is left once every packet has come.
// Source: docs/models/omnidma.md, which says what the peer does otherwise and why. Not modelled: the block of free
// nodes that all queue pairs share in the paper's title, limits of lists and tables.

import { fail } from '../../../../base/fail.js';
import { Int32List } from '../../../../base/columns.js';
import type { Clock } from '../../../../engine/event-wheel.js';
import { AdamapEvent, type AdamapEvents } from '../../nic/rnic-watcher.js';
import type { PairAlarm } from '../../pair-alarms.js';
import type { TransportParts } from '../../parts.js';
import type { SideColumn } from '../../side-columns.js';
import type { AdamapCaches } from './adamap-caches.js';
import { AdamapPool, AdamapQueues } from './adamaps.js';
import { type Arrival, Tier } from './arrivals.js';
import { doubledPs, RoundTrips } from './round-trips.js';

/** What the receiver is made from. */
export interface AdamapReceiverParts extends Pick<TransportParts, 'pairs' | 'columns' | 'clock' | 'pairAlarms'> {
  /** B */
  readonly bits: number;
  readonly activeNack: boolean;
  /** null: its RNIC reaches maps in no time */
  readonly caches: AdamapCaches | null;
  /** how long a queue pair waits for an answer at least, in picoseconds */
  readonly waitPs: (pair: number) => number;
  /** waits are doubled up to this */
  readonly longestPs: number;
  /** it stops asking when it has waited so long for nothing */
  readonly patiencePs: number;
  /** null: nobody watches */
  readonly events: AdamapEvents | null;
  /** Sends an OmniNACK of a map at a time not before now. */
  readonly send: (pair: number, map: number, atPs: number) => void;
}

export class AdamapReceiver {
  readonly pool: AdamapPool;
  readonly list: AdamapQueues;
  readonly table: AdamapQueues;
  /** from OmniNACKs to their first answers */
  readonly answers: RoundTrips;
  /** per pair: last packet before the first slot of the current map, or the last of all where there is none */
  private readonly frontier: SideColumn<'int32'>;
  /** the current map; -1: nothing is missing behind the frontier */
  private readonly current: SideColumn<'int32'>;
  private readonly mapsMade: SideColumn<'int32'>;
  private readonly nacks: SideColumn<'int32'>;
  /** the largest number whose answers have passed */
  private readonly passed: SideColumn<'int32'>;
  /** when its last OmniNACK leaves */
  private readonly sentPs: SideColumn<'float64'>;
  /** when its timer rings next; one that was set for later rings all the same */
  private readonly timedPs: SideColumn<'float64'>;
  /** repetitions by time in a row, and how long they have taken */
  private readonly rounds: SideColumn<'int32'>;
  private readonly waitedPs: SideColumn<'float64'>;
  /** maps to be told of once the packet at hand has been dealt with */
  private readonly untold = new Int32List();
  /** number of the OmniNACK that the packet at hand answers */
  private answered = 0;
  private readonly timer: PairAlarm;
  private readonly clock: Clock;

  constructor(private readonly parts: AdamapReceiverParts) {
    const { columns } = parts;
    this.pool = new AdamapPool(parts.bits);
    this.list = new AdamapQueues(this.pool, columns);
    this.table = new AdamapQueues(this.pool, columns);
    this.answers = new RoundTrips(columns, 0.125);
    this.frontier = columns.byPair('int32', -1);
    this.current = columns.byPair('int32', -1);
    this.mapsMade = columns.byPair('int32');
    this.nacks = columns.byPair('int32');
    this.passed = columns.byPair('int32');
    this.sentPs = columns.byPair('float64');
    this.timedPs = columns.byPair('float64', Infinity);
    this.rounds = columns.byPair('int32');
    this.waitedPs = columns.byPair('float64');
    this.clock = parts.clock;
    this.timer = parts.pairAlarms.register('OmniDMA list and table', (pair) => this.due(pair));
  }

  /** Takes a packet that follows the last one, if nothing is missing just before it. @returns false if it does not */
  follows(pair: number, sequence: number): boolean {
    if (this.current.values[pair]! >= 0 || this.frontier.values[pair] !== sequence - 1) return false;
    this.frontier.values[pair] = sequence;
    return true;
  }

  /** Whether a queue pair has a hole anywhere. */
  hasHoles(pair: number): boolean {
    return this.current.values[pair]! >= 0 || this.list.first(pair) >= 0 || this.table.first(pair) >= 0;
  }

  /** A packet has arrived that does not simply follow: its hole is filled, wherever that is. */
  arrived(pair: number, sequence: number, arrival: Arrival): void {
    const { tier, place, closes } = arrival;
    this.answered = arrival.answered;
    if (sequence > this.frontier.values[pair]!) this.arrivedNew(pair, sequence);
    else if (!this.filledEntry(pair, sequence, tier, place) && !this.filledNode(pair, sequence, tier))
      this.filledAnyEntry(pair, sequence);
    if (closes) this.closeCurrent(pair);
  }

  /** All answers to the OmniNACKs up to a number were sent before the packet at hand. */
  hasPassed(pair: number, nack: number): void {
    if (nack <= this.passed.values[pair]!) return;
    this.passed.values[pair] = nack;
    if (!this.parts.activeNack) return;
    const { list, table, pool } = this;
    let node = list.first(pair);
    const had = node;
    for (; node >= 0 && pool.nack[node]! <= nack; node = list.first(pair))
      this.toTable(pair, node, AdamapEvent.overtaken);
    if (node !== had) this.parts.caches?.refill(pair, list.count(pair));
    for (let entry = table.first(pair); entry >= 0 && pool.nack[entry]! <= nack; entry = table.first(pair))
      this.tellAgain(pair, entry, pool.tier[entry]! + 1, AdamapEvent.overtaken);
  }

  /** Sends what is to be told, and sees to the timer. @returns when other answers to the packet at hand may leave */
  conclude(pair: number): number {
    const { untold, pool } = this;
    const { nowPs } = this.clock;
    const readyPs = Math.max(nowPs, this.parts.caches?.takeDonePs() ?? 0);
    if (untold.length > 0) {
      const atPs = Math.max(readyPs, this.sentPs.values[pair]!);
      this.sentPs.values[pair] = atPs;
      for (let i = 0; i < untold.length; i++) {
        const map = untold.values[i]!;
        pool.touchedPs[map] = pool.nackedPs[map] = atPs;
        this.parts.events?.happened(AdamapEvent.told, pair, pool, map);
        this.parts.send(pair, map, atPs);
      }
      untold.length = 0;
    }
    this.time(pair);
    return readyPs;
  }

  /** The flow has ended: its maps must have gone before. */
  finished(pair: number): void {
    if (this.hasHoles(pair))
      fail(`a flow has ended with holes in its adamaps, from packet ${this.frontier.values[pair]!} on`);
  }

  /** The last packet below which every packet has come or is a hole of a map; for checks. */
  frontierOf(pair: number): number {
    const current = this.current.values[pair]!;
    return this.frontier.values[pair]! + (current < 0 ? 0 : this.pool.length[current]!);
  }

  /** Calls with every hole of a queue pair; for checks. */
  forEachHole(pair: number, visit: (sequence: number) => void): void {
    const { pool } = this;
    const walk = (map: number): void => {
      for (let slot = pool.hole(map, 0); slot >= 0; slot = pool.hole(map, slot + 1)) visit(pool.start[map]! + 1 + slot);
    };
    if (this.current.values[pair]! >= 0) walk(this.current.values[pair]!);
    for (const queue of [this.list, this.table])
      for (let map = queue.first(pair); map >= 0; map = pool.next[map]!) walk(map);
  }

  /** A packet beyond the frontier. */
  private arrivedNew(pair: number, sequence: number): void {
    const { pool } = this;
    const frontier = this.frontier.values[pair]!;
    let map = this.current.values[pair]!;
    const slot = sequence - frontier - 1;
    if (map < 0) {
      if (slot === 0) {
        this.frontier.values[pair] = sequence;
        return;
      }
      map = this.current.values[pair] = pool.allocate(frontier, 0);
      pool.place[map] = this.mapsMade.values[pair]!++;
    }
    if (slot >= this.parts.bits) {
      pool.length[map] = slot;
      this.closeCurrent(pair);
      this.frontier.values[pair] = sequence;
      return;
    }
    if (slot >= pool.length[map]!) pool.length[map] = slot + 1;
    pool.set(map, slot);
    pool.touchedPs[map] = this.clock.nowPs;
    if (slot > 0 || !pool.isSet(map, 0)) return;
    // a packet that came late: what follows it in order is out of the map
    const hole = pool.hole(map, 0);
    const inOrder = hole < 0 ? pool.length[map]! : hole;
    this.frontier.values[pair] = frontier + inOrder;
    if (hole >= 0) pool.drop(map, inOrder);
    else {
      pool.release(map);
      this.current.values[pair] = -1;
    }
  }

  /** The current map goes to the list, and its sender is told. */
  private closeCurrent(pair: number): void {
    const { pool, list } = this;
    const map = this.current.values[pair]!;
    if (map < 0) return;
    this.current.values[pair] = -1;
    this.frontier.values[pair] = pool.start[map]! + pool.length[map]!;
    this.parts.caches?.appended(pair, list.count(pair));
    list.append(pair, map);
    this.parts.events?.happened(AdamapEvent.closed, pair, pool, map);
    this.tell(pair, map, Tier.first);
  }

  /** A packet that was sent for an entry of the table. */
  private filledEntry(pair: number, sequence: number, tier: number, place: number): boolean {
    if (tier < Tier.repeated || tier > Tier.most || !this.isEntry(pair, place)) return false;
    const { pool } = this;
    this.parts.caches?.used(pair, place);
    if (!pool.misses(place, sequence)) return false;
    this.fillEntry(pair, place, sequence);
    return true;
  }

  private filledAnyEntry(pair: number, sequence: number): void {
    const { pool, table } = this;
    for (let entry = table.first(pair); entry >= 0; entry = pool.next[entry]!)
      if (pool.misses(entry, sequence)) {
        this.parts.caches?.used(pair, entry);
        this.fillEntry(pair, entry, sequence);
        return;
      }
  }

  private fillEntry(pair: number, entry: number, sequence: number): void {
    const { pool } = this;
    pool.set(entry, sequence - pool.start[entry]! - 1);
    this.filled(pair, entry);
    if (pool.hole(entry, 0) >= 0) return;
    this.parts.events?.happened(AdamapEvent.entryComplete, pair, pool, entry);
    this.parts.caches?.forgotten(pair, entry);
    this.table.remove(pair, entry);
    pool.release(entry);
  }

  private isEntry(pair: number, place: number): boolean {
    const { holder, tier } = this.pool;
    return place >= 0 && place < holder.length && holder[place] === pair && tier[place]! >= Tier.repeated;
  }

  /** A packet that belongs to a map of the list. */
  private filledNode(pair: number, sequence: number, tier: number): boolean {
    const { pool, list } = this;
    const { caches } = this.parts;
    let node = list.first(pair);
    let place = 0;
    for (; node >= 0 && pool.start[node]! + pool.length[node]! < sequence; node = pool.next[node]!) place++;
    if (node < 0 || !pool.misses(node, sequence)) return false;
    caches?.reached(pair, place);
    if (tier === Tier.first) {
      // the list is answered in order: what stands before it was lost again
      for (let first = list.first(pair); first !== node; first = list.first(pair))
        this.toTable(pair, first, AdamapEvent.overtaken);
      place = 0;
    }
    this.fillNode(pair, node, place, sequence, tier === Tier.first);
    caches?.refill(pair, list.count(pair));
    return true;
  }

  /** @param isAnswer it was sent for this map: holes before it in the part at hand were lost again at its end */
  private fillNode(pair: number, node: number, place: number, sequence: number, isAnswer: boolean): void {
    const { pool } = this;
    const { bits } = this.parts;
    let slot = sequence - pool.start[node]! - 1;
    for (; slot >= bits; slot -= bits) {
      this.chunkToTable(pair, node);
      pool.drop(node, bits);
    }
    pool.set(node, slot);
    this.filled(pair, node);
    const inPart = Math.min(bits, pool.length[node]!);
    const hole = pool.hole(node, 0);
    const later = pool.hole(node, slot + 1);
    const isThrough = later < 0 || later >= inPart;
    const isWhole = hole < 0 || hole >= inPart;
    if (!isThrough || (!isWhole && !isAnswer)) return;
    if (!isWhole) this.chunkToTable(pair, node);
    if (pool.length[node]! > bits) pool.drop(node, bits);
    else {
      this.parts.events?.happened(AdamapEvent.nodeComplete, pair, pool, node);
      this.removeNode(pair, node, place);
    }
  }

  /** All of a map of the list goes to the table, part by part: its first retransmissions were lost. @param why event */
  private toTable(pair: number, node: number, why: number): void {
    const { pool } = this;
    const { bits, events } = this.parts;
    events?.happened(why, pair, pool, node);
    for (; pool.length[node]! > bits; pool.drop(node, bits)) this.chunkToTable(pair, node);
    this.chunkToTable(pair, node);
    this.removeNode(pair, node, 0);
  }

  private removeNode(pair: number, node: number, place: number): void {
    this.parts.caches?.removed(pair, place);
    this.list.remove(pair, node);
    this.pool.release(node);
  }

  /** The first part of a map becomes an entry of the table, if something of it is missing, and its sender is told. */
  private chunkToTable(pair: number, node: number): void {
    const { pool } = this;
    const hole = pool.hole(node, 0);
    if (hole < 0 || hole >= this.parts.bits) return;
    const entry = pool.chunk(node);
    pool.place[entry] = pool.place[node]!;
    this.table.append(pair, entry);
    this.parts.caches?.entered(pair);
    this.parts.events?.happened(AdamapEvent.entered, pair, pool, entry);
    this.tell(pair, entry, Tier.repeated);
  }

  /** An entry is reported again. @param why event */
  private tellAgain(pair: number, entry: number, tier: number, why: number): void {
    this.parts.caches?.used(pair, entry);
    this.parts.events?.happened(why, pair, this.pool, entry);
    this.table.remove(pair, entry);
    this.table.append(pair, entry);
    this.tell(pair, entry, Math.min(Tier.most, tier));
  }

  private tell(pair: number, map: number, tier: number): void {
    const { pool } = this;
    pool.tier[map] = tier;
    pool.nack[map] = ++this.nacks.values[pair]!;
    pool.touchedPs[map] = this.clock.nowPs;
    this.untold.push(map);
  }

  /** A hole of a map was filled: its sender is alive, and the first answer says how long one takes. */
  private filled(pair: number, map: number): void {
    const { pool } = this;
    const { nowPs } = this.clock;
    pool.touchedPs[map] = nowPs;
    if (this.answered > 0 && pool.nack[map] === this.answered && pool.nackedPs[map]! >= 0) {
      this.answers.measured(pair, nowPs - pool.nackedPs[map]!);
      pool.nackedPs[map] = -1;
    }
    this.rounds.values[pair] = this.waitedPs.values[pair] = 0;
  }

  /** How long a map of a queue pair waits now, in picoseconds. */
  private waitPs(pair: number): number {
    return doubledPs(this.parts.waitPs(pair), Math.max(0, this.rounds.values[pair]! - 1), this.parts.longestPs);
  }

  /** Sets the timer for the map that waits longest of the first ones, if any does. */
  private time(pair: number): void {
    const { pool } = this;
    let oldestPs = Infinity;
    for (const map of [this.current.values[pair]!, this.list.first(pair), this.table.first(pair)])
      if (map >= 0) oldestPs = Math.min(oldestPs, pool.touchedPs[map]!);
    if (oldestPs === Infinity || this.waitedPs.values[pair]! > this.parts.patiencePs) return;
    const { nowPs } = this.clock;
    const duePs = Math.max(nowPs, oldestPs + this.waitPs(pair));
    if (this.timedPs.values[pair]! - nowPs <= (duePs - nowPs) * (9 / 8)) return;
    this.timedPs.values[pair] = duePs;
    this.timer.at(duePs, pair);
  }

  private due(pair: number): void {
    const { nowPs } = this.clock;
    if (this.timedPs.values[pair] !== nowPs) return;
    this.timedPs.values[pair] = Infinity;
    if (!this.hasHoles(pair)) return;
    const { pool, list, table } = this;
    const waitPs = this.waitPs(pair);
    const isDue = (map: number): boolean => map >= 0 && pool.touchedPs[map]! + waitPs <= nowPs;
    const before = this.nacks.values[pair]!;
    if (isDue(this.current.values[pair]!)) this.closeCurrent(pair);
    const nodes = list.count(pair);
    while (isDue(list.first(pair))) this.toTable(pair, list.first(pair), AdamapEvent.timedOut);
    if (list.count(pair) !== nodes) this.parts.caches?.refill(pair, list.count(pair));
    for (let entry = table.first(pair); isDue(entry); entry = table.first(pair))
      this.tellAgain(pair, entry, pool.tier[entry]!, AdamapEvent.timedOut);
    if (this.nacks.values[pair] !== before) {
      this.rounds.values[pair]!++;
      this.waitedPs.values[pair]! += waitPs;
    }
    this.conclude(pair);
  }
}

// The receiving end of the one-bit variant: for every link that a packet may have taken, does its hash agree?
// Links between switches come in parts that many pairs of hosts share (possible-links.ts). Packets of the same part,
// weight and kind are a batch: they are collected until there are a thousand and tested together (word-tests.ts). A part of
// one or two links, as static routes have, costs less to test at once than to collect packets for.
// Links of the two hosts are known by their own: where both have one port, sums for the two stand with the queue pair.
// What is the same for all links of a batch, how many were tested, is added to them once, at `flush`.
// Invariant: after `flush` every packet has been tested for every link that it may have taken by the routes in force when it
// arrived; the sums do not depend on how packets were collected. Memory: 64 bytes a queue pair, and 100 MB for batches;
// with more under way all are tested early.
// Source: Taffet's dissertation (docs/SOURCES.md), Algorithm 6.

import { grown } from '../base/columns.js';
import type { Fabric } from '../fabric/fabric.js';
import { parity } from './link-hash.js';
import type { LinkTallies } from './link-tallies.js';
import type { EqualCostRoutes } from '../routing/equal-cost.js';
import { type LinkPart, PossibleLinks } from './possible-links.js';
import { agreement, CARRIED, congestedAgreement, MET_CONGESTION, mostWords, WordTests } from './word-tests.js';

/** packets that a batch has room for at first, while there are few batches and then; and all of them at most */
const firstRoom = 1024;
const laterRoom = 256;
const mostRoom = 1 << 24;
/** batches at most */
const mostBatches = 1 << 18;
/** links of a part whose packets are tested at once */
const fewLinks = 2;
const none = -1;

/** Places of a queue pair in a record of 64 bytes. */
const PairWord = {
  source: 0,
  destination: 1,
  hops: 2,
  label: 3,
  /** of the first and the second part of the links between its hosts; -1: there is none */
  batch: 4,
  secondBatch: 5,
  /** links of its hosts; 0: one of them has several ports */
  firstLink: 6,
  lastLink: 7,
  /** packets that were tested for both */
  tested: 8,
  congestedTested: 9,
  /** of the packets whose hash agrees, less the others: all of them, and those that met congestion */
  first: 10,
  firstCongested: 11,
  last: 12,
  lastCongested: 13,
} as const;
const pairShift = 4;

/**
 * Places of a batch in a record of 32 bytes: where its packets begin, how many there are, and how many have room. Where
 * packets are tested at once there is no room: then the links, 0 for none, and their sums as those of queue pairs.
 */
const BatchWord = {
  start: 0,
  count: 1,
  room: 2,
  firstLink: 0,
  secondLink: 1,
  first: 3,
  firstCongested: 4,
  second: 5,
  secondCongested: 6,
} as const;
const batchShift = 3;

/** Packets that are tested for the same links. */
interface Batch {
  readonly part: LinkPart;
  readonly label: number;
  readonly weight: number;
  /** packets of queue pairs that are others now, and those among them that met congestion */
  tested: number;
  congestedTested: number;
}

export class BitTests {
  private readonly batches: Batch[] = [];
  /** by label: batch of a part of links and a weight */
  private readonly batchOf: (Map<number, number> | undefined)[] = [];
  /** by batch, {@link BatchWord} by BatchWord */
  private rooms = new Int32Array(64 << batchShift);
  /** packets of batches (word-tests.ts), and how many places are taken */
  private words = new Int32Array(64 * laterRoom);
  private taken = 0;
  /** by queue pair, {@link PairWord} by PairWord */
  private pairs = new Int32Array(256 << pairShift).fill(none);
  private readonly tests: WordTests;
  /** by the routes that were in force when the packets came that wait or are in batches */
  private readonly possible: PossibleLinks;

  /**
   * @param routes those in force now @param weights hop counts are below it, and that is below 65,536
   * @param weightOfHop what a hop weighs
   */
  constructor(
    private readonly fabric: Fabric,
    private readonly routes: () => EqualCostRoutes,
    private readonly tallies: LinkTallies,
    private readonly weights: number,
    private readonly weightOfHop: number,
  ) {
    this.tests = new WordTests(fabric.portCount);
    this.possible = new PossibleLinks(routes());
  }

  /** Whether other routes are in force than those by which packets are tested. */
  get isBehind(): boolean {
    return this.routes() !== this.possible.routes;
  }

  /** Packets to come are tested by the routes in force now. */
  follow(): void {
    if (!this.isBehind) return;
    this.flush();
    this.possible.follow(this.routes());
  }

  /**
   * A packet is tested that arrived while the routes were in force that are followed.
   * @param pair its queue pair, which has one source and destination at a time @param word y of its identifier, below 2^25
   * @param hash the bit that it carries @param hops its hop count @param label of its kind of traffic
   */
  add(
    pair: number,
    source: number,
    destination: number,
    word: number,
    hash: number,
    hops: number,
    isCongested: boolean,
    label: number,
  ): void {
    const at = pair << pairShift;
    let { pairs } = this;
    if (
      pairs[at + PairWord.source] !== source ||
      pairs[at + PairWord.destination] !== destination ||
      pairs[at + PairWord.hops] !== hops ||
      pairs[at + PairWord.label] !== label
    ) {
      this.meet(pair, source, destination, hops, label);
      pairs = this.pairs;
    }
    pairs[at + PairWord.tested]!++;
    if (isCongested) pairs[at + PairWord.congestedTested]!++;
    const firstLink = pairs[at + PairWord.firstLink]!;
    if (firstLink === 0) this.testEnds(at, word, hash, isCongested);
    else {
      const first = agrees(word, firstLink, hash);
      const last = agrees(word, pairs[at + PairWord.lastLink]!, hash);
      pairs[at + PairWord.first]! += first;
      pairs[at + PairWord.last]! += last;
      if (isCongested) {
        pairs[at + PairWord.firstCongested]! += first;
        pairs[at + PairWord.lastCongested]! += last;
      }
    }
    const batch = pairs[at + PairWord.batch]!;
    const second = pairs[at + PairWord.secondBatch]!;
    if (batch !== none) this.put(batch, word, hash, isCongested);
    if (second !== none) this.put(second, word, hash, isCongested);
  }

  /** Tests all that has arrived, and forgets who sends to whom. */
  flush(): void {
    for (let pair = 0; pair << pairShift < this.pairs.length; pair++) this.countPair(pair);
    for (const [number, batch] of this.batches.entries()) {
      this.test(number);
      for (const port of batch.part.links)
        this.tallies.count(batch.label, port, batch.weight, batch.tested, batch.congestedTested);
    }
    this.pairs.fill(none);
    this.batchOf.length = 0;
    this.batches.length = 0;
    this.taken = 0;
  }

  private put(batch: number, word: number, hash: number, isCongested: boolean): void {
    const { rooms } = this;
    const own = batch << batchShift;
    const room = rooms[own + BatchWord.room]!;
    if (room === 0) {
      const first = agrees(word, rooms[own + BatchWord.firstLink]!, hash);
      const second = agrees(word, rooms[own + BatchWord.secondLink]!, hash);
      rooms[own + BatchWord.first]! += first;
      rooms[own + BatchWord.second]! += second;
      if (isCongested) {
        rooms[own + BatchWord.firstCongested]! += first;
        rooms[own + BatchWord.secondCongested]! += second;
      }
      return;
    }
    const n = rooms[own + BatchWord.count]!;
    this.words[rooms[own + BatchWord.start]! + n] =
      word | (hash === 1 ? CARRIED : 0) | (isCongested ? MET_CONGESTION : 0);
    rooms[own + BatchWord.count] = n + 1;
    if (n + 1 === room) this.widen(batch);
  }

  /** Makes room in a batch that is full: a new place, twice as large, or by testing what is in it. */
  private widen(batch: number): void {
    const { rooms } = this;
    const own = batch << batchShift;
    const room = rooms[own + BatchWord.room]!;
    if (room === mostWords || this.taken + 2 * room > mostRoom) {
      this.test(batch);
      return;
    }
    const start = rooms[own + BatchWord.start]!;
    this.take(own, 2 * room);
    this.words.copyWithin(rooms[own + BatchWord.start]!, start, start + room);
  }

  /** Gives a batch a place for so many packets. @param own of its record */
  private take(own: number, room: number): void {
    const start = this.taken;
    this.taken += room;
    if (this.taken > this.words.length) this.words = grown(this.words, 2 * this.words.length);
    this.rooms[own + BatchWord.start] = start;
    this.rooms[own + BatchWord.room] = room;
  }

  /** Tests the links of hosts, one of which has several ports. */
  private testEnds(at: number, word: number, hash: number, isCongested: boolean): void {
    const { pairs } = this;
    const { portOffset, portPeer } = this.fabric;
    const source = pairs[at + PairWord.source]!;
    const destination = pairs[at + PairWord.destination]!;
    for (let port = portOffset[source]!; port < portOffset[source + 1]!; port++)
      this.testOne(at, port, word, hash, isCongested);
    for (let port = portOffset[destination]!; port < portOffset[destination + 1]!; port++)
      this.testOne(at, portPeer[port]!, word, hash, isCongested);
  }

  private testOne(at: number, port: number, word: number, hash: number, isCongested: boolean): void {
    const weight = this.pairs[at + PairWord.hops]! * this.weightOfHop;
    this.tallies.test(this.pairs[at + PairWord.label]!, port, weight, agrees(word, port + 1, hash), isCongested);
  }

  /** The packets of a queue pair are others from now on. */
  private meet(pair: number, source: number, destination: number, hops: number, label: number): void {
    const at = pair << pairShift;
    if (at >= this.pairs.length)
      this.pairs = grown(this.pairs, Math.max(2 * this.pairs.length, (pair + 1) << pairShift), none);
    this.countPair(pair);
    const parts = this.possible.between(source, destination);
    const isFull = this.batches.length + parts.length > mostBatches;
    if (isFull || this.taken + parts.length * laterRoom > mostRoom) this.flush();
    const [batch = none, second = none] = parts.map((part) => this.batchFor(part, hops, label));
    const { pairs } = this;
    const { portOffset, portPeer } = this.fabric;
    const first = portOffset[source]!;
    const last = portOffset[destination]!;
    const isSingle = portOffset[source + 1]! - first === 1 && portOffset[destination + 1]! - last === 1;
    pairs[at + PairWord.source] = source;
    pairs[at + PairWord.destination] = destination;
    pairs[at + PairWord.hops] = hops;
    pairs[at + PairWord.label] = label;
    pairs[at + PairWord.batch] = batch;
    pairs[at + PairWord.secondBatch] = second;
    pairs[at + PairWord.firstLink] = isSingle ? first + 1 : 0;
    pairs[at + PairWord.lastLink] = isSingle ? portPeer[last]! + 1 : 0;
    pairs.fill(0, at + PairWord.tested, at + PairWord.lastCongested + 1);
  }

  /** The batch of packets of a part of links, opened if there is none. */
  private batchFor(part: LinkPart, hops: number, label: number): number {
    const batches = (this.batchOf[label] ??= new Map());
    const key = part.number * this.weights + hops;
    const known = batches.get(key);
    if (known !== undefined) return known;
    const batch = this.batches.length;
    const own = batch << batchShift;
    if (own >= this.rooms.length) this.rooms = grown(this.rooms, 2 * own);
    this.rooms.fill(0, own, own + (1 << batchShift));
    if (part.links.length > fewLinks) this.take(own, this.taken < mostRoom >> 2 ? firstRoom : laterRoom);
    else for (const [i, port] of part.links.entries()) this.rooms[own + BatchWord.firstLink + i] = port + 1;
    batches.set(key, batch);
    this.batches.push({ part, label, weight: hops * this.weightOfHop, tested: 0, congestedTested: 0 });
    return batch;
  }

  /** Counts what a queue pair has summed for the links of its hosts. */
  private countPair(pair: number): void {
    const { pairs, tallies } = this;
    const at = pair << pairShift;
    const tested = pairs[at + PairWord.tested]!;
    if (tested <= 0) return;
    const label = pairs[at + PairWord.label]!;
    const weight = pairs[at + PairWord.hops]! * this.weightOfHop;
    const congested = pairs[at + PairWord.congestedTested]!;
    pairs[at + PairWord.tested] = 0;
    for (const place of [PairWord.batch, PairWord.secondBatch]) {
      const batch = this.batches[pairs[at + place]!];
      if (batch === undefined) continue;
      batch.tested += tested;
      batch.congestedTested += congested;
    }
    if (pairs[at + PairWord.firstLink] === 0) return;
    for (const [link, sum, congestedSum] of [
      [PairWord.firstLink, PairWord.first, PairWord.firstCongested],
      [PairWord.lastLink, PairWord.last, PairWord.lastCongested],
    ] as const) {
      const port = pairs[at + link]! - 1;
      tallies.count(label, port, weight, tested, congested);
      tallies.agree(label, port, weight, pairs[at + sum]!, pairs[at + congestedSum]!);
    }
  }

  /** What is known of the packets of a batch for its links goes into the tallies. */
  private test(number: number): void {
    const { tests, tallies, rooms } = this;
    const { label, weight, part } = this.batches[number]!;
    const { links } = part;
    const own = number << batchShift;
    if (rooms[own + BatchWord.room] === 0) {
      for (let i = 0, at = own + BatchWord.first; i < links.length; i++, at += 2)
        tallies.agree(label, links[i]!, weight, rooms[at]!, rooms[at + 1]!);
      return;
    }
    const count = rooms[own + BatchWord.count]!;
    if (count === 0) return;
    rooms[own + BatchWord.count] = 0;
    tests.run(this.words, rooms[own + BatchWord.start]!, count, part);
    for (let i = 0; i < links.length; i++) {
      const sum = tests.sums[i]!;
      tallies.agree(label, links[i]!, weight, agreement(sum), congestedAgreement(sum));
    }
  }
}

/** 1 if the hash of a link is that of a packet, else -1. @param word y of its identifier @param link its number */
function agrees(word: number, link: number, hash: number): number {
  return 1 - 2 * (parity(word & link) ^ hash);
}

// Reservoir sampling in packets: a packet carries one of the links behind it, each with the same probability, and
// whether that link was congested; its receiver counts. docs/models/reservoir-sampling.md has the equations.
// A backend tells when a packet departs, at every further output port, and when it arrives. It asks `passes` first, and
// says how congested a port is only if that is of interest.
// Invariants: nothing about the run is changed; every random number comes from streams of sampling's own. Memory: 8
// bytes a packet in flight, and the tallies (link-tallies.ts).
// Source: Taffet's dissertation (docs/SOURCES.md), Algorithms 1 to 6.
// Not modelled: a packet that failures turn back after it was counted at a port counts at both.

import { grown } from '../base/columns.js';
import { RandomStream } from '../base/random.js';
import type { EventRecords } from '../engine/event-records.js';
import type { Fabric } from '../fabric/fabric.js';
import type { RecordSink, TableSchema } from '../records/schema.js';
import type { DescribeTransfer } from '../records/transfer-label.js';
import type { EqualCostRoutes } from '../routing/equal-cost.js';
import { BitTests } from './bit-tests.js';
import { type Draws, GeneratorDraws, RegisterDraws } from './draws.js';
import {
  countWeakMasks,
  HashedIdentifiers,
  type IdentifierBits,
  multipliers,
  parity,
  type WeakMasks,
} from './link-hash.js';
import { LinkTallies } from './link-tallies.js';
import { PairLabels } from './pair-labels.js';
import { linkCountTable, linkSampleTable } from './sample-records.js';
import { SampleLabels } from './sample-labels.js';
import { SampleRows } from './sample-rows.js';
import type { SamplingSettings } from './sampling-settings.js';

/** What packets are sampled with. */
export interface SamplerParts {
  readonly fabric: Fabric;
  /** the records that packets are */
  readonly records: EventRecords;
  readonly settings: SamplingSettings;
  readonly seed: number;
  /** the routes in force */
  readonly routes: () => EqualCostRoutes;
  /** what transfers are part of; null: nobody knows */
  readonly describe: DescribeTransfer | null;
  readonly sink: RecordSink;
}

/** What sampling came to. */
export interface SamplingSummary {
  readonly variant: string;
  readonly every: number;
  /** packets that carried a sample and arrived */
  readonly sampledPackets: number;
  /** links that the bits of the identifiers do not tell apart; null: the hash is not used */
  readonly weakMasks: WeakMasks | null;
  readonly tables: readonly { readonly name: string; readonly rows: number }[];
}

/** The tables that settings ask for. */
export function samplingTables({ variant, exact }: SamplingSettings): TableSchema[] {
  return variant === 'off' ? [] : exact ? [linkSampleTable, linkCountTable] : [linkSampleTable];
}

/** A sampler, if the settings ask for one; else null. */
export function samplerFor(parts: SamplerParts): PacketSampler | null {
  return parts.settings.variant === 'off' ? null : new PacketSampler(parts);
}

const mostHops = 255;
/** bits of a packet's state; its hop count is from bit 8 on, the link that it takes next from bit 16 on */
const SAMPLED = 1;
const CONGESTED = 2;
const HASH = 4;
const hopShift = 8;
const nextShift = 16;

/** What `congested` says, by number: it is asked at every link that a reservoir takes. */
const Criterion = { queue: 0, threshold: 1, probability: 2 } as const;

export class PacketSampler {
  private readonly settings: SamplingSettings;
  private readonly draws: Draws;
  private readonly marks: RandomStream;
  private readonly identifiers: RandomStream;
  private readonly choices: RandomStream;
  private readonly hash: HashedIdentifiers | null;
  private readonly tests: BitTests | null;
  private readonly tallies: LinkTallies;
  private readonly idBits: IdentifierBits;
  private readonly rows: SampleRows;
  private readonly weak: WeakMasks | null;
  private readonly labels: SampleLabels;
  private readonly pairLabels: PairLabels;
  private readonly portNode: Int32Array;
  /** largest hop count */
  private readonly saturation: number;
  private readonly every: number;
  private readonly hostsTell: boolean;
  private readonly criterion: number;
  private readonly skips: boolean;
  /**
   * by record two words: the packet's state; the link in its reservoir (standard) or the word y of its identifier
   */
  private words: Int32Array;
  /** by node: packets to go in the stretch of `every`, and at how many to go the sample is */
  private readonly toGo: Int32Array;
  private readonly sampleAt: Int32Array;
  /** by port, if exact counts are asked for: packets, congested ones */
  private readonly exact: Float64Array | null;
  /** whether the packet that passes takes the port into its reservoir */
  private takes = false;
  private sampled = 0;

  constructor(parts: SamplerParts) {
    const { fabric, records, settings, seed } = parts;
    this.settings = settings;
    this.labels = new SampleLabels(settings.rankClasses);
    this.pairLabels = new PairLabels(this.labels, parts.describe);
    this.portNode = fabric.portNode;
    this.every = settings.every;
    this.hostsTell = settings.hosts;
    this.criterion = Criterion[settings.congested];
    this.saturation = settings.hopCount === 'field' ? Math.min(mostHops, 1 << settings.hopBits) : mostHops;
    this.draws =
      settings.randomness === 'lfsr'
        ? new RegisterDraws(seed, fabric.portCount, this.saturation)
        : new GeneratorDraws(seed, this.saturation);
    this.skips = this.draws.skips;
    this.marks = new RandomStream(seed, 'sampling: congestion by load');
    this.identifiers = new RandomStream(seed, 'sampling: identifiers');
    this.choices = new RandomStream(seed, 'sampling: which packets');
    this.tallies = new LinkTallies(fabric.portCount, this.labels);
    const isHashed = settings.variant === 'one-bit';
    this.idBits = settings.identifier === '16-bit' ? 16 : 32;
    const multiplier = multipliers[settings.multiplier];
    this.hash = isHashed ? new HashedIdentifiers(fabric.portCount, multiplier, this.idBits) : null;
    this.tests = isHashed ? new BitTests(fabric, parts.routes, this.tallies, mostHops + 1, settings.every) : null;
    this.weak = isHashed ? countWeakMasks(linkNumbers(fabric), multiplier, this.idBits) : null;
    this.rows = new SampleRows(fabric, parts.sink, isHashed, this.largestWeight(parts.routes()));
    if (settings.window > 0) this.rows.begin(0, settings.window);
    this.exact = settings.exact ? new Float64Array(2 * fabric.portCount) : null;
    this.toGo = new Int32Array(fabric.nodeCount);
    this.sampleAt = new Int32Array(fabric.nodeCount);
    this.words = new Int32Array(2 * records.capacity);
    records.onGrow((capacity) => {
      this.words = grown(this.words, 2 * capacity);
    });
  }

  /**
   * A packet leaves its host (Algorithms 1 and 4).
   * @param record of the packet @param port of the host @param wasHeld others of its senders wait, or it was held back
   */
  departs(record: number, port: number, wasHeld: boolean): void {
    const isCongested = wasHeld && this.hostsTell;
    if (this.exact !== null) this.countExact(port, isCongested);
    const at = record << 1;
    if (this.every > 1 && !this.isChosen(this.portNode[port]!)) {
      this.words[at] = 0;
      return;
    }
    let state = isCongested ? SAMPLED | CONGESTED : SAMPLED;
    if (this.hash === null) this.words[at + 1] = port;
    else {
      const id = this.identifiers.nextUint32();
      const word = this.hash.wordOf(this.idBits === 32 ? id : id >>> 16);
      this.words[at + 1] = word;
      if (parity(word & (port + 1)) === 1) state |= HASH;
    }
    this.words[at] = state | (1 << hopShift) | (this.draws.next(1) << nextShift);
  }

  /** Whether `nextLink` says all on ways of up to so many links, so that nobody has to ask `passes` at the others. */
  saysNext(longestWay: number): boolean {
    return this.skips && this.exact === null && longestWay <= this.saturation && longestWay < mostHops;
  }

  /** The link of its way, from 1, that a packet's reservoir takes next; 255: none. */
  nextLink(record: number): number {
    const state = this.words[record << 1]!;
    return (state & SAMPLED) === 0 ? mostHops : Math.min(mostHops, state >>> nextShift);
  }

  /** A packet has so many links behind it, at some of which `passes` was not asked. */
  catchUp(record: number, links: number): void {
    const at = record << 1;
    this.words[at] = (this.words[at]! & ~(mostHops << hopShift)) | (links << hopShift);
  }

  /**
   * A packet is to leave a switch (Algorithms 2 and 5).
   * @returns whether `congestion` has to be told how it is there
   */
  passes(record: number, port: number): boolean {
    const { words } = this;
    const at = record << 1;
    const state = words[at]!;
    let takes = false;
    if ((state & SAMPLED) !== 0) {
      const hops = (state >>> hopShift) & mostHops;
      const isCounted = hops < this.saturation;
      takes = this.skips && isCounted ? state >>> nextShift === hops + 1 : this.draws.takes(port, hops);
      if (isCounted) words[at] = state + (1 << hopShift);
    }
    this.takes = takes;
    return takes || this.exact !== null;
  }

  /**
   * How congested the port is that `passes` was asked about last.
   * @param waitingBytes in its queue, this packet included @param freeBytes that could be sent without waiting:
   * credits, or the packet alone
   */
  congestion(record: number, port: number, waitingBytes: number, freeBytes: number): void {
    const isCongested = this.isCongested(waitingBytes, freeBytes);
    if (this.exact !== null) this.countExact(port, isCongested);
    if (!this.takes) return;
    const at = record << 1;
    const hops = (this.words[at]! >>> hopShift) & mostHops;
    let state = isCongested ? SAMPLED | CONGESTED : SAMPLED;
    if (this.hash === null) this.words[at + 1] = port;
    else if (parity(this.words[at + 1]! & (port + 1)) === 1) state |= HASH;
    this.words[at] = state | (hops << hopShift) | (this.draws.next(hops) << nextShift);
  }

  /**
   * A packet has reached its destination (Algorithms 3 and 6).
   * @param pair its queue pair @param source @param destination of the queue pair @param transfer its number
   * @param nowPs in picoseconds
   */
  arrives(record: number, pair: number, source: number, destination: number, transfer: number, nowPs: number): void {
    const state = this.words[record << 1]!;
    if ((state & SAMPLED) === 0) return;
    if (nowPs >= this.rows.endPs) this.endWindows(nowPs);
    this.sampled++;
    const carried = this.words[(record << 1) + 1]!;
    const hops = (state >>> hopShift) & mostHops;
    const weight = hops * this.every;
    const isCongested = (state & CONGESTED) !== 0;
    const label = this.pairLabels.of(pair, transfer, source, destination);
    if (this.tests === null) this.tallies.add(label, carried, weight, isCongested);
    else {
      const hash = (state & HASH) === 0 ? 0 : 1;
      this.tests.add(pair, source, destination, carried, hash, hops, isCongested, label);
    }
  }

  /** The run has ended: the last rows go out. Call it once. */
  finish(nowPs: number): void {
    this.endWindows(nowPs);
    this.tests?.flush();
    this.rows.finish(this.tallies, this.labels, nowPs, this.exact);
  }

  summary(): SamplingSummary {
    const { variant, every } = this.settings;
    return { variant, every, sampledPackets: this.sampled, weakMasks: this.weak, tables: this.rows.tables() };
  }

  /** The windows that have ended before a time: their rows go out. */
  private endWindows(nowPs: number): void {
    const { window: windowPs } = this.settings;
    if (nowPs >= this.rows.endPs && this.rows.endPs < Infinity) {
      this.tests?.flush();
      this.rows.write(this.tallies, this.labels);
      this.tallies.clear();
      this.pairLabels.clear();
    }
    if (windowPs > 0) this.rows.begin(Math.floor(nowPs / windowPs) * windowPs, windowPs);
  }

  /** Whether a packet that a host sends is the one of its stretch that carries a sample. */
  private isChosen(node: number): boolean {
    const { every } = this;
    if (this.toGo[node] === 0) {
      this.toGo[node] = every;
      this.sampleAt[node] = this.choices.nextBelow(every);
    }
    return --this.toGo[node]! === this.sampleAt[node];
  }

  private isCongested(waitingBytes: number, freeBytes: number): boolean {
    if (this.criterion === Criterion.queue) return waitingBytes > freeBytes;
    const { threshold } = this.settings;
    if (this.criterion === Criterion.threshold) return waitingBytes >= threshold;
    return this.marks.nextFraction() * threshold < waitingBytes;
  }

  private countExact(port: number, isCongested: boolean): void {
    this.exact![2 * port]!++;
    if (isCongested) this.exact![2 * port + 1]!++;
  }

  private largestWeight({ longestPath }: EqualCostRoutes): number {
    return Math.min(longestPath, this.saturation) * this.settings.every;
  }
}

/** Numbers of all links as the hash takes them: never 0. */
function linkNumbers({ portCount }: Fabric): number[] {
  return Array.from({ length: portCount }, (_, port) => port + 1);
}

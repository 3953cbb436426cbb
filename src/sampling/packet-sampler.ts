// Reservoir sampling in packets: a packet carries one of the links behind it, each with the same probability, and
// whether that link was congested; its receiver counts. docs/models/reservoir-sampling.md has the equations.
// A backend tells when a packet departs, at every further output port, and when it arrives. It asks `passes` first, and
// says how congested a port is only if that is of interest.
// Invariants: nothing about the run is changed; every random number comes from streams of sampling's own. Memory: 8
// bytes a packet in flight, 64 a queue pair, and the tallies (link-tallies.ts).
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
import { NamedLinks } from './named-links.js';
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
/**
 * Bits of what a packet carries. From `placeShift` on the number of the link in its reservoir on its way, modulo 8; from
 * `valueShift` on that link (standard) or the word y of its identifier.
 */
const SAMPLED = 1;
const CONGESTED = 2;
const HASH = 4;
const placeShift = 3;
const placeMask = 7;
const valueShift = 6;
/** in a packet's progress: the link that it takes next, behind its hop count */
const nextShift = 8;

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
  private readonly named: NamedLinks | null;
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
  /** says when the next link is taken; null: it is asked at every link */
  private readonly generator: GeneratorDraws | null;
  /** by record: what the packet carries */
  private carried: Int32Array;
  /** by record: its hop count and the link that it takes next, unless `tellsNext` */
  private progress: Int32Array;
  /** whether `departs` and `takes` say which link a packet takes next, and nobody asks `passes` */
  private tellsNext = false;
  /** by node: packets to go in the stretch of `every`, and at how many to go the sample is */
  private readonly toGo: Int32Array;
  private readonly sampleAt: Int32Array;
  /** by port, if exact counts are asked for: packets, congested ones */
  private readonly exact: Float64Array | null;
  /** whether the packet that passes takes the port into its reservoir */
  private takesPort = false;
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
    const isRegister = settings.randomness === 'lfsr';
    this.generator = isRegister ? null : new GeneratorDraws(seed, this.saturation);
    this.draws = this.generator ?? new RegisterDraws(seed, fabric.portCount, this.saturation);
    this.marks = new RandomStream(seed, 'sampling: congestion by load');
    this.identifiers = new RandomStream(seed, 'sampling: identifiers');
    this.choices = new RandomStream(seed, 'sampling: which packets');
    this.tallies = new LinkTallies(fabric.portCount, this.labels);
    const isHashed = settings.variant === 'one-bit';
    this.named = isHashed ? null : new NamedLinks(this.tallies, settings.every);
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
    this.carried = new Int32Array(records.capacity);
    this.progress = new Int32Array(records.capacity);
    records.onGrow((capacity) => {
      this.carried = grown(this.carried, capacity);
      this.progress = grown(this.progress, capacity);
    });
  }

  /**
   * A packet leaves its host (Algorithms 1 and 4).
   * @param record of the packet @param port of the host @param wasHeld others of its senders wait, or it was held back
   * @param links of its way; 0: nobody knows
   * @returns the link of its way, from 1, that its reservoir takes next, of a way that is known at all; 255: none
   */
  departs(record: number, port: number, wasHeld: boolean, links = 0): number {
    const isCongested = wasHeld && this.hostsTell;
    if (this.exact !== null) this.countExact(port, isCongested);
    if (this.every > 1 && !this.isChosen(this.portNode[port]!)) {
      this.carried[record] = 0;
      return mostHops;
    }
    if (this.hash === null) this.carried[record] = carriedLink(port, 1, isCongested);
    else {
      const id = this.identifiers.nextUint32();
      const word = this.hash.wordOf(this.idBits === 32 ? id : id >>> 16);
      this.carried[record] = carriedBit(word, port, isCongested);
    }
    if (links > 0 && this.tellsNext) {
      const last = this.generator!.last(links);
      return last === 1 ? mostHops : last;
    }
    const next = this.nextAfter(1);
    this.progress[record] = 1 | (next << nextShift);
    return Math.min(mostHops, next);
  }

  /**
   * Lets `departs` and `takes` say which link a packet takes next, so that nobody has to ask `passes` at the others; and
   * `departs` which it keeps, where it knows how many links there are.
   * @param longestWay links of the longest way @returns whether that says all on such ways; else nothing is changed
   */
  tellNext(longestWay: number): boolean {
    this.tellsNext =
      this.generator !== null && this.exact === null && longestWay <= this.saturation && longestWay < mostHops;
    return this.tellsNext;
  }

  /**
   * A packet's reservoir takes the link that was told (Algorithms 2 and 5).
   * @param links behind the packet @returns the link of its way that it takes next; 255: none
   */
  takes(record: number, port: number, links: number, waitingBytes: number, freeBytes: number): number {
    this.put(record, port, links + 1, this.isCongested(waitingBytes, freeBytes));
    return Math.min(mostHops, this.nextAfter(links + 1));
  }

  /** A packet's reservoir takes the link that it keeps. @param links behind the packet */
  keeps(record: number, port: number, links: number, waitingBytes: number, freeBytes: number): void {
    this.put(record, port, links + 1, this.isCongested(waitingBytes, freeBytes));
  }

  /**
   * A packet is to leave a switch (Algorithms 2 and 5).
   * @returns whether `congestion` has to be told how it is there
   */
  passes(record: number, port: number): boolean {
    const { progress } = this;
    let takes = false;
    if ((this.carried[record]! & SAMPLED) !== 0) {
      const own = progress[record]!;
      const hops = own & mostHops;
      const isCounted = hops < this.saturation;
      takes = this.generator !== null && isCounted ? own >>> nextShift === hops + 1 : this.draws.takes(port, hops);
      if (isCounted) progress[record] = own + 1;
    }
    this.takesPort = takes;
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
    if (!this.takesPort) return;
    const hops = this.progress[record]! & mostHops;
    this.put(record, port, hops, isCongested);
    this.progress[record] = hops | (this.nextAfter(hops) << nextShift);
  }

  /**
   * A packet has reached its destination (Algorithms 3 and 6).
   * @param pair its queue pair @param source @param destination of the queue pair @param transfer its number
   * @param nowPs in picoseconds @param links behind it, where `tellNext` said yes
   */
  arrives(
    record: number,
    pair: number,
    source: number,
    destination: number,
    transfer: number,
    nowPs: number,
    links = 0,
  ): void {
    const carried = this.carried[record]!;
    if ((carried & SAMPLED) === 0) return;
    if (nowPs >= this.rows.endPs) this.endWindows(nowPs);
    this.sampled++;
    const hops = this.tellsNext ? links : this.progress[record]! & mostHops;
    const isCongested = (carried & CONGESTED) !== 0;
    const label = this.pairLabels.of(pair, transfer, source, destination);
    const value = carried >>> valueShift;
    if (this.named !== null) {
      const place = (carried >>> placeShift) & placeMask;
      this.named.add(pair, label, hops, place, value, isCongested);
    } else this.tests!.add(pair, source, destination, value, (carried & HASH) === 0 ? 0 : 1, hops, isCongested, label);
  }

  /** The run has ended: the last rows go out. Call it once. */
  finish(nowPs: number): void {
    this.endWindows(nowPs);
    this.flush();
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
      this.flush();
      this.rows.write(this.tallies, this.labels);
      this.tallies.clear();
      this.pairLabels.clear();
    }
    if (windowPs > 0) this.rows.begin(Math.floor(nowPs / windowPs) * windowPs, windowPs);
  }

  /** What was counted by queue pair goes into the tallies. */
  private flush(): void {
    this.tests?.flush();
    this.named?.flush();
  }

  /** The link that a reservoir takes next after so many, which may be behind all ways. */
  private nextAfter(links: number): number {
    return this.generator === null ? mostHops : this.generator.next(links);
  }

  /** A packet's reservoir takes a port. @param link its number on the way, from 1 */
  private put(record: number, port: number, link: number, isCongested: boolean): void {
    this.carried[record] =
      this.hash === null
        ? carriedLink(port, link, isCongested)
        : carriedBit(this.carried[record]! >>> valueShift, port, isCongested);
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

/** What a packet carries of the standard variant. @param link number of the port on its way */
function carriedLink(port: number, link: number, isCongested: boolean): number {
  return (port << valueShift) | ((link & placeMask) << placeShift) | (isCongested ? SAMPLED | CONGESTED : SAMPLED);
}

/** What a packet carries of the one-bit variant. @param word y of its identifier */
function carriedBit(word: number, port: number, isCongested: boolean): number {
  const bit = parity(word & (port + 1)) === 1 ? HASH : 0;
  return (word << valueShift) | bit | (isCongested ? SAMPLED | CONGESTED : SAMPLED);
}

/** Numbers of all links as the hash takes them: never 0. */
function linkNumbers({ portCount }: Fabric): number[] {
  return Array.from({ length: portCount }, (_, port) => port + 1);
}

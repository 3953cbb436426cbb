// Reservoir sampling in packets: a packet carries one of the links behind it, each with the same probability, and
// whether that link was congested; its receiver counts. docs/models/reservoir-sampling.md has the equations.
// A backend tells when a packet departs, at every further output port, and when it arrives. It asks `passes` first, and
// says whether a port is congested only if that is of interest. Where the sampler foresees which link a packet takes next,
// or keeps, nobody asks at the others.
// Invariants: nothing about the run is changed; every random number comes from streams of sampling's own. Memory: up to 8
// bytes a packet in flight, 64 a queue pair, those that wait to be counted, and the tallies (link-tallies.ts).
// Source: Taffet's dissertation (docs/SOURCES.md), Algorithms 1 to 6.
// Not modelled: a packet that failures turn back after it was counted at a port counts at both.

import { grown } from '../base/columns.js';
import { RandomStream } from '../base/random.js';
import type { EventRecords } from '../engine/event-records.js';
import type { Fabric } from '../fabric/fabric.js';
import type { RecordSink, TableSchema } from '../records/schema.js';
import type { DescribeTransfer } from '../records/transfer-label.js';
import type { EqualCostRoutes } from '../routing/equal-cost.js';
import { ArrivedSamples } from './arrived-samples.js';
import { BitTests } from './bit-tests.js';
import { Carried, carriedBit, carriedLink } from './carried-sample.js';
import { type Draws, GeneratorDraws, RegisterDraws } from './draws.js';
import { IdentifierWords } from './identifier-words.js';
import { countWeakMasks, multipliers, type WeakMasks } from './link-hash.js';
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

/**
 * What a sampler says of a packet beforehand, so that nobody has to ask at the other links: nothing; which link its
 * reservoir takes next; or, on ways that are known and stay, which it keeps at the end.
 */
export type Foresight = 'none' | 'next' | 'kept';

/** The tables that settings ask for. */
export function samplingTables({ variant, exact }: SamplingSettings): TableSchema[] {
  return variant === 'off' ? [] : exact ? [linkSampleTable, linkCountTable] : [linkSampleTable];
}

/** A sampler, if the settings ask for one; else null. */
export function samplerFor(parts: SamplerParts): PacketSampler | null {
  return parts.settings.variant === 'off' ? null : new PacketSampler(parts);
}

const mostHops = 255;
const { isSampled: SAMPLED, valueShift } = Carried;
/** in a packet's progress: the link that it takes next, behind its hop count */
const nextShift = 8;

/** What `congested` says, by number: it is asked at every link that a reservoir takes. */
const Criterion = { queue: 0, threshold: 1, probability: 2 } as const;

export class PacketSampler {
  private readonly settings: SamplingSettings;
  private readonly records: EventRecords;
  private readonly draws: Draws;
  private readonly marks: RandomStream;
  private readonly choices: RandomStream;
  /** null: packets carry links by name */
  private readonly identifiers: IdentifierWords | null;
  private readonly tallies: LinkTallies;
  private readonly arrivals: ArrivedSamples;
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
  /** by record: what the packet carries; only where nobody says which link it keeps */
  private carried = new Int32Array(0);
  /** by record: its hop count and the link that it takes next; only without foresight */
  private progress = new Int32Array(0);
  private foresight: Foresight = 'none';
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
    this.choices = new RandomStream(seed, 'sampling: which packets');
    this.tallies = new LinkTallies(fabric.portCount, this.labels);
    const isHashed = settings.variant === 'one-bit';
    const bits = settings.identifier === '16-bit' ? 16 : 32;
    const multiplier = multipliers[settings.multiplier];
    this.identifiers = isHashed ? new IdentifierWords(seed, fabric.portCount, multiplier, bits) : null;
    this.arrivals = new ArrivedSamples(
      this.identifiers === null
        ? { named: new NamedLinks(this.tallies, this.every) }
        : {
            tests: new BitTests(fabric, parts.routes, this.tallies, mostHops + 1, this.every),
            identifiers: this.identifiers,
          },
    );
    this.weak = isHashed ? countWeakMasks(linkNumbers(fabric), multiplier, bits) : null;
    this.rows = new SampleRows(fabric, parts.sink, isHashed, this.largestWeight(parts.routes()));
    if (settings.window > 0) this.rows.begin(0, settings.window);
    this.exact = settings.exact ? new Float64Array(2 * fabric.portCount) : null;
    this.toGo = new Int32Array(fabric.nodeCount);
    this.sampleAt = new Int32Array(fabric.nodeCount);
    this.records = records;
    this.reserve();
    records.onGrow(() => this.reserve());
  }

  /**
   * Says from now on what it can beforehand. Call it before the first packet.
   * @param longestWay links of the longest way @param areWaysKnown whether packets' ways are known when they depart
   */
  foresee(longestWay: number, areWaysKnown: boolean): Foresight {
    if (this.generator !== null && this.exact === null && longestWay <= this.saturation && longestWay < mostHops)
      this.foresight = areWaysKnown ? 'kept' : 'next';
    if (this.foresight === 'kept') this.arrivals.nameLinks();
    this.reserve();
    return this.foresight;
  }

  /**
   * A packet leaves its host (Algorithms 1 and 4).
   * @param record of the packet @param port of the host @param wasHeld others of its senders wait, or it was held back
   * @returns the link of its way that its reservoir takes next, from 2; 255: none
   */
  departs(record: number, port: number, wasHeld: boolean): number {
    const isCongested = this.isHeldCongested(wasHeld);
    if (this.exact !== null) this.countExact(port, isCongested);
    if (this.every > 1 && !this.isChosen(this.portNode[port]!)) {
      this.carried[record] = 0;
      return mostHops;
    }
    this.carried[record] =
      this.identifiers === null
        ? carriedLink(port, 1, isCongested)
        : carriedBit(this.identifiers.next(), port, isCongested);
    const next = this.nextAfter(1);
    if (this.foresight === 'none') this.progress[record] = 1 | (next << nextShift);
    return Math.min(mostHops, next);
  }

  /**
   * A packet leaves its host, where the link is foreseen that it keeps. Nothing else has to be told of it until it arrives.
   * @param port of the host @param links of its way
   * @returns the link of its way, from 1, that stays in its reservoir; 0: it carries no sample
   */
  keptLink(port: number, links: number): number {
    return this.every > 1 && !this.isChosen(this.portNode[port]!) ? 0 : this.generator!.last(links);
  }

  /** Whether a host's link counts as congested for a packet. @param wasHeld others wait, or it was held back */
  isHeldCongested(wasHeld: boolean): boolean {
    return wasHeld && this.hostsTell;
  }

  /**
   * A packet's reservoir takes the link that was told (Algorithms 2 and 5).
   * @param links behind the packet @param isCongested see `limitBytes`
   * @returns the link of its way that it takes next; 255: none
   */
  takes(record: number, port: number, links: number, isCongested: boolean): number {
    this.put(record, port, links + 1, isCongested);
    return Math.min(mostHops, this.nextAfter(links + 1));
  }

  /**
   * A packet is to leave a switch (Algorithms 2 and 5).
   * @returns whether `congestion` has to be told whether it is congested
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

  /** Whether the port is congested that `passes` was asked about last, for that packet (`limitBytes`). */
  congestion(record: number, port: number, isCongested: boolean): void {
    if (this.exact !== null) this.countExact(port, isCongested);
    if (!this.takesPort) return;
    const hops = this.progress[record]! & mostHops;
    this.put(record, port, hops, isCongested);
    this.progress[record] = hops | (this.nextAfter(hops) << nextShift);
  }

  /**
   * A packet has reached its destination (Algorithms 3 and 6).
   * @param pair its queue pair @param source @param destination of the queue pair @param transfer its number
   * @param nowPs in picoseconds @param links behind it, where the next one was foreseen
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
    const hops = this.foresight === 'none' ? this.progress[record]! & mostHops : links;
    this.note(pair, source, destination, transfer, nowPs, hops, carried);
  }

  /**
   * A packet with a sample has reached its destination, where the link was foreseen that it kept.
   * @param pair its queue pair @param source @param destination of the queue pair @param transfer its number
   * @param nowPs in picoseconds @param links behind it @param kept link of its way, from 1 @param port that sends by it
   */
  arrivesWith(
    pair: number,
    source: number,
    destination: number,
    transfer: number,
    nowPs: number,
    links: number,
    kept: number,
    port: number,
    metCongestion: boolean,
  ): void {
    this.note(pair, source, destination, transfer, nowPs, links, carriedLink(port, kept, metCongestion));
  }

  /** The run has ended: the last rows go out. Call it once. */
  finish(nowPs: number): void {
    this.endWindows(nowPs);
    this.arrivals.flush();
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
      this.arrivals.flush();
      this.rows.write(this.tallies, this.labels);
      this.tallies.clear();
      this.pairLabels.clear();
    }
    if (windowPs > 0) this.rows.begin(Math.floor(nowPs / windowPs) * windowPs, windowPs);
  }

  private note(
    pair: number,
    source: number,
    destination: number,
    transfer: number,
    nowPs: number,
    hops: number,
    carried: number,
  ): void {
    if (nowPs >= this.rows.endPs) this.endWindows(nowPs);
    this.sampled++;
    this.arrivals.add(
      pair,
      source,
      destination,
      this.pairLabels.of(pair, transfer, source, destination),
      hops,
      carried,
    );
  }

  /** Columns by record, as far as they are used. */
  private reserve(): void {
    const { capacity } = this.records;
    this.carried = this.foresight === 'kept' ? new Int32Array(0) : grown(this.carried, capacity);
    this.progress = this.foresight === 'none' ? grown(this.progress, capacity) : new Int32Array(0);
  }

  /** The link that a reservoir takes next after so many, which may be behind all ways. */
  private nextAfter(links: number): number {
    return this.generator === null ? mostHops : this.generator.next(links);
  }

  /** A packet's reservoir takes a port. @param link its number on the way, from 1 */
  private put(record: number, port: number, link: number, isCongested: boolean): void {
    this.carried[record] =
      this.identifiers === null
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

  /**
   * The output port of a switch is congested for a packet if more than this waits in its queue, the packet included.
   * @param freeBytes that could be sent without waiting: credits, or the packet alone
   */
  limitBytes(freeBytes: number): number {
    if (this.criterion === Criterion.queue) return freeBytes;
    const { threshold } = this.settings;
    // whole bytes: more than one less is as much
    return this.criterion === Criterion.threshold ? threshold - 1 : this.marks.nextFraction() * threshold;
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

// CONGA: flowlets take the way that is least congested, by what the switch that decides knows of its own ports and what
// the switches at the other end have fed back. Packets carry the largest load of a link on their way; the last switch
// keeps it by way, and packets of the other direction bring back one entry each.
// Invariants: a flowlet stays on its way while routes do; what is known of a way ages to nothing. Entries are as many
// as there are pairs of edge switches that talk, times at most 64 ways; flowlets as many as queue pairs alive.
// Source: Alizadeh et al., SIGCOMM 2014, sections 3.2 to 3.6; constants and the sample of ways in a row as in the
// simulator of ConWeave. On fabrics of more than two levels, for which the paper has no rule, a way is all of its links
// between the two edge switches. Not modelled: the bits of a header, entries that flowlets share by hash, the paper's
// preference for the port that the last flowlet had.

import { grown } from '../../../base/columns.js';
import { RandomStream } from '../../../base/random.js';
import { count, fraction, type SettingGroup, time, valuesOfGroup } from '../../../base/settings.js';
import type { Clock } from '../../../engine/event-wheel.js';
import { bytesShift, PacketWord } from '../packets.js';
import type { PacketParts } from '../parts.js';
import type { SideColumn } from '../side-columns.js';
import { EdgeDecision } from './edge-decision.js';
import { EdgeWays, mostWays } from './edge-ways.js';
import type { SettingEffects } from '../mechanism.js';
import type { FlowletParts } from './letflow.js';
import { RateEstimators } from './rate-estimators.js';

const { head: HEAD, pair: PAIR } = PacketWord;

export const congaSettings = {
  flowletTimeout: time('100us', 'a queue pair that has sent nothing for longer begins a new flowlet'),
  estimatorInterval: time('50us', 'the registers of links lose a share once in this time', { positive: true }),
  estimatorGain: fraction(
    0.2,
    'share that a register loses: it stands for the load of the last estimatorInterval / estimatorGain',
    { minimum: 0.001 },
  ),
  loadBits: count(3, 'bits of a load as packets carry it', { minimum: 1, maximum: 8 }),
  sampledWays: count(4, 'ways in a row, from a random one on, of which a flowlet takes the best', {
    minimum: 1,
    maximum: mostWays,
  }),
  agingTime: time('500us', 'what is known of a way for longer counts as no load'),
} as const satisfies SettingGroup;

const otherLoads = 'other loads are told, so that flowlets take other ways, better or worse';

/** What shows the effect of CONGA's settings. */
export const congaEffects: SettingEffects = {
  'conga.flowletTimeout': { values: ['100us', '0us'], rises: 'retransmissions' },
  'conga.estimatorInterval': { values: ['50us', '2us'], differs: otherLoads },
  'conga.estimatorGain': { values: ['0.2', '0.9'], differs: otherLoads },
  'conga.loadBits': { values: ['3', '8'], differs: otherLoads },
  // a flow that starts knows what the others have on the way
  'conga.sampledWays': { values: ['1', '2'], falls: 'meanCompletion' },
  'conga.agingTime': {
    given: ['conga.loadBits=8', 'conga.flowletTimeout=0us'],
    values: ['500us', '100ns'],
    differs: otherLoads,
  },
};

export class Conga extends EdgeDecision {
  private readonly settings;
  private readonly clock: Clock;
  private readonly random: RandomStream;
  private readonly estimators: RateEstimators;
  private readonly ways: EdgeWays;
  /** by queue pair: when its last packet was here, the row of its ways, and which of them its flowlet takes */
  private readonly lastPs: SideColumn<'float64'>;
  private readonly rowOf: SideColumn<'int32'>;
  private readonly wayOf: SideColumn<'uint8'>;
  /** by packet: row and way that it takes (-1: none), the largest load on it; row, way and load that it feeds back */
  private readonly row: SideColumn<'int32'>;
  private readonly way: SideColumn<'uint8'>;
  private readonly load: SideColumn<'uint8'>;
  private readonly fedRow: SideColumn<'int32'>;
  private readonly fedWay: SideColumn<'uint8'>;
  private readonly fedLoad: SideColumn<'uint8'>;
  /**
   * by place (edge-ways.ts): loads as the last switches saw them, and as the deciding ones were told, and since when
   */
  private seen = new Uint8Array(0);
  private seenPs = new Float64Array(0);
  private told = new Uint8Array(0);
  private toldPs = new Float64Array(0);
  /** by classes of a source and a destination: the row of their packets that arrived last */
  private readonly arrivals = new Map<number, number>();
  /** the best ways of a choice */
  private readonly best = new Uint8Array(mostWays);

  constructor(parts: FlowletParts & Pick<PacketParts, 'ports'>) {
    super(parts);
    this.settings = valuesOfGroup(parts.settings.own, 'conga', congaSettings);
    this.clock = parts.clock;
    this.random = new RandomStream(parts.seed, 'conga');
    this.estimators = new RateEstimators(parts.clock, parts.ports.rateBps, {
      intervalPs: this.settings.estimatorInterval,
      gain: this.settings.estimatorGain,
      bits: this.settings.loadBits,
    });
    this.ways = new EdgeWays(parts.tracer, parts.seed);
    const { columns } = parts;
    this.lastPs = columns.byPair('float64', -Infinity);
    this.rowOf = columns.byPair('int32', -1);
    this.wayOf = columns.byPair('uint8');
    this.row = columns.byPacket('int32');
    this.way = columns.byPacket('uint8');
    this.load = columns.byPacket('uint8');
    this.fedRow = columns.byPacket('int32');
    this.fedWay = columns.byPacket('uint8');
    this.fedLoad = columns.byPacket('uint8');
  }

  override depart(packet: number, pair: number, isReply: boolean): number {
    if (!isReply) this.row.values[packet] = -1;
    return super.depart(packet, pair, isReply);
  }

  protected override nextOfData(packet: number, node: number, destination: number): number {
    if (this.ways.isNew()) this.forget();
    const egress = super.nextOfData(packet, node, destination);
    if (egress < 0 || this.row.values[packet]! < 0) return egress;
    const { portNode, portPeer } = this.fabric;
    if (portNode[portPeer[egress]!] === destination) this.arrive(packet, node);
    else {
      this.estimators.add(egress, this.records.words[(packet << 3) + HEAD]! >> bytesShift);
      const level = this.estimators.level(egress);
      if (level > this.load.values[packet]!) this.load.values[packet] = level;
    }
    return egress;
  }

  protected decide(packet: number, pair: number, first: number, count: number): number {
    const { nowPs } = this.clock;
    const { portNode } = this.fabric;
    const last = this.lastPs.values[pair]!;
    const node = portNode[this.tracer.routes.setPorts[first]!]!;
    const row = this.ways.rowOf(node, this.pairs.destination[pair]!);
    this.reserve();
    this.lastPs.values[pair] = nowPs;
    if (nowPs - last > this.settings.flowletTimeout || this.rowOf.values[pair] !== row) {
      this.rowOf.values[pair] = row;
      this.wayOf.values[pair] = this.bestOf(row, first, count);
    }
    const way = this.wayOf.values[pair]!;
    this.row.values[packet] = row;
    this.way.values[packet] = way;
    this.load.values[packet] = 0;
    this.feedBack(packet, pair);
    return this.ways.numbers.values[this.ways.placeOf(row) + way]!;
  }

  /** The least congested of some ways of a row, at random among equal ones. */
  private bestOf(row: number, first: number, count: number): number {
    const { ways, best, told, toldPs } = this;
    const place = ways.placeOf(row);
    const all = ways.counts.values[row - ways.firstRow]!;
    const { sampledWays, agingTime } = this.settings;
    const sampled = Math.min(sampledWays, all);
    const oldPs = this.clock.nowPs - agingTime;
    let [least, ties] = [Infinity, 0];
    for (let i = 0, way = this.random.nextBelow(all); i < sampled; i++, way = way + 1 === all ? 0 : way + 1) {
      const port = this.tracer.routes.setPorts[first + (ways.numbers.values[place + way]! % count)]!;
      const own = this.estimators.level(port);
      const remote = toldPs[place + way]! < oldPs ? 0 : told[place + way]!;
      const load = own > remote ? own : remote;
      if (load > least) continue;
      if (load < least) {
        least = load;
        ties = 0;
      }
      best[ties++] = way;
    }
    return best[ties === 1 ? 0 : this.random.nextBelow(ties)]!;
  }

  /** Gives a packet an entry of what came the other way between its ends, if there is one that is not old. */
  private feedBack(packet: number, pair: number): void {
    const { ways } = this;
    this.fedRow.values[packet] = -1;
    const row = this.arrivals.get(this.endsOf(this.pairs.destination[pair]!, this.pairs.source[pair]!));
    if (row === undefined) return;
    const way = this.random.nextBelow(ways.counts.values[row - ways.firstRow]!);
    const at = ways.placeOf(row) + way;
    if (this.seenPs[at]! < this.clock.nowPs - this.settings.agingTime) return;
    this.fedRow.values[packet] = row;
    this.fedWay.values[packet] = way;
    this.fedLoad.values[packet] = this.seen[at]!;
  }

  /** A packet is at the last switch of its way: the load of the way is noted, and what the packet feeds back. */
  private arrive(packet: number, node: number): void {
    const { ways } = this;
    const { nowPs } = this.clock;
    const row = this.row.values[packet]!;
    const place = ways.placeOf(row);
    if (place < 0) return;
    const pair = this.records.words[(packet << 3) + PAIR]!;
    this.seen[place + this.way.values[packet]!] = this.load.values[packet]!;
    this.seenPs[place + this.way.values[packet]!] = nowPs;
    this.arrivals.set(this.endsOf(this.pairs.source[pair]!, this.pairs.destination[pair]!), row);
    const fedRow = this.fedRow.values[packet]!;
    const fed = fedRow < 0 ? -1 : ways.placeOf(fedRow);
    // of a host on two switches it may be the other one
    if (fed < 0 || ways.switches.values[fedRow - ways.firstRow] !== node) return;
    this.told[fed + this.fedWay.values[packet]!] = this.fedLoad.values[packet]!;
    this.toldPs[fed + this.fedWay.values[packet]!] = nowPs;
  }

  private endsOf(source: number, destination: number): number {
    const { routes } = this.tracer;
    return routes.classOf(source) * this.fabric.nodeCount + routes.classOf(destination);
  }

  /** Nothing is known of the ways of other routes. */
  private forget(): void {
    this.arrivals.clear();
    this.seenPs.fill(-Infinity);
    this.toldPs.fill(-Infinity);
  }

  /** Room for all rows, of which nothing is known at first. */
  private reserve(): void {
    const places = this.ways.numbers.length;
    if (places <= this.seen.length) return;
    const capacity = Math.max(places, 2 * this.seen.length);
    this.seen = grown(this.seen, capacity);
    this.told = grown(this.told, capacity);
    this.seenPs = grown(this.seenPs, capacity, -Infinity);
    this.toldPs = grown(this.toldPs, capacity, -Infinity);
  }
}

// The credit backend: a lossless fabric as InfiniBand and Omni-Path have it. Packets wait for credits on their virtual
// lane, never for a timeout; none is ever dropped. A packet is its own arrival event; ports send by output-ports.ts.
// A queue pair has finished when its last packet has arrived and an acknowledgement has come back over idle links.
// Invariants: credits at hand, under way and held are every lane's buffer; alone on idle links, store and forward, a
// transfer takes the time of routing/lone-transfer.ts to the picosecond.
// Not modelled: acknowledgements as packets of their own, transport windows, congestion control by FECN and BECN. A
// link that fails sends nothing more, and what is on it arrives: nothing is lost, so nothing is sent again.

import { Int32List } from '../../base/columns.js';
import { type Alarm, Alarms, Halt } from '../../engine/alarms.js';
import { EventWheel } from '../../engine/event-wheel.js';
import type { Frontier } from '../../execution/frontier.js';
import type { Driver, Network, NetworkCounters, RunState, Verdict } from '../../execution/network.js';
import type { SenderPaces } from '../../execution/sender-paces.js';
import type { Fabric } from '../../fabric/fabric.js';
import type { LinkStates } from '../../fabric/link-states.js';
import type { LaneAssignment } from '../../routing/lane-maps.js';
import type { PacketShape } from '../../routing/lone-transfer.js';
import type { PathTracer } from '../../routing/path.js';
import { TakenWays } from '../taken-ways.js';
import { LeastLoaded } from '../least-loaded.js';
import { LowestPort } from './lowest-port.js';
import type { Foresight, PacketSampler } from '../../sampling/packet-sampler.js';
import type { PortPoller } from '../polling/port-poller.js';
import { Chunks, ChunkState, ChunkWord } from './chunks.js';
import { creditVerdicts } from './credit-verdicts.js';
import { creditLoopText, findCreditLoop } from './credit-loops.js';
import { PacketLanes } from './lanes.js';
import { PacedTurns } from './paced-turns.js';
import type { PortRules } from './link-buffers.js';
import { anyLane, LoadsNow } from './loads-now.js';
import { OutputPorts } from './output-ports.js';
import { Senders } from './senders.js';
import type { PortTallies } from './port-tallies.js';
import type { AdaptiveRule } from './settings.js';
import { endOfWay, Ways } from './ways.js';

const { port: PORT, slot: SLOT, state: STATE } = ChunkWord;
const { isTold: TOLD, hops: HOPS, metCongestion: CONGESTED, sampleShift: SAMPLE_SHIFT } = ChunkState;

/** What a credit network is made of. */
export interface CreditNetworkParts {
  readonly fabric: Fabric;
  readonly tracer: PathTracer;
  readonly links: LinkStates | null;
  readonly shape: PacketShape;
  readonly rules: PortRules;
  /** lanes of packets on their way */
  readonly lanes: LaneAssignment;
  /** they only count: everything waits in one */
  readonly areLanesShared: boolean;
  readonly wheel: EventWheel;
  /** senders with a rate of their own; null: none has one */
  readonly paces: SenderPaces | null;
  /** how packets choose among next hops; null: all packets of a queue pair take one path */
  readonly adaptive: { readonly rule: AdaptiveRule; readonly seed: number } | null;
  readonly pathsMayChange: boolean;
  /** whether somebody may ask for the rates of ports */
  readonly countsPorts: boolean;
  /** null: packets carry no samples */
  readonly sampler: PacketSampler | null;
  /** null: nobody polls counters */
  readonly polling: { readonly tallies: PortTallies; readonly poller: PortPoller } | null;
}

export class CreditNetwork implements Network {
  readonly paths: 'fixed' | 'per-packet';
  readonly chunks: Chunks;
  readonly ports: OutputPorts;
  private readonly senders: Senders;
  private readonly ways: Ways;
  /** null: paths are fixed */
  private readonly taken: TakenWays | null;
  private readonly packetLanes: PacketLanes;
  private readonly paced: PacedTurns | null;
  private readonly alarms: Alarms;
  private readonly wakes: Alarm;
  private readonly finishes: Alarm;
  /** packets of a queue pair keep their order from port to port, and the ways that there are stay */
  private readonly skipsOnlyPorts: boolean;
  /** packets for which no switch has a route */
  private readonly stranded = new Int32List();
  private readonly moved = new Int32List();
  private readonly tallies: PortTallies | null;
  /** what the sampler says of packets beforehand */
  private readonly foresight: Foresight;
  /** when the next counters are due to be read */
  private pollPs = Infinity;
  private driver!: Driver;
  private frontier!: Frontier;
  private live = 0;
  private draining = false;
  private events = 0;
  private packetsDelivered = 0;
  private packetHops = 0;
  private payloadDelivered = 0;
  private latencyTotalPs = 0;
  private latencyLargestPs = 0;
  /** bytes that each port had sent when rates were asked for last, and when that was */
  private countedBytes: Float64Array | null = null;
  private countedPs = 0;

  constructor(private readonly parts: CreditNetworkParts) {
    const { fabric, tracer, shape, wheel, rules } = parts;
    this.alarms = new Alarms(wheel);
    this.tallies = parts.polling?.tallies ?? null;
    const { adaptive } = parts;
    this.paths = adaptive === null ? 'fixed' : 'per-packet';
    this.taken = adaptive === null ? null : new TakenWays(fabric.portCount);
    this.senders = new Senders(fabric, shape);
    const mayOvertake = adaptive !== null || parts.pathsMayChange;
    this.chunks = new Chunks(wheel.records, this.senders, { ...rules, mayOvertake });
    this.packetLanes = new PacketLanes(fabric, this.chunks, parts.lanes, parts.areLanesShared);
    this.paced = parts.paces === null ? null : new PacedTurns(parts.paces, shape.payloadBytes, this.alarms);
    this.foresight =
      parts.sampler === null || parts.pathsMayChange
        ? 'none'
        : parts.sampler.foresee(tracer.maxLength, adaptive === null);
    this.ports = new OutputPorts({
      fabric,
      wheel,
      rules,
      alarms: this.alarms,
      chunks: this.chunks,
      senders: this.senders,
      packetLanes: this.packetLanes,
      paced: this.paced,
      sampler: parts.sampler,
      foresight: this.foresight,
      tallies: this.tallies,
      comparesLoads: adaptive !== null,
      countsBytes: parts.countsPorts,
    });
    const Choice = adaptive?.rule === 'lowest-port' ? LowestPort : LeastLoaded;
    const { loads, credits } = this.ports;
    const choice =
      adaptive === null || loads === null
        ? null
        : new Choice(new LoadsNow(loads, credits, wheel, rules.lanes), fabric.portCount, adaptive.seed);
    this.ways = new Ways(fabric, tracer, this.chunks, shape.acknowledgementBytes, choice);
    this.skipsOnlyPorts = this.packetLanes.isSteady && !parts.pathsMayChange;
    this.wakes = this.alarms.register('wake the executor', (token) => {
      if (this.driver.wake(token, wheel.nowPs)) this.alarms.pause();
    });
    this.finishes = this.alarms.register('an acknowledgement has come back', (slot) => {
      this.live--;
      this.payloadDelivered += this.frontier.sizeBytes[slot]!;
      this.senders.close(slot);
      this.driver.finished(slot, wheel.nowPs);
    });
  }

  get nowPs(): number {
    return this.parts.wheel.nowPs;
  }

  get counters(): NetworkCounters {
    return {
      events: this.events,
      payloadBytesDelivered: this.payloadDelivered,
      dataPacketsSent: this.senders.packetsSent,
      dataPacketsDelivered: this.packetsDelivered,
      packetHops: this.packetHops,
      creditStalls: this.ports.stalls,
      packetsOutOfOrder: this.senders.packetsOutOfOrder,
      packetLatencyTotalPs: this.latencyTotalPs,
      packetLatencyLargestPs: this.latencyLargestPs,
      peakPacketsInFlight: this.chunks.peak,
    };
  }

  attach(driver: Driver, frontier: Frontier): void {
    this.driver = driver;
    this.frontier = frontier;
    this.ports.attach(driver);
    this.senders.attach(frontier);
    this.ways.attach(frontier);
    this.packetLanes.attach(frontier);
    this.paced?.attach(frontier, this.ports);
    // the first flows start before the first event
    if (this.parts.polling !== null) this.poll(0);
  }

  start(slot: number): void {
    const { packetLanes } = this;
    this.taken?.begin(slot);
    const port = this.ways.open(slot);
    packetLanes.open(slot);
    this.senders.open(slot, port, packetLanes.first(slot, port), this.ways.fixedLinks(slot));
    this.tell(slot, port);
    this.paced?.open(slot);
    this.live++;
    this.ports.begin(slot);
  }

  wakeAt(timePs: number, token: number): void {
    this.wakes.at(timePs, token);
  }

  get isIdle(): boolean {
    return this.parts.wheel.size === 0;
  }

  deliveredBytes(slot: number): number {
    return this.senders.arrivedBytes(slot);
  }

  drain(): void {
    this.draining = true;
  }

  advance(maxEvents: number): boolean {
    const { alarms } = this;
    const { wheel } = this.parts;
    const { records } = wheel;
    for (let n = 0; n < maxEvents; n++) {
      if (this.draining && this.live === 0) return false;
      const record = wheel.pop();
      if (record < 0) return false;
      if (wheel.nowPs >= this.pollPs && this.poll(wheel.nowPs)) n = maxEvents;
      this.events++;
      const code = ~records.words[(record << 3) + PORT]!;
      if (code < 0) {
        this.arrive(record);
        continue;
      }
      records.release(record);
      alarms.ring(code);
      if (alarms.halt !== Halt.none) return alarms.takeHalt();
    }
    return true;
  }

  linkChanged(link: number): void {
    const { fabric, links } = this.parts;
    for (let end = 0; end < 2; end++)
      this.ports.linkChanged(fabric.linkPorts[2 * link + end]!, links!.rateBps[link]!, links!.isUp[link] === 1);
  }

  /** What waits for a port that has gone, or has not been sent yet, takes the new routes; so does what is under way. */
  routesChanged(): void {
    const { fabric, links } = this.parts;
    const { senders, moved } = this;
    for (let slot = 0; slot < senders.slots; slot++) if (senders.port[slot]! >= 0) this.moveSender(slot);
    moved.length = 0;
    for (let i = 0; i < this.stranded.length; i++) moved.push(this.stranded.values[i]!);
    this.stranded.length = 0;
    if (links !== null)
      for (let port = 0; port < fabric.portCount; port++)
        if (links.isUp[fabric.portLink[port]!] === 0) this.ports.takePackets(port, moved);
    const { records } = this.chunks;
    for (let i = 0; i < moved.length; i++) {
      const record = moved.values[i]!;
      this.forward(record, fabric.portNeighbour[records.words[(record << 3) + PORT]!]!);
    }
  }

  reroute(slot: number): void {
    if (this.senders.port[slot]! >= 0) this.moveSender(slot);
  }

  portRates(into: Float64Array): number {
    const { portCount } = this.parts.fabric;
    const before = (this.countedBytes ??= new Float64Array(portCount));
    const elapsedPs = this.nowPs - this.countedPs;
    for (let port = 0; port < portCount; port++) {
      const sentBytes = this.ports.sentBytes(port);
      into[port] = elapsedPs > 0 ? ((sentBytes - before[port]!) * 8e12) / elapsedPs : 0;
      before[port] = sentBytes;
    }
    this.countedPs = this.nowPs;
    return elapsedPs;
  }

  blockedReason(): string {
    const { fabric, rules } = this.parts;
    const loop = findCreditLoop(fabric, this.ports, this.chunks, rules.lanes);
    return loop === null ? '' : `a deadlock by credits: ${creditLoopText(fabric, loop, rules.lanes)}`;
  }

  close(): void {
    this.parts.polling?.poller.finish(this.nowPs);
    this.parts.sampler?.finish(this.nowPs);
  }

  verdicts(state: RunState): Verdict[] {
    const { fabric, rules } = this.parts;
    return creditVerdicts(
      {
        fabric,
        ports: this.ports,
        chunks: this.chunks,
        lanes: rules.lanes,
        sent: this.senders.packetsSent,
        delivered: this.packetsDelivered,
      },
      state,
    );
  }

  /** Reads the counters that are due. @returns true if the sink must drain before the next */
  private poll(nowPs: number): boolean {
    const { poller } = this.parts.polling!;
    this.pollPs = poller.catchUp(nowPs);
    return poller.isFull;
  }

  /** The path of a queue pair has changed: what it has not sent leaves by its port of now. */
  private moveSender(slot: number): void {
    const { senders, ports } = this;
    const before = senders.port[slot]!;
    const port = this.ways.move(slot);
    if (port === before) return;
    const sends = ports.withdraw(slot);
    senders.port[slot] = port;
    senders.lane[slot] = this.packetLanes.first(slot, port);
    this.tell(slot, port);
    if (sends) ports.begin(slot);
  }

  /**
   * A packet is at the node behind the port that sent it: the last bit where its way ends, else as much as it takes.
   */
  private arrive(record: number): void {
    const { words } = this.chunks.records;
    const at = record << 3;
    this.packetHops++;
    if (this.tallies !== null) this.tallies.arrived(words[at + PORT]!, this.chunks.bytes(record));
    const state = words[at + STATE]! + 1;
    words[at + STATE] = state;
    const slot = words[at + SLOT]!;
    const port = this.ways.along(slot, state & HOPS);
    if (port >= 0) {
      this.ports.enter(record, port);
      return;
    }
    const node = port === endOfWay ? port : this.parts.fabric.portNeighbour[words[at + PORT]!]!;
    if (node === endOfWay || node === this.frontier.destination[slot]) this.deliver(record);
    else this.forward(record, node);
  }

  private forward(record: number, node: number): void {
    const slot = this.chunks.records.words[(record << 3) + SLOT]!;
    const port = this.ways.next(record, node, this.packetLanes.isSteady ? this.senders.lane[slot]! : anyLane);
    if (port < 0) {
      this.stranded.push(record);
      return;
    }
    if (this.taken !== null) this.tellOf(record, slot, port, this.taken);
    this.ports.enter(record, port);
  }

  /**
   * The driver is told of a port that a packet is the first of its queue pair to take. Where a packet has one port to
   * choose from and another came over the link behind it first, nobody has to look: that one told of it.
   */
  private tellOf(record: number, slot: number, port: number, taken: TakenWays): void {
    const { words } = this.chunks.records;
    const at = (record << 3) + STATE;
    if (this.skipsOnlyPorts && (words[at]! & TOLD) !== 0 && this.ways.hadOne) return;
    if (taken.note(slot, port)) {
      words[at]! &= ~TOLD;
      this.driver.took(slot, port);
    } else words[at]! |= TOLD;
  }

  /** The driver is told of the first packet of a queue pair that takes a port. */
  private tell(slot: number, port: number): void {
    if (this.taken?.note(slot, port) === true) this.driver.took(slot, port);
  }

  private tellArrival(sampler: PacketSampler, record: number, slot: number): void {
    const { source, destination, id } = this.frontier;
    const state = this.chunks.records.words[(record << 3) + STATE]!;
    const { nowPs, foresight } = this;
    const links = state & HOPS;
    if (foresight !== 'kept')
      return sampler.arrives(record, slot, source[slot]!, destination[slot]!, id[slot]!, nowPs, links);
    const kept = state >>> SAMPLE_SHIFT;
    if (kept === 0) return;
    const port = this.ways.along(slot, kept - 1);
    const met = (state & CONGESTED) !== 0;
    sampler.arrivesWith(slot, source[slot]!, destination[slot]!, id[slot]!, nowPs, links, kept, port, met);
  }

  private deliver(record: number): void {
    const { chunks, senders, nowPs } = this;
    const slot = chunks.records.words[(record << 3) + SLOT]!;
    const { sampler } = this.parts;
    if (sampler !== null) this.tellArrival(sampler, record, slot);
    const latencyPs = nowPs - chunks.sentPs(record);
    this.packetsDelivered++;
    if (chunks.mayOvertake) senders.cameAs(slot, chunks.number[record]!);
    this.latencyTotalPs += latencyPs;
    if (latencyPs > this.latencyLargestPs) this.latencyLargestPs = latencyPs;
    this.ports.leave(record);
    chunks.release(record);
    if (senders.arrived(slot)) this.finishes.at(nowPs + this.ways.backPs(slot), slot);
  }
}

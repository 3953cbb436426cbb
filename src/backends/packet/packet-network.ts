// Long because it wires all parts together.
// The packet backend: every packet of every flow, link by link. This file owns the event loop and wires the parts
// together.
// Invariants: see verdicts(); time never goes back (event-wheel.ts); results depend on fabric, routes, settings, seed
// and flows only.

import { fail } from '../../base/fail.js';
import type { Frontier } from '../../execution/frontier.js';
import type { Driver, Network, RunState, Verdict } from '../../execution/network.js';
import { type Fabric, NodeKind } from '../../fabric/fabric.js';
import { hasForwardingLatency } from '../../fabric/forwarding-latency.js';
import { LinkStates } from '../../fabric/link-states.js';
import { largestRoundTripPs } from '../../routing/base-delay.js';
import type { RecordSink } from '../../records/schema.js';
import type { PathTracer } from '../../routing/path.js';
import { type EventRecords, Word } from './event-records.js';
import { Event, eventBits as importedEventBits, eventMask as importedEventMask } from './events.js';
import { EventWheel } from './event-wheel.js';
import { Hosts } from './hosts.js';
import { LinkHazards } from './link-hazards.js';
import { EcnMarking, type UnmarkedQueue } from './marking.js';
import { Nvswitches } from './nvswitch.js';
import { Kind, kindMask as importedKindMask, PacketPool, queueShift } from './packets.js';
import type { Balancing, CongestionControl, FlowControl, RateControl, Transport } from './plug-ins.js';
import { Ports } from './ports.js';
import { MeteredPorts, type PortCounters } from './probes/port-counters.js';
import { countersFor, type Probes, probesFor, type ProbeSummary } from './probes/probes.js';
import { PairWord, QueuePairs } from './queue-pairs.js';
import { balancers, congestionControls, flowControls, type PacketParts, telemetries, transports } from './registry.js';
import type { PacketCounters } from './packet-counters.js';
import type { PacketSettings } from './settings.js';
import { SharedBuffer } from './shared-buffer.js';
import { Switches } from './switch.js';
import { blockedReason, packetVerdicts } from './verdicts.js';
import { mostPackets, Windows } from './windows.js';

// constants of this module fold into the machine code, imported ones do not
const { port: PORT, head: HEAD, pair: PAIR } = Word;
const PAUSE = Kind.pause;
const PORT_FREE = Event.portFree;
const { host: HOST, switch: SWITCH } = NodeKind;
const kindMask = importedKindMask;
const eventBits = importedEventBits;
const eventMask = importedEventMask;

export interface PacketNetworkOptions {
  readonly seed: number;
  /** a wheel of another width or size: never affects results */
  readonly wheel?: EventWheel;
  /** given if links change during the run; linkChanged and routesChanged say when */
  readonly links?: LinkStates;
  /** whether queue pairs may be rerouted; changing links imply it */
  readonly pathsMayChange?: boolean;
  /** sees every arrival, for tests: packet, port it came in by */
  readonly onArrival?: (packet: number, port: number) => void;
  /** where probes write: needed if the settings ask for any */
  readonly sink?: RecordSink;
}

/** Why no packet was marked: the queue that came closest, and what a window lets a queue pair have in flight. */
export interface Unmarked extends UnmarkedQueue {
  /** bytes of payload, of the largest window; null: no limit */
  readonly windowBytes: number | null;
}

export class PacketNetwork implements Network, RateControl {
  readonly paths = 'fixed';
  readonly records: EventRecords;
  readonly packets: PacketPool;
  readonly pairs: QueuePairs;
  readonly ports: Ports;
  readonly buffer: SharedBuffer;
  readonly flowControl: FlowControl;
  readonly congestion: CongestionControl;
  readonly marking: EcnMarking;
  readonly transport: Transport;
  readonly balancing: Balancing;
  readonly dropped = { data: 0, acknowledgements: 0 };
  readonly lost = { data: 0, acknowledgements: 0 };
  /** flows that ended at their sender before their receiver had every packet */
  finishedEarly = 0;

  private readonly wheel: EventWheel;
  private readonly hosts: Hosts;
  private readonly switches: Switches;
  private readonly nvswitches: Nvswitches;
  private readonly links: LinkStates;
  /** null: every packet that is sent arrives */
  private readonly hazards: LinkHazards | null;
  /** control frames meet error rates, too: only where pauses run out, or a lost resume would hold a port for ever */
  private readonly losesControl: boolean;
  /** NodeKind of each port's owner */
  private readonly portKind: Uint8Array;
  /** 2 x the port at the other end of each port's link, plus 1 if a host owns it */
  private readonly arrivalPort: Int32Array;
  private readonly onArrival: ((packet: number, port: number) => void) | null;
  private readonly windows: Windows;
  private readonly counted: PortCounters | null;
  private readonly probes: Probes | null;
  /** when the next sample of a probe is due */
  private samplePs = Infinity;
  private driver!: Driver;
  private frontier!: Frontier;
  private events = 0;
  private packetHops = 0;
  private draining = false;

  constructor(
    readonly fabric: Fabric,
    tracer: PathTracer,
    readonly settings: PacketSettings,
    options: PacketNetworkOptions,
  ) {
    if (!hasForwardingLatency(fabric, settings.switch)) fail('the fabric has not the latencies of the settings');
    this.wheel = options.wheel ?? new EventWheel();
    const { records } = this.wheel;
    const packets = new PacketPool(records);
    this.records = records;
    this.packets = packets;
    this.pairs = new QueuePairs((capacity) => this.reserve(capacity));
    this.counted = countersFor(settings.probes, fabric);
    this.ports =
      this.counted === null
        ? new Ports(fabric, this.wheel, records, settings.packet.gap, settings.pfc.responseTime)
        : new MeteredPorts(fabric, this.wheel, records, settings.packet.gap, this.counted, settings.pfc.responseTime);
    this.buffer = new SharedBuffer(fabric, settings);
    this.marking = new EcnMarking(fabric, settings, options.seed);
    const plain = {
      fabric,
      tracer,
      settings,
      seed: options.seed,
      clock: this.wheel,
      records,
      packets,
      pairs: this.pairs,
      ports: this.ports,
      buffer: this.buffer,
      largestRttPs: () => largestRoundTripPs(tracer, settings.packet.payload),
    };
    const telemetry = telemetries[settings.congestion.algorithm]?.(plain) ?? null;
    const parts: PacketParts = { ...plain, telemetry };
    this.probes = probesFor({
      ...plain,
      frontier: () => this.frontier,
      sink: options.sink ?? null,
      counters: this.counted,
    });
    this.onArrival = options.onArrival ?? null;
    this.balancing =
      balancers[options.links === undefined && options.pathsMayChange !== true ? 'ecmp' : 'ecmp-by-hop'](parts);
    this.flowControl = flowControls.pfc(parts, this.wheel, this.probes?.pauseTree ?? null, (port) => this.resume(port));
    this.congestion = congestionControls[settings.congestion.algorithm](parts, this);
    this.hosts = new Hosts(
      fabric,
      this.ports,
      packets,
      records,
      this.pairs,
      this.wheel,
      this.balancing,
      settings.queuePair.rateBound,
      telemetry,
      this.probes?.latency ?? null,
      (pair) => this.finish(pair),
    );
    this.transport = transports['go-back-n'](parts, this.congestion, this.hosts);
    this.hosts.use(this.transport);
    this.switches = new Switches(
      fabric,
      this.ports,
      records,
      this.buffer,
      this.flowControl,
      this.marking,
      this.balancing,
      telemetry,
      (packet, egress) => this.drop(packet, egress),
      (packet) => this.discard(packet, this.lost),
      (packet) => this.hosts.receive(packet),
      this.counted?.packetsMarked ?? null,
    );
    this.nvswitches = new Nvswitches(fabric, this.ports, records, this.buffer, this.switches, this.hosts, telemetry);
    this.portKind = Uint8Array.from(fabric.portNode, (node) => fabric.nodeKind[node]!);
    this.arrivalPort = fabric.portPeer.map((peer) => peer * 2 + (this.portKind[peer] === HOST ? 1 : 0));
    this.links = options.links ?? new LinkStates(fabric);
    this.hazards =
      options.links !== undefined || fabric.linkErrorRate.some((errorRate) => errorRate > 0)
        ? new LinkHazards(this.links, this.ports, options.seed)
        : null;
    this.losesControl = settings.pfc.pauseTime > 0;
    this.windows = new Windows(fabric, tracer, settings, this.pairs);
    this.reserve(this.pairs.capacity);
  }

  get nowPs(): number {
    return this.wheel.nowPs;
  }

  get counters(): PacketCounters {
    const { transport, flowControl } = this;
    return {
      ...transport.counters,
      events: this.events,
      packetHops: this.packetHops,
      packetsDropped: this.dropped.data + this.dropped.acknowledgements,
      packetsLost: this.lost.data + this.lost.acknowledgements,
      ecnMarks: this.marking.marks,
      pauseFrames: flowControl.pauses,
      resumeFrames: flowControl.resumes,
      pauseRefreshes: flowControl.refreshes,
      pausesExpired: flowControl.expiries,
      pauseFramesLost: flowControl.framesLost,
      peakPacketsInFlight: this.packets.peak,
    };
  }

  get hasFailedLinks(): boolean {
    return this.links.lastDownPs.some((downPs) => downPs !== -Infinity);
  }

  attach(driver: Driver, frontier: Frontier): void {
    this.driver = driver;
    this.frontier = frontier;
    // the first flows start before the first event
    if (this.probes !== null) this.samplePs = this.probes.sampleUntil(0);
  }

  start(slot: number): void {
    const { pairs, frontier, ports } = this;
    const pair = pairs.allocate();
    const at = pair << 4;
    pairs.words[at + PairWord.slot] = slot;
    pairs.source[pair] = frontier.source[slot]!;
    pairs.destination[pair] = frontier.destination[slot]!;
    pairs.sourcePort[pair] = frontier.sourcePort[slot]!;
    pairs.destinationPort[pair] = frontier.destinationPort[slot]!;
    const port = this.balancing.connect(pair);
    if (port < 0) fail(`node ${pairs.source[pair]!} has no route to node ${pairs.destination[pair]!}`);
    const { packet, queuePair } = this.settings;
    const sizeBytes = frontier.sizeBytes[slot]!;
    const count = Math.ceil(sizeBytes / packet.payload);
    if (count > mostPackets) fail(`a flow of ${sizeBytes} B has ${count} packets, more than ${mostPackets}`);
    pairs.words[at + PairWord.nicPort] = port;
    pairs.words[at + PairWord.priority] = queuePair.priority;
    pairs.words[at + PairWord.packetCount] = count;
    pairs.words[at + PairWord.lastBytes] = sizeBytes - (count - 1) * packet.payload + packet.header;
    this.windows.open(pair, ports.rateBps[port]!);
    this.congestion.start(pair);
    this.hosts.canSendAgain(pair);
  }

  wakeAt(timePs: number, token: number): void {
    this.wheel.push(timePs, (token << eventBits) | Event.wake);
  }

  drain(): void {
    this.draining = true;
  }

  advance(maxEvents: number): boolean {
    const { wheel, packets, hosts, switches, records, portKind } = this;
    for (let n = 0; n < maxEvents; n++) {
      if (this.draining && packets.live === 0) return false;
      const record = wheel.pop();
      if (record < 0) return false;
      if (wheel.nowPs >= this.samplePs && this.sampleUntil(wheel.nowPs)) n = maxEvents;
      this.events++;
      const code = ~records.words[(record << 3) + PORT]!;
      if (code < 0) {
        this.arrive(record);
        continue;
      }
      if ((code & eventMask) === PORT_FREE) {
        const kind = portKind[record]!;
        if (kind === HOST) hosts.serve(record);
        else if (kind === SWITCH) switches.serve(record);
        else this.nvswitches.serve(record);
        continue;
      }
      records.release(record);
      const id = code >> eventBits;
      switch (code & eventMask) {
        case Event.pace:
          hosts.pace(id);
          break;
        case Event.congestionDecrease:
          if (this.pairs.slotOf(id) >= 0) this.congestion.decreaseDue(id);
          this.pairs.unreference(id);
          break;
        case Event.congestionIncrease:
          if (this.pairs.slotOf(id) >= 0) this.congestion.increaseDue(id);
          this.pairs.unreference(id);
          break;
        case Event.timeout:
          this.transport.lookDue();
          break;
        case Event.pauseExpiry:
          this.flowControl.expiryDue(id);
          break;
        case Event.pauseRefresh:
          if (!this.flowControl.refreshDue(id)) return false;
          break;
        case Event.acknowledgement:
          this.transport.acknowledgementDue(id);
          this.pairs.unreference(id);
          break;
        case Event.notification:
          this.transport.notificationDue(id);
          this.pairs.unreference(id);
          break;
        case Event.wake:
          if (this.driver.wake(id, wheel.nowPs)) return true;
          break;
        default:
          fail(`event code ${code}`);
      }
    }
    return true;
  }

  setRate(pair: number, rateBps: number): void {
    if (this.windows.setRate(pair, rateBps)) this.hosts.canSendAgain(pair);
  }

  scheduleDecrease(pair: number, timePs: number): void {
    this.pairs.reference(pair);
    this.wheel.push(timePs, (pair << eventBits) | Event.congestionDecrease);
  }

  scheduleIncrease(pair: number, timePs: number): void {
    this.pairs.reference(pair);
    this.wheel.push(timePs, (pair << eventBits) | Event.congestionIncrease);
  }

  linkChanged(link: number): void {
    const { links, ports } = this;
    for (let end = 0; end < 2; end++) {
      const port = this.fabric.linkPorts[2 * link + end]!;
      if (links.isUp[link] === 0) this.flowControl.linkWentDown(port);
      const before = ports.rateBps[port]!;
      ports.setLinkRate(port, links.rateBps[link]!);
      if (ports.rateBps[port] === before) continue;
      if (this.portKind[port] !== SWITCH) this.forEachFlow((pair) => this.followLineRate(pair));
    }
  }

  routesChanged(): void {
    this.forEachFlow((pair) => {
      this.pairs.words[(pair << 4) + PairWord.nicPort] = this.balancing.connect(pair);
      this.followLineRate(pair);
    });
    this.hosts.regroup();
  }

  reroute(slot: number): void {
    this.forEachFlow((pair) => {
      if (this.pairs.slotOf(pair) !== slot) return;
      this.pairs.sourcePort[pair] = this.frontier.sourcePort[slot]!;
      this.pairs.words[(pair << 4) + PairWord.nicPort] = this.balancing.connect(pair);
      this.followLineRate(pair);
    });
    this.hosts.regroup();
  }

  close(): void {
    this.probes?.finish(this.wheel.nowPs);
  }

  /** What the probes recorded; null if there are none. */
  probeSummary(): ProbeSummary | null {
    return this.probes?.summary() ?? null;
  }

  /** Why no packet was marked; null if some were, or none could be. */
  unmarked(): Unmarked | null {
    const queue = this.marking.closest(this.fabric);
    const { largestBytes } = this.windows;
    return queue === null ? null : { ...queue, windowBytes: largestBytes === Infinity ? null : largestBytes };
  }

  blockedReason(): string {
    return blockedReason(this);
  }

  verdicts(state: RunState): Verdict[] {
    return packetVerdicts(this, state);
  }

  /** Takes the samples that are due. @returns true if the sink must drain before the next */
  private sampleUntil(nowPs: number): boolean {
    this.samplePs = this.probes!.sampleUntil(nowPs);
    return this.probes!.isFull;
  }

  private arrive(packet: number): void {
    const at = packet << 3;
    const { words } = this.records;
    const arrival = this.arrivalPort[words[at + PORT]!]!;
    const port = arrival >> 1;
    if ((words[at + HEAD]! & kindMask) >= PAUSE) {
      if (
        this.hazards !== null &&
        (this.losesControl ? this.hazards.strikes(packet, port) : this.hazards.isCut(packet, port))
      )
        this.flowControl.lost(packet);
      else this.receiveControl(packet, port);
      return;
    }
    this.packetHops++;
    if (this.hazards !== null && this.hazards.strikes(packet, port)) {
      this.discard(packet, this.lost);
      return;
    }
    if (this.onArrival !== null) this.onArrival(packet, port);
    if ((arrival & 1) === 1) this.hosts.receive(packet);
    else this.switches.forward(packet, port);
  }

  private forEachFlow(visit: (pair: number) => void): void {
    for (let pair = 0; pair < this.pairs.count; pair++) if (this.pairs.slotOf(pair) >= 0) visit(pair);
  }

  /** The NIC's rate has changed, or the queue pair has moved to another NIC: its rate changes in proportion. */
  private followLineRate(pair: number): void {
    const { pairs } = this;
    const lineRateBps = this.ports.rateBps[pairs.words[(pair << 4) + PairWord.nicPort]!]!;
    const before = pairs.lineRateBps[pair]!;
    if (lineRateBps === before) return;
    pairs.lineRateBps[pair] = lineRateBps;
    this.setRate(pair, pairs.rateBps[pair]! * (lineRateBps / before));
  }

  private resume(port: number): void {
    const kind = this.portKind[port];
    if (kind === HOST) this.hosts.resume(port);
    else if (kind === SWITCH) this.switches.resume(port);
    else this.nvswitches.resume(port);
  }

  private receiveControl(frame: number, port: number): void {
    if (this.probes !== null && this.probes.frames !== null) this.probes.frames.arrived(frame, port);
    this.flowControl.received(frame, port);
  }

  /** A packet for an output port found no room in its switch. */
  private drop(packet: number, egress: number): void {
    const queue = (this.records.words[(packet << 3) + HEAD]! >> queueShift) & 7;
    if (this.counted !== null) this.counted.packetsDropped[(egress << 3) + queue]!++;
    this.discard(packet, this.dropped);
  }

  private discard(packet: number, count: { data: number; acknowledgements: number }): void {
    const at = packet << 3;
    const { words } = this.records;
    if ((words[at + HEAD]! & kindMask) === Kind.data) count.data++;
    else count.acknowledgements++;
    const pair = words[at + PAIR]!;
    this.packets.release(packet);
    this.pairs.unreference(pair);
  }

  private finish(pair: number): void {
    const { words } = this.pairs;
    const at = pair << 4;
    if (words[at + PairWord.expectedPacket] !== words[at + PairWord.packetCount]) this.finishedEarly++;
    const slot = words[at + PairWord.slot]!;
    if (this.probes !== null) this.probes.flowFinished(pair);
    this.pairs.finish(pair);
    this.driver.finished(slot, this.wheel.nowPs);
  }

  private reserve(capacity: number): void {
    this.balancing.reserve(capacity);
    this.congestion.reserve(capacity);
    this.transport.reserve(capacity);
  }
}

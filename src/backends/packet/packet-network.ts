// The packet backend: every packet of every flow, link by link. This file owns the event loop; the parts are put
// together in network-parts.ts.
// Invariants: see verdicts(); time never goes back (engine/event-wheel.ts); results depend on fabric, routes, settings,
// seed and flows only.

import type { HostPause, ProbeSummary, Unmarked, WatchdogFigures } from '../../execution/network-figures.js';
import { fail } from '../../base/fail.js';
import { type Alarm, alarmMask as importedAlarmMask, Halt } from '../../engine/alarms.js';
import type { EventRecords } from '../../engine/event-records.js';
import type { EventWheel } from '../../engine/event-wheel.js';
import type { LinkHazards } from '../../engine/link-hazards.js';
import type { Frontier } from '../../execution/frontier.js';
import type { Driver, Network, RunState, Verdict } from '../../execution/network.js';
import { NodeKind } from '../../fabric/fabric.js';
import type { Devices } from './devices.js';
import { makeParts, type PacketNetworkParts, type PacketNetworkRequest } from './network-parts.js';
import type { Nic } from './nic/nic.js';
import { portWithoutRoute } from '../../routing/port-without-route.js';
import { mostPackets } from './nic/windows.js';
import type { PacketCounters } from './packet-counters.js';
import { HeadBits, Kind, PacketWord } from './packets.js';
import { portFreeKind } from './ports.js';
import { withPolls, withSamples } from './probes/probe-summary.js';
import { PairWord } from './queue-pairs.js';
import type { Switches } from './switch/switches.js';
import { blockedReason, packetVerdicts } from './verdicts.js';

// constants of this module fold into the machine code, imported ones do not
const { port: PORT, head: HEAD } = PacketWord;
const { control: CONTROL, pause: PAUSE } = Kind;
const PORT_FREE = portFreeKind;
const { host: HOST, switch: SWITCH } = NodeKind;
const GO_ON = Halt.none;
const { kindMask } = HeadBits;
const alarmMask = importedAlarmMask;

export class PacketNetwork implements Network {
  /** the parts by name, for whoever looks inside: checks, probes, tests */
  readonly parts: PacketNetworkParts;
  readonly paths: 'fixed' | 'per-packet';
  // what every event needs, without the detour by the parts
  private readonly wheel: EventWheel;
  private readonly records: EventRecords;
  private readonly devices: Devices;
  private readonly nic: Nic;
  /** who takes what arrives at hosts: the NIC, or slow receivers in front of it */
  private readonly receiver: Pick<Nic, 'receive'>;
  private readonly switches: Switches;
  private readonly hazards: LinkHazards | null;
  private readonly onArrival: ((packet: number, port: number) => void) | null;
  /** control frames meet error rates, too: only where pauses run out, or a lost resume would hold a port for ever */
  private readonly losesFrames: boolean;
  /** 2 x the port at the other end of each port's link, plus 1 if a host owns it */
  private readonly arrivalPort: Int32Array;
  private readonly wakes: Alarm;
  /** when the next sample of a probe, or the next reading of counters, is due */
  private samplePs = Infinity;
  private events = 0;
  private packetHops = 0;
  private draining = false;

  constructor(parts: PacketNetworkParts) {
    const { fabric, devices, alarms, flows } = parts;
    this.parts = parts;
    this.paths = parts.balancing.paths;
    this.wheel = parts.wheel;
    this.records = parts.records;
    this.devices = devices;
    this.nic = devices.nic;
    this.receiver = parts.slowReceivers ?? devices.nic;
    this.switches = devices.switches;
    this.hazards = parts.hazards;
    this.onArrival = parts.onArrival;
    this.losesFrames = parts.settings.pfc.pauseTime > 0;
    this.arrivalPort = fabric.portPeer.map((peer) => peer * 2 + (devices.portKind[peer] === NodeKind.host ? 1 : 0));
    this.wakes = alarms.register('wake the executor', (token) => {
      if (flows.driver.wake(token, this.wheel.nowPs)) alarms.pause();
    });
  }

  get nowPs(): number {
    return this.wheel.nowPs;
  }

  get counters(): PacketCounters {
    const { transport, flowControl, balancing, inOrder, fates, marking, packets, trimming } = this.parts;
    return {
      ...noPauses,
      ...transport.counters,
      ...flowControl.counters,
      ...balancing.counters,
      ...inOrder?.bufferCounters,
      events: this.events,
      packetHops: this.packetHops,
      packetsTrimmed: trimming?.trimmed ?? 0,
      packetsDropped: fates.dropped.data + fates.dropped.acknowledgements,
      packetsLost: fates.lost.data + fates.lost.acknowledgements,
      ecnMarks: marking.marks,
      peakPacketsInFlight: packets.peak,
    };
  }

  attach(driver: Driver, frontier: Frontier): void {
    this.parts.flows.attach(driver, frontier);
    // the first flows start before the first event
    this.sampleUntil(0);
  }

  start(slot: number): void {
    const { pairs, flows, ports, windows, congestion, nic, pacing } = this.parts;
    const pair = flows.open(slot);
    const port = this.connect(pair);
    const { packet, queuePair } = this.parts.settings;
    const sizeBytes = flows.frontier.sizeBytes[slot]!;
    const count = Math.ceil(sizeBytes / packet.payload);
    if (count > mostPackets) fail(`a flow of ${sizeBytes} B has ${count} packets, more than ${mostPackets}`);
    const at = pair << 4;
    pairs.words[at + PairWord.nicPort] = port;
    pairs.words[at + PairWord.priority] = queuePair.priority;
    pairs.words[at + PairWord.packetCount] = count;
    pairs.words[at + PairWord.lastBytes] = sizeBytes - (count - 1) * packet.payload + packet.header;
    if (pacing !== null) pacing.open(pair, slot, flows.frontier);
    windows.open(pair, ports.rateBps[port]!);
    congestion.start(pair);
    nic.canSendAgain(pair);
  }

  wakeAt(timePs: number, token: number): void {
    this.wakes.at(timePs, token);
  }

  get isIdle(): boolean {
    return this.wheel.size === 0;
  }

  deliveredBytes(slot: number): number {
    const { flows, pairs, settings } = this.parts;
    const pair = flows.pairOf(slot);
    if (pair < 0) return 0;
    const packets = pairs.words[(pair << 4) + PairWord.expectedPacket]!;
    return Math.min(packets * settings.packet.payload, flows.frontier.sizeBytes[slot]!);
  }

  drain(): void {
    this.draining = true;
  }

  advance(maxEvents: number): boolean {
    const { wheel, devices, records } = this;
    const { packets, alarms } = this.parts;
    const { portKind } = devices;
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
      if ((code & alarmMask) === PORT_FREE) {
        const kind = portKind[record]!;
        if (kind === HOST) this.nic.serve(record);
        else if (kind === SWITCH) this.switches.serve(record);
        else devices.serve(record);
        continue;
      }
      records.release(record);
      alarms.ring(code);
      if (alarms.halt !== GO_ON) return alarms.takeHalt();
    }
    return true;
  }

  linkChanged(link: number): void {
    const { fabric, links, ports, flows, flowControl, rates } = this.parts;
    for (let end = 0; end < 2; end++) {
      const port = fabric.linkPorts[2 * link + end]!;
      if (links.isUp[link] === 0) flowControl.linkWentDown(port);
      const before = ports.rateBps[port]!;
      ports.setLinkRate(port, links.rateBps[link]!);
      if (ports.rateBps[port] === before) continue;
      if (this.devices.portKind[port] !== SWITCH) flows.forEach((pair) => rates.followLineRate(pair));
    }
  }

  routesChanged(): void {
    const { flows, pairs, rates, nic } = this.parts;
    flows.forEach((pair) => {
      pairs.words[(pair << 4) + PairWord.nicPort] = this.connect(pair);
      rates.followLineRate(pair);
    });
    nic.regroup();
  }

  reroute(slot: number): void {
    const { flows, pairs, rates, nic, pathsMayChange } = this.parts;
    if (!pathsMayChange) fail('a flow is moved in a network that was made for paths that stay');
    const pair = flows.pairOf(slot);
    if (pair < 0) return;
    const at = (pair << 4) + PairWord.nicPort;
    const before = pairs.words[at]!;
    pairs.sourcePort[pair] = flows.frontier.sourcePort[slot]!;
    const port = this.connect(pair);
    pairs.words[at] = port;
    if (port === before) return;
    rates.followLineRate(pair);
    nic.regroup();
  }

  portRates(into: Float64Array): number {
    const { meter } = this.parts;
    if (meter === null) fail('ports are asked for their rates in a network that does not count them');
    return meter.rates(this.wheel.nowPs, into);
  }

  close(): void {
    this.parts.probes?.finish(this.wheel.nowPs);
    this.parts.poller?.finish(this.wheel.nowPs);
    this.parts.sampler?.finish(this.wheel.nowPs);
  }

  /** What probes and samples recorded; null if there are none. */
  probeSummary(): ProbeSummary | null {
    const { probes, sampler, poller } = this.parts;
    return withPolls(withSamples(probes?.summary() ?? null, sampler), poller);
  }

  /** Why no packet was marked; null if some were, or none could be. */
  unmarked(): Unmarked | null {
    const { marking, fabric, windows } = this.parts;
    const queue = marking.closest(fabric);
    const { largestBytes } = windows;
    return queue === null ? null : { ...queue, windowBytes: largestBytes === Infinity ? null : largestBytes };
  }

  /** How often and how long the sending of hosts was held back, and by what. */
  pausesOfHosts(): HostPause[] {
    return this.parts.hostPauses.summary();
  }

  /** What the watchdog over paused ports did; null if nobody watches. */
  watchdogFigures(): WatchdogFigures | null {
    return this.parts.watchdog?.figures ?? null;
  }

  blockedReason(): string {
    return blockedReason(this.parts);
  }

  verdicts(state: RunState): Verdict[] {
    return packetVerdicts(this.parts, state);
  }

  /** The port by which a queue pair sends, also while failures leave it no route. */
  private connect(pair: number): number {
    const { pairs, balancing, fabric, pathsMayChange } = this.parts;
    const routed = balancing.connect(pair);
    const [from, to] = [pairs.source[pair]!, pairs.destination[pair]!];
    const port = routed >= 0 || !pathsMayChange ? routed : portWithoutRoute(fabric, from, to);
    return port >= 0 ? port : fail(`node ${from} has no route to node ${to}`);
  }

  /** Takes the samples, and reads the counters, that are due. @returns true if the sink must drain before the next */
  private sampleUntil(nowPs: number): boolean {
    const { probes, poller } = this.parts;
    this.samplePs = Math.min(probes?.sampleUntil(nowPs) ?? Infinity, poller?.catchUp(nowPs) ?? Infinity);
    return (probes?.isFull ?? false) || (poller?.isFull ?? false);
  }

  private arrive(packet: number): void {
    const at = packet << 3;
    const { words } = this.records;
    const arrival = this.arrivalPort[words[at + PORT]!]!;
    const port = arrival >> 1;
    if ((words[at + HEAD]! & kindMask) >= CONTROL) {
      this.arriveControl(packet, port);
      return;
    }
    this.packetHops++;
    if (this.hazards !== null && this.hazards.strikes(packet, port)) {
      this.parts.fates.lose(packet, port, this.hazards.cause);
      return;
    }
    if (this.onArrival !== null) this.onArrival(packet, port);
    if ((arrival & 1) === 1) this.receiver.receive(packet);
    else this.switches.forward(packet, port);
  }

  /** A frame of a flow control has crossed its link, or a control packet one of its links. */
  private arriveControl(packet: number, port: number): void {
    const { hazards } = this;
    const { fates, control, probes, polled, records } = this.parts;
    const isFrame = (records.words[(packet << 3) + HEAD]! & kindMask) >= PAUSE;
    const owner = fates.ownerOf(packet);
    if (
      hazards !== null &&
      (isFrame && !this.losesFrames ? hazards.isCut(packet, port) : hazards.strikes(packet, port))
    ) {
      fates.loseControl(packet);
      return;
    }
    if (isFrame) {
      if (probes !== null && probes.frames !== null) probes.frames.arrived(packet, port);
    } else {
      this.packetHops++;
      if (polled !== null) polled.arrived(packet, port);
      if (!control.isAtEnd(packet, port, owner)) {
        if (!control.forward(packet, port)) fates.loseControl(packet);
        return;
      }
    }
    owner.received(packet, port);
  }
}

/** Makes a network from a fabric, routes and settings. @throws InvariantError if they contradict each other */
export function makePacketNetwork(request: PacketNetworkRequest): PacketNetwork {
  return new PacketNetwork(makeParts(request));
}

/** Counters of pauses where no flow control makes any. */
const noPauses = { pauseFrames: 0, resumeFrames: 0, pauseRefreshes: 0, pausesExpired: 0, pauseFramesLost: 0 };

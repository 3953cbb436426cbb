// Output-queued switches: an arriving packet goes to the output port that balancing names, through the shared buffer if
// it must wait. Buffer space is held from arrival (which counts the switch's own latency) to the start of transmission.
// Source: SimAI's switch (docs/models/simai.md#switches). Not modelled: input arbitration, multicast.

import { LossCause } from '../../../engine/link-hazards.js';
import type { Fabric } from '../../../fabric/fabric.js';
import { type EventRecords } from '../../../engine/event-records.js';
import type { EcnMarking } from './marking.js';
import { HeadBits, Kind, PacketWord, markBit } from '../packets.js';
import {
  arrivedHere,
  type Balancing,
  type FlowControl,
  held,
  type HeldReceiver,
  type PacketHolding,
  type PacketStops,
  type PacketTelemetry,
} from '../plug-ins.js';
import type { Nic } from '../nic/nic.js';
import type { PacketFates } from '../packet-fates.js';
import type { Ports } from '../ports.js';
import type { PortCounters } from '../probes/port-counters.js';
import { BufferVerdict, type SharedBuffer } from './shared-buffer.js';
import type { PauseWatchdog } from './pause-watchdog.js';
import type { Trimming } from './trimming.js';
import type { SampleWatcher } from '../probes/sample-watcher.js';

// constants of this module fold into the machine code, imported ones do not
const { port: PORT, head: HEAD } = PacketWord;
const { data: DATA, pause: PAUSE } = Kind;
const ARRIVED_HERE = arrivedHere;
const HELD = held;
const { refused: REFUSED, crowded: CROWDED } = BufferVerdict;
const { bytesShift, kindMask, queueShift } = HeadBits;

/** What switches are made from. */
export interface SwitchParts {
  readonly fabric: Fabric;
  readonly ports: Ports;
  readonly records: EventRecords;
  readonly buffer: SharedBuffer;
  readonly flowControl: FlowControl;
  readonly marking: EcnMarking;
  readonly balancing: Balancing;
  /** null unless the congestion control wants it */
  readonly telemetry: PacketTelemetry | null;
  /** takes what finds no room or no route */
  readonly fates: PacketFates;
  /** takes what ends at an NVSwitch */
  readonly nic: Nic;
  /** null: nobody counts by port */
  readonly counted: PortCounters | null;
  /** null: what finds no room is dropped whole */
  readonly trimming: Trimming | null;
  /** null: packets carry no samples */
  readonly sampling: SampleWatcher | null;
  /** null: nobody watches paused ports */
  readonly watchdog: PauseWatchdog | null;
}

export class Switches implements HeldReceiver {
  private readonly portNode: Int32Array;
  private readonly isLossy: boolean;

  private readonly ports: Ports;
  private readonly records: EventRecords;
  private readonly buffer: SharedBuffer;
  private readonly flowControl: FlowControl;
  private readonly marking: EcnMarking;
  private readonly balancing: Balancing;
  /** null: no packet waits for others */
  private readonly holding: PacketHolding | null;
  /** null: no packet is stopped where it comes from its host */
  private readonly stops: PacketStops | null;
  private readonly telemetry: PacketTelemetry | null;
  private readonly fates: PacketFates;
  private readonly nic: Nic;
  private readonly trimming: Trimming | null;
  private readonly sampling: SampleWatcher | null;
  private readonly watchdog: PauseWatchdog | null;
  /** by port x 8 + queue: packets marked; null if nobody counts them */
  private readonly marked: Float64Array | null;

  constructor(parts: SwitchParts) {
    this.portNode = parts.fabric.portNode;
    this.isLossy = parts.buffer.isLossy;
    this.ports = parts.ports;
    this.records = parts.records;
    this.buffer = parts.buffer;
    this.flowControl = parts.flowControl;
    this.marking = parts.marking;
    this.balancing = parts.balancing;
    this.holding = parts.balancing.holding ?? null;
    this.stops = parts.flowControl.stops ?? null;
    this.telemetry = parts.telemetry;
    this.fates = parts.fates;
    this.nic = parts.nic;
    this.trimming = parts.trimming;
    this.sampling = parts.sampling;
    this.watchdog = parts.watchdog;
    this.marked = parts.counted?.packetsMarked ?? null;
  }

  /** A data or acknowledgement packet has come in by a port. */
  forward(packet: number, ingress: number): void {
    const { ports } = this;
    const at = packet << 3;
    const egress = this.balancing.next(packet);
    // balancing may send packets of its own: records may have moved when it returns
    const { words } = this.records;
    if (egress < 0) {
      if (egress === ARRIVED_HERE) this.nic.receive(packet);
      else if (egress === HELD) this.holdForOthers(packet, ingress, this.holding!);
      else this.fates.lose(packet, ingress, LossCause.noRoute);
      return;
    }
    if (this.sampling !== null && (words[at + HEAD]! & kindMask) === DATA) this.sampling.forwarded(packet, egress);
    if (this.stops !== null && (words[at + HEAD]! & kindMask) === DATA && this.stops.stops(packet, ingress)) {
      this.hold(packet, ingress, egress, this.stops);
      return;
    }
    const queue = (words[at + HEAD]! >> queueShift) & 7;
    if (ports.mayTransmit(egress, queue)) {
      if (this.telemetry !== null) this.stamp(packet, egress, queue);
      ports.transmit(egress, packet);
      return;
    }
    if (queue !== 0) {
      if (this.watchdog !== null && this.watchdog.drops(packet, egress, queue)) return;
      const node = this.portNode[ingress]!;
      const bytes = words[at + HEAD]! >> bytesShift;
      if (this.isLossy && !this.buffer.takes(node, ports.queueBytes(egress, queue), bytes)) {
        this.refuse(packet, egress);
        return;
      }
      const admission = this.buffer.admit(node, ingress, (ingress << 3) + queue, bytes);
      if (admission === REFUSED) {
        this.refuse(packet, egress);
        return;
      }
      words[at + PORT] = ingress;
      ports.append(egress, packet);
      this.flowControl.admitted(packet, node, ingress, egress, queue, admission === CROWDED);
    } else ports.append(egress, packet);
    // idle and yet not sent: paused, and the resume will serve it
    if (ports.freeAtPs(egress) > ports.nowPs) ports.wakeWhenFree(egress);
  }

  private holdForOthers(packet: number, ingress: number, holding: PacketHolding): void {
    const isData = (this.records.words[(packet << 3) + HEAD]! & kindMask) === DATA;
    if (this.sampling !== null && isData) this.sampling.forwarded(packet, holding.port);
    this.hold(packet, ingress, holding.port, holding);
  }

  /** A packet waits, for others of its queue pair or for its flow: in the buffer, like one that waits for its port. */
  private hold(packet: number, ingress: number, egress: number, keeper: PacketHolding | PacketStops): void {
    const { words } = this.records;
    const at = packet << 3;
    const queue = (words[at + HEAD]! >> queueShift) & 7;
    const node = this.portNode[ingress]!;
    const bytes = words[at + HEAD]! >> bytesShift;
    const isTaken = !this.isLossy || this.buffer.takes(node, this.ports.queueBytes(egress, queue), bytes);
    const admission = isTaken ? this.buffer.admit(node, ingress, (ingress << 3) + queue, bytes) : REFUSED;
    if (admission === REFUSED) {
      this.fates.drop(packet, egress);
      return;
    }
    words[at + PORT] = ingress;
    keeper.keep(packet, ingress, egress);
    this.flowControl.admitted(packet, node, ingress, egress, queue, admission === CROWDED);
  }

  /** A packet has waited for others, and goes on by an output port. */
  release(packet: number, port: number): void {
    this.ports.append(port, packet);
    this.resume(port);
  }

  /** A packet has found no room for an output port: its header goes on in queue 0, or it is dropped. */
  private refuse(packet: number, egress: number): void {
    const { ports, trimming } = this;
    if (trimming === null || !trimming.trims(packet)) {
      this.fates.drop(packet, egress);
      return;
    }
    if (ports.mayTransmit(egress, 0)) {
      if (this.telemetry !== null) this.stamp(packet, egress, 0);
      ports.transmit(egress, packet);
      return;
    }
    ports.append(egress, packet);
    if (ports.freeAtPs(egress) > ports.nowPs) ports.wakeWhenFree(egress);
  }

  /** Sends the next packet of a port that has nothing on the wire, if any may go. */
  serve(port: number): void {
    const { ports } = this;
    const eligible = ports.sendable(port);
    if (eligible === 0) {
      ports.rest(port);
      return;
    }
    const queue = ports.chooseQueue(port, eligible);
    const packet = ports.take(port, queue);
    if (this.telemetry !== null) this.stamp(packet, port, queue);
    if (queue !== 0) {
      const { words } = this.records;
      const at = packet << 3;
      const head = words[at + HEAD]!;
      if ((head & kindMask) === DATA && this.marking.shouldMark(port, ports.queueBytes(port, queue))) {
        words[at + HEAD] = head | markBit;
        if (this.marked !== null) this.marked[(port << 3) + queue]!++;
      }
      const ingress = words[at + PORT]!;
      const node = this.portNode[port]!;
      this.buffer.vacate(node, (ingress << 3) + queue, words[at + HEAD]! >> bytesShift);
      ports.transmit(port, packet);
      this.flowControl.vacated(packet, node, ingress, port, queue);
    } else if ((this.records.words[(packet << 3) + HEAD]! & kindMask) >= PAUSE) ports.transmitControl(port, packet);
    else ports.transmit(port, packet);
    ports.wakeIfSendable(port);
  }

  /** Telemetry of a packet that a switch port starts to send. */
  stamp(packet: number, port: number, queue: number): void {
    const head = this.records.words[(packet << 3) + HEAD]!;
    const kind = head & kindMask;
    const linkBytes = (head >> bytesShift) + this.ports.gapBytes;
    if (kind === DATA) this.telemetry!.stamp(packet, port, linkBytes, this.ports.queueBytes(port, queue));
    else if (kind < PAUSE) this.telemetry!.passed(port, linkBytes);
  }

  /** A paused queue may send again. */
  resume(port: number): void {
    if (this.ports.isIdle(port)) {
      this.ports.beginTurn(port);
      this.serve(port);
    } else if (this.ports.sendable(port) !== 0) this.ports.wakeWhenFree(port);
  }
}

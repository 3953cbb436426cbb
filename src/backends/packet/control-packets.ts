// Control packets: they are routed like data, wait in queue 0, take link time, and belong to no queue pair but to the
// mechanism that sent them, which gets them at their destination, a host or a switch. Kind.control; PacketWord.pair is
// the signature of their owner, PacketWord.place the node they go to, PacketWord.sequence the owner's own; more stands
// in side columns.
// Invariants: sent = arrived + lost + under way; they hold no shared buffer, as queue 0 does not.
// Not modelled: several paths (all control packets from one node to another take one), a rate limit of their own.

import { fail } from '../../base/fail.js';
import type { EventRecords } from '../../engine/event-records.js';
import { type Fabric, NodeKind } from '../../fabric/fabric.js';
import type { PathTracer } from '../../routing/path.js';
import { SwitchRoutes } from '../../routing/switch-routes.js';
import { bytesShift, Kind, type PacketPool, PacketWord } from './packets.js';
import type { ControlOwner, PacketTelemetry } from './plug-ins.js';
import type { Ports } from './ports.js';

const { port: PORT, pair: PAIR, place: PLACE, head: HEAD, sequence: SEQUENCE } = PacketWord;

/** bytes of a packet have 24 bits */
const mostBytes = (1 << 24) - 1;

export interface ControlPacketsParts {
  readonly fabric: Fabric;
  readonly tracer: PathTracer;
  readonly records: EventRecords;
  readonly packets: PacketPool;
  readonly ports: Ports;
  /** null unless the congestion control wants it: what control packets take of a link counts, too */
  readonly telemetry: PacketTelemetry | null;
}

export class ControlPackets {
  sent = 0;
  arrived = 0;
  lost = 0;

  private readonly toSwitches: SwitchRoutes;

  constructor(private readonly parts: ControlPacketsParts) {
    this.toSwitches = new SwitchRoutes(parts.tracer);
  }

  /**
   * Makes a control packet; its owner may write its sequence word and side columns before it is sent.
   * @param signature of the owner (FlowControlParts.signature)
   * @param destination host or switch that it goes to
   * @param sizeBytes in all, as it waits and travels
   */
  make(signature: number, destination: number, sizeBytes: number): number {
    const { packets, records } = this.parts;
    if (!(sizeBytes > 0 && sizeBytes <= mostBytes)) fail(`a control packet of ${sizeBytes} B`);
    const packet = packets.allocate();
    const at = packet << 3;
    records.words[at + PAIR] = signature;
    records.words[at + PLACE] = destination;
    records.words[at + SEQUENCE] = 0;
    records.words[at + HEAD] = Kind.control | (sizeBytes << bytesShift);
    return packet;
  }

  /** Sends a packet that was made from a node. @returns false if no route leads on: the packet is released */
  send(packet: number, node: number): boolean {
    const { fabric, tracer, records, packets } = this.parts;
    const destination = records.words[(packet << 3) + PLACE]!;
    if (node === destination) fail(`a control packet from node ${node} to itself`);
    const port =
      fabric.nodeKind[destination] !== NodeKind.host
        ? this.toSwitches.nextPort(node, destination)
        : fabric.nodeKind[node] === NodeKind.host
          ? tracer.firstPort(node, destination, 0, 0)
          : tracer.nextPort(node, node, destination, 0, 0);
    if (port < 0) {
      packets.release(packet);
      return false;
    }
    this.sent++;
    this.put(packet, port);
    return true;
  }

  /**
   * A control packet has come in by a port.
   * @returns true if that is where it goes, or its owner takes it there: it is its owner's then; false: it goes on
   */
  isAtEnd(packet: number, port: number, owner: ControlOwner): boolean {
    const { words } = this.parts.records;
    const at = packet << 3;
    if (this.parts.fabric.portNode[port] !== words[at + PLACE] && owner.intercepts?.(packet, port) !== true)
      return false;
    this.arrived++;
    return true;
  }

  /** Sends a packet on from a switch. @returns false if no route leads on: the packet is the caller's to lose */
  forward(packet: number, ingress: number): boolean {
    const { fabric, tracer, records } = this.parts;
    const node = fabric.portNode[ingress]!;
    const destination = records.words[(packet << 3) + PLACE]!;
    const port =
      fabric.nodeKind[destination] === NodeKind.host
        ? tracer.nextPort(node, node, destination, 0, 0)
        : this.toSwitches.nextPort(node, destination);
    if (port < 0) return false;
    this.put(packet, port);
    return true;
  }

  private put(packet: number, port: number): void {
    const { ports, records, telemetry } = this.parts;
    if (ports.mayTransmit(port, 0)) {
      if (telemetry !== null)
        telemetry.passed(port, (records.words[(packet << 3) + HEAD]! >> bytesShift) + ports.gapBytes);
      ports.transmit(port, packet);
      return;
    }
    records.words[(packet << 3) + PORT] = port;
    ports.append(port, packet);
    if (ports.freeAtPs(port) > ports.nowPs) ports.wakeWhenFree(port);
  }
}

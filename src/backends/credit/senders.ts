// What queue pairs have still to send and to be told about, in columns by slot.
// Invariant: packets of a slot that are unsent, under way and arrived are all of its packets.

import { grown } from '../../base/columns.js';
import { fail } from '../../base/fail.js';
import type { Frontier } from '../../execution/frontier.js';
import type { Fabric } from '../../fabric/fabric.js';
import type { PacketShape } from '../../routing/lone-transfer.js';

const mostPackets = 2 ** 31 - 1;

export class Senders {
  /** by slot: its virtual lane */
  lane = new Uint8Array(0);
  /** by slot: its sender's port; -1 while the slot is not under way */
  port = new Int32Array(0);
  /** by slot: links of its path; 0: its packets ask for their way */
  links = new Int32Array(0);
  /** by slot: bytes on the link of its last packet */
  lastBytes = new Int32Array(0);
  /** packets that have been sent, of all slots */
  packetsSent = 0;
  /** packets that arrived after one that had left its sender later */
  packetsOutOfOrder = 0;
  private frontier!: Frontier;
  /** by slot: the latest packet that has arrived, by its number */
  private latest = new Int32Array(0);
  private unsent = new Int32Array(0);
  private unarrived = new Int32Array(0);
  private readonly fullBytes: number;

  constructor(
    private readonly fabric: Fabric,
    private readonly shape: PacketShape,
  ) {
    this.fullBytes = shape.payloadBytes + shape.overheadBytes;
  }

  /** Slots that may be under way are below this. */
  get slots(): number {
    return this.port.length;
  }

  attach(frontier: Frontier): void {
    this.frontier = frontier;
  }

  open(slot: number, port: number, lane: number, links: number): void {
    this.reserve(slot);
    const { payloadBytes, overheadBytes } = this.shape;
    const sizeBytes = this.frontier.sizeBytes[slot]!;
    const count = Math.ceil(sizeBytes / payloadBytes);
    if (count > mostPackets) fail(`a flow of ${sizeBytes} B has ${count} packets, more than ${mostPackets}`);
    this.port[slot] = port;
    this.lane[slot] = lane;
    this.links[slot] = links;
    this.unsent[slot] = count;
    this.unarrived[slot] = count;
    this.latest[slot] = -1 - count;
    this.lastBytes[slot] = sizeBytes - (count - 1) * payloadBytes + overheadBytes;
  }

  close(slot: number): void {
    this.port[slot] = -1;
  }

  /** Bytes on the link of the next packet. */
  nextBytes(slot: number): number {
    return this.unsent[slot] === 1 ? this.lastBytes[slot]! : this.fullBytes;
  }

  /** The number of the next packet of a slot: ascending up to -1, its last. */
  nextNumber(slot: number): number {
    return -this.unsent[slot]!;
  }

  /** A packet has arrived, by its number; reordered as RFC 4737 defines it if a later one came before. */
  cameAs(slot: number, number: number): void {
    if (number > this.latest[slot]!) this.latest[slot] = number;
    else this.packetsOutOfOrder++;
  }

  /** A packet has been sent. @returns whether there are more */
  sent(slot: number): boolean {
    this.packetsSent++;
    return --this.unsent[slot]! > 0;
  }

  /** A packet has arrived. @returns whether it was the last */
  arrived(slot: number): boolean {
    return --this.unarrived[slot]! === 0;
  }

  /** Payload of a queue pair that has arrived, as if its packets came in order: its last one may be shorter. */
  arrivedBytes(slot: number): number {
    const sizeBytes = this.frontier.sizeBytes[slot]!;
    const { payloadBytes } = this.shape;
    return Math.min(sizeBytes, (Math.ceil(sizeBytes / payloadBytes) - this.unarrived[slot]!) * payloadBytes);
  }

  /** Whether the node behind a port is where a queue pair ends. */
  endsBehind(port: number, slot: number): boolean {
    const { portNode, portPeer } = this.fabric;
    return portNode[portPeer[port]!] === this.frontier.destination[slot];
  }

  private reserve(slot: number): void {
    if (slot < this.port.length) return;
    const slots = Math.max(256, 2 * (slot + 1));
    this.port = grown(this.port, slots, -1);
    this.lane = grown(this.lane, slots);
    this.links = grown(this.links, slots);
    this.latest = grown(this.latest, slots);
    this.unsent = grown(this.unsent, slots);
    this.unarrived = grown(this.unarrived, slots);
    this.lastBytes = grown(this.lastBytes, slots);
  }
}

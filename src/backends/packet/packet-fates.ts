// Packets that do not arrive: counted by what they were and why they are gone, and released.
// Invariant: every packet that was sent is delivered, dropped (no room), lost (link, route), or under way.

import type { EventRecords } from '../../engine/event-records.js';
import { LossCause } from '../../engine/link-hazards.js';
import type { ControlPackets } from './control-packets.js';
import { Kind, kindMask, type PacketPool, PacketWord, queueShift } from './packets.js';
import type { ControlOwner } from './plug-ins.js';
import type { LossProbe } from './probes/loss-probe.js';
import type { PortCounters } from './probes/port-counters.js';
import type { QueuePairs } from './queue-pairs.js';

const { head: HEAD, pair: PAIR } = PacketWord;

/** Packets of each kind that are gone. */
export interface GonePackets {
  data: number;
  /** ACKs, NACKs and CNPs */
  acknowledgements: number;
}

export interface PacketFatesParts {
  readonly records: EventRecords;
  readonly packets: PacketPool;
  readonly pairs: QueuePairs;
  readonly control: ControlPackets;
  /** by output port; null: nobody counts */
  readonly counted: PortCounters | null;
  /** null: nobody records what is gone */
  readonly probe: LossProbe | null;
}

export class PacketFates {
  /** found no room in a switch */
  readonly dropped: GonePackets = { data: 0, acknowledgements: 0 };
  /** lost to a link or for want of a route */
  readonly lost: GonePackets = { data: 0, acknowledgements: 0 };
  private owners: readonly ControlOwner[] = [];

  constructor(private readonly parts: PacketFatesParts) {}

  /** Frames and control packets that are lost go back to their owners, by signature. */
  use(owners: readonly ControlOwner[]): void {
    this.owners = owners;
  }

  /** A packet for an output port found no room in its switch, or was dropped there for another {@link LossCause}. */
  drop(packet: number, egress: number, cause: number = LossCause.buffer): void {
    const { records, counted, probe } = this.parts;
    const queue = (records.words[(packet << 3) + HEAD]! >> queueShift) & 7;
    if (counted !== null) counted.packetsDropped[(egress << 3) + queue]!++;
    if (probe !== null) probe.gone(packet, egress, cause);
    this.discard(packet, this.dropped);
  }

  /**
   * A link or a missing route took a data or acknowledgement packet.
   * @param port it came in by
   * @param cause LossCause (engine/link-hazards.ts)
   */
  lose(packet: number, port: number, cause: number): void {
    if (this.parts.probe !== null) this.parts.probe.gone(packet, port, cause);
    this.discard(packet, this.lost);
  }

  /** A link or a missing route took a frame or a control packet. */
  loseControl(packet: number): void {
    const { words } = this.parts.records;
    if ((words[(packet << 3) + HEAD]! & kindMask) === Kind.control) this.parts.control.lost++;
    this.ownerOf(packet).lost(packet);
  }

  /** Who a frame or control packet belongs to. */
  ownerOf(packet: number): ControlOwner {
    return this.owners[~this.parts.records.words[(packet << 3) + PAIR]!]!;
  }

  private discard(packet: number, count: GonePackets): void {
    const { records, packets, pairs } = this.parts;
    const at = packet << 3;
    if ((records.words[at + HEAD]! & kindMask) === Kind.data) count.data++;
    else count.acknowledgements++;
    const pair = records.words[at + PAIR]!;
    packets.release(packet);
    pairs.unreference(pair);
  }
}

// Packets that do not arrive, each where it was taken and why: data and acknowledgement packets that a loss model, an
// error rate, a failed link, a full buffer or the want of a route took.
// Invariant: a row for each packet of the counters packetsLost and packetsDropped, and no other. Not recorded: frames
// and control packets, which no counter has either, and what was trimmed, which goes on.

import { LossCause } from '../../../engine/link-hazards.js';
import type { EventRecords } from '../../../engine/event-records.js';
import { interfaceIndex } from '../../../fabric/fabric.js';
import { PacketLossColumn, packetLossTable } from '../../../records/loss-records.js';
import { TableWriter } from '../../../records/schema.js';
import { bytesShift, kindMask, PacketWord } from '../packets.js';
import type { PacketLabels } from '../plug-ins.js';
import type { ProbeParts } from './probe-parts.js';

export class LossProbe {
  readonly table: TableWriter;
  private labels: PacketLabels | null = null;
  private seenAt: ((port: number) => number) | null = null;

  constructor(
    private readonly parts: ProbeParts,
    private readonly records: EventRecords,
  ) {
    this.table = new TableWriter(packetLossTable, parts.sink);
  }

  /** Who knows more of packets: their transport, and the loss model that counts what it was asked about. */
  use(labels: PacketLabels | null, seenAt: ((port: number) => number) | null): void {
    this.labels = labels;
    this.seenAt = seenAt;
  }

  /** A packet is about to be discarded. @param port it came in by; of a full buffer, the output port it was for */
  gone(packet: number, port: number, cause: number): void {
    const { fabric, clock, pairs, settings } = this.parts;
    const { words } = this.records;
    const { labels, seenAt } = this;
    const at = packet << 3;
    const head = words[at + PacketWord.head]!;
    const pair = words[at + PacketWord.pair]!;
    const sequence = words[at + PacketWord.sequence]!;
    const node = fabric.portNode[port]!;
    const slot = pairs.slotOf(pair);
    const { columns, rows } = this.table;
    columns[PacketLossColumn.time]![rows] = clock.nowPs;
    columns[PacketLossColumn.node]![rows] = node;
    columns[PacketLossColumn.nodeKind]![rows] = fabric.nodeKind[node]!;
    columns[PacketLossColumn.interface]![rows] = interfaceIndex(fabric, port);
    columns[PacketLossColumn.cause]![rows] = cause;
    columns[PacketLossColumn.index]![rows] = cause < LossCause.linkError && seenAt !== null ? seenAt(port) - 1 : -1;
    columns[PacketLossColumn.kind]![rows] = head & kindMask;
    columns[PacketLossColumn.flow]![rows] = slot < 0 ? -1 : this.parts.frontier().id[slot]!;
    columns[PacketLossColumn.source]![rows] = pairs.source[pair]!;
    columns[PacketLossColumn.destination]![rows] = pairs.destination[pair]!;
    columns[PacketLossColumn.packet]![rows] = sequence;
    columns[PacketLossColumn.offset]![rows] = sequence * settings.packet.payload;
    columns[PacketLossColumn.bytes]![rows] = head >> bytesShift;
    columns[PacketLossColumn.tier]![rows] = labels === null ? 0 : labels.tierOf(packet);
    columns[PacketLossColumn.nack]![rows] = labels === null ? 0 : labels.nackOf(packet);
    columns[PacketLossColumn.place]![rows] = labels === null ? -1 : labels.placeOf(packet);
    this.table.commit();
  }
}

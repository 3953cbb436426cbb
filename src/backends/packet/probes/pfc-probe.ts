// PFC frames, each where it arrives: the port that must pause or may go on. As SimAI logs them.
// Not recorded: frames that are lost with their link, pauses that run out.

import { interfaceIndex } from '../../../fabric/fabric.js';
import { PfcEventColumn, pfcEventTable } from '../../../records/probe-records.js';
import { TableWriter } from '../../../records/schema.js';
import { type EventRecords } from '../../../engine/event-records.js';
import { Kind, kindMask, PacketWord } from '../packets.js';
import type { PortCounters } from './port-counters.js';
import type { ProbeParts } from './probe-parts.js';

export class PfcProbe {
  /** null if only counters are wanted */
  readonly table: TableWriter | null;

  constructor(
    private readonly parts: ProbeParts,
    private readonly records: EventRecords,
    private readonly counters: PortCounters | null,
  ) {
    this.table = parts.settings.probes.pfcEvents ? new TableWriter(pfcEventTable, parts.sink) : null;
  }

  /** A control frame has arrived at a port. */
  arrived(frame: number, port: number): void {
    const { words } = this.records;
    const queue = words[(frame << 3) + PacketWord.place]!;
    const isPause = (words[(frame << 3) + PacketWord.head]! & kindMask) === Kind.pause;
    if (this.counters !== null) {
      const received = isPause ? this.counters.pausesReceived : this.counters.resumesReceived;
      received[(port << 3) + queue]!++;
    }
    if (this.table !== null) this.write(this.table, port, queue, isPause);
  }

  private write(table: TableWriter, port: number, queue: number, isPause: boolean): void {
    const { fabric, clock } = this.parts;
    const { columns, rows } = table;
    const node = fabric.portNode[port]!;
    columns[PfcEventColumn.time]![rows] = clock.nowPs;
    columns[PfcEventColumn.node]![rows] = node;
    columns[PfcEventColumn.nodeKind]![rows] = fabric.nodeKind[node]!;
    columns[PfcEventColumn.interface]![rows] = interfaceIndex(fabric, port);
    columns[PfcEventColumn.priority]![rows] = queue;
    columns[PfcEventColumn.isPause]![rows] = isPause ? 1 : 0;
    table.commit();
  }
}

// The counters of all ports as rows, at the end of a run: one for each queue at which anything happened.

import { interfaceIndex } from '../../../fabric/fabric.js';
import { PortCounterColumn, portCounterTable } from '../../../records/probe-records.js';
import { TableWriter } from '../../../records/schema.js';
import { queuesPerPort } from '../ports.js';
import { type PortCounters, QueueValue } from './port-counters.js';
import type { ProbeParts } from './probe-parts.js';

export class PortCounterRows {
  readonly table: TableWriter;

  constructor(
    private readonly parts: ProbeParts,
    private readonly counters: PortCounters,
  ) {
    this.table = new TableWriter(portCounterTable, parts.sink);
  }

  /** Writes all rows. */
  finish(): void {
    const { fabric } = this.parts;
    const { counters } = this;
    const counted = [
      [PortCounterColumn.packetsDropped, counters.packetsDropped],
      [PortCounterColumn.packetsMarked, counters.packetsMarked],
      [PortCounterColumn.pausesSent, counters.pausesSent],
      [PortCounterColumn.resumesSent, counters.resumesSent],
      [PortCounterColumn.pausesReceived, counters.pausesReceived],
      [PortCounterColumn.resumesReceived, counters.resumesReceived],
    ] as const;
    const sent = [
      [PortCounterColumn.packetsSent, QueueValue.packetsSent],
      [PortCounterColumn.bytesSent, QueueValue.bytesSent],
      [PortCounterColumn.peakQueue, QueueValue.peakBytes],
    ] as const;
    for (let index = 0; index < fabric.portCount * queuesPerPort; index++) {
      if (
        counted.every(([, values]) => values[index] === 0) &&
        sent.every(([, value]) => counters.queues[index * 4 + value] === 0)
      )
        continue;
      const port = Math.floor(index / queuesPerPort);
      const node = fabric.portNode[port]!;
      const { columns, rows } = this.table;
      columns[PortCounterColumn.node]![rows] = node;
      columns[PortCounterColumn.nodeKind]![rows] = fabric.nodeKind[node]!;
      columns[PortCounterColumn.interface]![rows] = interfaceIndex(fabric, port);
      columns[PortCounterColumn.priority]![rows] = index % queuesPerPort;
      for (const [column, values] of counted) columns[column]![rows] = values[index]!;
      for (const [column, value] of sent) columns[column]![rows] = counters.queues[index * 4 + value]!;
      this.table.commit();
    }
  }
}

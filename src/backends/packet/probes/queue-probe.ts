// Queue lengths, sampled: a row for each queue whose length is another than at the last sample, as SimAI's monitor has
// them.
// Invariants: the length of a queue at a sample is that of its last row, 0 without one; with queueSamples the interval
// doubles each time after so many samples, so their number grows with the logarithm of the time.
// What is on the wire is in no queue. Not recorded: bytes by ingress port, as the shared buffer counts them.

import { interfaceIndex } from '../../../fabric/fabric.js';
import { QueueColumn, queueTable } from '../../../records/probe-records.js';
import { TableWriter } from '../../../records/schema.js';
import { queuesPerPort } from '../ports.js';
import type { ProbeParts } from './probe-parts.js';
import type { SampledProbe } from './sampling.js';

export class QueueProbe implements SampledProbe {
  readonly table: TableWriter;
  intervalPs: number;
  /** samples after which the interval doubles; Infinity: it stays */
  private readonly samples: number;
  private taken = 0;
  /** by port x 8 + queue: bytes at the last sample; by port: bits of the queues that held any */
  private readonly seenBytes: Float64Array;
  private readonly seenQueues: Uint8Array;

  constructor(private readonly parts: ProbeParts) {
    const { ports, settings, sink } = parts;
    const { queueInterval, queueSamples } = settings.probes;
    this.intervalPs = queueInterval;
    this.samples = queueSamples === 0 ? Infinity : queueSamples;
    this.table = new TableWriter(queueTable, sink);
    this.seenBytes = new Float64Array(ports.count * queuesPerPort);
    this.seenQueues = new Uint8Array(ports.count);
  }

  sample(timePs: number): boolean {
    const { ports } = this.parts;
    const { seenQueues } = this;
    for (let port = 0; port < ports.count; port++) {
      const occupied = ports.occupiedQueues(port);
      if ((occupied | seenQueues[port]!) !== 0) this.look(port, occupied | seenQueues[port]!, timePs);
      seenQueues[port] = occupied;
    }
    if (++this.taken === this.samples) {
      this.taken = 0;
      this.intervalPs *= 2;
    }
    return false;
  }

  /** @param queues bits of the queues that may have changed: all others of the port are empty */
  private look(port: number, queues: number, timePs: number): void {
    const { ports } = this.parts;
    const { seenBytes } = this;
    let portBytes = 0;
    for (let queue = 0; queue < queuesPerPort; queue++)
      if ((queues & (1 << queue)) !== 0) portBytes += ports.queueBytes(port, queue);
    for (let queue = 0; queue < queuesPerPort; queue++) {
      const index = port * queuesPerPort + queue;
      const bytes = ports.queueBytes(port, queue);
      if (bytes === seenBytes[index]) continue;
      seenBytes[index] = bytes;
      this.write(timePs, port, queue, bytes, portBytes);
    }
  }

  private write(timePs: number, port: number, queue: number, queueBytes: number, portBytes: number): void {
    const { fabric } = this.parts;
    const { columns, rows } = this.table;
    const node = fabric.portNode[port]!;
    columns[QueueColumn.time]![rows] = timePs;
    columns[QueueColumn.node]![rows] = node;
    columns[QueueColumn.nodeKind]![rows] = fabric.nodeKind[node]!;
    columns[QueueColumn.interface]![rows] = interfaceIndex(fabric, port);
    columns[QueueColumn.priority]![rows] = queue;
    columns[QueueColumn.queue]![rows] = queueBytes;
    columns[QueueColumn.port]![rows] = portBytes;
    this.table.commit();
  }
}

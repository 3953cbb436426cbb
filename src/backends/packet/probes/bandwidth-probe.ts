// What each port sent, interval by interval: a row for each port that sent anything in it.
// A packet's bytes belong to the interval in which its transmission begins, so that they add up; the utilisation is
// exact: the share of the interval in which the port was sending, preambles and gaps included, and never above 1.

import { interfaceIndex } from '../../../fabric/fabric.js';
import { BandwidthColumn, bandwidthTable } from '../../../records/probe-records.js';
import { TableWriter } from '../../../records/schema.js';
import { type PortCounters, PortValue } from './port-counters.js';
import type { ProbeParts } from './probe-parts.js';
import type { SampledProbe } from './sampling.js';

export class BandwidthProbe implements SampledProbe {
  readonly table: TableWriter;
  readonly intervalPs: number;
  /** by port at the last sample: bytes sent, picoseconds spent sending */
  private readonly seenBytes: Float64Array;
  private readonly seenBusyPs: Float64Array;
  /** the first sample only takes notes */
  private isFirst = true;

  constructor(
    private readonly parts: ProbeParts,
    private readonly counters: PortCounters,
  ) {
    this.intervalPs = parts.settings.probes.bandwidthInterval;
    this.table = new TableWriter(bandwidthTable, parts.sink);
    this.seenBytes = new Float64Array(parts.ports.count);
    this.seenBusyPs = new Float64Array(parts.ports.count);
  }

  sample(timePs: number, sincePs: number): boolean {
    const { ports } = this.parts;
    const { seenBytes, seenBusyPs } = this;
    const { ports: begun } = this.counters;
    let isSending = false;
    for (let port = 0; port < ports.count; port++) {
      const bytes = begun[(port << 1) + PortValue.bytesSent]!;
      const begunPs = begun[(port << 1) + PortValue.busyPs]!;
      // most ports are idle: nothing was begun since, and what was begun before was seen to its end
      if (bytes === seenBytes[port] && begunPs === seenBusyPs[port]) continue;
      const restPs = ports.freeAtPs(port) - timePs;
      if (restPs > 0) isSending = true;
      const busyPs = begunPs - (restPs > 0 ? restPs : 0);
      if (!this.isFirst)
        this.write(timePs, timePs - sincePs, port, bytes - seenBytes[port]!, busyPs - seenBusyPs[port]!);
      seenBytes[port] = bytes;
      seenBusyPs[port] = busyPs;
    }
    this.isFirst = false;
    return isSending;
  }

  private write(timePs: number, intervalPs: number, port: number, sentBytes: number, busyPs: number): void {
    const { fabric } = this.parts;
    const { columns, rows } = this.table;
    const node = fabric.portNode[port]!;
    columns[BandwidthColumn.time]![rows] = timePs;
    columns[BandwidthColumn.interval]![rows] = intervalPs;
    columns[BandwidthColumn.node]![rows] = node;
    columns[BandwidthColumn.nodeKind]![rows] = fabric.nodeKind[node]!;
    columns[BandwidthColumn.interface]![rows] = interfaceIndex(fabric, port);
    columns[BandwidthColumn.sent]![rows] = sentBytes;
    // the last interval is as long as the run: if that ends at a sample, packets of its last instant have an interval
    // of no length
    columns[BandwidthColumn.rate]![rows] = intervalPs === 0 ? 0 : (sentBytes * 8e12) / intervalPs;
    columns[BandwidthColumn.utilisation]![rows] = intervalPs === 0 ? 0 : busyPs / intervalPs;
    this.table.commit();
  }
}

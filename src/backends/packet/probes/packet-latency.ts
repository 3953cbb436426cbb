// How long data packets take: from the start of their transmission at the NIC to the arrival of their last bit at their
// destination. Mean and maximum of each queue pair, a histogram of the run.
// Every data packet that arrives counts, also one that is sent again, comes twice or is out of order; one that is lost
// does not, nor one that arrives without its payload (switch/trimming.ts). A queue pair's row holds what arrived before
// its flow was finished. Not recorded: acknowledgements, the time at each hop.

import { grown } from '../../../base/columns.js';
import {
  LatencyHistogramColumn,
  latencyHistogramTable,
  PacketLatencyColumn,
  packetLatencyTable,
} from '../../../records/probe-records.js';
import { TableWriter } from '../../../records/schema.js';
import type { EventRecords } from '../../../engine/event-records.js';
import { PacketWord } from '../packets.js';
import type { PacketWatcher } from '../plug-ins.js';
import { isTrimmed } from '../switch/trimming.js';
import type { LatencyStatistics } from '../../../execution/network-figures.js';
import { bucketFromPs, LatencyHistogram } from './latency-histogram.js';
import type { ProbeParts } from './probe-parts.js';
import type { TimeWindow } from './sampling.js';

export class PacketLatency implements PacketWatcher {
  readonly tables: readonly TableWriter[];
  private readonly rows: TableWriter;
  private readonly buckets: TableWriter;
  private readonly histogram = new LatencyHistogram();
  /** when the packet of a record left its host; NaN if it is not to be counted */
  private departedPs: Float64Array;
  /** by queue pair */
  private packets = new Float64Array(0);
  private sumPs = new Float64Array(0);
  private maximumPs = new Float64Array(0);

  constructor(
    private readonly parts: ProbeParts,
    private readonly records: EventRecords,
    private readonly window: TimeWindow,
  ) {
    this.rows = new TableWriter(packetLatencyTable, parts.sink);
    this.buckets = new TableWriter(latencyHistogramTable, parts.sink);
    this.tables = [this.rows, this.buckets];
    this.departedPs = new Float64Array(records.capacity);
    records.onGrow((capacity) => {
      this.departedPs = grown(this.departedPs, capacity);
    });
  }

  departed(packet: number): void {
    const nowPs = this.parts.clock.nowPs;
    this.departedPs[packet] = nowPs >= this.window.startPs && nowPs <= this.window.endPs ? nowPs : NaN;
  }

  arrived(packet: number, pair: number): void {
    const { pairs, clock } = this.parts;
    const latencyPs = clock.nowPs - this.departedPs[packet]!;
    if (!(latencyPs >= 0) || isTrimmed(this.records.words[(packet << 3) + PacketWord.head]!)) return;
    this.histogram.add(latencyPs);
    if (pairs.slotOf(pair) < 0) return;
    if (pair >= this.packets.length) this.reserve(pairs.capacity);
    this.packets[pair]!++;
    this.sumPs[pair]! += latencyPs;
    if (latencyPs > this.maximumPs[pair]!) this.maximumPs[pair] = latencyPs;
  }

  /** A flow ends: its row, unless no packet was counted. */
  finished(pair: number): void {
    const packets = pair < this.packets.length ? this.packets[pair]! : 0;
    if (packets === 0) return;
    const { pairs, frontier } = this.parts;
    const { columns, rows } = this.rows;
    columns[PacketLatencyColumn.flow]![rows] = frontier().id[pairs.slotOf(pair)]!;
    columns[PacketLatencyColumn.source]![rows] = pairs.source[pair]!;
    columns[PacketLatencyColumn.destination]![rows] = pairs.destination[pair]!;
    columns[PacketLatencyColumn.sourcePort]![rows] = pairs.sourcePort[pair]!;
    columns[PacketLatencyColumn.destinationPort]![rows] = pairs.destinationPort[pair]!;
    columns[PacketLatencyColumn.packets]![rows] = packets;
    columns[PacketLatencyColumn.mean]![rows] = this.sumPs[pair]! / packets;
    columns[PacketLatencyColumn.maximum]![rows] = this.maximumPs[pair]!;
    this.rows.commit();
    this.packets[pair] = this.sumPs[pair] = this.maximumPs[pair] = 0;
  }

  /** The run ends: rows of the flows that did not, and the histogram. */
  finish(): void {
    const { pairs } = this.parts;
    for (let pair = 0; pair < pairs.count; pair++) if (pairs.slotOf(pair) >= 0) this.finished(pair);
    for (const [bucket, packets] of this.histogram.counts.entries()) {
      if (packets === 0) continue;
      const { columns, rows } = this.buckets;
      columns[LatencyHistogramColumn.from]![rows] = bucketFromPs(bucket);
      columns[LatencyHistogramColumn.below]![rows] = bucketFromPs(bucket + 1);
      columns[LatencyHistogramColumn.packets]![rows] = packets;
      this.buckets.commit();
    }
  }

  /** Of all packets counted so far. */
  statistics(): LatencyStatistics {
    return this.histogram.statistics();
  }

  private reserve(capacity: number): void {
    this.packets = grown(this.packets, capacity);
    this.sumPs = grown(this.sumPs, capacity);
    this.maximumPs = grown(this.maximumPs, capacity);
  }
}

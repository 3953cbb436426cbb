// Rates of the queue pairs, sampled: a row for each queue pair that is new or whose rate is another than at the last
// sample. The rate is what the congestion control allows; what is sent may be less (window, pauses, nothing left).
// Invariant: the rate of a flow under way at a sample is that of its last row. Its end is in the table of flows.

import { grown } from '../../../base/columns.js';
import { RateColumn, rateTable } from '../../../records/probe-records.js';
import { TableWriter } from '../../../records/schema.js';
import type { ProbeParts } from './probe-parts.js';
import type { SampledProbe } from './sampling.js';

export class RateProbe implements SampledProbe {
  readonly table: TableWriter;
  readonly intervalPs: number;
  /** by queue pair: rate at the last sample, 0 if its flow was not yet there */
  private seenBps = new Float64Array(0);

  constructor(private readonly parts: ProbeParts) {
    this.intervalPs = parts.settings.probes.rateInterval;
    this.table = new TableWriter(rateTable, parts.sink);
  }

  sample(timePs: number): boolean {
    const { pairs } = this.parts;
    this.seenBps = grown(this.seenBps, pairs.capacity);
    for (let pair = 0; pair < pairs.count; pair++) {
      const slot = pairs.slotOf(pair);
      if (slot < 0 || pairs.rateBps[pair] === this.seenBps[pair]) continue;
      this.seenBps[pair] = pairs.rateBps[pair]!;
      this.write(timePs, pair, slot);
    }
    return false;
  }

  /** A flow ends: the number of its queue pair will be another's. */
  finished(pair: number): void {
    if (pair < this.seenBps.length) this.seenBps[pair] = 0;
  }

  private write(timePs: number, pair: number, slot: number): void {
    const { pairs } = this.parts;
    const frontier = this.parts.frontier();
    const { columns, rows } = this.table;
    columns[RateColumn.time]![rows] = timePs;
    columns[RateColumn.flow]![rows] = frontier.id[slot]!;
    columns[RateColumn.source]![rows] = pairs.source[pair]!;
    columns[RateColumn.destination]![rows] = pairs.destination[pair]!;
    columns[RateColumn.sourcePort]![rows] = pairs.sourcePort[pair]!;
    columns[RateColumn.destinationPort]![rows] = pairs.destinationPort[pair]!;
    columns[RateColumn.size]![rows] = frontier.sizeBytes[slot]!;
    columns[RateColumn.rate]![rows] = pairs.rateBps[pair]!;
    this.table.commit();
  }
}

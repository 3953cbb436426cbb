// Notifications of marks (CNPs) for each queue pair, sampled: a row for each queue pair that got any since the last
// sample, with all that it got since its start; and one when its flow ends, if it got any since.
// A notification counts where the receiver sends it.

import { grown } from '../../../base/columns.js';
import { NotificationColumn, notificationTable } from '../../../records/probe-records.js';
import { TableWriter } from '../../../records/schema.js';
import type { ProbeParts } from './probe-parts.js';
import type { SampledProbe, TimeWindow } from './sampling.js';

export class NotificationProbe implements SampledProbe {
  readonly table: TableWriter;
  readonly intervalPs: number;
  /** by queue pair: notifications at its last row */
  private seen = new Uint32Array(0);

  constructor(
    private readonly parts: ProbeParts,
    private readonly window: TimeWindow,
  ) {
    this.intervalPs = parts.settings.probes.notificationInterval;
    this.table = new TableWriter(notificationTable, parts.sink);
  }

  sample(timePs: number): boolean {
    const { pairs } = this.parts;
    for (let pair = 0; pair < pairs.count; pair++) this.look(pair, timePs);
    return false;
  }

  /** A flow ends: the number of its queue pair will be another's. */
  finished(pair: number): void {
    const { nowPs } = this.parts.clock;
    if (nowPs >= this.window.startPs && nowPs <= this.window.endPs) this.look(pair, nowPs);
    if (pair < this.seen.length) this.seen[pair] = 0;
  }

  private look(pair: number, timePs: number): void {
    const { pairs } = this.parts;
    const slot = pairs.slotOf(pair);
    if (pair >= this.seen.length) this.seen = grown(this.seen, pairs.capacity);
    if (slot < 0 || pairs.notifications[pair] === this.seen[pair]) return;
    this.seen[pair] = pairs.notifications[pair]!;
    const frontier = this.parts.frontier();
    const { columns, rows } = this.table;
    columns[NotificationColumn.time]![rows] = timePs;
    columns[NotificationColumn.flow]![rows] = frontier.id[slot]!;
    columns[NotificationColumn.source]![rows] = pairs.source[pair]!;
    columns[NotificationColumn.destination]![rows] = pairs.destination[pair]!;
    columns[NotificationColumn.sourcePort]![rows] = pairs.sourcePort[pair]!;
    columns[NotificationColumn.destinationPort]![rows] = pairs.destinationPort[pair]!;
    columns[NotificationColumn.size]![rows] = frontier.sizeBytes[slot]!;
    columns[NotificationColumn.notifications]![rows] = pairs.notifications[pair]!;
    this.table.commit();
  }
}

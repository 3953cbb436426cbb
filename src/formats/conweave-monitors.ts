// The text file of ConWeave's simulator about reorder queues (VOQ_MON_FILE, `out_voq.txt`):
// time_ns,switch,queues,packets for each top-of-rack switch at each look. Its analysis makes the CDF of queue usage of
// it.
// Source: conweave-ns3, network-load-balance.cc. Picoseconds are rounded to whole nanoseconds; nodes are Weft's.

import { ReorderColumn } from '../records/probe-records.js';
import type { Batch } from '../records/schema.js';

/** The rows of a batch of `reorder_queues` as lines. */
export function reorderQueuesText({ columns, rows }: Batch): string {
  let text = '';
  for (let row = 0; row < rows; row++)
    text += `${Math.round(columns[ReorderColumn.time]![row]! / 1000)},${columns[ReorderColumn.node]![row]!},${columns[ReorderColumn.queues]![row]!},${columns[ReorderColumn.packets]![row]!}\n`;
  return text;
}

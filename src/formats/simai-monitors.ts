// The text files of SimAI's monitors: queue lengths, bandwidths, rates of queue pairs, notifications (CNPs) and PFC
// frames.
//   qlen time_ns, switch, interface, queue, queue_B, port_B eight lines, one per queue, for each port that changed
//   bw     time_ns, node, interface, bandwidth_Gbps
//   rate   time_ns, source, destination, sport, dport, size_B, rate_bps
//   cnp    time_ns, source, destination, sport, dport, size_B, notifications since the start
//   pfc time_ns node node_kind interface kind separated by spaces, without a header; kind 1 pause, 0 resume
// Source: the formats of SimAI 1.6 (docs/models/simai.md#monitors), which has the code but never calls it. Picoseconds
// are rounded to whole nanoseconds. Right here, broken there: rates above 4.29 Gb/s and sizes above 4.29 GB, which
// SimAI cuts to 32 bits.

import { NodeKind } from '../fabric/fabric.js';
import {
  BandwidthColumn,
  NotificationColumn,
  PfcEventColumn,
  QueueColumn,
  RateColumn,
} from '../records/probe-records.js';
import type { Batch } from '../records/schema.js';

export const queueLengthHeader = 'time, sw_id, port_id, q_id, q_len, port_len\n';
export const bandwidthHeader = 'time, node_id, port_id, bandwidth\n';
export const rateHeader = 'time, src, dst, sport, dport, size, curr_rate\n';
export const notificationHeader = 'time, src, dst, sport, dport, size, cnp_number\n';

const queuesPerPort = 8;

/**
 * Writes qlen.txt: the rows of one port and time may lie in two batches. Memory: eight numbers for each port that ever
 * queued.
 */
export class QueueLengthFormatter {
  /** lengths of the queues of a port, by `switch, interface` */
  private readonly lengths = new Map<string, Float64Array>();
  private timePs = -1;
  private portKey = '';
  private portBytes = 0;

  /**
   * The lines that are complete with a batch of the `queues` table. Ports of hosts are left out: SimAI looks at
   * switches only.
   */
  push(batch: Batch): string {
    const column = (index: number): ArrayLike<number> => batch.columns[index]!;
    const [times, nodes, kinds, interfaces] = [
      column(QueueColumn.time),
      column(QueueColumn.node),
      column(QueueColumn.nodeKind),
      column(QueueColumn.interface),
    ];
    const [priorities, queueBytes, portBytes] = [
      column(QueueColumn.priority),
      column(QueueColumn.queue),
      column(QueueColumn.port),
    ];
    let text = '';
    for (let row = 0; row < batch.rows; row++) {
      if (kinds[row] === NodeKind.host) continue;
      const key = `${nodes[row]!}, ${interfaces[row]!}`;
      if (key !== this.portKey || times[row] !== this.timePs) {
        text += this.end();
        this.portKey = key;
        this.timePs = times[row]!;
      }
      let lengths = this.lengths.get(key);
      if (lengths === undefined) this.lengths.set(key, (lengths = new Float64Array(queuesPerPort)));
      lengths[priorities[row]!] = queueBytes[row]!;
      this.portBytes = portBytes[row]!;
    }
    return text;
  }

  /** The lines of the last port: call it once more when the table has ended. */
  end(): string {
    if (this.portKey === '') return '';
    let text = '';
    const timeNs = nanoseconds(this.timePs);
    for (const [queue, bytes] of this.lengths.get(this.portKey)!.entries())
      text += `${timeNs}, ${this.portKey}, ${queue}, ${bytes}, ${this.portBytes}\n`;
    this.portKey = '';
    return text;
  }
}

/**
 * The rows of a batch of the `bandwidth` table as lines of bw.txt; ports that only went on sending one packet are left
 * out.
 */
export function bandwidthText(batch: Batch): string {
  const column = (index: number): ArrayLike<number> => batch.columns[index]!;
  const [times, nodes, interfaces] = [
    column(BandwidthColumn.time),
    column(BandwidthColumn.node),
    column(BandwidthColumn.interface),
  ];
  const [sent, rates] = [column(BandwidthColumn.sent), column(BandwidthColumn.rate)];
  let text = '';
  for (let row = 0; row < batch.rows; row++) {
    if (sent[row]! > 0)
      text += `${nanoseconds(times[row]!)}, ${nodes[row]!}, ${interfaces[row]!}, ${(rates[row]! / 1e9).toFixed(6)}\n`;
  }
  return text;
}

/** The rows of a batch of the `rates` table as lines of rate.txt. */
export function rateMonitorText(batch: Batch): string {
  return queuePairText(batch, RateColumn.rate);
}

/** The rows of a batch of the `notifications` table as lines of cnp.txt. */
export function notificationText(batch: Batch): string {
  return queuePairText(batch, NotificationColumn.notifications);
}

/** The rows of a batch of the `pfc_events` table as lines of pfc.txt. */
export function pfcText(batch: Batch): string {
  const column = (index: number): ArrayLike<number> => batch.columns[index]!;
  const [times, nodes, kinds] = [
    column(PfcEventColumn.time),
    column(PfcEventColumn.node),
    column(PfcEventColumn.nodeKind),
  ];
  const [interfaces, pauses] = [column(PfcEventColumn.interface), column(PfcEventColumn.isPause)];
  let text = '';
  for (let row = 0; row < batch.rows; row++)
    text += `${nanoseconds(times[row]!)} ${nodes[row]!} ${kinds[row]!} ${interfaces[row]!} ${pauses[row]!}\n`;
  return text;
}

/**
 * Lines of the files by queue pair: the tables begin with the same columns; the last value is rounded to a whole
 * number.
 */
function queuePairText(batch: Batch, valueColumn: number): string {
  const column = (index: number): ArrayLike<number> => batch.columns[index]!;
  const [times, sources, destinations] = [
    column(RateColumn.time),
    column(RateColumn.source),
    column(RateColumn.destination),
  ];
  const [sourcePorts, destinationPorts, sizes, values] = [
    column(RateColumn.sourcePort),
    column(RateColumn.destinationPort),
    column(RateColumn.size),
    column(valueColumn),
  ];
  let text = '';
  for (let row = 0; row < batch.rows; row++) {
    text +=
      `${nanoseconds(times[row]!)}, ${sources[row]!}, ${destinations[row]!}, ${sourcePorts[row]!}, ` +
      `${destinationPorts[row]!}, ${sizes[row]!}, ${Math.round(values[row]!)}\n`;
  }
  return text;
}

function nanoseconds(timePs: number): number {
  return Math.round(timePs / 1000);
}

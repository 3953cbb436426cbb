// paths.csv: one line per flow with the switch ports that its data takes, from the `hops` table.
//   flow_id,sip,dip,sport,dport,n_hops,hops       hops = node:port joined by "|", the sender's NIC not among them
// Where every packet chooses its way, several ports stand at one hop, joined by "+". A flow that came upon another path
// under way has another line.
// Invariant: the rows of one path are consecutive in the table, hop 0 first; they may straddle two batches, so a line
// is written when the next path begins or at the end. A flow that crosses no switch has no line.

import { fail } from '../base/fail.js';
import { addressHex, ipv4OfNode } from '../fabric/addresses.js';
import { HopColumn } from '../records/flow-records.js';
import type { Batch } from '../records/schema.js';

/** The first line of paths.csv, with its newline. */
export const pathsCsvHeader = 'flow_id,sip,dip,sport,dport,n_hops,hops\n';

/** Turns the rows of the `hops` table into lines; keeps the flow whose rows may not be complete yet. */
export class PathsCsvFormatter {
  private flowId = -1;
  private sourcePort = -1;
  private prefix = '';
  private hops: string[] = [];

  /** The lines that a batch completes. */
  push(batch: Batch): string {
    const column = (index: number): ArrayLike<number> => batch.columns[index]!;
    const flows = column(HopColumn.flow);
    const sourcePorts = column(HopColumn.sourcePort);
    const hops = column(HopColumn.hop);
    const nodes = column(HopColumn.node);
    const interfaces = column(HopColumn.interface);
    let text = '';
    for (let row = 0; row < batch.rows; row++) {
      const port = `${nodes[row]}:${interfaces[row]}`;
      const isSameFlow = flows[row] === this.flowId && sourcePorts[row] === this.sourcePort;
      if (isSameFlow && hops[row] === this.hops.length - 1 && !this.hops.at(-1)!.split('+').includes(port)) {
        this.hops.push(`${this.hops.pop()!}+${port}`);
        continue;
      }
      if (hops[row] === 0) {
        text += this.end();
        this.begin(batch, row);
      }
      if (flows[row] !== this.flowId || hops[row] !== this.hops.length)
        fail(`hop ${hops[row]} of flow ${flows[row]} after ${this.hops.length} hops of flow ${this.flowId}`);
      this.hops.push(port);
    }
    return text;
  }

  /** The line of the last flow; nothing if there is none. */
  end(): string {
    if (this.hops.length === 0) return '';
    const line = `${this.prefix},${this.hops.length},${this.hops.join('|')}\n`;
    this.hops = [];
    this.flowId = -1;
    return line;
  }

  private begin(batch: Batch, row: number): void {
    const value = (index: number): number => batch.columns[index]![row]!;
    this.flowId = value(HopColumn.flow);
    this.sourcePort = value(HopColumn.sourcePort);
    const source = addressHex(ipv4OfNode(value(HopColumn.source)));
    const destination = addressHex(ipv4OfNode(value(HopColumn.destination)));
    this.prefix = `${this.flowId},${source},${destination},${value(HopColumn.sourcePort)},${value(HopColumn.destinationPort)}`;
  }
}

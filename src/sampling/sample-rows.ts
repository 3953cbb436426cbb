// The rows of the tables of sampling: at the end of each window one for each owner and each link that was tested.
// Invariant: windows are multiples of their length; those in which nothing arrived have no rows.

import { interfaceIndex, type Fabric } from '../fabric/fabric.js';
import { type RecordSink, TableWriter } from '../records/schema.js';
import type { LinkTallies, OwnerTallies } from './link-tallies.js';
import { LinkCountColumn, linkCountTable, LinkSampleColumn, linkSampleTable } from './sample-records.js';

/** Inverse of the standard normal distribution at 0.99 (Taffet's dissertation, docs/SOURCES.md, 2.5.1). */
const suppressionQuantile = 2.3263478740408408;

export class SampleRows {
  /** end of the window under way; Infinity: it is the run */
  endPs = Infinity;
  private startPs = 0;
  private readonly samples: TableWriter;
  private readonly counts: TableWriter;

  /** @param noiseWeight largest weight of a packet; 0: there is no noise */
  constructor(
    private readonly fabric: Fabric,
    sink: RecordSink,
    private readonly noiseWeight: number,
  ) {
    this.samples = new TableWriter(linkSampleTable, sink);
    this.counts = new TableWriter(linkCountTable, sink);
  }

  begin(startPs: number, windowPs: number): void {
    this.startPs = startPs;
    this.endPs = startPs + windowPs;
  }

  /** Rows of the window under way. */
  write(tallies: LinkTallies, endPs = this.endPs): void {
    for (const [owner, own] of tallies.owners.entries())
      if (own !== undefined)
        for (let port = 0; port < own.tested.length; port++)
          if (own.tested[port]! > 0) this.row(owner, own, port, endPs);
  }

  /** The run has ended. @param exact packets and congested packets of each port, null: not counted */
  finish(tallies: LinkTallies, nowPs: number, exact: Float64Array | null): void {
    this.write(tallies, nowPs);
    this.samples.flush();
    if (exact === null) return;
    for (let port = 0; 2 * port < exact.length; port++) {
      if (exact[2 * port] === 0) continue;
      const { columns, rows } = this.counts;
      this.name(this.counts, port, LinkCountColumn.node);
      columns[LinkCountColumn.packets]![rows] = exact[2 * port]!;
      columns[LinkCountColumn.congested]![rows] = exact[2 * port + 1]!;
      this.counts.commit();
    }
    this.counts.flush();
  }

  /** What was written. */
  tables(): { readonly name: string; readonly rows: number }[] {
    return [this.samples, this.counts]
      .filter(({ total }, i) => i === 0 || total > 0)
      .map(({ schema, total }) => ({ name: schema.name, rows: total }));
  }

  private row(owner: number, own: OwnerTallies, port: number, endPs: number): void {
    const { columns, rows } = this.samples;
    const tested = own.tested[port]!;
    const traffic = own.traffic[port]!;
    const congested = own.congested[port]!;
    columns[LinkSampleColumn.time]![rows] = endPs;
    columns[LinkSampleColumn.window]![rows] = endPs - this.startPs;
    columns[LinkSampleColumn.owner]![rows] = owner - 1;
    this.name(this.samples, port, LinkSampleColumn.node);
    columns[LinkSampleColumn.tested]![rows] = tested;
    columns[LinkSampleColumn.samples]![rows] = own.samples[port]!;
    columns[LinkSampleColumn.traffic]![rows] = traffic;
    columns[LinkSampleColumn.trafficError]![rows] = Math.sqrt(Math.max(0, own.squares[port]! - traffic));
    columns[LinkSampleColumn.congested]![rows] = congested;
    columns[LinkSampleColumn.congestedError]![rows] = Math.sqrt(Math.max(0, own.congestedSquares[port]! - congested));
    columns[LinkSampleColumn.noise]![rows] = suppressionQuantile * this.noiseWeight * Math.sqrt(tested);
    this.samples.commit();
  }

  private name(table: TableWriter, port: number, at: number): void {
    const { fabric } = this;
    const { columns, rows } = table;
    const node = fabric.portNode[port]!;
    columns[at]![rows] = node;
    columns[at + 1]![rows] = fabric.nodeKind[node]!;
    columns[at + 2]![rows] = interfaceIndex(fabric, port);
  }
}

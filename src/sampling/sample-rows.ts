// The rows of the tables of sampling: at the end of each window one for each kind of traffic and each link that was
// tested.
// Invariant: windows are multiples of their length; those in which nothing arrived have no rows.

import { interfaceIndex, type Fabric } from '../fabric/fabric.js';
import { type RecordSink, TableWriter } from '../records/schema.js';
import { type LinkTallies, Tally } from './link-tallies.js';
import { LabelWord, type SampleLabels } from './sample-labels.js';
import { LinkCountColumn, linkCountTable, LinkSampleColumn, linkSampleTable } from './sample-records.js';

/** Inverse of the standard normal distribution at 0.99 (Taffet's dissertation, docs/SOURCES.md, 2.5.1). */
const suppressionQuantile = 2.3263478740408408;

export class SampleRows {
  /** end of the window under way; Infinity: it is the run */
  endPs = Infinity;
  private startPs = 0;
  private readonly samples: TableWriter;
  private readonly counts: TableWriter;

  /** @param isHashed whether packets carry hashes of links @param largestWeight of a packet */
  constructor(
    private readonly fabric: Fabric,
    sink: RecordSink,
    private readonly isHashed: boolean,
    private readonly largestWeight: number,
  ) {
    this.samples = new TableWriter(linkSampleTable, sink);
    this.counts = new TableWriter(linkCountTable, sink);
  }

  begin(startPs: number, windowPs: number): void {
    this.startPs = startPs;
    this.endPs = startPs + windowPs;
  }

  /** Rows of the window under way. */
  write(tallies: LinkTallies, labels: SampleLabels, endPs = this.endPs): void {
    tallies.forEach((label, port, cell) => {
      this.label(labels, label);
      this.row(tallies.values, cell, port, endPs);
    });
  }

  /** The run has ended. @param exact packets and congested packets of each port, null: not counted */
  finish(tallies: LinkTallies, labels: SampleLabels, nowPs: number, exact: Float64Array | null): void {
    this.write(tallies, labels, nowPs);
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

  private label(labels: SampleLabels, label: number): void {
    const { columns, rows } = this.samples;
    columns[LinkSampleColumn.job]![rows] = labels.word(label, LabelWord.job);
    columns[LinkSampleColumn.phase]![rows] = labels.word(label, LabelWord.phase);
    columns[LinkSampleColumn.collective]![rows] = labels.word(label, LabelWord.collective);
    columns[LinkSampleColumn.group]![rows] = labels.word(label, LabelWord.group);
    columns[LinkSampleColumn.tag]![rows] = labels.word(label, LabelWord.tag);
    columns[LinkSampleColumn.sourceRank]![rows] = labels.word(label, LabelWord.sourceRank);
    columns[LinkSampleColumn.destinationRank]![rows] = labels.word(label, LabelWord.destinationRank);
    columns[LinkSampleColumn.classRanks]![rows] = labels.word(label, LabelWord.classRanks);
  }

  private row(values: Float64Array, cell: number, port: number, endPs: number): void {
    const { columns, rows } = this.samples;
    const tested = values[cell + Tally.tested]!;
    const traffic = values[cell + Tally.traffic]!;
    const congested = values[cell + Tally.congested]!;
    const squares = values[cell + Tally.squares]!;
    const congestedSquares = values[cell + Tally.congestedSquares]!;
    columns[LinkSampleColumn.time]![rows] = endPs;
    columns[LinkSampleColumn.window]![rows] = endPs - this.startPs;
    this.name(this.samples, port, LinkSampleColumn.node);
    columns[LinkSampleColumn.tested]![rows] = tested;
    columns[LinkSampleColumn.samples]![rows] = this.isHashed ? 0 : tested;
    columns[LinkSampleColumn.traffic]![rows] = traffic;
    columns[LinkSampleColumn.trafficError]![rows] = Math.sqrt(Math.max(0, squares - traffic));
    columns[LinkSampleColumn.congested]![rows] = congested;
    columns[LinkSampleColumn.congestedError]![rows] = Math.sqrt(Math.max(0, congestedSquares - congested));
    columns[LinkSampleColumn.noise]![rows] = this.isHashed
      ? suppressionQuantile * this.largestWeight * Math.sqrt(tested)
      : 0;
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

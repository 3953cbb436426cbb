// A source whose transfers are all in memory, 32 bytes each: inline scenarios, benchmarks, unsorted traces.

import { Float64List, Int32List } from '../base/columns.js';
import { fail } from '../base/fail.js';
import { BlockOrders, type MergedOrder } from './merged-order.js';
import { SourceInMemory } from './source-forms.js';
import type { TransferSink } from './work-source.js';

/**
 * Transfers in columns; `add` in any order, then read it as a WorkSource in order of start time (stable: ties keep
 * their order).
 */
export class TransferList extends SourceInMemory {
  private sources = new Int32List();
  private destinations = new Int32List();
  private sizes = new Float64List();
  private starts = new Float64List();
  /** of those that have one; null while none has */
  private classes: Map<number, number> | null = null;
  private orders = new BlockOrders(this.starts);
  /** null: in the order in which they were added; undefined: not asked yet */
  private order: MergedOrder | null | undefined = undefined;
  private next = 0;
  private isShared = false;

  totalBytes = 0;

  get total(): number {
    return this.sources.length;
  }

  /** Adds a transfer. Its id is the number of those added before it. Units as in TransferSink. */
  add(source: number, destination: number, sizeBytes: number, startPs: number, trafficClass = 0): void {
    if (this.next > 0 || this.isShared) fail('a transfer was added after reading began');
    if (trafficClass !== 0) (this.classes ??= new Map()).set(this.total, trafficClass);
    this.sources.push(source);
    this.destinations.push(destination);
    this.sizes.push(sizeBytes);
    this.totalBytes += sizeBytes;
    this.starts.push(startPs);
    this.orders.added();
    this.order = undefined;
  }

  /** The same transfers, to be read from their start; both lists share them, so that neither takes any more. */
  fromStart(): TransferList {
    const same = new TransferList();
    same.sources = this.sources;
    same.destinations = this.destinations;
    same.sizes = this.sizes;
    same.starts = this.starts;
    same.classes = this.classes;
    same.orders = this.orders;
    same.totalBytes = this.totalBytes;
    this.isShared = same.isShared = true;
    return same;
  }

  nextStartPs(): number {
    return this.next < this.total ? this.starts.values[this.first()]! : Infinity;
  }

  expand(nowPs: number, sink: TransferSink): void {
    while (this.next < this.total) {
      const i = this.first();
      const startPs = this.starts.values[i]!;
      if (startPs > nowPs) return;
      this.next++;
      this.order?.advance();
      const trafficClass = this.classes === null ? undefined : this.classes.get(i);
      if (trafficClass === undefined)
        sink.transfer(i, this.sources.values[i]!, this.destinations.values[i]!, this.sizes.values[i]!, startPs);
      else
        sink.transfer(
          i,
          this.sources.values[i]!,
          this.destinations.values[i]!,
          this.sizes.values[i]!,
          startPs,
          trafficClass,
        );
    }
  }

  /** The transfer that is next. There must be one. */
  private first(): number {
    if (this.order === undefined) this.order = this.orders.merged();
    return this.order === null ? this.next : this.order.row;
  }
}

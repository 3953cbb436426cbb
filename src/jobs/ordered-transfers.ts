// Transfers that ranks hand out one after the other at one instant, put in order of their start and, at equal starts,
// of their numbers: the order that sources of work promise (flows/work-source.ts). Ranks that come to a collective
// together then begin it as if it were started at once.
// Invariant: every transfer put in is handed out once, by `handOut`.

import { Float64List, Int32List } from '../base/columns.js';
import type { TransferSink } from '../flows/work-source.js';

export class OrderedTransfers implements TransferSink {
  private readonly ids = new Float64List();
  private readonly starts = new Float64List();
  private readonly sizes = new Float64List();
  private readonly sources = new Int32List();
  private readonly destinations = new Int32List();
  private readonly classes = new Int32List();
  private readonly connections = new Float64List();
  private isOrdered = true;

  transfer(
    id: number,
    source: number,
    destination: number,
    sizeBytes: number,
    startPs: number,
    trafficClass = 0,
    connection = -1,
  ): void {
    const { ids, starts } = this;
    const last = ids.length - 1;
    if (last >= 0 && (startPs < starts.values[last]! || (startPs === starts.values[last] && id < ids.values[last]!)))
      this.isOrdered = false;
    ids.push(id);
    starts.push(startPs);
    this.sizes.push(sizeBytes);
    this.sources.push(source);
    this.destinations.push(destination);
    this.classes.push(trafficClass);
    this.connections.push(connection);
  }

  /** Hands out what was put in, in order, and forgets it. */
  handOut(sink: TransferSink): void {
    const { ids, starts, sizes, sources, destinations, classes, connections } = this;
    const count = ids.length;
    if (count === 0) return;
    const order = this.isOrdered ? null : this.sorted();
    for (let i = 0; i < count; i++) {
      const at = order === null ? i : order[i]!;
      sink.transfer(
        ids.values[at]!,
        sources.values[at]!,
        destinations.values[at]!,
        sizes.values[at]!,
        starts.values[at]!,
        classes.values[at]!,
        connections.values[at]!,
      );
    }
    ids.length = starts.length = sizes.length = sources.length = destinations.length = 0;
    classes.length = connections.length = 0;
    this.isOrdered = true;
  }

  private sorted(): Int32Array {
    const [ids, starts] = [this.ids.values, this.starts.values];
    return Int32Array.from({ length: this.ids.length }, (_, i) => i).sort(
      (a, b) => starts[a]! - starts[b]! || ids[a]! - ids[b]!,
    );
  }
}

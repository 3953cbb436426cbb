// A source all of whose transfers are of one class: a trace on a plane of its own, a job that is pinned to a NIC.
// Invariant: nothing but the class changes; a class that a transfer has already stays.

import type { TransferSink, WorkSource } from './work-source.js';

/** Puts the transfers of a source into a traffic class. */
export class ClassedSource implements WorkSource {
  private inner!: TransferSink;
  private readonly sink: TransferSink = {
    transfer: (id, source, destination, sizeBytes, startPs, trafficClass = 0) => this.inner.transfer(id, source, destination, sizeBytes, startPs, trafficClass === 0 ? this.trafficClass : trafficClass),
  };
  readonly transferFinished?: (id: number, nowPs: number, sink: TransferSink) => void;

  /** @param trafficClass from 1 */
  constructor(
    private readonly source: WorkSource,
    private readonly trafficClass: number,
  ) {
    if (source.transferFinished !== undefined) {
      this.transferFinished = (id, nowPs, sink) => {
        this.inner = sink;
        source.transferFinished!(id, nowPs, this.sink);
      };
    }
  }

  get total(): number {
    return this.source.total;
  }

  get unfinished(): number | undefined {
    return this.source.unfinished;
  }

  nextStartPs(): number {
    return this.source.nextStartPs();
  }

  expand(nowPs: number, sink: TransferSink): void {
    this.inner = sink;
    this.source.expand(nowPs, this.sink);
  }

  refill(): Promise<void> {
    return this.source.refill();
  }

  close(): Promise<void> {
    return this.source.close();
  }
}

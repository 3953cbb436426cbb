// What sources of transfers of one form share: those that are all in memory, and those that stand in front of another.

import type { TransferSink, WorkSource } from './work-source.js';

/** A source that needs no refill and holds no file. */
export abstract class SourceInMemory implements WorkSource {
  abstract readonly total: number;

  abstract nextStartPs(): number;
  abstract expand(nowPs: number, sink: TransferSink): void;

  refill(): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** A source that hands out what another does. */
export abstract class SourceInFront implements WorkSource {
  constructor(protected readonly source: WorkSource) {}

  get total(): number {
    return this.source.total;
  }

  get totalBytes(): number | undefined {
    return this.source.totalBytes;
  }

  nextStartPs(): number {
    return this.source.nextStartPs();
  }

  expand(nowPs: number, sink: TransferSink): void {
    this.source.expand(nowPs, sink);
  }

  refill(): Promise<void> {
    return this.source.refill();
  }

  close(): Promise<void> {
    return this.source.close();
  }
}

// Who hands the moves of a collective out and takes them back, for tests of its work.

import type { TransferSink, WorkSource } from '../../src/flows/work-source.js';

export interface Handed {
  readonly id: number;
  readonly source: number;
  readonly destination: number;
  readonly sizeBytes: number;
  readonly startPs: number;
}

/** Keeps what a source hands out; `finish` lets one of them arrive. */
export class Desk implements TransferSink {
  readonly waiting: Handed[] = [];
  readonly all: Handed[] = [];

  transfer(id: number, source: number, destination: number, sizeBytes: number, startPs: number): void {
    const handed = { id, source, destination, sizeBytes, startPs };
    this.waiting.push(handed);
    this.all.push(handed);
  }

  finish(work: WorkSource, index: number, nowPs: number): Handed {
    const [handed] = this.waiting.splice(index, 1);
    work.transferFinished!(handed!.id, nowPs, this);
    return handed!;
  }
}

// A sink that puts what passes through it into a traffic class: a trace on a plane of its own, a job that is pinned to
// a NIC.
// Invariant: nothing but the class changes; a class that a transfer has already stays.

import type { TransferSink } from './work-source.js';

export class ClassedSink implements TransferSink {
  private inner: TransferSink | null = null;

  /** @param trafficClass from 1 */
  constructor(private readonly trafficClass: number) {}

  /** This sink, in front of another one. */
  before(inner: TransferSink): this {
    this.inner = inner;
    return this;
  }

  transfer(
    id: number,
    source: number,
    destination: number,
    sizeBytes: number,
    startPs: number,
    trafficClass = 0,
    connection = -1,
  ): void {
    this.inner!.transfer(
      id,
      source,
      destination,
      sizeBytes,
      startPs,
      trafficClass === 0 ? this.trafficClass : trafficClass,
      connection,
    );
  }
}

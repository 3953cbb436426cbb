// Two sources of transfers as one: background traffic beside jobs.
// Invariant: the numbers of the first source are below those of the second, so that a transfer's number says whose it
// is.

import type { TransferSink, WorkSource } from './work-source.js';

export class MergedWork implements WorkSource {
  readonly transferSent?: (id: number, nowPs: number, sink: TransferSink) => void;

  /** @param secondId number of the second source's first transfer; the first source has none at or above it */
  constructor(
    private readonly first: WorkSource,
    private readonly second: WorkSource,
    private readonly secondId: number,
  ) {
    if (first.transferSent !== undefined || second.transferSent !== undefined)
      this.transferSent = (id, nowPs, sink) => (id < secondId ? first : second).transferSent?.(id, nowPs, sink);
  }

  get total(): number {
    return this.first.total + this.second.total;
  }

  /** NaN if the first source must be refilled before anything else may happen. */
  nextStartPs(): number {
    return Math.min(this.first.nextStartPs(), this.second.nextStartPs());
  }

  expand(nowPs: number, sink: TransferSink): void {
    if (!(this.first.nextStartPs() > nowPs)) this.first.expand(nowPs, sink);
    if (this.second.nextStartPs() <= nowPs) this.second.expand(nowPs, sink);
  }

  transferFinished(id: number, nowPs: number, sink: TransferSink): void {
    (id < this.secondId ? this.first : this.second).transferFinished?.(id, nowPs, sink);
  }

  async refill(): Promise<void> {
    if (Number.isNaN(this.first.nextStartPs())) await this.first.refill();
    if (Number.isNaN(this.second.nextStartPs())) await this.second.refill();
  }

  async close(): Promise<void> {
    await this.first.close();
    await this.second.close();
  }
}

// The label of the packets that a queue pair delivers: found once for each transfer, when its first sampled packet
// arrives, so that a packet costs a comparison.
// Invariant: a queue pair carries one transfer at a time; its packets arrive while the transfer is under way, or later
// (those that were sent again), and then keep its label.

import { grown } from '../base/columns.js';
import { type DescribeTransfer, untoldLabel } from '../records/transfer-label.js';
import type { SampleLabels } from './sample-labels.js';

/** in place of a transfer: none has been asked about */
const nobody = -2;

export class PairLabels {
  private transfers = new Float64Array(256).fill(nobody);
  private numbers = new Int32Array(256);
  private readonly label = untoldLabel();

  /** @param describe null: nobody knows what transfers are part of */
  constructor(
    private readonly labels: SampleLabels,
    private readonly describe: DescribeTransfer | null,
  ) {}

  /** The label of the transfer of a queue pair. @param source @param destination its nodes */
  of(pair: number, transfer: number, source: number, destination: number): number {
    if (this.transfers[pair] === transfer) return this.numbers[pair]!;
    if (pair >= this.transfers.length) {
      const capacity = Math.max(2 * this.transfers.length, pair + 1);
      this.transfers = grown(this.transfers, capacity, nobody);
      this.numbers = grown(this.numbers, capacity);
    }
    this.describe?.(transfer, source, destination, this.label);
    this.transfers[pair] = transfer;
    return (this.numbers[pair] = this.labels.of(this.label));
  }

  /** Forgets all labels: numbers begin anew. */
  clear(): void {
    this.labels.clear();
    this.transfers.fill(nobody);
  }
}

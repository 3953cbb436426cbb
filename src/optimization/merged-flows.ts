// Flows to one destination that go on together from some switch: no routes split them again, for a switch has one port
// to each LID. What crosses a cut behind it are their sums.

import { maxLmc } from '../fabric/identity.js';

/** What crosses a cut, in parts that no routes split. */
interface Parts {
  push(amount: number): unknown;
}

/** Sums of flows to the destination in hand, by cut, by what they come from, and by LID. */
export class MergedFlows {
  private readonly sums = new Map<Parts, Map<number, number>>();

  /** @param lidOffset by flow; left out: all go to the first LID */
  constructor(private readonly lidOffset: Uint8Array | undefined) {}

  /**
   * Adds a flow to what goes on together in a cut.
   * @param group of flows that do: all to the destination, those from one pod; null = the flow stays a part of its own
   */
  add(cut: Parts, flow: number, weight: number, group: number | null): void {
    if (group === null) return void cut.push(weight);
    const own = this.sums.get(cut) ?? new Map<number, number>();
    this.sums.set(cut, own);
    const key = (group + 1) * (1 << maxLmc) + (this.lidOffset?.[flow] ?? 0);
    own.set(key, (own.get(key) ?? 0) + weight);
  }

  /** Ends a destination: its sums become parts of their cuts. */
  push(): void {
    for (const [cut, sums] of this.sums) for (const sum of sums.values()) cut.push(sum);
    this.sums.clear();
  }
}

/** The group of all flows to a destination. */
export const allFlows = -1;

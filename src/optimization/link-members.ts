// Which flows are on each link, so that a search can draw one of them.
// Invariant: a flow stands once in the list of every port of its way; lists are in no order that means anything, but
// always the same one.

import { wayLength } from './flow-routing.js';

export class LinkMembers {
  private readonly lists: number[][];
  /** place of a flow in the list of each port of its way */
  private readonly place: Int32Array;

  constructor(portCount: number, flowCount: number) {
    this.lists = Array.from({ length: portCount }, () => []);
    this.place = new Int32Array(wayLength * flowCount);
  }

  /** Flow and hop of each member of a port, as wayLength x flow + hop. */
  on(port: number): readonly number[] {
    return this.lists[port]!;
  }

  /** Enters a hop of a flow (wayLength x flow + hop) at a port. */
  enter(hop: number, port: number): void {
    this.place[hop] = this.lists[port]!.push(hop) - 1;
  }

  /** Removes it again. */
  leave(hop: number, port: number): void {
    const list = this.lists[port]!;
    const last = list.pop()!;
    if (last === hop) return;
    const at = this.place[hop]!;
    list[at] = last;
    this.place[last] = at;
  }
}

// Which pause made which. A packet that makes its ingress queue pause the upstream was on its way to some output queue:
// that queue is the cause. If it is paused itself, the pause that it suffers is the parent of the new one; if not, it
// is a congestion point and the pause a root. So the pauses of a run are a forest: congestion spreads from the roots
// towards the hosts.
// Invariant: a parent has a smaller number than its children, so a way up ends at a root, even where buffers wait for
// each other in a circle. The cause is that of the packet that crossed the threshold; packets for other outputs may
// have filled the queue before it.
// Source: the provenance of pauses, as Hawkeye traces it in switches (Wang et al., SIGCOMM 2025).

import { Float64List, Int32List } from '../../../base/columns.js';
import type { PauseWatcher } from '../plug-ins.js';
import { queuesPerPort } from '../ports.js';

/** The most pauses that are kept: 36 MB. Later ones are counted. */
const mostPauses = 1_000_000;

export class PauseTree implements PauseWatcher {
  /** pauses beyond those that are kept */
  beyond = 0;
  /** by pause: when it began and ended (the decisions of the pausing port; -1: not ended), in picoseconds */
  private readonly begins = new Float64List();
  private readonly ends = new Float64List();
  /** by pause: pausing port x 8 + queue, output port that caused it, pause that the output port suffered (-1: none) */
  private readonly sources = new Int32List();
  private readonly causes = new Int32List();
  private readonly parents = new Int32List();
  /** by port x 8 + queue: the pause that the port has decided on, and the pause that holds it; -1: none */
  private readonly decided: Int32Array;
  private readonly suffered: Int32Array;

  constructor(
    ports: number,
    private readonly most = mostPauses,
  ) {
    this.decided = new Int32Array(ports * queuesPerPort).fill(-1);
    this.suffered = new Int32Array(ports * queuesPerPort).fill(-1);
  }

  /** Pauses that are kept, by number from 0. */
  get count(): number {
    return this.begins.length;
  }

  beginPsOf(pause: number): number {
    return this.begins.values[pause]!;
  }

  /** When a pause was resumed; -1 if it was not. */
  endPsOf(pause: number): number {
    return this.ends.values[pause]!;
  }

  /** The port that paused its upstream. */
  portOf(pause: number): number {
    return this.sources.values[pause]! >> 3;
  }

  queueOf(pause: number): number {
    return this.sources.values[pause]! & 7;
  }

  /** The output port that caused it: of the same node, or of any switch if a message did. */
  causeOf(pause: number): number {
    return this.causes.values[pause]!;
  }

  /** The pause that the output port suffered; -1 at a congestion point. */
  parentOf(pause: number): number {
    return this.parents.values[pause]!;
  }

  began(nowPs: number, port: number, egress: number, queue: number): void {
    const pause = this.add(nowPs, port, egress, queue);
    if (pause >= 0) this.decided[(port << 3) + queue] = pause;
  }

  ended(nowPs: number, index: number): void {
    const pause = this.decided[index]!;
    if (pause < 0) return;
    this.ends.values[pause] = nowPs;
    this.decided[index] = -1;
  }

  decidedAt(index: number): number {
    return this.decided[index]!;
  }

  held(index: number, pause: number): void {
    this.suffered[index] = pause;
  }

  released(index: number): void {
    this.suffered[index] = -1;
  }

  beganElsewhere(nowPs: number, port: number, egress: number, queue: number): number {
    return this.add(nowPs, port, egress, queue);
  }

  endedElsewhere(nowPs: number, pause: number): void {
    if (pause >= 0) this.ends.values[pause] = nowPs;
  }

  /** @returns the number of a new pause; -1 if no more are kept */
  private add(nowPs: number, port: number, egress: number, queue: number): number {
    const pause = this.begins.length;
    if (pause === this.most) {
      this.beyond++;
      return -1;
    }
    this.begins.push(nowPs);
    this.ends.push(-1);
    this.sources.push((port << 3) + queue);
    this.causes.push(egress);
    this.parents.push(this.suffered[(egress << 3) + queue]!);
    return pause;
  }
}

// The log of pauses of hosts: how often, how long and by which flow control the sending of a host was held back. It is
// always kept, as it costs nothing until a host is paused, and it only looks.
// Invariant: what is held at a host and priority by a cause is the union of everything that is held there: two ports,
// or many flows, that stand still at the same time count once.

import type { HostPause } from '../../execution/network-figures.js';
import type { Clock } from '../../engine/event-wheel.js';
import { type Fabric, NodeKind } from '../../fabric/fabric.js';

/** What a flow control tells of the hosts that it pauses. A queue is a priority, 1 to 7. */
export interface HostPauseLog {
  /** A frame or message that pauses has taken effect at a host; repeated ones count, too. */
  frame(host: number, queue: number): void;
  /** Something of a host's queue (a flow, a port) stands still from now on. As many `released` follow. */
  held(host: number, queue: number): void;
  /** It goes on. */
  released(host: number, queue: number): void;
  /**
   * A frame has paused a whole queue of a port, or has done so again: `frame` and, the first time, `held` in one. Of
   * ports of switches nothing is kept.
   */
  portPaused(port: number, queue: number): void;
  /** That queue of the port goes on; nothing happens if it was not paused. */
  portReleased(port: number, queue: number): void;
}

/** The logs of all causes. */
export class HostPauses {
  private readonly logs = new Map<string, CauseLog>();

  constructor(private readonly parts: { readonly fabric: Fabric; readonly clock: Clock }) {}

  /** The log of a cause; the same one each time. @param cause what the summary calls it: a flow control's name */
  by(cause: string): HostPauseLog {
    const known = this.logs.get(cause);
    if (known !== undefined) return known;
    const log = new CauseLog(this.parts.fabric, this.parts.clock, cause);
    this.logs.set(cause, log);
    return log;
  }

  /** In order of host, priority and cause. */
  summary(): HostPause[] {
    return [...this.logs.values()]
      .flatMap((log) => log.rows())
      .sort((a, b) => a.host - b.host || a.priority - b.priority || (a.cause < b.cause ? -1 : 1));
  }
}

interface Row {
  frames: number;
  /** what stands still now, and since when */
  holding: number;
  sincePs: number;
  pausedPs: number;
}

class CauseLog implements HostPauseLog {
  /** by host x 8 + queue */
  private readonly all = new Map<number, Row>();
  /** port x 8 + queue of what is held */
  private readonly ports = new Set<number>();

  constructor(
    private readonly fabric: Fabric,
    private readonly clock: Clock,
    private readonly cause: string,
  ) {}

  frame(host: number, queue: number): void {
    this.row(host, queue).frames++;
  }

  held(host: number, queue: number): void {
    const row = this.row(host, queue);
    if (row.holding++ === 0) row.sincePs = this.clock.nowPs;
  }

  released(host: number, queue: number): void {
    const row = this.row(host, queue);
    if (--row.holding === 0) row.pausedPs += this.clock.nowPs - row.sincePs;
  }

  portPaused(port: number, queue: number): void {
    const host = this.fabric.portNode[port]!;
    if (this.fabric.nodeKind[host] !== NodeKind.host) return;
    this.frame(host, queue);
    const index = port * 8 + queue;
    if (this.ports.has(index)) return;
    this.ports.add(index);
    this.held(host, queue);
  }

  portReleased(port: number, queue: number): void {
    if (this.ports.delete(port * 8 + queue)) this.released(this.fabric.portNode[port]!, queue);
  }

  rows(): HostPause[] {
    const { nowPs } = this.clock;
    return [...this.all].map(([index, { frames, holding, sincePs, pausedPs }]) => ({
      host: index >> 3,
      priority: index & 7,
      frames,
      pausedPs: pausedPs + (holding > 0 ? nowPs - sincePs : 0),
      cause: this.cause,
    }));
  }

  private row(host: number, queue: number): Row {
    const index = host * 8 + queue;
    const known = this.all.get(index);
    if (known !== undefined) return known;
    const row = { frames: 0, holding: 0, sincePs: 0, pausedPs: 0 };
    this.all.set(index, row);
    return row;
  }
}

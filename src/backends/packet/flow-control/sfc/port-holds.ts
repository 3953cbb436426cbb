// Pauses of priorities at ports of hosts, each for a time: what eSFC by priority and by interface does, and what a PFC
// frame of a proxy does. They hold beside PFC's own pauses: a queue sends when neither holds it.
// Invariants: as of pauses of flows (flow-holds.ts); a link that goes down ends the pauses of its ports.

import type { Alarm } from '../../../../engine/alarms.js';
import type { HostPauseLog } from '../../host-pauses.js';
import type { FlowControlParts } from '../../parts.js';
import { PauseHolder, queuesPerPort } from '../../ports.js';
import {
  pausableQueues,
  type PauseCounts,
  type Reaction,
  type ReactionParts,
  type Standing,
  tellOfPause,
} from './reaction.js';

export class PortHolds {
  readonly counts: PauseCounts = { begun: 0, resumed: 0, ended: 0 };
  /** by port x 8 + queue: until when it is paused (0: it is not), what asked for it, its number at the watcher */
  private readonly untilPs: Float64Array;
  private readonly point: Int32Array;
  private readonly pause: Int32Array;
  private readonly alarm: Alarm;
  private readonly hosts: HostPauseLog;

  constructor(private readonly parts: FlowControlParts) {
    const indices = parts.fabric.portCount * queuesPerPort;
    this.untilPs = new Float64Array(indices);
    this.point = new Int32Array(indices);
    this.pause = new Int32Array(indices);
    this.hosts = parts.hostPauses.by('sfc');
    this.alarm = parts.alarms.register('a port paused by a message may send again', (index) => this.due(index));
  }

  /** Pauses a priority of a port until a time, or longer if it is already. @param egress the congested output port */
  hold(port: number, queue: number, untilPs: number, point: number, egress: number): void {
    const { ports, pauseWatcher } = this.parts;
    const index = port * queuesPerPort + queue;
    this.hosts.portPaused(port, queue);
    if (this.untilPs[index]! > 0) {
      if (untilPs <= this.untilPs[index]!) return;
    } else {
      this.counts.begun++;
      this.pause[index] = tellOfPause(pauseWatcher, this.parts, port, egress, queue);
      ports.setPaused(port, queue, true, PauseHolder.sourceFlowControl);
    }
    this.point[index] = point;
    this.untilPs[index] = untilPs;
    this.alarm.at(untilPs, index);
  }

  /** Ends the pause of a priority that a congestion point asked for (-1: whoever did). */
  resume(port: number, queue: number, point: number): void {
    const index = port * queuesPerPort + queue;
    if (this.untilPs[index] === 0 || (point >= 0 && this.point[index] !== point)) return;
    this.counts.resumed++;
    this.end(index);
  }

  standing(): Standing {
    const { nowPs } = this.parts.clock;
    let [pauses, overdue] = [0, 0];
    for (const untilPs of this.untilPs) {
      if (untilPs === 0) continue;
      pauses++;
      if (untilPs < nowPs) overdue++;
    }
    return { pauses, overdue, packets: 0 };
  }

  private due(index: number): void {
    const untilPs = this.untilPs[index]!;
    if (untilPs > 0 && untilPs <= this.parts.clock.nowPs) this.end(index);
  }

  private end(index: number): void {
    const { ports, owner, clock, pauseWatcher } = this.parts;
    const [port, queue] = [index >> 3, index & 7];
    this.untilPs[index] = 0;
    this.counts.ended++;
    this.hosts.portReleased(port, queue);
    pauseWatcher?.endedElsewhere(clock.nowPs, this.pause[index]!);
    ports.setPaused(port, queue, false, PauseHolder.sourceFlowControl);
    owner.resume(port);
  }
}

/** eSFC by priority or by interface: the host that gets a message pauses its port. */
export class EndStationHolds implements Reaction {
  readonly counters = {};
  private readonly holds: PortHolds;
  /** bits of the priorities to pause; 0: that of the flow */
  private readonly queues: number;

  constructor(
    private readonly parts: ReactionParts,
    per: 'priority' | 'interface',
  ) {
    this.holds = new PortHolds(parts);
    this.queues = per === 'interface' ? pausableQueues(parts) : 0;
  }

  get counts(): PauseCounts {
    return this.holds.counts;
  }

  placeOf(hostPort: number): number {
    return this.parts.fabric.portNode[hostPort]!;
  }

  act(message: number): void {
    const { messages, clock } = this.parts;
    const port = messages.hostPort[message]!;
    const point = messages.point[message]!;
    const queues = this.queues === 0 ? 1 << messages.queue[message]! : this.queues;
    const untilPs = clock.nowPs + messages.pausePs[message]!;
    for (let queue = 1; queue < queuesPerPort; queue++) {
      if ((queues & (1 << queue)) === 0) continue;
      if (messages.isResume[message] === 1) this.holds.resume(port, queue, point);
      else this.holds.hold(port, queue, untilPs, point, messages.egress[message]!);
    }
  }

  linkWentDown(port: number): void {
    for (let queue = 1; queue < queuesPerPort; queue++) this.holds.resume(port, queue, -1);
  }

  standing(): Standing {
    return this.holds.standing();
  }
}

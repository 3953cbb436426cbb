// eSFC by flow: the host that gets a message sends nothing more of the queue pair until the pause is over. Its other
// queue pairs go on, and so do acknowledgements and what it receives.
// Invariants: a pause that begins is ended by an alarm or before it; a later message prolongs it and never shortens it;
// only the congestion point that asked for what is left of a pause can end it before its time.

import type { HostPauseLog } from '../../host-pauses.js';
import type { SendGate } from '../../nic/nic.js';
import type { PairAlarm } from '../../pair-alarms.js';
import { PairWord } from '../../queue-pairs.js';
import type { SideColumn } from '../../side-columns.js';
import { type PauseCounts, type Reaction, type ReactionParts, type Standing, tellOfPause } from './reaction.js';

export class FlowHolds implements Reaction, SendGate {
  readonly counts: PauseCounts = { begun: 0, resumed: 0, ended: 0 };
  readonly counters = {};
  private readonly isHeld: SideColumn<'uint8'>;
  private readonly untilPs: SideColumn<'float64'>;
  /** the congested queue that asked for it, and the number of the pause at the watcher */
  private readonly point: SideColumn<'int32'>;
  private readonly pause: SideColumn<'int32'>;
  private readonly alarm: PairAlarm;
  private readonly hosts: HostPauseLog;

  constructor(private readonly parts: ReactionParts) {
    const { columns, pairAlarms, nic } = parts;
    this.isHeld = columns.byPair('uint8');
    this.untilPs = columns.byPair('float64');
    this.point = columns.byPair('int32');
    this.pause = columns.byPair('int32');
    this.alarm = pairAlarms.register('a paused flow may send again', (pair) => this.due(pair));
    this.hosts = parts.hostPauses.by('sfc');
    nic.addGate(this);
  }

  isOpen(pair: number): boolean {
    return this.isHeld.values[pair] === 0;
  }

  placeOf(hostPort: number): number {
    return this.parts.fabric.portNode[hostPort]!;
  }

  act(message: number): void {
    const { messages, clock, flowOf, pauseWatcher, pairs } = this.parts;
    const pair = messages.pair[message]!;
    if (flowOf(pair) !== messages.flow[message]) return;
    const point = messages.point[message]!;
    if (messages.isResume[message] === 1) {
      if (this.isHeld.values[pair] === 0 || this.point.values[pair] !== point) return;
      this.counts.resumed++;
      this.end(pair);
      return;
    }
    const untilPs = clock.nowPs + messages.pausePs[message]!;
    const [port, queue] = [this.portOf(pair), this.queueOf(pair)];
    this.hosts.frame(pairs.source[pair]!, queue);
    if (this.isHeld.values[pair] === 1) {
      if (untilPs <= this.untilPs.values[pair]!) return;
    } else {
      this.isHeld.values[pair] = 1;
      this.counts.begun++;
      this.hosts.held(pairs.source[pair]!, queue);
      this.pause.values[pair] = tellOfPause(pauseWatcher, this.parts, port, messages.egress[message]!, queue);
    }
    this.point.values[pair] = point;
    this.untilPs.values[pair] = untilPs;
    this.alarm.at(untilPs, pair);
  }

  standing(): Standing {
    const { pairs, clock } = this.parts;
    let [held, overdue] = [0, 0];
    for (let pair = 0; pair < pairs.count; pair++) {
      if (this.isHeld.values[pair] === 0) continue;
      held++;
      if (this.untilPs.values[pair]! < clock.nowPs) overdue++;
    }
    return { pauses: held, overdue, packets: 0 };
  }

  /** A pause may be over: a later message may have prolonged it, an early resume ended it. */
  private due(pair: number): void {
    if (this.isHeld.values[pair] === 1 && this.untilPs.values[pair]! <= this.parts.clock.nowPs) this.end(pair);
  }

  private end(pair: number): void {
    const { pairs, nic, clock, pauseWatcher } = this.parts;
    this.isHeld.values[pair] = 0;
    this.counts.ended++;
    this.hosts.released(pairs.source[pair]!, this.queueOf(pair));
    pauseWatcher?.endedElsewhere(clock.nowPs, this.pause.values[pair]!);
    if (pairs.slotOf(pair) >= 0) nic.canSendAgain(pair);
  }

  private portOf(pair: number): number {
    return this.parts.pairs.words[(pair << 4) + PairWord.nicPort]!;
  }

  private queueOf(pair: number): number {
    return this.parts.pairs.words[(pair << 4) + PairWord.priority]!;
  }
}

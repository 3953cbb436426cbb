// Alarms about queue pairs. While one is set the number of its queue pair is not recycled.
// Invariant: an alarm rings also when its flow has finished meanwhile (QueuePairs.slotOf is then below 0): what it has
// noted about the number must be put right before another flow gets it.

import type { Alarm, Alarms } from '../../engine/alarms.js';
import type { QueuePairs } from './queue-pairs.js';

/** One kind of alarm about queue pairs. */
export class PairAlarm {
  constructor(
    private readonly alarm: Alarm,
    private readonly pairs: QueuePairs,
  ) {}

  /** Rings for a queue pair at a time not before now, in picoseconds. */
  at(timePs: number, pair: number): void {
    this.pairs.reference(pair);
    this.alarm.at(timePs, pair);
  }
}

export class PairAlarms {
  /** the kinds of alarm whose id is a queue pair that they refer to */
  readonly kinds: number[] = [];

  constructor(
    private readonly alarms: Alarms,
    private readonly pairs: QueuePairs,
  ) {}

  /** Adds a kind of alarm. @param name nobody else's @param due called with the queue pair of each alarm that rings */
  register(name: string, due: (pair: number) => void): PairAlarm {
    const { pairs } = this;
    const alarm = this.alarms.register(name, (pair) => {
      due(pair);
      pairs.unreference(pair);
    });
    this.kinds.push(alarm.kind);
    return new PairAlarm(alarm, pairs);
  }
}

// The loop of a backend all of whose events are alarms. A backend that moves records of its own (packets) writes its
// own loop over the same wheel and alarms, with what is hot in it unrolled (backends/packet/packet-network.ts).
// Invariant: how often advance returns changes no result.

import { type Alarm, Alarms, Halt } from './alarms.js';
import { type EventRecords, EventWord } from './event-records.js';
import { EventWheel } from './event-wheel.js';

const { code: CODE } = EventWord;

const mostEvents = 1 << 30;

export class EventLoop {
  readonly alarms: Alarms;
  /** events carried out */
  events = 0;
  /** asked before every event: true ends advance as if no event were left, such as when only idle timers wait */
  stopWhen: (() => boolean) | null = null;
  private readonly records: EventRecords;
  private readonly until: Alarm;
  private isReached = false;

  /** @param wheel of another width or size than usual: never affects results */
  constructor(private readonly wheel = new EventWheel()) {
    this.alarms = new Alarms(wheel);
    this.records = wheel.records;
    this.until = this.alarms.register('the time asked for', () => {
      this.isReached = true;
      this.alarms.pause();
    });
  }

  /** Picoseconds since the start of the run. */
  get nowPs(): number {
    return this.wheel.nowPs;
  }

  /** Carries out up to maxEvents events. @returns false when no event is left, or an alarm said that none matters */
  advance(maxEvents: number): boolean {
    const { wheel, records, alarms } = this;
    for (let n = 0; n < maxEvents; n++) {
      if (this.stopWhen !== null && this.stopWhen()) return false;
      const record = wheel.pop();
      if (record < 0) return false;
      this.events++;
      const code = ~records.words[(record << 3) + CODE]!;
      records.release(record);
      alarms.ring(code);
      if (alarms.halt !== Halt.none) return alarms.takeHalt();
    }
    return true;
  }

  /**
   * Carries out every event up to a time, those of that time included, and makes it now; alarms that pause hold nothing
   * up. Ends early only if an alarm says that the loop stands still, or stopWhen does.
   */
  runUntil(timePs: number): void {
    let own = 0;
    do {
      // what is set for this very time while it runs comes behind the alarm, so there is another one then
      own = this.events + 1;
      this.isReached = false;
      this.until.at(timePs, 0);
      while (!this.isReached) if (!this.advance(mostEvents)) return;
    } while (this.events > own);
  }
}

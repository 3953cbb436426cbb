// Alarms: whoever wants to be called at a time registers once, by name, and then sets as many as it likes. The table of
// alarms is all that the event loop knows of timers, so that a new one edits its own file alone.
// An alarm's code in its event record is `id << alarmBits | kind`; what the id means (a queue pair, a port, a slot) is
// the business of whoever registered.
// Invariants: alarms ring in order of time, and those of one time in the order in which they were set; every alarm
// rings once. Nothing is allocated per alarm but its record, which is recycled.

import { fail } from '../base/fail.js';
import type { EventWheel } from './event-wheel.js';

/** bits of a kind of alarm in its code */
export const alarmBits = 5;
export const alarmMask = (1 << alarmBits) - 1;
/** ids of alarms are below this */
export const mostAlarmIds = 1 << (31 - alarmBits);

/** What the loop does after an alarm: goes on, returns with events left, or returns as if no event were left. */
export const Halt = { none: 0, pause: 1, standStill: 2 } as const;

/** One kind of alarm. */
export class Alarm {
  constructor(
    private readonly wheel: EventWheel,
    /** number of the kind, 0 to alarmMask */
    readonly kind: number,
  ) {}

  /** Rings at a time not before now, in picoseconds, with an id from 0 to mostAlarmIds - 1. */
  at(timePs: number, id: number): void {
    if (!(id >= 0 && id < mostAlarmIds)) fail(`an alarm with the id ${id}; ids are from 0 to ${mostAlarmIds - 1}`);
    this.wheel.push(timePs, this.codeOf(id));
  }

  /** The code of this alarm in an event record that its owner keeps and schedules itself. */
  codeOf(id: number): number {
    return (id << alarmBits) | this.kind;
  }
}

export class Alarms {
  /** one of Halt, for the loop to see after an alarm has rung */
  halt: number = Halt.none;
  private readonly names: string[] = [];
  private readonly callbacks: ((id: number) => void)[] = [];

  constructor(private readonly wheel: EventWheel) {}

  /**
   * Adds a kind of alarm.
   * @param name for messages; nobody else may have it
   * @param due called with the id of each alarm that rings
   */
  register(name: string, due: (id: number) => void): Alarm {
    if (this.names.includes(name)) fail(`two kinds of alarm are called ${name}`);
    if (this.names.length > alarmMask) fail(`more than ${alarmMask + 1} kinds of alarm: ${this.names.join(', ')}`);
    this.names.push(name);
    this.callbacks.push(due);
    return new Alarm(this.wheel, this.names.length - 1);
  }

  /** Calls whoever registered the alarm of a code. */
  ring(code: number): void {
    const due = this.callbacks[code & alarmMask];
    if (due === undefined) fail(`no alarm has the code ${code}`);
    due(code >> alarmBits);
  }

  /** Ends a halt. @returns what the loop returns: whether events are left that matter */
  takeHalt(): boolean {
    const isPause = this.halt === Halt.pause;
    this.halt = Halt.none;
    return isPause;
  }

  /** Called by an alarm: the loop returns after it, events may be left. */
  pause(): void {
    this.halt = Halt.pause;
  }

  /** Called by an alarm: nothing but alarms like this one will ever come; the loop returns as if none were left. */
  standStill(): void {
    this.halt = Halt.standStill;
  }
}

// A congestion control on its own: one queue pair, a clock, an agenda for the events it asks for, and acknowledgements
// made by hand.

import { EventLoop } from '#weft/engine/event-loop.js';
import type { EventRecords } from '#weft/engine/event-records.js';
import { type Clock, EventWheel } from '#weft/engine/event-wheel.js';
import { PairAlarms } from '#weft/backends/packet/pair-alarms.js';
import { PacketWord } from '#weft/backends/packet/packets.js';
import type { CongestionControl, SendControl } from '#weft/backends/packet/plug-ins.js';
import { PairWord, QueuePairs } from '#weft/backends/packet/queue-pairs.js';

/** What a control is built from here. */
export interface ControlParts {
  readonly pairs: QueuePairs;
  readonly records: EventRecords;
  readonly rates: SendControl;
  readonly clock: Clock;
  readonly pairAlarms: PairAlarms;
}

/** One queue pair under a congestion control. */
export class ControlBench<T extends CongestionControl> {
  readonly wheel = new EventWheel();
  readonly pairs = new QueuePairs();
  readonly records = this.wheel.records;
  readonly pair = this.pairs.allocate();
  readonly packet = this.records.allocate();
  /** every rate and every window that was set, in order */
  readonly rates: number[] = [];
  readonly windows: number[] = [];
  readonly congestion: T;
  private readonly loop = new EventLoop(this.wheel);

  /** @param lineBps rate at which the queue pair starts, and that it never exceeds */
  constructor(lineBps: number, make: (parts: ControlParts) => T) {
    this.pairs.lineRateBps[this.pair] = this.pairs.rateBps[this.pair] = lineBps;
    const rates: SendControl = {
      setRate: (_, rateBps) => {
        this.pairs.rateBps[this.pair] = rateBps;
        this.rates.push(rateBps);
      },
      setWindow: (_, windowBytes) => this.windows.push(windowBytes),
    };
    const { pairs, records, wheel, loop } = this;
    const pairAlarms = new PairAlarms(loop.alarms, pairs);
    this.congestion = make({ pairs, records, rates, clock: wheel, pairAlarms });
    this.congestion.start(this.pair);
  }

  get rateBps(): number {
    return this.pairs.rateBps[this.pair]!;
  }

  /** Lets time pass; what falls due on the way happens, in order of time. */
  advanceTo(timePs: number): void {
    this.loop.runUntil(timePs);
  }

  /**
   * The acknowledgement of a packet arrives.
   * @param sequence what it acknowledges up to; inFlight: packets that the sender has sent beyond it
   */
  acknowledge(sequence: number, inFlight: number, isMarked: boolean): void {
    this.records.words[(this.packet << 3) + PacketWord.sequence] = sequence;
    this.pairs.words[(this.pair << 4) + PairWord.firstUnacknowledged] = sequence;
    this.pairs.words[(this.pair << 4) + PairWord.nextPacket] = sequence + inFlight;
    this.congestion.acknowledged(this.pair, isMarked ? 64 : 0, this.packet);
  }
}

// A congestion control on its own: one queue pair, a clock, an agenda for the events it asks for, and acknowledgements
// made by hand.

import { EventRecords, Word } from '#weft/backends/packet/event-records.js';
import type { CongestionControl, RateControl } from '#weft/backends/packet/plug-ins.js';
import { PairWord, QueuePairs } from '#weft/backends/packet/queue-pairs.js';

/** What a control is built from here. */
export interface ControlParts {
  readonly pairs: QueuePairs;
  readonly records: EventRecords;
  readonly control: RateControl;
  readonly clock: { nowPs: number };
}

/** One queue pair under a congestion control. */
export class ControlBench<T extends CongestionControl> {
  readonly clock = { nowPs: 0 };
  readonly pairs = new QueuePairs(() => {});
  readonly records = new EventRecords();
  readonly pair = this.pairs.allocate();
  readonly packet = this.records.allocate();
  /** every rate that was set, in order */
  readonly rates: number[] = [];
  readonly congestion: T;
  private agenda: { readonly timePs: number; readonly run: () => void }[] = [];

  /** @param lineBps rate at which the queue pair starts, and that it never exceeds */
  constructor(lineBps: number, make: (parts: ControlParts) => T) {
    this.pairs.lineRateBps[this.pair] = this.pairs.rateBps[this.pair] = lineBps;
    const control: RateControl = {
      setRate: (_, rateBps) => {
        this.pairs.rateBps[this.pair] = rateBps;
        this.rates.push(rateBps);
      },
      scheduleDecrease: (_, timePs) =>
        void this.agenda.push({ timePs, run: () => this.congestion.decreaseDue(this.pair) }),
      scheduleIncrease: (_, timePs) =>
        void this.agenda.push({ timePs, run: () => this.congestion.increaseDue(this.pair) }),
    };
    this.congestion = make({ pairs: this.pairs, records: this.records, control, clock: this.clock });
    this.congestion.reserve(64);
    this.congestion.start(this.pair);
  }

  get rateBps(): number {
    return this.pairs.rateBps[this.pair]!;
  }

  /** Lets time pass; what falls due on the way happens, in order of time. */
  advanceTo(timePs: number): void {
    for (;;) {
      this.agenda.sort((a, b) => a.timePs - b.timePs);
      const next = this.agenda[0];
      if (next === undefined || next.timePs > timePs) break;
      this.agenda.shift();
      this.clock.nowPs = next.timePs;
      next.run();
    }
    this.clock.nowPs = timePs;
  }

  /**
   * The acknowledgement of a packet arrives.
   * @param sequence what it acknowledges up to; inFlight: packets that the sender has sent beyond it
   */
  acknowledge(sequence: number, inFlight: number, isMarked: boolean): void {
    this.records.words[(this.packet << 3) + Word.sequence] = sequence;
    this.pairs.words[(this.pair << 4) + PairWord.nextPacket] = sequence + inFlight;
    this.congestion.acknowledged(this.pair, isMarked ? 64 : 0, this.packet);
  }
}

// A sample: a phase that is replayed and simulated all the same, so that one can be compared with the other. What its
// transfers do changes nothing but the figures of the comparison.
// Invariant: of a long phase the first transfers are simulated (recording.ts says how many), then no more leave; only
// what both the recording and the sample know is compared.

import { Float64List } from '../../base/columns.js';
import type { OpenCollective } from '../open-collective.js';
import { mostArrivals, type RecordedCollective, type Recording } from './recording.js';

/** What samples came to. */
export class SampleFigures {
  phases = 0;
  /** times that were compared: arrivals of transfers, ranks that were done with a collective */
  times = 0;
  /** largest difference of a time, as a share of what has passed since its phase began or its ranks had come */
  largest = 0;
  private sum = 0;

  get mean(): number {
    return this.times === 0 ? 0 : this.sum / this.times;
  }

  add(largest: number, mean: number, count: number): void {
    this.times += count;
    this.largest = Math.max(this.largest, largest);
    this.sum += mean * count;
  }

  /** @param passedPs time in the recording, @param simulatedPs and in the sample */
  compare(passedPs: number, simulatedPs: number): void {
    const difference = Math.abs(simulatedPs - passedPs) / Math.max(1, passedPs);
    this.add(difference, difference, 1);
  }
}

/** A collective of a sampled phase, and what it is compared with. */
interface Sampled {
  readonly recorded: RecordedCollective;
  /** by place: when the network was done with it; -1: not yet */
  readonly donePs: Float64Array;
  readonly lastComePs: number;
}

export class Shadow {
  private readonly arrivalsPs = new Float64List(64);
  private readonly sampled = new Map<OpenCollective, Sampled>();
  private readonly underWay = new Set<OpenCollective>();
  /** no collective joins any more */
  private isClosed = false;

  constructor(
    private readonly recording: Recording,
    private readonly startPs: number,
  ) {}

  /** Whether collectives of the phase are still to be simulated. */
  get isOpen(): boolean {
    return !this.isClosed;
  }

  /** Collectives whose transfers are under way. */
  get open(): Iterable<OpenCollective> {
    return this.underWay;
  }

  get isEmpty(): boolean {
    return this.underWay.size === 0;
  }

  add(collective: OpenCollective, recorded: RecordedCollective): void {
    const donePs = new Float64Array(collective.group.ranks.length).fill(-1);
    this.sampled.set(collective, { recorded, donePs, lastComePs: collective.lastStartPs });
    this.underWay.add(collective);
  }

  placeFinished(collective: OpenCollective, place: number, nowPs: number): void {
    const sampled = this.sampled.get(collective);
    if (sampled !== undefined) sampled.donePs[place] = nowPs;
  }

  /** A transfer has arrived. @returns whether that was enough */
  arrived(nowPs: number): boolean {
    if (this.isClosed) return false;
    this.arrivalsPs.push(nowPs);
    return this.arrivalsPs.length >= mostArrivals;
  }

  /** No more transfers of a collective are under way. */
  over(collective: OpenCollective): void {
    this.underWay.delete(collective);
  }

  /** No collective joins any more. */
  close(): void {
    this.isClosed = true;
  }

  /** Compares what is known by now. */
  compare(figures: SampleFigures): void {
    const { arrivalsPs, recording } = this;
    const count = Math.min(arrivalsPs.length, recording.arrivalsPs.length);
    for (let i = 0; i < count; i++)
      figures.compare(recording.arrivalsPs.values[i]! - recording.startPs, arrivalsPs.values[i]! - this.startPs);
    for (const { recorded, donePs, lastComePs } of this.sampled.values())
      for (let place = 0; place < donePs.length; place++)
        if (donePs[place]! >= 0 && recorded.donePs[place]! >= 0)
          figures.compare(recorded.donePs[place]! - recorded.lastComePs, donePs[place]! - lastComePs);
    figures.phases++;
  }
}

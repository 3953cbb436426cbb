// When the probes that look at regular times do so: at start, start + interval, start + 2 x interval, ... up to end,
// and once more when the run ends. A sample is the state just before its time: everything that happened earlier,
// nothing of that very instant. Nothing is scheduled for it: the network asks before an event whether a sample is due
// by then. So probes never keep a run alive, never come between two events of the same time, and skip the samples of a
// time in which nothing happened.

/** What looks at the network at regular times. */
export interface SampledProbe {
  /** in picoseconds, above 0; a sample may make it longer */
  readonly intervalPs: number;
  /**
   * Records the state at a time that is not after the next event.
   * @param sincePs the interval before it: nothing has happened between the last sample and then
   * @returns true if what the probe looks at goes on changing while no event happens
   */
  sample(timePs: number, sincePs: number): boolean;
}

/** From when to when samples and packet latencies are recorded. */
export interface TimeWindow {
  readonly startPs: number;
  /** the last moment; Infinity for the end of the run */
  readonly endPs: number;
}

export class Sampling {
  /** when each probe is due next */
  private readonly duePs: number[];

  constructor(
    private readonly probes: readonly SampledProbe[],
    private readonly window: TimeWindow,
  ) {
    this.duePs = probes.map(() => window.startPs);
  }

  /** When the next sample is due: Infinity if none will be. */
  get nextPs(): number {
    const next = Math.min(...this.duePs);
    return next > this.window.endPs ? Infinity : next;
  }

  /** Takes the samples that are due before anything happens at a time. @returns when the next is due */
  catchUp(nowPs: number): number {
    const untilPs = Math.min(nowPs, this.window.endPs);
    for (const [i, probe] of this.probes.entries()) {
      while (this.duePs[i]! <= untilPs) {
        const duePs = this.duePs[i]!;
        const goesOn = probe.sample(duePs, this.sincePs(i));
        const { intervalPs } = probe;
        // nothing has happened up to now: the samples in between would all be the same
        this.duePs[i] = goesOn
          ? duePs + intervalPs
          : this.window.startPs + (Math.floor((nowPs - this.window.startPs) / intervalPs) + 1) * intervalPs;
      }
    }
    return this.nextPs;
  }

  /** The run has ended: what happened since the last samples is recorded, too. */
  finish(nowPs: number): void {
    this.catchUp(nowPs);
    if (nowPs >= this.window.startPs && nowPs <= this.window.endPs)
      for (const [i, probe] of this.probes.entries()) probe.sample(nowPs, this.sincePs(i));
  }

  /** The last time before a probe's next at which it was due, or would have been. */
  private sincePs(probe: number): number {
    return Math.max(this.window.startPs, this.duePs[probe]! - this.probes[probe]!.intervalPs);
  }
}

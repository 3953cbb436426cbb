// Demands on places (links, or groups of them), and what sharing them costs: while the demand D exceeds the rate R, whoever
// is there loses 1 - R / D of its time.

/** Places by number, whose rates the owner fills in; what they cost is a sum over time (docs/models/lost-time.md). */
export class SharedPlaces {
  readonly rateBps: Float64Array;
  private readonly demandBps: Float64Array;
  private readonly lostPs: Float64Array;
  private readonly knownPs: Float64Array;

  constructor(count: number) {
    this.rateBps = new Float64Array(count);
    this.demandBps = new Float64Array(count);
    this.lostPs = new Float64Array(count);
    this.knownPs = new Float64Array(count);
  }

  /** Time lost since the beginning by whoever had been there all the time. */
  lostUntil(place: number, nowPs: number): number {
    const demandBps = this.demandBps[place]!;
    const rateBps = this.rateBps[place]!;
    // of sums of floating-point numbers a little more is no more
    if (demandBps > rateBps * (1 + 1e-9))
      this.lostPs[place]! += (1 - rateBps / demandBps) * (nowPs - this.knownPs[place]!);
    this.knownPs[place] = nowPs;
    return this.lostPs[place]!;
  }

  /** A demand comes; a negative one goes. Time up to now has to be counted first, by `lostUntil`. */
  add(place: number, demandBps: number): void {
    this.demandBps[place]! += demandBps;
  }
}

// How long flows that have drained may leave their share of the links unused, before rates are computed anew. Not at
// all, as long as computing them is little work. But of a hundred thousand flows of random sizes that start at one
// instant every end changes everybody's rate a little: exact rates after each end are work that grows with the square
// of their number. So once rates have been looked at `exactLooks` times since the last flow started, ends are put
// together: a settle that took so many looks waits for that share of the time since the last start (1 / looksPerFold
// for each look), so that the looks of all settles while that time grows e-fold are looksPerFold, however many flows
// there are.
// Invariants: rates are computed at the instant at which a flow starts or a route or a link changes; while they wait,
// no link carries more than its rate, and flows end later than with exact rates, not sooner, as a rule: by how much,
// docs/models/fluid.md has measured.
// Not modelled: that the ends which are put together are spread over the wait.

/** How much work exact rates may be. */
export interface PatienceLimits {
  /** looks since the last start after which ends are put together: a quarter of a second, roughly */
  readonly exactLooks: number;
  readonly looksPerFold: number;
  /** the longest wait, as a share of the time since the last start */
  readonly mostWait: number;
}

const usualLimits: PatienceLimits = { exactLooks: 2e7, looksPerFold: 1e7, mostWait: 0.02 };

export class Patience {
  /** rates may wait as long as something happens up to this time */
  untilPs = 0;
  private startedPs = 0;
  private looksAtStart = 0;
  private looksBefore = 0;

  constructor(private readonly limits: PatienceLimits = usualLimits) {}

  /** Time has come to this. */
  isAt(nowPs: number): void {
    if (nowPs > this.untilPs) this.untilPs = nowPs;
  }

  /** Something else than an end has changed rates: they are computed at this instant. @param looks until now */
  end(nowPs: number, looks: number): void {
    this.startedPs = nowPs;
    this.untilPs = nowPs;
    this.looksAtStart = looks;
  }

  /** Rates are as they should be. @param looks until now */
  settled(nowPs: number, looks: number): void {
    const took = looks - this.looksBefore;
    this.looksBefore = looks;
    this.untilPs = nowPs;
    const { exactLooks, looksPerFold, mostWait } = this.limits;
    if (looks - this.looksAtStart > exactLooks)
      this.untilPs += Math.floor((nowPs - this.startedPs) * Math.min(mostWait, took / looksPerFold));
  }
}

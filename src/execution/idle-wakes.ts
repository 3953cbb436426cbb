// Finds an admission policy that never lets in what it holds back, but goes on having itself called: the run would not
// end, and no time limit would find it where the policy asks for the same instant again and again.
// Invariant: a run ends only if nothing but the policy could change anything: time stands still, or all queue pairs
// that have not finished are held back, and no further transfer and no change of links is to come.
// Not modelled: a policy that polls while flows are under way that will never end.

/** Calls in a row with nothing let in, after which a policy is held to do so for ever: at 1 us each a second. */
const idleWakesLimit = 1_000_000;

export class IdleWakes {
  /** the policy has called itself so often in a row and let nothing in */
  isStuck = false;
  private unfinished = 0;
  private held = 0;
  private wakes = 0;
  private lastPs = -1;

  /** A queue pair was asked for. */
  asked(isHeld: boolean): void {
    this.unfinished++;
    this.wakes = 0;
    if (isHeld) this.held++;
  }

  /** One that was held back was let in. */
  entered(): void {
    this.held--;
    this.wakes = 0;
  }

  /** One has finished. */
  finished(): void {
    this.unfinished--;
    this.wakes = 0;
  }

  /**
   * The policy has been called.
   * @param isHopeful something else may yet happen later: a transfer or a change of links is to come
   * @returns true to end the run
   */
  woken(nowPs: number, isHopeful: boolean): boolean {
    const hasAdvanced = nowPs !== this.lastPs;
    this.lastPs = nowPs;
    if (hasAdvanced && (isHopeful || this.held === 0 || this.held < this.unfinished)) this.wakes = 0;
    else if (++this.wakes >= idleWakesLimit) this.isStuck = true;
    return this.isStuck;
  }

  /** @param policy its name @param held the flows that wait for it, none: '' */
  detail(policy: string, held: string): string {
    const what = held === '' ? '' : ` (held back: ${held})`;
    return `admission policy ${policy} had itself called ${idleWakesLimit} times in a row and let nothing in${what}`;
  }
}

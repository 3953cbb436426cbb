// How long a search may go on. Searches count work (links looked at), not time, so that they can be repeated to the
// byte; a clock may end one too, and then the work done says where: the same seed with that work as its limit ends in
// the same routes.
// Invariant: a search asks `spend` at points that depend on its work alone, so a limit in work ends it where a clock
// did.

export class SearchBudget {
  /** work done */
  work = 0;
  /**
   * work at which patience ends: what is being tried ends there as well, and whoever set it may go on with something
   * else
   */
  patienceEnd = Infinity;
  private over = false;

  /**
   * @param mostWork ends the search when that much work is done
   * @param stopped asked whenever work was spent; true ends the search
   */
  constructor(
    private readonly mostWork: number,
    private readonly stopped: (work: number) => boolean = () => false,
  ) {}

  /** true once the search has to end */
  get ended(): boolean {
    return this.over || this.work >= this.patienceEnd;
  }

  /** Counts work. @returns true if the search has to end */
  spend(work: number): boolean {
    this.work += work;
    if (!this.over) this.over = this.work >= this.mostWork || this.stopped(this.work);
    return this.ended;
  }
}

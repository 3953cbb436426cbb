// What receivers have counted by link: of one window of time, for each owner of traffic apart.
// A sampled packet stands for w = every x links of its path. The traffic of a link is the sum of the w that name it
// (standard), or of w where the hash agrees and -w where it does not, over all packets that may have taken it
// (one-bit). Both are unbiased, and both have the variance E[sum of w^2 over what was added] - E[traffic]: with l links
// and N packets N (every l - 1), or Q every l^2 - N of Q packets that may have taken it.
// Source: Taffet's dissertation (docs/SOURCES.md), Algorithms 3 and 6, 2.3.2 and 2.5.1; its variances are those of
// every = 1.

/** The columns of one owner, by port; made when its first packet comes. */
export class OwnerTallies {
  /** packets that were added (one-bit: tested) */
  readonly tested: Float64Array;
  /** packets among them that name the link (standard); of one-bit 0 */
  readonly samples: Float64Array;
  readonly traffic: Float64Array;
  /** sum of w^2 */
  readonly squares: Float64Array;
  readonly congested: Float64Array;
  /** sum of w^2 of those that met congestion */
  readonly congestedSquares: Float64Array;

  constructor(ports: number) {
    this.tested = new Float64Array(ports);
    this.samples = new Float64Array(ports);
    this.traffic = new Float64Array(ports);
    this.squares = new Float64Array(ports);
    this.congested = new Float64Array(ports);
    this.congestedSquares = new Float64Array(ports);
  }

  /** A packet's reservoir names a link. */
  add(port: number, weight: number, isCongested: boolean): void {
    this.tested[port]!++;
    this.samples[port]!++;
    this.traffic[port]! += weight;
    this.squares[port]! += weight * weight;
    if (!isCongested) return;
    this.congested[port]! += weight;
    this.congestedSquares[port]! += weight * weight;
  }

  /**
   * Packets of one weight were tested for a link.
   * @param disagree those whose hash is another @param congestedTested those that met congestion somewhere
   * @param congestedDisagree both
   */
  test(
    port: number,
    weight: number,
    tested: number,
    disagree: number,
    congestedTested: number,
    congestedDisagree: number,
  ): void {
    this.tested[port]! += tested;
    this.traffic[port]! += weight * (tested - 2 * disagree);
    this.squares[port]! += weight * weight * tested;
    this.congested[port]! += weight * (congestedTested - 2 * congestedDisagree);
    this.congestedSquares[port]! += weight * weight * congestedTested;
  }

  clear(): void {
    for (const column of [this.tested, this.samples, this.traffic, this.squares, this.congested, this.congestedSquares])
      column.fill(0);
  }
}

export class LinkTallies {
  /** by owner; undefined: it has sent nothing yet */
  readonly owners: (OwnerTallies | undefined)[] = [];

  constructor(private readonly ports: number) {}

  of(owner: number): OwnerTallies {
    return (this.owners[owner] ??= new OwnerTallies(this.ports));
  }

  clear(): void {
    for (const owner of this.owners) owner?.clear();
  }
}
